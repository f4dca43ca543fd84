package cli

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// parseSeconds reads a time of the command line: a number of seconds, or numbers with their units.
func parseSeconds(text string) (float64, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return seconds, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("expected a time such as 2, 0.5s or 1m30s, found %q", text)
	}
	return d.Seconds(), nil
}

// decodeTime decodes a flag of type time.Duration, of a number of seconds, or of a pointer to one.
func decodeTime(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("time", &text); err != nil {
		return err
	}
	seconds, err := parseSeconds(text)
	if err != nil {
		return err
	}
	switch target.Type() {
	case reflect.TypeFor[time.Duration]():
		if nanoseconds := seconds * float64(time.Second); math.Abs(nanoseconds) < math.MaxInt64 {
			target.SetInt(int64(math.Round(nanoseconds)))
			return nil
		}
		return fmt.Errorf("expected a time of less than 292 years, found %q", text)
	case reflect.TypeFor[*float64]():
		target.Set(reflect.ValueOf(&seconds))
	default:
		target.SetFloat(seconds)
	}
	return nil
}

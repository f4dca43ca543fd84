package reasoner

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"stackmate/internal/atomicfile"
	"stackmate/reasoner/machine"
)

// BenchResult is the outcome of random playouts with one machine.
type BenchResult struct {
	Game              string  `json:"game"`
	Engine            string  `json:"engine"`
	Lanes             int     `json:"lanes"`   // positions per batch
	Threads           int     `json:"threads"` // always 1
	InitSeconds       float64 `json:"init_seconds"`
	Seconds           float64 `json:"seconds"`
	States            int64   `json:"states"`   // successor positions computed
	Playouts          int64   `json:"playouts"` // terminal positions reached
	Faulty            int64   `json:"faulty"`   // playouts that got stuck or never ended
	StatesPerSecond   float64 `json:"states_per_second"`
	PlayoutsPerSecond float64 `json:"playouts_per_second"`
}

// benchSeed makes the playouts of every measurement the same ones.
const benchSeed = 1

// Measure plays random matches from the initial position on one thread, for the
// given time or until ctx is done. Game and InitSeconds are left to the caller.
func Measure(ctx context.Context, m machine.Machine, duration time.Duration) BenchResult {
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	p := machine.NewPlayouts(m, m.Initial(), benchSeed)
	start := time.Now()
	p.Run(ctx, 0)
	seconds := time.Since(start).Seconds()
	return BenchResult{
		Engine:            m.Info().Engine,
		Lanes:             m.NewBatch().Lanes(),
		Threads:           1,
		Seconds:           seconds,
		States:            p.States,
		Playouts:          p.Ended,
		Faulty:            p.Faulty,
		StatesPerSecond:   float64(p.States) / seconds,
		PlayoutsPerSecond: float64(p.Ended) / seconds,
	}
}

// The columns of the table for people: a heading, and a line for each game.
const (
	BenchHeading = "game                             engine     lanes   init s  seconds      states/s    playouts/s    faulty\n"
	benchLine    = "%-32s %-10s %5d %8.3f %8.2f %13.0f %13.0f %9d\n"
)

// WriteTable writes the line of the game below BenchHeading.
func (r BenchResult) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, benchLine, r.Game, r.Engine, r.Lanes, r.InitSeconds, r.Seconds,
		r.StatesPerSecond, r.PlayoutsPerSecond, r.Faulty)
	return err
}

// SaveHarness writes a file in the format of the GDL benchmark harness gdl-perf
// (A. Landau), one key=value pair to a line: the result or, if failed is not
// nil, why there is none. The version names the engine that was measured.
func (r BenchResult) SaveHarness(path, version string, failed error) error {
	text := fmt.Sprintf("version=%s\n", oneLine(version))
	if failed == nil {
		text += fmt.Sprintf("millisecondsTaken=%.0f\nnumStateChanges=%d\nnumRollouts=%d\n",
			1000*r.Seconds, r.States, r.Playouts)
	} else {
		text += fmt.Sprintf("errorMessage=%s\n", oneLine(failed.Error()))
	}
	return atomicfile.Write(path, []byte(text))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

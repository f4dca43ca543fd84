// Package jsonfault rewrites errors of encoding/json, which speak of Go types, for authors of JSON. It knows
// nothing of the rest of the project.
package jsonfault

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Explain returns err, if it is of encoding/json and speaks of Go types, in terms of JSON, and any
// other error as it is.
func Explain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	if wrong.Field == "" {
		return fmt.Errorf("expected %s, found %s", kind(wrong.Type), wrong.Value)
	}
	return fmt.Errorf("expected %s in %q, found %s", kind(wrong.Type), wrong.Field, wrong.Value)
}

// kind returns the JSON kind of a type.
func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Bool:
		return "bool"
	case reflect.String:
		return "string"
	case reflect.Pointer:
		return kind(t.Elem())
	default:
		return "number"
	}
}

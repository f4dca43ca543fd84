package protocol

import (
	"testing"

	"stackmate/gdl"
	"stackmate/internal/must"
)

func TestARoleIsFoundInAnyCaseAndAnExactOneFirst(t *testing.T) {
	var roles []gdl.Term
	for _, name := range []string{"White", "black", "BLACK"} {
		term := must.Get(gdl.ParseTerm(name))(t)
		roles = append(roles, term)
	}
	for name, want := range map[string]string{"White": "White", "wHITE": "White", "black": "black", "BLACK": "BLACK", "red": ""} {
		if got, err := findRole(&gdl.Game{Roles: roles}, name); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
}

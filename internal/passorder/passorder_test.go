package passorder_test

import (
	"strings"
	"testing"

	"stackmate/internal/passorder"
)

func TestAnOrderIsAcceptedIfItMeetsAllConstraints(t *testing.T) {
	for _, c := range []struct{ names, constraints, want string }{
		{"a b c", "a<b a<c b<c", ""},
		{"a b c", "", ""},
		{"b a c", "a<c a<b", `pass "a" must stand before "b": since`},
		{"a b", "a<c", `"a" and "c"`},
		{"a b", "c<a", `"c" and "a"`},
		{"a b", "a<a", `pass "a" must stand before "a"`},
		{"a b a", "", `two passes have the name "a"`},
	} {
		var constraints []passorder.Constraint
		for _, text := range strings.Fields(c.constraints) {
			before, after, _ := strings.Cut(text, "<")
			constraints = append(constraints, passorder.Constraint{before, after, "since"})
		}
		err := passorder.Check(strings.Fields(c.names), constraints)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("order %q, constraints %q: error %v, want %q", c.names, c.constraints, err, c.want)
		}
	}
}

// Package passorder checks the order of the passes of a compiler.
package passorder

import "fmt"

// Constraint requires the pass named first to stand before the pass named second. The third string is the reason.
type Constraint [3]string

// Check returns an error for the first constraint that the passes with the given names, in order, violate. Names are
// unique, and each name in a constraint is the name of a pass.
func Check(names []string, constraints []Constraint) error {
	at := make(map[string]int)
	for i, name := range names {
		if _, ok := at[name]; ok {
			return fmt.Errorf("two passes have the name %q", name)
		}
		at[name] = i
	}
	for _, c := range constraints {
		before, ok := at[c[0]]
		after, found := at[c[1]]
		switch {
		case !ok || !found:
			return fmt.Errorf("a constraint names the passes %q and %q; at least one is not in the table", c[0], c[1])
		case before >= after:
			return fmt.Errorf("pass %q must stand before %q: %s", c[0], c[1], c[2])
		}
	}
	return nil
}

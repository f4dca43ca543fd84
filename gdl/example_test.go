package gdl_test

import (
	"context"
	"fmt"

	"stackmate/gdl"
)

// A rulesheet with a fault is refused; the findings say where it is and how to
// repair it.
func ExampleLoad() {
	rules := `(role robot)
(init (at a))
(<= (legal robot (go ?x)) (place ?x))
(place a)
(place b)
(<= (next (at ?y)) (does robot (go ?x)))
(<= terminal (true (at b)))
(goal robot 100)
`
	_, findings, err := gdl.Load(context.Background(), "walk.kif", []byte(rules))
	fmt.Println(err)
	for _, f := range findings.Errors() {
		fmt.Println(f.Hint)
	}
	// Output:
	// walk.kif:6:15: E019: expected a positive condition that binds ?y of the head, found none
	// add a positive condition in which the variable occurs
}

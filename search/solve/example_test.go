package solve_test

import (
	"context"
	"fmt"
	"log"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/search"
	"stackmate/search/simultaneous"
)

// A position of a game with simultaneous moves is solved: its value in goal points
// and an equilibrium.
func Example() {
	ctx := context.Background()
	file, text, err := games.Source("goofspiel-7")
	if err != nil {
		log.Fatal(err)
	}
	rules, _, err := gdl.Load(ctx, file, text)
	if err != nil {
		log.Fatal(err)
	}
	m, err := reasoner.New(ctx, rules, reasoner.Options{})
	if err != nil {
		log.Fatal(err)
	}
	solver, err := simultaneous.New(simultaneous.Config{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := solver.Search(ctx, m, m.Initial(), search.Limits{MaxBytes: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("solved:", r.Solved(), "value:", r.Values[0].Lower)
	for _, w := range r.Strategies[0] {
		fmt.Printf("%s %.3f\n", m.Names().Moves[0][w.Move], w.Probability)
	}
	// Output:
	// solved: true value: 50
	// (play 3) 0.171
	// (play 4) 0.016
	// (play 7) 0.813
}

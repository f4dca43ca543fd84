package reasoner_test

import (
	"context"
	"fmt"
	"log"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine/play"
)

// Rules become a state machine, and that plays a million random positions.
func ExampleNew() {
	ctx := context.Background()
	file, text, err := games.Source("connectFour")
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
	names := m.Names()
	fmt.Println(names.Roles, len(names.Fluents), "fluents")

	playouts := play.NewPlayouts(m, m.Initial(), 1)
	playouts.Run(ctx, 1_000_000)
	first := float64(playouts.Goals()[0]) / float64(playouts.Ended)
	fmt.Printf("%s, who begins, gets more than half of the points by random play: %t\n", names.Roles[0], first > 50)
	// Output:
	// [red yellow] 86 fluents
	// red, who begins, gets more than half of the points by random play: true
}

package cli

import (
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
)

// bothWays are rules in which (a b) is a move of both roles and a joint move of the two as well.
const bothWays = `(role x) (role o) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
	(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 3))) (goal x 30) (goal o 70)
	(legal x (a b)) (legal x a) (legal o c) (legal o b) (<= (legal o (a b)) (true (step 0)))`

func TestAListOfMovesIsReadInTheOnlyWayInWhichAllAreLegal(t *testing.T) {
	path := file(t, "both.kif", bothWays)
	const one, two = "            4          0\n", "            4          4\n" // joint moves and ends, after one step and after two
	for moves, want := range map[string]string{
		"(a b) c":         one, // x plays (a b)
		"((a b) c)":       one,
		"(a b)":           one, // x plays a and o plays b
		"((a b) c) (a c)": two,
		"(a c) (a b) b":   two,
		"(a b) c (a b) c": two,
	} {
		execute(t, "perft", path, "1", "--moves", moves).expect(t, statusFine, want)
	}
	execute(t, "perft", path, "1", "--moves", "(a b) (a b)").expect(t, statusUsage, "step 1: the moves are legal in two ways, as (a b) and as ((a b) (a b)): write joint moves")
	execute(t, "perft", path, "1", "--moves", "(a b) a").expect(t, statusUsage, "step 2: expected a move of o too")
	execute(t, "perft", path, "1", "--moves", "(c b)").expect(t, statusUsage, "step 1: expected a legal move of x")
}

// Only one of 2^30 random games shows that the sum is not constant.
func TestInspectTellsWhatIsObservedFromWhatIsProved(t *testing.T) {
	exhaustive.NotUnderRace(t, "reads rules on one goroutine")
	rules := strings.Builder{}
	rules.WriteString(`(role x) (role o) (init (step 0)) (init all) (legal x a) (legal x b) (legal o noop)
		(<= (next all) (true all) (does x a)) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 30)))
		(<= (goal x 100) (true all)) (<= (goal x 0) (not (true all))) (goal o 100)`)
	const digits = "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30"
	steps := strings.Fields(digits)
	for i, n := range steps[1:] {
		rules.WriteString("(succ " + steps[i] + " " + n + ")")
	}
	path := file(t, "rare.kif", rules.String())
	execute(t, "inspect", path, "--budget", "1h").expect(t, statusFine, "constant sum (in ", " random games)", "not proved to be constant", "at most 30 joint moves (proved)")
	execute(t, "inspect", "goofspiel-4", "--budget", "1h").expect(t, statusFine, "100 at every end (proved)", "at most 4 joint moves (proved)")
	found := execute(t, "inspect", "--json", path, "--budget", "1h").objects(t)[0]
	if _, known := found["goal_sum"]; known || found["longest"] != 30.0 || found["random_games"] == 0.0 {
		t.Errorf("found %v, %v, %v; want no sum, 30 joint moves, and some random games", found["goal_sum"], found["longest"], found["random_games"])
	}
}

func TestRulesThatAProofRefutesAreNotValid(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	const end = `(init (step 0)) (succ 0 1) (succ 1 2) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 2)))`
	for name, rules := range map[string]string{
		"stuck":     `(role x) (<= (legal x go) (true (step 0))) (goal x 100)`,
		"no goal":   `(role x) (legal x go) (<= (goal x 100) (true (step 1)))`,
		"two goals": `(role x) (legal x go) (goal x 100) (<= (goal x 50) (true (step 2)))`,
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "rules.kif", rules+end)
			execute(t, "validate", path).expect(t, statusFine, "valid")
			execute(t, "validate", path, "--prove", "--budget", "2s").expect(t, statusBad, "refuted", "not valid", "refuted: 1")
		})
	}
	// Chance needs no goal, and two roles moving at once are no fault.
	path := file(t, "rules.kif", `(role x) (role o) (role random) (legal x go) (legal x stay) (legal o go) (legal o stay) (legal random go) (goal x 100) (goal o 0)`+end)
	execute(t, "validate", path, "--prove", "--budget", "2s").expect(t, statusFine, "refuted", ": valid (errors: 0")
}

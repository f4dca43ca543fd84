package cli

import (
	"path/filepath"
	"testing"

	"stackmate/internal/exhaustive"
)

// walk is a game by turns in which white waits for ever or walks two steps to its goal.
const walk = `(role white) (role black) (init (at 0)) (init (turn white)) (su 0 1) (su 1 2)
(<= (legal white again) (true (turn white)))
(<= (legal white walk) (true (turn white)) (true (at ?x)) (su ?x ?y))
(<= (legal white noop) (true (turn black)))
(<= (legal black noop) (true (turn white)))
(<= (legal black left) (true (turn black)))
(<= (legal black right) (true (turn black)))
(<= (next (turn black)) (true (turn white)))
(<= (next (turn white)) (true (turn black)))
(<= (next (at ?x)) (true (at ?x)) (not (does white walk)))
(<= (next (at ?y)) (does white walk) (true (at ?x)) (su ?x ?y))
(<= terminal (true (at 2)))
(<= (goal white 100) (true (at 2))) (<= (goal white 0) (not (true (at 2))))
(<= (goal black 0) (true (at 2))) (<= (goal black 100) (not (true (at 2))))`

// stay is a game in which a stays for ever if it likes; the only end is a win for b.
const stay = `(role a) (role b) (init z)
(<= (legal a stay) (true s)) (<= (legal a go) (true s)) (<= (legal a go) (true z)) (legal b wait)
(<= (next s) (true z)) (<= (next s) (does a stay)) (<= (next e) (true s) (does a go))
(<= terminal (true e)) (<= (goal a 0) (true e)) (<= (goal b 100) (true e))`

func TestAProvedWinIsCertifiedSavedAndReached(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	game, saved := file(t, "walk.kif", walk), filepath.Join(t.TempDir(), "walk.solution")
	for _, method := range []string{"auto", "dfs", "threats"} {
		execute(t, "solve", game, "--method", method, "--certify").expect(t, statusFine, "solved", "certified: ", "(walk noop)")
	}
	execute(t, "solve", game, "--save", saved).expect(t, statusFine, "certified: ")
	for _, players := range []string{"solution,legal", "solution:" + saved + ",legal", "stackmate,legal"} {
		execute(t, "match", game, "--players", players, "--start-clock", "5", "--play-clock", "2").expect(t, statusFine, "100.0 %")
	}
}

func TestAMatchThatMayNeverEndIsNotSolved(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	game := file(t, "stay.kif", stay)
	for _, method := range []string{"auto", "bab", "dfs", "threats", "layers", "paranoid", "maxn", "lattice", "smab"} {
		execute(t, "solve", game, "--method", method).expect(t, statusBad, "[0, 100]", "not solved")
	}
}

func TestSamplingEndsWithMixedStrategies(t *testing.T) {
	execute(t, "solve", "matchingPennies", "--method", "mcts").expect(t, statusBad, "[0, 100], estimate 50", "0.500000  heads", "0.500000  tails", "the tree is complete")
}

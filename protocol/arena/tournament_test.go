package arena

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// duel is the result of a match for two.
func duel(a, b string, goal int) Result {
	return Result{Players: []string{a, b}, Goals: []int{goal, 100 - goal}}
}

func TestTheRatingDifferenceOfTwoFollowsTheirScore(t *testing.T) {
	var results []Result
	for range 750 {
		results = append(results, duel("a", "b", 100))
	}
	for range 250 {
		results = append(results, duel("b", "a", 100))
	}
	r := newCrosstable([]string{"a", "b"}, results).ratings()
	got, want := r[0].Elo-r[1].Elo, 400*math.Log10(750.5/250.5)
	if math.Abs(got-want) > 1e-3 || math.Abs(r[0].Elo+r[1].Elo) > 1e-6 {
		t.Errorf("ratings %v, want a difference of %v", r, want)
	}
	// Each is half the difference from the mean; n·p·q is its information.
	error := 1.96 * eloUnit / math.Sqrt(1001*750.5/1001*250.5/1001) / 2
	if math.Abs(r[0].Error-error) > 1e-3 || math.Abs(r[1].Error-error) > 1e-3 {
		t.Errorf("errors %v and %v, want %v", r[0].Error, r[1].Error, error)
	}
}

func TestTrueRatingsLieWithinTheErrors(t *testing.T) {
	truth := map[string]float64{"a": 150, "b": 50, "c": -60, "d": -140}
	names := []string{"a", "b", "c", "d"}
	rng := machine.NewRand(5)
	outside, total := 0, 0
	for range 100 {
		var results []Result
		for range 50 {
			for i, a := range names {
				for _, b := range names[:i] {
					goal := 0
					if rng.Float64() < expectedScore(truth[a]-truth[b]) {
						goal = 100
					}
					results = append(results, duel(a, b, goal))
				}
			}
		}
		for _, r := range newCrosstable(names, results).ratings() {
			if total++; math.Abs(r.Elo-truth[r.Player]) > r.Error {
				outside++
			}
		}
	}
	// 5 % are expected; 9 % would be four standard deviations more.
	if share := float64(outside) / float64(total); share > 0.09 {
		t.Errorf("%.1f %% of the true ratings are outside of the 95 %% intervals", 100*share)
	}
}

func TestRatingsAreFiniteSumToZeroAndFollowTheNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d"}
		result := rapid.Custom(func(t *rapid.T) Result {
			players := rapid.Permutation(names).Draw(t, "players")[:rapid.IntRange(1, 4).Draw(t, "n")]
			goals := rapid.SliceOfN(rapid.IntRange(0, 100), len(players), len(players)).Draw(t, "goals")
			return Result{Players: players, Goals: goals}
		})
		results := rapid.SliceOf(result).Draw(t, "results")
		ratings := newCrosstable(names, results).ratings()
		turned := newCrosstable([]string{"d", "b", "a", "c"}, results).ratings()
		sum := 0.0
		for _, r := range ratings {
			sum += r.Elo
			for _, s := range turned {
				if r.Player == s.Player && (math.Abs(r.Elo-s.Elo) > 1e-3 || math.Abs(r.Error-s.Error) > 1e-3) {
					t.Fatalf("%v in one order, %v in another", r, s)
				}
			}
			if math.IsNaN(r.Elo) || math.IsInf(r.Elo, 0) || math.IsNaN(r.Error) || math.IsInf(r.Error, 0) || r.Error < 0 {
				t.Fatalf("rating %v", r)
			}
		}
		if math.Abs(sum) > 1e-3 {
			t.Fatalf("the ratings %v add up to %v", ratings, sum)
		}
	})
}

func TestSPRTKeepsItsRisks(t *testing.T) {
	test := SPRT{Elo0: 0, Elo1: 40, Alpha: 0.05, Beta: 0.05}
	rng := machine.NewRand(11)
	for elo, wrong := range map[float64]Verdict{0: AcceptH1, 40: AcceptH0} {
		const runs = 400
		wins, mistakes := expectedScore(elo)-0.15, 0 // and 30 % draws
		for range runs {
			var s Sample
			verdict := Undecided
			for verdict == Undecided {
				switch x := rng.Float64(); {
				case x < wins:
					s.Add(1)
				case x < wins+0.3:
					s.Add(0.5)
				default:
					s.Add(0)
				}
				verdict = test.Verdict(s)
			}
			if verdict == wrong {
				mistakes++
			}
		}
		// 5 % are allowed; 10 % would be four standard deviations more.
		if share := float64(mistakes) / runs; share > 0.1 {
			t.Errorf("at %v Elo, %.1f %% of the tests say %s", elo, 100*share, wrong)
		}
	}
}

func TestSPRTNeedsHypothesesAndRisksThatMakeSense(t *testing.T) {
	for _, s := range []SPRT{
		{}, {0, 0, 0.05, 0.05}, {5, 0, 0.05, 0.05}, {0, 5, 0, 0.05}, {0, 5, 0.05, 0.5}, {0, math.NaN(), 0.05, 0.05},
	} {
		if s.Check() == nil {
			t.Errorf("%v passed", s)
		}
	}
	if err := (SPRT{0, 5, 0.05, 0.05}).Check(); err != nil {
		t.Error(err)
	}
}

func TestEverybodyMeetsEverybodyInAllSeatings(t *testing.T) {
	m := manager(t, choosing)
	pass := saying(gdl.Term{Name: "pass"})
	tour := &Tournament{
		Games:   []*Manager{m},
		Players: []Player{in("a", pass), in("b", pass), in("c", pass)},
		Rounds:  2, Setting: quick,
	}
	met := make(map[string]int)
	r, err := tour.Run(t.Context(), "t", func(r *Record) error {
		met[strings.Join(r.Players, "-")]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"a-b": 2, "b-a": 2, "a-c": 2, "c-a": 2, "b-c": 2, "c-b": 2}
	if diff := cmp.Diff(want, met); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, s := range r.Standings {
		if s.Matches != 8 || s.Points != 400 || math.Abs(r.Ratings[i].Elo) > 1e-6 || r.Ratings[i].Error == 0 {
			t.Errorf("%+v, %+v", s, r.Ratings[i])
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestATournamentOfSeveralGamesCountsThemTogether(t *testing.T) {
	silent := &fake{}
	tour := &Tournament{
		Games:   []*Manager{builtIn(t, "pig-2-1"), builtIn(t, "trio-3x3"), builtIn(t, "slidingPuzzle-2x2-1")},
		Players: []Player{in("a", silent), in("b", silent), in("c", silent)},
		Rounds:  1, Setting: quick,
	}
	r, err := tour.Run(t.Context(), "t", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 6+3+3 {
		t.Errorf("%d matches, want 6 of pig, 3 of trio and 3 of the puzzle", len(r.Results))
	}
	if len(r.Standings) != 3 || len(r.Ratings) != 3 {
		t.Errorf("%d standings and %d ratings of 3 players", len(r.Standings), len(r.Ratings))
	}
}

func TestATestEndsTheTournamentWithItsVerdict(t *testing.T) {
	m := builtIn(t, "matchingPennies")
	heads, tails := saying(gdl.Term{Name: "heads"}), saying(gdl.Term{Name: "tails"})
	// The reader sees the other's fixed move coming, in either role.
	reader := &fake{}
	reader.OnStart = func(_ context.Context, match protocol.Match) error {
		reader.OnPlay = heads.OnPlay
		if match.Role == "column" {
			reader.OnPlay = tails.OnPlay
		}
		return nil
	}
	tour := &Tournament{
		Games: []*Manager{m}, Players: []Player{in("reader", reader), in("heads", heads)}, Rounds: 1000,
		Setting: quick, Test: &SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05},
	}
	r, err := tour.Run(t.Context(), "t", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != AcceptH1 || *r.LLR < math.Log(19) || len(r.Results) > 200 {
		t.Errorf("verdict %q, LLR %v after %d matches", r.Verdict, *r.LLR, len(r.Results))
	}
	tour.Players[0], tour.Players[1] = tour.Players[1], tour.Players[0]
	if r, err = tour.Run(t.Context(), "t", nil); err != nil || r.Verdict != AcceptH0 {
		t.Errorf("the other way round: %v, %v", r.Verdict, err)
	}
}

func TestAnImpossibleTournamentIsExplained(t *testing.T) {
	a, b := in("a", &fake{}), in("b", &fake{})
	duo, trio := manager(t, choosing), builtIn(t, "trio-3x3")
	test := &SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05}
	for want, tour := range map[string]Tournament{
		"a tournament needs a game":                       {Players: []Player{a, b}, Rounds: 1},
		"a tournament needs a game and a round":           {Games: []*Manager{duo}, Players: []Player{a, b}},
		"test needs 3 players, found 2":                   {Games: []*Manager{trio}, Players: []Player{a, b}, Rounds: 1},
		"a test needs two players, found 3":               {Games: []*Manager{duo}, Players: []Player{a, b, a}, Rounds: 1, Test: test},
		"a test needs games for two":                      {Games: []*Manager{trio}, Players: []Player{a, b, a}, Rounds: 1, Test: test},
		"expected elo0 < elo1":                            {Games: []*Manager{duo}, Players: []Player{a, b}, Rounds: 1, Test: &SPRT{}},
		"expected a player's address such as http://loca": {Games: []*Manager{duo}, Players: []Player{a, b, {Name: "c"}}, Rounds: 1},
	} {
		if _, err := tour.Run(t.Context(), "t", nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	stop := fmt.Errorf("enough")
	tour := Tournament{Games: []*Manager{duo}, Players: []Player{a, b}, Rounds: 1, Setting: quick}
	if _, err := tour.Run(t.Context(), "t", func(*Record) error { return stop }); err != stop {
		t.Errorf("%v, want the error of the caller", err)
	}
}

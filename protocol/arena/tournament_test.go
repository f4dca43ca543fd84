package arena

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/reasoner/machine"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// duel returns the result of a match for two.
func duel(a, b string, goal int) Result {
	none := []int{0, 0}
	return Result{Players: []string{a, b}, Goals: []int{goal, 100 - goal}, Errors: none, Late: none, Illegal: none, Failed: none}
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

// TestRatingsOfCleanScores has players of whom each has won all matches against the next ones.
func TestRatingsOfCleanScores(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	names := []string{"a", "b", "c", "d", "e", "f"}
	for _, matches := range []int{1, 100, 20000} {
		var results []Result
		for i, a := range names {
			for _, b := range names[i+1:] {
				for range matches {
					results = append(results, duel(a, b, 100))
				}
			}
		}
		ratings := newCrosstable(names, results).ratings()
		for i, r := range ratings {
			expected := 0.0 // score of the player, with one drawn encounter against all opponents together
			for j, o := range ratings {
				if i != j {
					expected += (float64(matches) + 1/float64(len(names)-1)) * expectedScore(r.Elo-o.Elo)
				}
			}
			if want := float64(matches*(len(names)-1-i)) + 0.5; math.Abs(expected-want) > 1e-6*want || math.IsNaN(r.Error) {
				t.Errorf("%d matches: %s has %+v, which makes %v, want %v", matches, r.Player, r, expected, want)
			}
		}
	}
}

// TestErrorsArePublishedOnes compares errors with the figures of others: of cutechess for wins, draws and losses of
// single matches, of fishtest for pairs with seats swapped, whose scores are 0, ½, 1, 1½ and 2.
func TestErrorsArePublishedOnes(t *testing.T) {
	goals := []int{0, 50, 100}
	for _, c := range []struct {
		single     [3]int // losses, draws, wins
		pairs      [5]int
		elo, error float64
	}{
		{single: [3]int{759, 1863, 880}, elo: 12.0, error: 7.9},
		{single: [3]int{76, 186, 88}, elo: 11.9, error: 25.0},
		{pairs: [5]int{485, 1923, 2942, 1937, 594}, elo: 5.11, error: (9.02 - 1.21) / 2},
		{pairs: [5]int{261, 739, 2683, 737, 253}, elo: -0.67, error: (3.66 + 5.00) / 2},
		{pairs: [5]int{63, 252, 385, 250, 74}, elo: 3.39, error: (14.17 + 7.38) / 2},
	} {
		var results []Result
		for points, n := range c.single {
			for range n {
				results = append(results, duel("a", "b", goals[points]))
			}
		}
		number := 0
		for points, n := range c.pairs { // of the first player, in halves
			for range n {
				first := min(points, 2)
				one, two := duel("a", "b", goals[first]), duel("b", "a", 100-goals[points-first])
				one.Match, two.Match = fmt.Sprintf("t.%d", number), fmt.Sprintf("t.%d", number+1)
				results, number = append(results, one, two), number+2
			}
		}
		p := newCrosstable([]string{"a", "b"}, results).pairs()[0]
		if math.Abs(p.Elo-c.elo) > 0.1 || math.Abs(p.Error-c.error) > 0.1 {
			t.Errorf("%v %v: %.2f ± %.2f, want %.2f ± %.2f", c.single, c.pairs, p.Elo, p.Error, c.elo, c.error)
		}
	}
	if p := newCrosstable([]string{"a", "b"}, slices.Repeat([]Result{duel("a", "b", 50)}, 10)).pairs()[0]; p.LOS != 0.5 || p.DrawShare() != 1 {
		t.Errorf("of draws only: %+v", p)
	}
}

func TestMatchesWithSeatsChangedAreOneGroup(t *testing.T) {
	match := func(id, game string, players ...string) Result {
		return Result{Match: id, Game: game, Players: players}
	}
	for _, c := range []struct {
		results []Result
		want    string
	}{
		{[]Result{match("t.0", "g", "a", "b"), match("t.1", "g", "b", "a"), match("t.2", "g", "a", "b"), match("t.3", "g", "b", "a")}, "[2 2]"},
		{[]Result{match("t.1", "g", "b", "a"), match("t.0", "g", "a", "b")}, "[2]"},
		{[]Result{match("t.0", "g", "a", "b"), match("t.1", "h", "b", "a")}, "[1 1]"},
		{[]Result{match("t.0", "g", "a", "b"), match("t.1", "g", "a", "b"), match("t.2", "g", "c", "a")}, "[1 1 1]"},
		{[]Result{match("t.0", "g", "a", "b"), match("t.2", "g", "b", "a")}, "[1 1]"},
		{[]Result{match("t.0", "g", "a", "b"), match("u.1", "g", "b", "a")}, "[1 1]"},
		{[]Result{match("m0", "g", "a", "b"), match("m1", "g", "b", "a")}, "[1 1]"},
		{[]Result{match("t.0", "g", "a", "b", "c"), match("t.1", "g", "c", "a", "b"), match("t.2", "g", "b", "c", "a"), match("t.3", "g", "a", "b", "c")}, "[3 1]"},
		{[]Result{match("t.0", "g", "a", Chance, "b"), match("t.1", "g", "b", Chance, "a")}, "[2]"},
	} {
		var sizes []int
		for _, group := range seatings(c.results) {
			sizes = append(sizes, len(group))
		}
		if fmt.Sprint(sizes) != c.want {
			t.Errorf("%v: groups of %v, want %s", c.results, sizes, c.want)
		}
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

// hold holds a tournament match by match and makes sure that it can be held.
func hold(t *testing.T, plan Tournament, managers []*Manager, players []Player, s Setting, each func(*Record)) *Ranking {
	t.Helper()
	for _, m := range managers {
		plan.Games = append(plan.Games, Game{m.name, len(m.PlayerRoles())})
	}
	for _, p := range players {
		plan.Players = append(plan.Players, p.Name)
	}
	must.OK(t, plan.Check())
	ledger := NewLedger(&plan)
	for f := range plan.Fixtures() {
		var seated []Player
		for _, i := range f.Players {
			seated = append(seated, players[i])
		}
		s.Seed, s.OpeningSeed = f.Seed, f.OpeningSeed
		r := must.Get(managers[f.Game].Match(t.Context(), fmt.Sprintf("t.%d", f.Number), seated, s))(t)
		if !ledger.Add(f.Number, r.Result()) || ledger.Add(f.Number, Result{}) {
			t.Errorf("match %d is not counted once", f.Number)
		}
		if each != nil {
			each(r)
		}
		if ledger.Verdict() != Undecided {
			break
		}
	}
	return ledger.Ranking()
}

func TestEverybodyMeetsEverybodyInAllSeatings(t *testing.T) {
	m := manager(t, choosing)
	pass := saying(gdl.Term{Name: "pass"})
	met := make(map[string]int)
	players := []Player{in("a", pass), in("b", pass), in("c", pass)}
	r := hold(t, Tournament{Rounds: 2}, []*Manager{m}, players, quick, func(r *Record) { met[strings.Join(r.Players, "-")]++ })
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
	games := []*Manager{builtIn(t, "pig-2-1"), builtIn(t, "trio-3x3"), builtIn(t, "slidingPuzzle-2x2-1")}
	players := []Player{in("a", silent), in("b", silent), in("c", silent)}
	r := hold(t, Tournament{Rounds: 1}, games, players, quick, nil)
	if len(r.Results) != 6+3+3 {
		t.Errorf("%d matches, want 6 of pig, 3 of trio and 3 of the puzzle", len(r.Results))
	}
	if len(r.Standings) != 3 || len(r.Ratings) != 3 || len(r.Games) != 3 || len(r.Pairs) != 3 {
		t.Errorf("%d standings, %d ratings, %d games and %d pairs of 3 players in 3 games",
			len(r.Standings), len(r.Ratings), len(r.Games), len(r.Pairs))
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
	plan := Tournament{Rounds: 1000, Test: &SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}}
	players := []Player{in("reader", reader), in("heads", heads)}
	r := hold(t, plan, []*Manager{m}, players, quick, nil)
	if r.Verdict != AcceptH1 || *r.LLR < math.Log(19) || len(r.Results) > 200 || len(r.LLRs) != len(r.Results)/2 {
		t.Errorf("verdict %q, LLR %v after %d matches", r.Verdict, *r.LLR, len(r.Results))
	}
	players[0], players[1] = players[1], players[0]
	if r = hold(t, plan, []*Manager{m}, players, quick, nil); r.Verdict != AcceptH0 {
		t.Errorf("the other way round: %v", r.Verdict)
	}
}

func TestAnImpossibleTournamentIsExplained(t *testing.T) {
	two, three := []string{"a", "b"}, []string{"a", "b", "c"}
	duo, trio := []Game{{"duo", 2}}, []Game{{"trio", 3}}
	test := &SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05}
	for want, plan := range map[string]Tournament{
		"a tournament needs a game and a round":                     {Games: duo, Players: two},
		"a tournament needs a game and a round a":                   {Players: two, Rounds: 1},
		"a tournament has at most 1000000 match":                    {Games: duo, Players: two, Rounds: 1 << 62},
		"a tournament has at most 1000000 matc":                     {Games: []Game{{"crowd", 40}}, Players: make([]string, 80), Rounds: 1},
		"duo needs 2 players, found 1":                              {Games: duo, Players: two[:1], Rounds: 1},
		"trio needs 3 players, found 2":                             {Games: trio, Players: two, Rounds: 1},
		"weather has no role for players":                           {Games: []Game{{"weather", 0}}, Players: two, Rounds: 1},
		"a test or a tuning needs two players":                      {Games: duo, Players: three, Rounds: 1, Test: test},
		"a test, a tuning, or a format with stages needs games for": {Games: trio, Players: three, Rounds: 1, Test: test},
		"expected elo0 < elo1":                                      {Games: duo, Players: two, Rounds: 1, Test: &SPRT{}},
	} {
		if err := plan.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestInAGauntletTheFirstPlayerMeetsTheOthers(t *testing.T) {
	plan := Tournament{Games: []Game{{"duo", 2}, {"trio", 3}}, Players: []string{"a", "b", "c"}, Rounds: 2, Gauntlet: true, Seed: 9}
	var got []string
	seeds, openings := make(map[uint64]bool), make(map[int]uint64)
	for f := range plan.Fixtures() {
		if f.Number != len(got) || openings[f.Group] != 0 && openings[f.Group] != f.OpeningSeed {
			t.Errorf("fixture %+v after %d", f, len(got))
		}
		seeds[f.Seed], openings[f.Group] = true, f.OpeningSeed
		got = append(got, fmt.Sprint(f.Group, f.Game, f.Players))
	}
	round := []string{
		"0 0 [0 1]", "0 0 [1 0]", "1 0 [0 2]", "1 0 [2 0]", "2 1 [0 1 2]", "2 1 [2 0 1]", "2 1 [1 2 0]",
		"3 0 [0 1]", "3 0 [1 0]", "4 0 [0 2]", "4 0 [2 0]", "5 1 [0 1 2]", "5 1 [2 0 1]", "5 1 [1 2 0]",
	}
	if diff := cmp.Diff(round, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(seeds) != plan.Matches() || len(got) != plan.Matches() || len(openings) != 6 {
		t.Errorf("%d seeds and %d openings of %d matches", len(seeds), len(openings), plan.Matches())
	}
}

// TestALedgerIsTheSameInAnyOrder counts results in the order of workers: any order, and twice. The verdict of the test and the counted results
// depend on the plan alone.
func TestALedgerIsTheSameInAnyOrder(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	rapid.Check(t, func(t *rapid.T) {
		plan := Tournament{
			Games: []Game{{"x", 2}}, Players: []string{"a", "b"}, Rounds: 40,
			Test: &SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05},
		}
		goals := rapid.SliceOfN(rapid.SampledFrom([]int{0, 50, 100, 100}), plan.Matches(), plan.Matches()).Draw(t, "goals")
		results := make([]Result, plan.Matches())
		ordered := NewLedger(&plan)
		for f := range plan.Fixtures() {
			results[f.Number] = duel(plan.Players[f.Players[0]], plan.Players[f.Players[1]], goals[f.Number])
			results[f.Number].Errors, results[f.Number].Late = make([]int, 2), make([]int, 2)
			results[f.Number].Illegal, results[f.Number].Failed = make([]int, 2), make([]int, 2)
			if ordered.Verdict() == Undecided {
				ordered.Add(f.Number, results[f.Number])
			}
		}
		mixed := NewLedger(&plan)
		numbers := make([]int, len(results))
		for i := range numbers {
			numbers[i] = i
		}
		for _, n := range rapid.Permutation(numbers).Draw(t, "order") {
			if !mixed.Add(n, results[n]) || mixed.Add(n, results[0]) {
				t.Fatalf("match %d is not counted once", n)
			}
		}
		if diff := cmp.Diff(ordered.Ranking(), mixed.Ranking()); diff != "" {
			t.Fatalf("(-in order +mixed):\n%s", diff)
		}
	})
}

func TestPairsAreCountedBothWays(t *testing.T) {
	results := []Result{
		duel("a", "b", 100), duel("b", "a", 50), duel("b", "a", 100),
		{Game: "trio", Players: []string{"c", Chance, "a"}, Goals: []int{75, 0, 25}},
	}
	for i := range results {
		n := len(results[i].Players)
		results[i].Errors, results[i].Late, results[i].Illegal, results[i].Failed = make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	}
	r := Rank(results)
	want := []Pair{
		{Player: "a", Opponent: "b", Matches: 3, Wins: 1, Draws: 1, Losses: 1, Score: 0.5},
		{Player: "a", Opponent: "c", Matches: 1, Losses: 1, Score: 0.25},
	}
	for i := range want {
		p := r.Pairs[i]
		want[i].Elo, want[i].Error = p.Elo, p.Error
		if want[i].LOS = p.LOS; i == 0 && math.Abs(p.LOS-0.5) > 1e-6 || i == 1 && (p.LOS <= 0 || p.LOS >= 0.5) {
			t.Errorf("likelihood of superiority %v", p.LOS)
		}
		if p.Error <= 0 || i == 0 && math.Abs(p.Elo) > 1e-6 || i == 1 && p.Elo >= 0 {
			t.Errorf("%+v", p)
		}
	}
	if diff := cmp.Diff(want, r.Pairs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(r.Games) != 2 || r.Games[0].Matches != 3 || len(r.Games[0].Ratings) != 2 || len(r.Games[1].Ratings) != 2 {
		t.Errorf("games %+v", r.Games)
	}
}

// staged plays a tournament with stages in which the first player of a pairing wins each match, except the upsets.
func staged(t *testing.T, plan *Tournament, upsets map[[2]int]bool) (*Ledger, []encounterOf) {
	t.Helper()
	must.OK(t, plan.Check())
	l := NewLedger(plan)
	var met []encounterOf
	for f := range plan.Fixtures() {
		if f.Number >= l.Open() {
			t.Fatalf("match %d of %d cannot be held", f.Number, plan.Matches())
		}
		f = l.Seat(f)
		a, b := f.Players[0], f.Players[1]
		if f.Number%plan.perEncounter() == 0 {
			met = append(met, encounterOf{a, b})
		}
		goal := 0
		if (a < b) != upsets[[2]int{min(a, b), max(a, b)}] {
			goal = 100
		}
		l.Add(f.Number, duel(plan.Players[a], plan.Players[b], goal))
	}
	if l.Count() != plan.Matches() {
		t.Errorf("%d matches of %d", l.Count(), plan.Matches())
	}
	return l, met
}

func TestAKnockoutEndsWithAWinner(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	for n := 2; n <= len(names); n++ {
		plan := &Tournament{Games: []Game{{"g", 2}, {"h", 2}}, Players: names[:n], Rounds: 2, Format: Knockout}
		l, met := staged(t, plan, nil)
		if w := l.Ranking().Winner; w != "a" || len(met) != n-1 || met[len(met)-1] != (encounterOf{0, 1}) {
			t.Errorf("%d players: %s wins, encounters %v", n, w, met)
		}
	}
	plan := &Tournament{Games: []Game{{"g", 2}}, Players: names[:5], Rounds: 1, Format: Knockout}
	l, met := staged(t, plan, map[[2]int]bool{{0, 3}: true, {1, 2}: true})
	if w := l.Ranking().Winner; w != "c" || fmt.Sprint(met) != "[[3 4] [0 3] [1 2] [3 2]]" {
		t.Errorf("%s wins, encounters %v", w, met)
	}
	l = NewLedger(plan)
	for n := range 2 { // a drawn encounter: the first player goes on
		f := l.Seat(Fixture{Number: n})
		l.Add(n, duel(plan.Players[f.Players[0]], plan.Players[f.Players[1]], 100))
	}
	if l.Ranking().Winner != "" || l.encounters[1] != (encounterOf{0, 3}) {
		t.Errorf("encounters %v", l.encounters)
	}
}

func TestASwissTournamentPairsPlayersOfLikeScoresWhoHaveNotMet(t *testing.T) {
	var names []string
	for i := range 9 {
		names = append(names, fmt.Sprint("p", i))
	}
	for n := 2; n <= 9; n++ {
		rounds := min(4, n-1)
		plan := &Tournament{Games: []Game{{"g", 2}}, Players: names[:n], Rounds: rounds, Format: Swiss}
		l, met := staged(t, plan, nil)
		seen, played := make(map[encounterOf]bool), make([]int, n)
		for _, m := range met {
			if m[0] > m[1] {
				m[0], m[1] = m[1], m[0]
			}
			if seen[m] && n > 4 {
				t.Errorf("%d players: %v meet twice in %v", n, m, met)
			}
			seen[m] = true
			played[m[0]]++
			played[m[1]]++
		}
		if len(met) != rounds*(n/2) || slices.Max(played)-slices.Min(played) > n%2 {
			t.Errorf("%d players: %v, encounters by player %v", n, met, played)
		}
		if n == 8 && (fmt.Sprint(met[4:8]) != "[[0 2] [4 6] [1 3] [5 7]]" || l.Ranking().Standings[0].Wins != 2*rounds) {
			t.Errorf("after the first stage %v", met[4:8])
		}
	}
}

func TestATestWithoutRoundsIsBoundedByItsVerdictAlone(t *testing.T) {
	plan := &Tournament{Games: []Game{{"g", 2}, {"h", 2}}, Players: []string{"a", "b"}, Test: &SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05}}
	if err := plan.Check(); err != nil || plan.Matches() != maxMatches {
		t.Errorf("%v, %d matches", err, plan.Matches())
	}
	n := 0
	for f := range plan.Fixtures() {
		if n++; f.Number != n-1 || n > 1000 {
			break
		}
	}
	if n != 1001 {
		t.Errorf("%d fixtures", n)
	}
}

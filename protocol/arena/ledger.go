package arena

import (
	"maps"
	"math"
	"slices"
)

// Ledger counts each match of a tournament once, in any order of completion.
type Ledger struct {
	plan    *Tournament
	results map[int]Result // by number of the fixture
	pairs   int            // counted pairs of a test or a tuning, in plan order
	sample  Sample
	curve   []float64 // log likelihood ratio after each pair
	verdict Verdict
	course  *Course // of a tuning

	stage      int           // number of paired stages
	encounters []encounterOf // of these stages
}

// NewLedger returns an empty ledger of a valid tournament.
func NewLedger(t *Tournament) *Ledger {
	l := &Ledger{plan: t, results: make(map[int]Result), course: newCourse(t)}
	l.pairUp()
	return l
}

// Add counts the match of a fixture and reports whether it was new. Later results of the same fixture change nothing.
func (l *Ledger) Add(number int, r Result) bool {
	if l.Has(number) {
		return false
	}
	l.results[number] = r
	l.pairUp()
	for l.plan.inPairs() && l.verdict == Undecided && l.Has(2*l.pairs) && l.Has(2*l.pairs+1) {
		score, ok := pairScore(l.results[2*l.pairs], l.results[2*l.pairs+1])
		l.pairs++
		if l.course != nil {
			l.course.count(score, ok, l.pairs)
			continue
		}
		if ok {
			l.sample.Add(score)
		}
		l.curve = append(l.curve, l.plan.Test.LLR(l.sample))
		l.verdict = l.plan.Test.Verdict(l.sample)
	}
	return true
}

// pairScore returns the mean score of the player who has the first seat in first and the second seat in second. Ok is
// false unless both matches were completed.
func pairScore(first, second Result) (score float64, ok bool) {
	a, b := first.playerGoals(), second.playerGoals()
	if len(a) != 2 || len(b) != 2 {
		return 0, false
	}
	return (matchScore(a[0], a[1]) + matchScore(b[1], b[0])) / 2, true
}

// playerGoals returns the goals of the players, by seat, or nil if the match was aborted.
func (r Result) playerGoals() []int {
	var goals []int
	for role, goal := range r.Goals {
		if r.Players[role] != Chance {
			goals = append(goals, goal)
		}
	}
	return goals
}

// Has reports whether the match of a fixture has been counted.
func (l *Ledger) Has(number int) bool {
	_, ok := l.results[number]
	return ok
}

// Count returns the number of counted matches.
func (l *Ledger) Count() int { return len(l.results) }

// Open returns the number of fixtures that can be played now: all except later iterations of a tuning and later
// stages.
func (l *Ledger) Open() int {
	switch {
	case l.plan.staged():
		return len(l.encounters) * l.plan.perEncounter()
	case l.course != nil:
		return 2 * l.course.batch * len(l.course.Course)
	}
	return math.MaxInt
}

// Descriptions returns the descriptions of both players in the current iteration of a tuning, with their parameter
// values.
func (l *Ledger) Descriptions() [2]string { return l.course.varied() }

// Verdict returns the test's verdict over the longest complete prefix of pairs in plan order: it does not depend on
// the order of completion.
func (l *Ledger) Verdict() Verdict { return l.verdict }

// Ranking returns the current ranking. After the decision of a test, later matches do not count.
func (l *Ledger) Ranking() *Ranking {
	var results []Result
	for _, n := range slices.Sorted(maps.Keys(l.results)) {
		if l.verdict != Undecided && n >= 2*l.pairs {
			break
		}
		results = append(results, l.results[n])
	}
	if l.course != nil {
		out := rank(nil, results)
		out.Tuning = l.course.clone()
		return out
	}
	out := rank(l.plan.Players, results)
	if l.plan.Format == Knockout && len(l.results) == l.plan.Matches() {
		winner, _ := l.left()
		out.Winner = l.plan.Players[winner[0]]
	}
	if l.plan.Test != nil {
		low, high := l.plan.Test.Bounds()
		out.Bounds = []float64{low, high}
		out.LLR, out.LLRs, out.Verdict, out.Outcomes = new(l.plan.Test.LLR(l.sample)), l.curve, l.verdict, slices.Clone(l.sample)
	}
	return out
}

package arena

import (
	"maps"
	"math"
	"slices"
)

// Ledger counts the matches of a tournament, whatever order they end in, each once.
type Ledger struct {
	plan    *Tournament
	results map[int]Result // by number of the fixture
	pairs   int            // of a test or a tuning that have been counted, in the order of the plan
	sample  Sample
	curve   []float64 // the likelihood ratio after each of them
	verdict Verdict
	course  *Course // of a tuning

	stage      int           // stages that have been paired
	encounters []encounterOf // of them
}

// NewLedger makes the ledger of a tournament that can be held.
func NewLedger(t *Tournament) *Ledger {
	l := &Ledger{plan: t, results: make(map[int]Result), course: newCourse(t)}
	l.pairUp()
	return l
}

// Add counts the match of a fixture. It reports whether that is the first result of it;
// any other changes nothing.
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

// pairScore is the mean score of the player who has the first seat in the first of two
// matches, and the second in the second; there is none unless both were completed.
func pairScore(first, second Result) (score float64, ok bool) {
	a, b := first.playerGoals(), second.playerGoals()
	if len(a) != 2 || len(b) != 2 {
		return 0, false
	}
	return (matchScore(a[0], a[1]) + matchScore(b[1], b[0])) / 2, true
}

// playerGoals are the goals of the players, by seat; none if the match was aborted.
func (r Result) playerGoals() []int {
	var goals []int
	for role, goal := range r.Goals {
		if r.Players[role] != Chance {
			goals = append(goals, goal)
		}
	}
	return goals
}

// Has tells whether the match of a fixture has been counted.
func (l *Ledger) Has(number int) bool {
	_, ok := l.results[number]
	return ok
}

// Count is the number of matches that have been counted.
func (l *Ledger) Count() int { return len(l.results) }

// Open returns the number of fixtures that can be held by now: all of them, but those of later
// iterations of a tuning, or of later stages.
func (l *Ledger) Open() int {
	switch {
	case l.plan.staged():
		return len(l.encounters) * l.plan.perEncounter()
	case l.course != nil:
		return 2 * l.course.batch * len(l.course.Course)
	}
	return math.MaxInt
}

// Descriptions are those of the two players in the iteration of a tuning that is under way,
// with the values of their parameters.
func (l *Ledger) Descriptions() [2]string { return l.course.varied() }

// Verdict is that of the test over the pairs of matches in the order of the plan, as far
// as they have ended without a gap: the same whatever order they end in.
func (l *Ledger) Verdict() Verdict { return l.verdict }

// Ranking is the outcome so far. Once the test is decided, later matches do not count.
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
		out.LLR, out.LLRs, out.Verdict, out.Outcomes = new(l.plan.Test.LLR(l.sample)), l.curve, l.verdict, slices.Clone(l.sample)
	}
	return out
}

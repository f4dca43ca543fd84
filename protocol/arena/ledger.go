package arena

import (
	"maps"
	"slices"
)

// Ledger counts the matches of a tournament, whatever order they end in, each once.
type Ledger struct {
	plan    *Tournament
	results map[int]Result // by number of the fixture
	groups  []group
	sample  Sample    // of the groups before next
	curve   []float64 // the likelihood ratio after each of them
	next    int       // the first group that has not been decided
	verdict Verdict
}

// group are the matches of the same players in the same game and round.
type group struct{ first, matches int }

// NewLedger makes the ledger of a tournament that can be held.
func NewLedger(t *Tournament) *Ledger {
	l := &Ledger{plan: t, results: make(map[int]Result)}
	for f := range t.Fixtures() {
		if f.Group == len(l.groups) {
			l.groups = append(l.groups, group{first: f.Number})
		}
		l.groups[f.Group].matches++
	}
	return l
}

// Add counts the match of a fixture. It tells whether that is the first result of it;
// any other changes nothing.
func (l *Ledger) Add(number int, r Result) bool {
	if _, known := l.results[number]; known {
		return false
	}
	l.results[number] = r
	for l.plan.Test != nil && l.verdict == Undecided && l.next < len(l.groups) {
		results, complete := l.ended(l.groups[l.next])
		if !complete {
			break
		}
		l.next++
		if c := newCrosstable(l.plan.Players, results); c.played[0][1] > 0 {
			l.sample.Add(c.won[0][1] / c.played[0][1])
		}
		l.curve = append(l.curve, l.plan.Test.LLR(l.sample))
		l.verdict = l.plan.Test.Verdict(l.sample)
	}
	return true
}

// ended are the results of a group, if its matches have ended.
func (l *Ledger) ended(g group) (results []Result, complete bool) {
	for n := g.first; n < g.first+g.matches; n++ {
		r, ok := l.results[n]
		if !ok {
			return nil, false
		}
		results = append(results, r)
	}
	return results, true
}

// Has tells whether the match of a fixture has been counted.
func (l *Ledger) Has(number int) bool {
	_, ok := l.results[number]
	return ok
}

// Count is the number of matches that have been counted.
func (l *Ledger) Count() int { return len(l.results) }

// Verdict is that of the test over the groups of matches in the order of the plan, as far
// as they have ended without a gap: the same whatever order they end in.
func (l *Ledger) Verdict() Verdict { return l.verdict }

// Ranking is the outcome so far. Once the test is decided, later matches do not count.
func (l *Ledger) Ranking() *Ranking {
	var results []Result
	for _, n := range slices.Sorted(maps.Keys(l.results)) {
		if l.verdict != Undecided && l.next < len(l.groups) && n >= l.groups[l.next].first {
			break
		}
		results = append(results, l.results[n])
	}
	out := rank(l.plan.Players, results)
	if l.plan.Test != nil {
		llr := l.plan.Test.LLR(l.sample)
		out.LLR, out.LLRs, out.Verdict = &llr, l.curve, l.verdict
	}
	return out
}

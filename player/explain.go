package player

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Explanation says why a move was made. Moves are spelled as in the rules, values are
// goal points. Unknown fields are empty.
type Explanation struct {
	Move, By, Why string
	Values        []Value    // by role, without chance
	Strategy      []Share    // considered moves, the most probable first
	Line          [][]string // principal variation: the expected joint moves, from this move on
	Nodes         int64      // expanded by all searches for this move
	Playouts      float64    // per second
	Took          time.Duration
}

// Value is the value of the position for a role. A proved value lies between Lower and Upper, and Estimate is the
// expected point in this interval; otherwise the estimate alone has a meaning.
type Value struct {
	Role                   string
	Lower, Upper, Estimate float64
	Proved                 bool
}

// Share is a move, its probability in the strategy and, if HasValue is set, its mean
// value in the samples.
type Share struct {
	Move               string
	Probability, Value float64
	HasValue           bool
}

// maxShares bounds the number of moves in an explanation.
const maxShares = 12

// explain returns the explanation of a choice. Without a search result only the move, the decider and the reason
// are set.
func explain(at position, made choice, text string, took time.Duration) *Explanation {
	e := &Explanation{Move: text, By: made.decidedBy(), Why: made.why, Took: took}
	if made.why == "" {
		e.Why = reasons[made.by]
	}
	r := made.result
	if r == nil {
		return e
	}
	names, values, tried := at.machine.Names(), r, []search.Known(nil)
	if root := made.root; root != nil {
		e.Nodes = root.nodes
		if s := root.sampled; s != nil && s.Elapsed > 0 {
			e.Playouts = float64(s.Playouts) / s.Elapsed.Seconds()
		}
		if root.settles(root.exact) { // also if the sampling search has chosen the move
			values = root.exact
		}
		tried = root.ranking()
		if text := root.proof(); text != "" && made.by != byExact {
			e.Why += "; " + text
		}
	}
	for _, role := range names.Players() {
		if int(role) < len(values.Values) {
			e.Values = append(e.Values, valueOf(values, role, names.Roles[role]))
		}
	}
	if made.root != nil {
		e.Strategy = shares(names, at.role, made.strategy, tried)
	}
	e.Line = names.LineTexts(r.Line)
	return e
}

func valueOf(r *search.Result, role machine.Role, name string) Value {
	v := r.Values[role]
	return Value{Role: name, Lower: v.Lower, Upper: v.Upper, Estimate: r.Guess(role), Proved: r.Proved}
}

// shares returns the strategy and the tried moves outside it, with the statistics of the samples.
func shares(names *machine.Names, role machine.Role, strategy []search.Weighted, tried []search.Known) []Share {
	var list []Share
	add := func(m machine.Move, probability float64) {
		s := Share{Move: names.MoveText(role, m), Probability: probability}
		if i := slices.IndexFunc(tried, func(k search.Known) bool { return k.Move == m && k.Visits > 0 }); i >= 0 {
			s.Value, s.HasValue = tried[i].Estimate, true
		}
		list = append(list, s)
	}
	strategy = slices.Clone(strategy)
	slices.SortStableFunc(strategy, func(a, b search.Weighted) int { return cmp.Compare(b.Probability, a.Probability) })
	for _, w := range strategy {
		add(w.Move, w.Probability)
	}
	for _, t := range tried {
		if t.Visits > 0 && !slices.ContainsFunc(strategy, func(w search.Weighted) bool { return w.Move == t.Move }) {
			add(t.Move, 0)
		}
	}
	return list[:min(len(list), maxShares)]
}

// decidedBy returns the name of the search that decided, or else of the decider.
func (c *choice) decidedBy() string {
	switch {
	case c.by == byExact && c.root != nil:
		return cmp.Or(c.root.provedBy(), string(c.by))
	case c.by == bySampling && c.root != nil:
		return c.root.sampler
	}
	return string(c.by)
}

// reasons holds the reason of each decider that always has the same reason.
var reasons = map[decider]string{
	byRules:    "there is no other legal move",
	byKind:     "this kind of player does not search",
	byFallback: "no search has found a result in time: a random legal move",
	byOutdated: "the present position is unknown: a move that was legal earlier",
}

// strategyText returns the moves of positive probability on a single line.
func (e *Explanation) strategyText() string {
	var parts []string
	for _, s := range e.Strategy {
		if s.Probability > 0 {
			parts = append(parts, fmt.Sprintf("%.2f %s", s.Probability, s.Move))
		}
	}
	return strings.Join(parts, ", ")
}

// maxLogged is the number of joint moves of the principal variation in the log.
const maxLogged = 8

// lineText returns the beginning of the principal variation.
func (e *Explanation) lineText() string {
	var joint []string
	for _, moves := range e.Line[:min(len(e.Line), maxLogged)] {
		joint = append(joint, strings.Join(moves, " "))
	}
	return strings.Join(joint, "; ")
}

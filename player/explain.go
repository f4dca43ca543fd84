package player

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/solve"
)

// Explanation says why a move was made. Moves are spelled as in the rules, values are
// goal points. What nobody knows is empty.
type Explanation struct {
	Move, By, Why string
	Values        []Value    // by role, without chance
	Strategy      []Share    // moves that were considered, the likeliest first
	Line          [][]string // the joint moves that are expected, from this one on
	Nodes         int64      // that the searches have expanded for it
	Playouts      float64    // for each second
	Took          time.Duration
}

// Value is what a role gets. Where it is proved it is in the interval, and Estimate is the
// best guess at where; else there is no more than the guess.
type Value struct {
	Role                   string
	Lower, Upper, Estimate float64
	Proved                 bool
}

// Share is a move, the probability with which it is played and, if HasValue is set, what
// it gave in the samples.
type Share struct {
	Move               string
	Probability, Value float64
	HasValue           bool
}

// maxShares bounds the moves of an explanation.
const maxShares = 12

// explain puts into words how a choice was made where a machine says where the match
// stands.
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
		if root.settles(root.exact) { // though playouts may have chosen the move
			values = root.exact
		}
		tried = root.ranking()
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

// shares joins a strategy with what is known of the moves that were tried.
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

// decidedBy returns the name of the search that decided, or of the decider that took its place.
func (c *choice) decidedBy() string {
	switch {
	case c.by == byExact && c.root != nil:
		return cmp.Or(c.root.prover, string(c.by))
	case c.by == bySampling:
		return solve.Title(solve.MonteCarlo)
	}
	return string(c.by)
}

// reasons are those of deciders who always have the same.
var reasons = map[decider]string{
	byRules:    "there is no other legal move",
	byKind:     "players of this kind do not search",
	byFallback: "no search has come to a result in time: any legal move",
	byOutdated: "where the match stands is not known: a move that was legal before",
}

// strategyText is a strategy on a line: the moves that may be played.
func (e *Explanation) strategyText() string {
	var parts []string
	for _, s := range e.Strategy {
		if s.Probability > 0 {
			parts = append(parts, fmt.Sprintf("%.2f %s", s.Probability, s.Move))
		}
	}
	return strings.Join(parts, ", ")
}

// maxLogged is the number of joint moves of a line in the log.
const maxLogged = 8

// lineText is the beginning of the expected line.
func (e *Explanation) lineText() string {
	var joint []string
	for _, moves := range e.Line[:min(len(e.Line), maxLogged)] {
		joint = append(joint, strings.Join(moves, " "))
	}
	return strings.Join(joint, "; ")
}

package ground

import (
	"fmt"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
)

// Splitting keeps the ground program small. A rule over many variables has as
// many instances as there are bindings of all of them; if a variable occurs
// in few literals only, these are joined alone and the variable is projected
// away:
//
//	before  h(X) ← a(X,Y) ∧ b(Y,Z) ∧ c(Z,W)
//	after   h(X) ← a(X,Y) ∧ p(Y)     p(Y) ← b(Y,Z) ∧ q(Z)     q(Z) ← c(Z,W)
//
// This is bucket elimination (Dechter 1999) in the order of least width; the
// widest part bounds the number of instances (Bichler, Morak, Woltran 2016 do
// the same by tree decomposition). Assumptions: a negated or distinct literal
// moves only together with positive literals that bind its variables, so parts
// are safe; a part is used positively only, so negation stays stratified. Equal
// parts of different rules become one relation.
type splitter struct {
	theory *rules.Theory
	joiner *join.Joiner // computes static parts; nil if sizes are only estimated
	parts  map[string]*rules.Relation
	added  []*rules.Rule
	// project allows parts that are made safe by a projection of a literal:
	//
	//	before  h(X,P) ← l(X,P) ∧ k(Y) ∧ ¬t(X,Y)
	//	after   h(X,P) ← l(X,P) ∧ p(X)     p(X) ← q(X) ∧ k(Y) ∧ ¬t(X,Y)     q(X) ← l(X,P)
	project bool
}

// split decomposes the dynamic rules. Variables that occur only in static literals are eliminated first. Their
// parts are static relations, computed at once, as their sizes guide later splits. Rules of pending relations are
// not split.
func (gr *grounder) split() error {
	th := gr.Theory
	s := &splitter{theory: th, joiner: gr.joiner, parts: make(map[string]*rules.Relation), project: gr.Limits.Thorough}
	for _, r := range th.Rules {
		if r.Head.Rel.Is(rules.Dynamic) {
			for s.eliminate(r) {
			}
		}
	}
	th.Rules = append(th.Rules, s.added...)
	return gr.reduce()
}

// part is a candidate: literals to be joined alone.
type part struct {
	literals []int // literals that leave the rule
	binders  []int // literals that are copied to make the part safe
	vars     []int32
	outputs  []int32 // variables that the rest of the rule or the head needs
	static   bool
}

// eliminate extracts the part of r with the fewest variables, and reports whether there is a part.
func (s *splitter) eliminate(r *rules.Rule) bool {
	s.theory.Watch.Step()
	all := r.Variables()
	var best *part
	for _, v := range all {
		if slices.Contains(r.Head.AppendVars(nil), v) {
			continue
		}
		p := s.partOf(r, v)
		if p == nil || !p.static && len(p.vars) >= len(all) {
			continue
		}
		if best == nil || p.static && !best.static || p.static == best.static && len(p.vars) < len(best.vars) {
			best = p
		}
	}
	if best == nil {
		return false
	}
	s.extract(r, best)
	return true
}

// partOf returns the literals of r with variable v, and binders that make the part safe; nil if the part cannot be
// safe.
func (s *splitter) partOf(r *rules.Rule, v int32) *part {
	w := s.theory.Watch
	p := &part{static: true}
	for i := range r.Body {
		w.Step()
		if slices.Contains(r.Body[i].Vars(), v) {
			p.add(r, i)
			p.literals = append(p.literals, i)
		}
	}
	if len(p.literals) == len(r.Body) {
		return nil
	}
	for {
		w.Step()
		known := rules.Bound(p.body(r))
		open := slices.DeleteFunc(slices.Clone(p.vars), func(v int32) bool { return slices.Contains(known, v) })
		if len(open) == 0 {
			break
		}
		b := p.binder(r, open, s.project)
		if b < 0 {
			return nil
		}
		if !s.project {
			p.add(r, b)
		}
		p.static = p.static && !r.Body[b].IsOpen()
		p.binders = append(p.binders, b)
	}
	p.addFilters(r)
	p.outputs = p.needed(r)
	p.static = p.static && p.isSmall(w, r)
	return p
}

// body returns the joined literals of the part: its literals, then its binders.
func (p *part) body(r *rules.Rule) []rules.Literal {
	return append(rules.LiteralsOf(r.Body, p.literals), rules.LiteralsOf(r.Body, p.binders)...)
}

// isSmall reports whether a static part is expected to be little larger than its relations. Larger parts are
// better joined with open literals first.
func (p *part) isSmall(w *guard.Watch, r *rules.Rule) bool {
	inputs := 0.0
	body := rules.Rule{Vars: r.Vars}
	for _, l := range p.body(r) {
		if l.Op == gdl.Holds {
			inputs += float64(l.Atom.Rel.Len())
			body.Body = append(body.Body, l)
		}
	}
	return join.ExpectedMatches(w, &body) <= 4*inputs+smallPart
}

// smallPart is the number of tuples that a static part may always have.
const smallPart = 1000

func (p *part) add(r *rules.Rule, i int) {
	p.vars = rules.DistinctVars(r.Body[i].AppendVars(p.vars))
	p.static = p.static && !r.Body[i].IsOpen()
}

// binder returns the positive literal with the first open variable that adds the fewest variables, or -1. With
// project, it returns the literal that binds the most open variables. Ties prefer static literals.
func (p *part) binder(r *rules.Rule, open []int32, project bool) int {
	best, bestCost := -1, 0
	for i := range r.Body {
		vars := r.Body[i].Vars()
		if r.Body[i].Op != gdl.Holds || !slices.Contains(vars, open[0]) {
			continue
		}
		cost := 2 * (len(vars) - len(rules.Intersect(vars, p.vars)))
		if project {
			cost = 2 * (len(open) - len(rules.Intersect(open, vars)))
		}
		if r.Body[i].IsOpen() {
			cost++
		}
		if best < 0 || cost < bestCost {
			best, bestCost = i, cost
		}
	}
	return best
}

// addFilters moves the static literals over variables of the part into the part. They
// keep it small, and the rest of the rule does not need them.
func (p *part) addFilters(r *rules.Rule) {
	for i := range r.Body {
		inside := slices.Contains(p.literals, i) || slices.Contains(p.binders, i)
		if !inside && !r.Body[i].IsOpen() && rules.Covers(p.vars, r.Body[i].Vars()) {
			p.literals = append(p.literals, i)
		}
	}
	slices.Sort(p.literals)
}

// needed returns the variables of the part that occur in the head or in the remaining literals.
func (p *part) needed(r *rules.Rule) []int32 {
	outside := r.Head.AppendVars(nil)
	for i := range r.Body {
		if !slices.Contains(p.literals, i) {
			outside = r.Body[i].AppendVars(outside)
		}
	}
	return rules.Intersect(p.vars, outside)
}

// extract replaces the part by a literal of a new relation.
func (s *splitter) extract(r *rules.Rule, p *part) {
	safe := slices.Clone(r.Body)
	for _, b := range p.binders {
		if vars := safe[b].Vars(); !rules.Covers(p.vars, vars) {
			safe[b] = s.call(r, safe[b:b+1], rules.Intersect(p.vars, vars), classIf(safe[b].IsOpen()))
		}
		safe[b].Implied = s.project // r keeps it
	}
	inside := append(slices.Clone(p.literals), p.binders...)
	slices.Sort(inside)
	rest := []rules.Literal{s.call(r, rules.LiteralsOf(safe, inside), p.outputs, classIf(!p.static))}
	for i := range r.Body {
		if !slices.Contains(p.literals, i) {
			rest = append(rest, r.Body[i])
		}
	}
	r.Body = rest
}

// classIf returns the class of a part that contains an open relation or none.
func classIf(open bool) rules.Class {
	if open {
		return rules.Dynamic
	}
	return rules.Static
}

// call returns a literal of the relation that projects the given literals of r to the outputs.
func (s *splitter) call(r *rules.Rule, body []rules.Literal, outputs []int32, of rules.Class) rules.Literal {
	c := s.theory.Terms.Canonical(body)
	columns := c.Numbers(outputs)
	key := c.Key(columns)
	rel := s.parts[key]
	if rel == nil {
		rel = s.define(r, &c, columns, of)
		s.parts[key] = rel
	}
	for i, n := range columns {
		columns[i] = c.Vars[n]
	}
	return rules.Positive(rules.AtomOf(rel, columns))
}

// define adds the relation and the rule of a part.
func (s *splitter) define(r *rules.Rule, c *rules.Canonical, outputs []int32, of rules.Class) *rules.Relation {
	rel := s.theory.Auxiliary(fmt.Sprintf("%s~%d", r.Head.Rel.Name, len(s.parts)+1), len(outputs), of)
	part := &rules.Rule{Head: rules.AtomOf(rel, outputs), Body: c.Body, Vars: len(c.Vars), Source: r.Source, Split: true}
	s.added = append(s.added, part)
	if of == rules.Static && s.joiner != nil {
		if err := s.joiner.Fixpoint([]*rules.Rule{part}); err != nil {
			guard.Stop(err)
		}
	}
	return rel
}

package datalog

import (
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
)

// Splitting keeps the ground program small. A rule over many variables has as
// many instances as there are bindings of all of them; where a variable occurs
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
	theory *theory
	joiner *joiner // computes the parts that are static; nil where sizes are only estimated
	parts  map[string]*relation
	added  []*rule
	// project allows parts that are made safe by a projection of a literal:
	//
	//	before  h(X,P) ← l(X,P) ∧ k(Y) ∧ ¬t(X,Y)
	//	after   h(X,P) ← l(X,P) ∧ p(X)     p(X) ← q(X) ∧ k(Y) ∧ ¬t(X,Y)     q(X) ← l(X,P)
	project bool
}

// split decomposes the dynamic rules of the theory. Variables that occur in
// static literals only are eliminated first; their parts are static relations, which
// are computed at once: what is split off next depends on their sizes. Rules
// of the relations that wait to be asked for are no part of the ground program.
func (th *theory) split(j *joiner, waiting map[*relation]bool, project bool) {
	s := &splitter{theory: th, joiner: j, parts: make(map[string]*relation), project: project}
	for _, r := range th.rules {
		if r.head.rel.dynamic && !waiting[r.head.rel] {
			for s.eliminate(r) {
			}
		}
	}
	th.rules = append(th.rules, s.added...)
}

// part is a candidate: literals to be joined alone.
type part struct {
	literals []int // that leave the rule
	binders  []int // that are copied to make the part safe
	vars     []int32
	outputs  []int32 // variables that the rest of the rule or the head needs
	static   bool
}

// eliminate splits one part off r, the one with the fewest variables, and tells
// whether there was one.
func (s *splitter) eliminate(r *rule) bool {
	s.theory.watch.step()
	all := r.variables()
	var best *part
	for _, v := range all {
		if slices.Contains(r.head.appendVars(nil), v) {
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

// variables are the different variables of r, in order of their numbers.
func (r *rule) variables() []int32 {
	vars := r.head.appendVars(nil)
	for i := range r.body {
		vars = r.body[i].appendVars(vars)
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}

// partOf collects the literals of r with variable v, and what makes them safe.
// It returns nil if they cannot be made safe.
func (s *splitter) partOf(r *rule, v int32) *part {
	w := s.theory.watch
	p := &part{static: true}
	for i := range r.body {
		w.step()
		if slices.Contains(r.body[i].appendVars(nil), v) {
			p.add(r, i)
			p.literals = append(p.literals, i)
		}
	}
	if len(p.literals) == len(r.body) {
		return nil
	}
	for {
		w.step()
		open := p.unbound(r)
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
		p.static = p.static && !r.body[b].isDynamic()
		p.binders = append(p.binders, b)
	}
	p.addFilters(r)
	p.outputs = p.needed(r)
	p.static = p.static && p.isSmall(w, r)
	return p
}

// isSmall tells whether a static part takes little more room than the relations
// that it joins. Larger ones are better joined with dynamic literals first.
func (p *part) isSmall(w *watch, r *rule) bool {
	inputs := 0.0
	body := rule{vars: r.vars}
	for _, i := range append(slices.Clone(p.literals), p.binders...) {
		if r.body[i].op == gdl.Holds {
			inputs += float64(r.body[i].atom.rel.n)
			body.body = append(body.body, r.body[i])
		}
	}
	return body.estimate(w) <= 4*inputs+smallPart
}

// smallPart is the number of tuples that a static part may always have.
const smallPart = 1000

func (p *part) add(r *rule, i int) {
	p.vars = r.body[i].appendVars(p.vars)
	slices.Sort(p.vars)
	p.vars = slices.Compact(p.vars)
	p.static = p.static && !r.body[i].isDynamic()
}

// unbound are the variables that no positive literal of the part binds.
func (p *part) unbound(r *rule) []int32 {
	var bound, open []int32
	for _, i := range append(slices.Clone(p.literals), p.binders...) {
		if r.body[i].op == gdl.Holds {
			bound = r.body[i].appendVars(bound)
		}
	}
	for _, v := range p.vars {
		if !slices.Contains(bound, v) {
			open = append(open, v)
		}
	}
	return open
}

// binder is the positive literal with the first of the open variables that adds the fewest
// variables, or, if it is to be projected, that binds the most open ones; static ones
// first; or -1.
func (p *part) binder(r *rule, open []int32, project bool) int {
	best, bestCost := -1, 0
	for i := range r.body {
		vars := r.body[i].appendVars(nil)
		if r.body[i].op != gdl.Holds || !slices.Contains(vars, open[0]) {
			continue
		}
		cost := 0
		for _, w := range vars {
			if !project && !slices.Contains(p.vars, w) {
				cost += 2
			}
		}
		for _, w := range open {
			if project && !slices.Contains(vars, w) {
				cost += 2
			}
		}
		if r.body[i].isDynamic() {
			cost++
		}
		if best < 0 || cost < bestCost {
			best, bestCost = i, cost
		}
	}
	return best
}

// addFilters moves the static literals over variables of the part into it: they
// keep it small, and the rest of the rule needs them no more.
func (p *part) addFilters(r *rule) {
	for i := range r.body {
		if slices.Contains(p.literals, i) || slices.Contains(p.binders, i) || r.body[i].isDynamic() {
			continue
		}
		inside := true
		for _, v := range r.body[i].appendVars(nil) {
			inside = inside && slices.Contains(p.vars, v)
		}
		if inside {
			p.literals = append(p.literals, i)
		}
	}
	slices.Sort(p.literals)
}

// needed are the variables of the part that occur in the head or in literals
// that stay.
func (p *part) needed(r *rule) []int32 {
	outside := r.head.appendVars(nil)
	for i := range r.body {
		if !slices.Contains(p.literals, i) {
			outside = r.body[i].appendVars(outside)
		}
	}
	var needed []int32
	for _, v := range p.vars {
		if slices.Contains(outside, v) {
			needed = append(needed, v)
		}
	}
	return needed
}

// extract makes the part a relation of its own and puts it into the rule.
func (s *splitter) extract(r *rule, p *part) {
	safe := *r
	safe.body = slices.Clone(r.body)
	for _, b := range p.binders {
		vars := r.body[b].appendVars(nil)
		if inside := intersect(p.vars, vars); slices.ContainsFunc(vars, func(v int32) bool { return !slices.Contains(inside, v) }) {
			safe.body[b] = s.call(r, []int{b}, inside, !r.body[b].isDynamic())
		}
		safe.body[b].implied = s.project // r keeps it
	}
	inside := append(slices.Clone(p.literals), p.binders...)
	slices.Sort(inside)
	rest := []literal{s.call(&safe, inside, p.outputs, p.static)}
	for i := range r.body {
		if !slices.Contains(p.literals, i) {
			rest = append(rest, r.body[i])
		}
	}
	r.body = rest
}

// call is a literal of the relation that holds the outputs of some literals of r.
func (s *splitter) call(r *rule, literals []int, outputs []int32, static bool) literal {
	body, renamed := s.canonical(r, literals)
	columns := make([]int32, len(outputs))
	for i, v := range outputs {
		columns[i] = renamed[v]
	}
	slices.Sort(columns)
	key := describeBody(s.theory.terms, body, columns)
	rel := s.parts[key]
	if rel == nil {
		rel = s.define(r, body, columns, len(renamed), static)
		s.parts[key] = rel
	}
	back := make(map[int32]int32)
	for v, w := range renamed {
		back[w] = v
	}
	call := literal{op: gdl.Holds, atom: atom{rel: rel}}
	for _, w := range columns {
		call.atom.args = append(call.atom.args, arg{kind: variable, id: back[w]})
	}
	return call
}

// canonical copies literals of r with their variables numbered in the order of
// occurrence.
func (s *splitter) canonical(r *rule, literals []int) ([]literal, map[int32]int32) {
	renamed := make(map[int32]int32)
	to := make([]arg, r.vars)
	var body []literal
	for _, i := range literals {
		for _, v := range r.body[i].appendVars(nil) {
			if _, ok := renamed[v]; !ok {
				renamed[v] = int32(len(renamed))
				to[v] = arg{kind: variable, id: renamed[v]}
			}
		}
		body = append(body, r.body[i].substitute(s.theory.terms, to))
	}
	return body, renamed
}

// define adds the relation and the rule of a part.
func (s *splitter) define(r *rule, body []literal, outputs []int32, vars int, static bool) *relation {
	head := atom{rel: s.theory.auxiliary(fmt.Sprintf("%s~%d", r.head.rel.name.name, len(s.parts)+1), len(outputs))}
	for _, v := range outputs {
		head.args = append(head.args, arg{kind: variable, id: v})
	}
	head.rel.dynamic = !static
	part := &rule{head: head, body: body, vars: vars, source: r.source, split: true}
	s.added = append(s.added, part)
	if static && s.joiner != nil {
		if err := s.joiner.fixpoint([]*rule{part}, nothing); err != nil {
			s.theory.watch.stop(err)
		}
	}
	return head.rel
}

// substitute replaces the variables of l.
func (l *literal) substitute(t *termTable, to []arg) literal {
	out := literal{op: l.op, implied: l.implied}
	if l.op == gdl.Distinct || l.op == gdl.Equal {
		out.left, out.right = l.left.substitute(t, to), l.right.substitute(t, to)
		return out
	}
	out.atom.rel = l.atom.rel
	for _, a := range l.atom.args {
		out.atom.args = append(out.atom.args, a.substitute(t, to))
	}
	return out
}

// describeBody is a key for a body and its outputs.
func describeBody(t *termTable, body []literal, outputs []int32) string {
	var b strings.Builder
	for i := range body {
		l := &body[i]
		fmt.Fprintf(&b, "%d", l.op)
		if l.implied {
			b.WriteByte('*')
		}
		if l.atom.rel != nil {
			p := l.atom.rel.name
			fmt.Fprintf(&b, "%q %v %d", p.name, p.shapes, p.auxiliary)
		}
		fmt.Fprint(&b, l.atom.args, l.left, l.right, ";")
	}
	fmt.Fprint(&b, outputs)
	return b.String()
}

package datalog

import (
	"context"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Ground computes the ground program of a game.
//
// The rules are read with true and does as "possible": an initial fluent is
// possible, so is one that a possible next leads to, and a possible legal move
// is a possible does; negated literals that depend on them are taken to hold.
// Then the rules are instantiated over the possible atoms, and whatever is
// constant is evaluated away. The numbering depends on the texts of fluents and
// moves only.
//
// The error says which limit was hit, and at which rule, or that ctx is done.
func Ground(ctx context.Context, g *gdl.Game, lim Limits) (p *Program, err error) {
	defer until(&err)
	return newGrounder(ctx, g, lim).ground()
}

func (gr *grounder) ground() (*Program, error) {
	if err := gr.prepare(); err != nil {
		return nil, err
	}
	inst, err := gr.instantiate()
	if err != nil {
		return nil, err
	}
	gr.clock.Done("instantiate")
	if err := inst.fits(gr.limits); err != nil {
		return nil, err
	}
	simple := inst.simplify()
	gr.clock.Done("simplify")
	p := simple.program()
	gr.clock.Done("number")
	p.Stages = gr.clock.Stages
	return p, nil
}

// grounder is the state of grounding one game.
type grounder struct {
	theory *theory
	joiner *joiner
	limits Limits
	clock  *machine.Stopwatch

	// lightly is the number of tuples up to which a static relation is computed before
	// it is known whether it is needed.
	lightly                      int
	unfolding, factoring, asking threshold
}

func newGrounder(ctx context.Context, g *gdl.Game, lim Limits) *grounder {
	w := &watch{ctx: ctx}
	w.look()
	gr := &grounder{
		limits: lim.withDefaults(), clock: machine.NewStopwatch(),
		lightly: 50_000, unfolding: threshold{20_000, 16}, factoring: threshold{50_000, 4}, asking: threshold{20_000, 4},
	}
	th := newTheory(w, gr.limits.MaxBytes, g)
	gr.theory = th
	m := &meter{watch: w, limits: gr.limits, bytes: th.bytes}
	gr.joiner = &joiner{terms: th.terms, meter: m}
	gr.clock.Done("translate")
	return gr
}

// prepare evaluates the static relations and computes the possible atoms.
func (gr *grounder) prepare() error {
	th := gr.theory
	postponed, err := th.evaluateStatic(gr.joiner, gr.lightly)
	if err != nil {
		return err
	}
	th.reduce()
	gr.clock.Done("static relations")
	th.unfold(postponed, gr.unfolding)
	gr.clock.Done("unfold")
	waiting, err := th.settle(gr.joiner, postponed, gr.asking)
	if err != nil {
		return err
	}
	th.reduce()
	gr.clock.Done("static relations")
	th.factorTails(gr.factoring)
	gr.clock.Done("tails")
	return gr.reach(waiting)
}

// reach splits the rules and computes the possible atoms.
func (gr *grounder) reach(waiting map[*relation]bool) error {
	th := gr.theory
	th.split(gr.joiner, waiting)
	th.reduce()
	gr.clock.Done("split")
	asked := th.newDemand(gr.asking, nil)
	asked.apply()
	gr.clock.Done("demand")
	err := gr.joiner.fixpoint(append(th.carryRules(), th.dynamicRules()...), isOpenNegation)
	asked.close()
	gr.clock.Done("reach")
	return err
}

// isOpenNegation tells whether l negates an atom that differs between positions.
func isOpenNegation(l *literal) bool { return l.op == gdl.Not && l.atom.rel.dynamic }

func (th *theory) dynamicRules() []*rule {
	var rules []*rule
	for _, r := range th.rules {
		if r.head.rel.dynamic {
			rules = append(rules, r)
		}
	}
	return rules
}

// carryRules lead from one position to the next: true(F) ← init(F),
// true(F) ← next(F), does(R,M) ← legal(R,M) ∧ role(R).
func (th *theory) carryRules() []*rule {
	var rules []*rule
	for _, rel := range th.relations {
		switch rel.name.name {
		case "init", "next":
			rules = append(rules, carry(th.successor(rel), rel))
		case "legal":
			r := carry(th.successor(rel), rel)
			role := th.relation(predicate{"role", rel.name.shapes[:1]}, th.terms.width(rel.name.shapes[0]))
			r.body = append(r.body, literal{op: gdl.Holds, atom: atom{rel: role, args: r.head.args[:role.arity]}})
			rules = append(rules, r)
		}
	}
	return rules
}

// carry is the rule to(X...) ← from(X...).
func carry(to, from *relation) *rule {
	var args []arg
	for v := range from.arity {
		args = append(args, arg{kind: variable, id: int32(v)})
	}
	return &rule{
		head: atom{to, args},
		body: []literal{{op: gdl.Holds, atom: atom{from, args}}},
		vars: from.arity,
	}
}

// bytes estimates the memory of all tables.
func (th *theory) bytes() int64 {
	sum := th.terms.bytes() + th.ruleBytes
	for _, rel := range th.relations {
		sum += rel.bytes()
	}
	return sum
}

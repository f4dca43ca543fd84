package datalog

import (
	"context"
	"errors"
	"slices"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Ground computes the ground program of a game.
//
// The rules are read with true and does as "possible": an initial fluent is
// possible, so is one that a possible next leads to, and a possible legal move
// is a possible does; negated literals that depend on them are taken to hold.
// What the rules match over the possible atoms are their instances: most are noted when the
// atoms are found, those of rules with negated literals afterwards. Whatever is constant is
// evaluated away. The numbering depends on the texts of fluents and
// moves only.
//
// A game that hits a limit, or has more than plainInstances, is grounded again, thoroughly.
// The error says which limit was hit, and at which rule, or that ctx is done.
func Ground(ctx context.Context, g *gdl.Game, lim Limits) (*Program, error) {
	plain := lim.withDefaults()
	plain.MaxInstances = min(plain.MaxInstances, plainInstances)
	plain.MaxAtoms = min(plain.MaxAtoms, plainInstances) // each takes an instance
	if lim.Worth != nil {                                // the answer takes long, and is the same the second time
		ask, answer := lim.Worth, -1
		lim.Worth = func(fluents int) int {
			if answer < 0 {
				answer = max(0, ask(fluents))
			}
			return answer
		}
		plain.Worth = lim.Worth
	}
	began := time.Now()
	p, err := attempt(ctx, g, plain, false)
	if !errors.Is(err, ErrLimit) || errors.Is(err, errWorth) {
		return p, err
	}
	var stages machine.Stages
	stages.Add("grounding, in vain", time.Since(began))
	if p, err = attempt(ctx, g, lim, true); err == nil {
		p.Stages = append(stages, p.Stages...)
	}
	return p, err
}

// plainInstances is the number of rule instances from which on it is worth the time to look
// for fewer. All but a handful of games have fewer. From largeInstances on it is worth the
// time to ask whether they are worth it (Limits.Worth).
const (
	plainInstances = 2_500_000
	largeInstances = 1_500_000
)

// manyFluents is the number of possible fluents from which on it is worth asking the same:
// where the whole position is one fluent, of tens of thousands, few rules hold at a time.
const manyFluents = 10_000

func attempt(ctx context.Context, g *gdl.Game, lim Limits, thorough bool) (p *Program, err error) {
	defer until(&err)
	gr := newGrounder(ctx, g, lim)
	if thorough {
		gr.beThorough()
	}
	return gr.ground()
}

// beThorough rewrites rules wherever that may make the ground program smaller, not only
// where it is expected to: relations are restricted to what is asked for, rules that
// differ in one condition are merged, and parts are made safe by projections. What is
// expected takes columns to be independent, which those of a position are not: in chess it is
// wrong by a factor of a hundred. Other games have fewer instances like that, too, and checkers
// has a third, but more gates, 40 700 instead of 18 600: what parts hide cannot be factored.
// Tuples of what is asked for come on top, so the limits on numbers are twice as high.
func (gr *grounder) beThorough() {
	gr.thorough = true
	gr.asking.gain = 0
	gr.limits.MaxTuples *= 2
	gr.limits.MaxAtoms *= 2
	gr.limits.MaxInstances *= 2
	gr.joiner.meter.limits = gr.limits
}

func (gr *grounder) ground() (*Program, error) {
	gr.joiner.meter.terms = gr.theory.terms.compounds // the Datalog machine takes any number
	record, err := gr.prepare()
	if err != nil {
		return nil, err
	}
	inst, err := record.instantiate()
	if err != nil {
		return nil, err
	}
	gr.clock.Done("instantiate")
	if err := inst.fits(gr.limits); err != nil {
		return nil, err
	}
	simple := inst.simplify(gr.exact)
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

	thorough bool // rewrite wherever it may help
	exact    bool // all that reaching has found may hold, as far as the instances tell

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
		lightly: 50_000, unfolding: threshold{20_000, 16}, factoring: threshold{2_000, 4}, asking: threshold{20_000, 4},
	}
	th := newTheory(w, gr.limits.MaxBytes, g)
	gr.theory = th
	m := &meter{watch: w, limits: gr.limits, bytes: th.bytes}
	gr.joiner = &joiner{terms: th.terms, meter: m}
	gr.clock.Done("translate")
	return gr
}

// prepare evaluates the static relations and computes the possible atoms.
func (gr *grounder) prepare() (*recorder, error) {
	th := gr.theory
	postponed, err := th.evaluateStatic(gr.joiner, gr.lightly)
	if err != nil {
		return nil, err
	}
	th.reduce()
	th.dropFree(postponed)
	th.reduce()
	gr.clock.Done("static relations")
	if gr.thorough {
		th.mergeRules(postponed)
	}
	th.unfold(postponed, gr.unfolding)
	gr.clock.Done("unfold")
	waiting, err := th.settle(gr.joiner, postponed, gr.asking)
	if err != nil {
		return nil, err
	}
	th.reduce()
	gr.clock.Done("static relations")
	th.factorTails(gr.factoring)
	gr.clock.Done("tails")
	return gr.reach(waiting)
}

// reach splits the rules and computes the possible atoms. It records the matches of rules
// without open negations, but for those that ask: most of these are known to be true then.
func (gr *grounder) reach(waiting map[*relation]bool) (*recorder, error) {
	th := gr.theory
	th.split(gr.joiner, waiting, gr.thorough)
	th.reduce()
	if gr.thorough {
		th.mergeRules(waiting)
	}
	gr.clock.Done("split")
	asked := th.newDemand(gr.asking, nil)
	asked.apply()
	gr.clock.Done("demand")
	record := gr.newRecorder()
	for _, r := range asked.guarded {
		if r.head.rel.dynamic && !slices.ContainsFunc(r.body, func(l literal) bool { return isOpenNegation(&l) }) {
			record.begin(r)
		}
	}
	f := newFixpoint(planning{watch: th.watch, ignore: isOpenNegation}, append(th.carryRules(), th.dynamicRules()...))
	f.record = record
	err := f.run(gr.joiner)
	gr.exact = asked.close()
	gr.clock.Done("reach")
	return record, err
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
			role := th.relation(predicate{name: "role", shapes: rel.name.shapes[:1]}, th.terms.width(rel.name.shapes[0]))
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

package datalog

import (
	"context"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
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
// The size is what has been counted, also where a limit was hit. The error says which, and at
// which rule, or that ctx is done.
func Ground(ctx context.Context, g *gdl.Game, lim Limits) (p *Program, size Size, err error) {
	defer guard.Stopped(&err)
	gr := newGrounder(ctx, g, lim)
	defer func() { size = gr.size() }()
	p, err = gr.ground()
	return p, size, err
}

// Size is how large a game is when it is grounded.
type Size struct {
	Instances int // rule instances
	Fluents   int // that are possible
}

func (gr *grounder) size() Size {
	size := Size{}
	if gr.record != nil {
		size.Instances = gr.record.n
	}
	for _, rel := range gr.theory.relations {
		if rel.name.name == "true" {
			size.Fluents += int(rel.n)
		}
	}
	return size
}

func (gr *grounder) ground() (*Program, error) {
	gr.joiner.meter.terms = gr.theory.terms.compounds // the Datalog machine takes any number
	if err := gr.runPasses(gr.phases()...); err != nil {
		return nil, err
	}
	inst, err := gr.record.instantiate()
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

// phases are those of the passes that grounding runs.
func (gr *grounder) phases() []phase {
	if gr.limits.Thorough {
		return []phase{inBoth, inGrounding, ifThorough}
	}
	return []phase{inBoth, inGrounding}
}

// grounder is the state of grounding one game, and of preparing a machine.
type grounder struct {
	*theory
	joiner  *joiner
	limits  Limits
	clock   *machine.Stopwatch
	without []string // names of passes that tests leave out

	// lightly is the number of tuples up to which a static relation is computed before
	// it is known whether it is needed.
	lightly                      int
	unfolding, factoring, asking threshold

	// pending are relations that are static but not computed, as they may have too many tuples.
	// They count as dynamic. After "settle" these are relations that can be asked by key.
	pending map[*relation]bool
	demand  *demand   // nil before it is known what is asked for
	record  *recorder // nil before reaching
	exact   bool      // all that reaching has found may hold, as far as the instances tell
}

func newGrounder(ctx context.Context, g *gdl.Game, lim Limits, without ...string) *grounder {
	w := guard.NewWatch(ctx, grounding)
	w.Look()
	gr := &grounder{
		limits: lim.withDefaults(), clock: machine.NewStopwatch(), without: without,
		lightly: 50_000, unfolding: threshold{20_000, 16}, factoring: threshold{2_000, 4}, asking: threshold{20_000, 4},
	}
	// What is expected takes columns to be independent, which those of a position are not: in chess
	// it is wrong by a factor of a hundred. Other games have fewer instances by thorough grounding,
	// too, and checkers a third, but more gates: what parts hide cannot be factored.
	if lim.Thorough {
		gr.asking.gain = 0
	}
	gr.theory = newTheory(w, gr.limits.MaxBytes, g)
	m := &meter{watch: w, limits: gr.limits, bytes: gr.theory.bytes}
	gr.joiner = &joiner{terms: gr.terms, meter: m}
	gr.clock.Done("translate")
	return gr
}

// reach computes the possible atoms. It records the matches of rules
// without open negations, but for those that ask: most of these are known to be true then.
func (gr *grounder) reach() error {
	if gr.demand == nil {
		gr.demand = &demand{theory: gr.theory, plain: gr.rules, guarded: gr.rules}
	}
	gr.record = gr.newRecorder()
	for _, r := range gr.demand.guarded {
		if r.head.rel.dynamic && !slices.ContainsFunc(r.body, func(l literal) bool { return isOpenNegation(&l) }) {
			gr.record.begin(r)
		}
	}
	f := newFixpoint(planning{watch: gr.watch, ignore: isOpenNegation}, append(gr.carryRules(), gr.dynamicRules()...))
	f.record = gr.record
	err := f.run(gr.joiner)
	gr.exact = gr.demand.close()
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
			role := th.relation(predicate{name: "role", shapes: rel.name.shapes[:1]}, th.terms.width(rel.name.shapes[0]))
			r.body = append(r.body, holds(atom{rel: role, args: r.head.args[:role.arity]}))
			rules = append(rules, r)
		}
	}
	return rules
}

// carry is the rule to(X...) ← from(X...).
func carry(to, from *relation) *rule {
	vars := from.all.columns // as many, numbered alike
	return &rule{head: atomOf(to, vars), body: []literal{holds(atomOf(from, vars))}, vars: from.arity}
}

// bytes estimates the memory of all tables.
func (th *theory) bytes() int64 {
	sum := th.terms.bytes() + th.ruleBytes
	for _, rel := range th.relations {
		sum += rel.bytes()
	}
	return sum
}

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
// It first computes the possible atoms, a superset of the atoms of any reachable position. An initial fluent is
// possible. A possible next(F) makes true(F) possible, and a possible legal(R,M) makes does(R,M) possible. Negated
// literals of dynamic relations are taken to hold. The instances are the matches of the rules over the possible
// atoms. Matches of rules without such negated literals are recorded with the possible atoms, the rest afterwards.
// Constant atoms are then evaluated away. The numbering depends only on the texts of fluents and moves.
//
// The error names the exceeded limit and the rule, or reports that ctx is done.
func Ground(ctx context.Context, g *gdl.Game, lim Limits) (p *Program, err error) {
	defer guard.Stopped(&err)
	return newGrounder(ctx, g, lim).ground()
}

func (gr *grounder) ground() (*Program, error) {
	gr.joiner.meter.terms = gr.theory.terms.compounds // grounding limits function terms, the Datalog machine does not
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

// phases returns the phases of the passes of grounding.
func (gr *grounder) phases() []phase {
	if gr.limits.Thorough {
		return []phase{inBoth, inGrounding, ifThorough}
	}
	return []phase{inBoth, inGrounding}
}

// grounder is the state of the grounding of one game, or of the preparation of a machine.
type grounder struct {
	*theory
	joiner  *joiner
	limits  Limits
	clock   *machine.Stopwatch
	without []string // names of passes left out by tests

	// lightly is the maximal number of tuples of a static relation that is computed before its uses are known.
	lightly                      int
	unfolding, factoring, asking threshold

	demand *demand   // nil before the demand pass
	record *recorder // nil before reaching
	exact  bool      // false if a negated relation has become static (demand.close)
}

func newGrounder(ctx context.Context, g *gdl.Game, lim Limits, without ...string) *grounder {
	w := guard.NewWatch(ctx, grounding)
	w.Look()
	gr := &grounder{
		limits: lim.withDefaults(), clock: machine.NewStopwatch(), without: without,
		lightly: 50_000, unfolding: threshold{20_000, 16}, factoring: threshold{2_000, 4}, asking: threshold{20_000, 4},
	}
	// Estimates assume independent columns. In positions the columns are correlated: in chess the estimate is
	// wrong by a factor of a hundred. Thorough grounding saves instances in other games, too (checkers: two
	// thirds), but can cost gates: the parts of split rules hide common factors.
	if lim.Thorough {
		gr.asking.gain = 0
	}
	gr.theory = newTheory(w, gr.limits.MaxBytes, g)
	m := &meter{watch: w, limits: gr.limits, bytes: gr.theory.bytes}
	gr.joiner = &joiner{terms: gr.terms, meter: m}
	gr.clock.Done("translate")
	return gr
}

// reach computes the possible atoms. It records the matches of rules without negated dynamic literals, except
// rules that derive demand, most of whose atoms become static.
func (gr *grounder) reach() error {
	if gr.demand == nil {
		gr.demand = &demand{theory: gr.theory, plain: gr.rules, guarded: gr.rules}
	}
	gr.record = gr.newRecorder()
	for _, r := range gr.demand.guarded {
		if r.head.rel.isOpen() && !slices.ContainsFunc(r.body, func(l literal) bool { return l.isOpenNegation() }) {
			gr.record.startRecord(r)
		}
	}
	f := newFixpoint(planning{watch: gr.watch, ignore: (*literal).isOpenNegation}, append(gr.carryRules(), gr.dynamicRules()...))
	f.take = gr.record.take
	err := f.run(gr.joiner)
	gr.exact = gr.demand.close()
	return err
}

// Package ground computes the ground program of a game: its relevant rule instances over numbered atoms.
package ground

import (
	"context"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/machine"
)

// New computes the ground program of a game.
//
// It first computes the possible atoms, a superset of the atoms of any reachable position. An initial fluent is
// possible. A possible next(F) makes true(F) possible, and a possible legal(R,M) makes does(R,M) possible. Negated
// literals of open relations are taken to hold. The instances are the matches of the rules over the possible
// atoms. Matches of rules without such negated literals are recorded with the possible atoms, the rest afterwards.
// Constant atoms are then evaluated away. The numbering depends only on the texts of fluents and moves.
//
// The error names the exceeded limit and the rule, or reports that ctx is done.
func New(ctx context.Context, g *gdl.Game, lim datalog.Limits) (p *Program, err error) {
	defer guard.Stopped(&err)
	return newGrounder(ctx, g, lim).ground()
}

func (gr *grounder) ground() (*Program, error) {
	gr.joiner.Meter.Terms = gr.Theory.Terms.Compounds // grounding limits function terms, the Datalog machine does not
	if err := gr.runPasses(gr.phases()...); err != nil {
		return nil, err
	}
	inst, err := gr.record.instantiate()
	if err != nil {
		return nil, err
	}
	gr.Clock.Done("instantiate")
	if err := inst.fits(gr.Limits); err != nil {
		return nil, err
	}
	simple := inst.simplify(gr.exact)
	gr.Clock.Done("simplify")
	p := simple.program()
	gr.Clock.Done("number")
	p.Stages = gr.Clock.Stages
	return p, nil
}

// phases returns the phases of the passes of grounding.
func (gr *grounder) phases() []phase {
	if gr.Limits.Thorough {
		return []phase{inBoth, inGrounding, ifThorough}
	}
	return []phase{inBoth, inGrounding}
}

// Prepared is a game after the passes that grounding and the Datalog machine share.
type Prepared struct {
	*rules.Theory
	Limits datalog.Limits
	Clock  *machine.Stopwatch
}

// Prepare translates the rules of a game, and computes its static relations except large ones. A relation is large if
// it has more than the given number of tuples. Tests leave out the named passes.
func Prepare(ctx context.Context, g *gdl.Game, lim datalog.Limits, large int, without ...string) (*Prepared, error) {
	gr := newGrounder(ctx, g, lim, without...)
	gr.lightly = large
	return &gr.Prepared, gr.runPasses(inBoth)
}

// grounder is the state of the grounding of one game.
type grounder struct {
	Prepared
	joiner  *join.Joiner
	without []string // names of passes left out by tests

	// lightly is the maximal number of tuples of a static relation that is computed before its uses are known.
	lightly                      int
	unfolding, factoring, asking threshold

	demand *demand   // nil before the demand pass
	record *recorder // nil before reaching
	exact  bool      // false if a negated relation has become static (demand.close)
}

func newGrounder(ctx context.Context, g *gdl.Game, lim datalog.Limits, without ...string) *grounder {
	w := guard.NewWatch(ctx, datalog.Grounding)
	w.Look()
	gr := &grounder{
		Prepared: Prepared{Limits: lim.WithDefaults(), Clock: machine.NewStopwatch()}, without: without,
		lightly: 50_000, unfolding: threshold{20_000, 16}, factoring: threshold{2_000, 4}, asking: threshold{20_000, 4},
	}
	// Estimates assume independent columns. In positions the columns are correlated: in chess the estimate is
	// wrong by a factor of a hundred. Thorough grounding saves instances in other games, too (checkers: two
	// thirds), but can cost gates: the parts of split rules hide common factors.
	if lim.Thorough {
		gr.asking.gain = 0
	}
	gr.Theory = rules.Translate(w, gr.Limits.MaxBytes, g)
	gr.joiner = join.NewJoiner(gr.Terms, join.NewMeter(w, gr.Limits, gr.Theory.Bytes))
	gr.Clock.Done("translate")
	return gr
}

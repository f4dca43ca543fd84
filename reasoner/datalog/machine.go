package datalog

import (
	"context"
	"math"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// interpreter is the state shared by all evaluators of a game: rules, static relations, vocabulary, and the
// results of tuning. Everything except the vocabulary is immutable once the machine has been made.
type interpreter struct {
	theory  *theory
	rules   []*rule // the dynamic rules
	names   *machine.Names
	initial machine.State
	cost    costs
	largest int    // most fluents of a position during tuning
	work    int64  // of a position during tuning; 0 if tuning ended early
	limits  Limits // of the relations of a position, in each evaluator
	clock   *machine.Stopwatch
	without []string // names of passes left out by tests
}

// costs are the results of tuning: they determine the mode of each relation.
type costs struct {
	profiles map[*relation]*profile
	modes    map[*relation]mode
}

// mode is the way in which a derived relation is computed.
type mode uint8

const (
	modeKeyed  mode = iota // by key, on demand
	modeWhole              // completely, at its first use
	modeInline             // never: its rules are inlined at its uses
)

// NewMachine returns a machine for games whose ground program is too large. It evaluates the rules on demand in
// each position. Fluents and moves are numbered at their first occurrence, so the size of the game is unlimited.
//
// If the relations of a position exceed the evaluator's share of the memory, the position has no legal moves.
//
// The error names the exceeded limit and the rule, or reports that ctx is done. Evaluation of the initial position
// can fail, too.
func NewMachine(ctx context.Context, g *gdl.Game, lim Limits) (m machine.Machine, err error) {
	defer guard.Stopped(&err)
	in, err := newInterpreter(ctx, g, lim)
	if err != nil {
		return nil, err
	}
	in.open(tuningWords)
	in.tune(ctx, math.MaxInt64)
	in.clock.Done("tune")
	in.open((in.largest*3/2 + spareFluents) / 2)
	if err := newStepper(in, in.theory.watch).begin(); err != nil { // makes the indexes that all evaluators share
		return nil, err
	}
	in.clock.Done("indexes")
	info := machine.Info{Engine: "datalog", Gates: len(in.rules), Bytes: in.theory.bytes(), Work: in.work, Stages: in.clock.Stages}
	return machine.NewScalar(in.names, in.initial, info, func() machine.Stepper { return newStepper(in, guard.NewWatch(context.Background(), grounding)) }), nil
}

// Work returns the work of a position as in Info.Work of the machine, or 0 if it is unknown. If the work exceeds
// enough before tuning, Work returns it without tuning, which is much faster.
func Work(ctx context.Context, g *gdl.Game, lim Limits, enough int64) (work int64, err error) {
	defer guard.Stopped(&err)
	in, err := newInterpreter(ctx, g, lim)
	if err != nil {
		return 0, err
	}
	in.open(tuningWords)
	in.tune(ctx, enough)
	return in.work, nil
}

const (
	// maxEager is the size from which static relations are computed on demand: most games need a small part of
	// such large relations.
	maxEager = 500_000

	// eagerWork bounds the work of computing a static relation: some tenths of a second.
	eagerWork = 20_000_000

	// positionShare divides the memory limit: the share of one evaluator. vocabularyShare divides this share: the
	// vocabulary's part.
	positionShare   = 4
	vocabularyShare = 4

	// tuningWords is the length of positions during tuning, before the number of their fluents is known.
	// spareFluents is the minimal room for further fluents.
	tuningWords  = 64
	spareFluents = 32
)

func newInterpreter(ctx context.Context, g *gdl.Game, lim Limits, without ...string) (*interpreter, error) {
	gr := newGrounder(ctx, g, lim, without...)
	gr.lightly = maxEager
	if err := gr.runPasses(inBoth); err != nil {
		return nil, err
	}
	th := gr.theory
	in := &interpreter{theory: th, rules: th.dynamicRules(), limits: gr.limits, clock: gr.clock, without: without}
	in.limits.MaxBytes /= positionShare
	return in, nil
}

// open begins a new vocabulary with positions of the given number of words, and adds the initial position to it.
func (in *interpreter) open(words int) {
	th := in.theory
	in.names = &machine.Names{Open: machine.NewVocabulary(len(th.roles), words, in.limits.MaxBytes/vocabularyShare)}
	for _, role := range th.roles {
		in.names.Roles = append(in.names.Roles, th.terms.name(role))
	}
	var fluents []string
	for _, rel := range th.relations {
		if rel.name.name == "init" {
			for t := range rel.n {
				fluents = append(fluents, th.terms.argName(rel.name, 0, rel.row(t)))
			}
		}
	}
	slices.Sort(fluents)
	var err error
	if in.initial, err = in.names.State(fluents); err != nil {
		guard.Stop(err)
	}
}

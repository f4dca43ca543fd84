package datalog

import (
	"context"
	"math"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// interpreter is what all evaluators of a game share: its rules, its static
// relations, the vocabulary, and what was learnt about the cost of its relations.
// All but the vocabulary is immutable once the machine has been made.
type interpreter struct {
	theory  *theory
	rules   []*rule // the dynamic rules
	names   *machine.Names
	initial machine.State
	cost    costs
	largest int    // the most fluents that a position had in tuning
	work    int64  // of a position in tuning, 0 where tuning ended early
	limits  Limits // of the relations of a position, in each evaluator
	clock   *machine.Stopwatch
	without []string // names of passes that tests leave out
}

// costs is what decides how relations are computed.
type costs struct {
	profiles map[*relation]*profile
	modes    map[*relation]mode
}

// mode is how a derived relation is computed.
type mode uint8

const (
	modeKeyed  mode = iota // by key, as asked
	modeWhole              // all of it at first use
	modeInline             // not at all: its rules replace it where it is used
)

// NewMachine makes the machine for games whose ground program would not fit: it
// evaluates the rules anew in every position, and of them only what is asked.
// Fluents and moves are numbered as they are met, so no game is too large for it.
//
// Where a position takes more than its share of the memory, the machine knows no
// legal moves in it.
//
// The error says which limit was hit, and at which rule, or that ctx is done, be it
// in the initial position.
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

// Work is the work of a position that the machine of the game tells in its Info, or 0 if it
// is not known. Where it is more than enough before tuning, that is the answer, and comes
// much sooner.
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
	// maxEager is the size from which static relations are computed on demand: most
	// games ask for a small part of relations as large as that.
	maxEager = 500_000

	// eagerWork is the work at which that is given up: some tenths of a second.
	eagerWork = 20_000_000

	// positionShare is the part of the memory that an evaluator may take, and
	// vocabularyShare the part of that for the vocabulary.
	positionShare   = 4
	vocabularyShare = 4

	// tuningWords is the length of positions while it is not known how many fluents
	// they have; spareFluents is the room that they get at least.
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

// open begins a new vocabulary, in which positions have the given number of words,
// with the initial position.
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

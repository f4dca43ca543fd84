// Package interpret evaluates the rules of a game in one position at a time, for games whose ground program is too large.
package interpret

import (
	"context"
	"errors"
	"math"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/ground"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// sharedRules is the state shared by all evaluators of a game: rules, static relations, vocabulary. Everything except
// the vocabulary is immutable once the machine has been made.
type sharedRules struct {
	theory     *rules.Theory
	rules      []*rules.Rule // of open relations
	vocabulary *vocabulary
	names      *machine.Names
	initial    machine.State
	limits     datalog.Limits // of the relations of a position, in each evaluator
	clock      *machine.Stopwatch
	without    []string // names of passes left out by tests
}

// New returns a machine for games whose ground program is too large. It evaluates the rules on demand in
// each position. Fluents and moves are numbered at their first occurrence, so the size of the game is unlimited.
//
// If the relations of a position exceed the evaluator's share of the memory, the position has no legal moves.
//
// The error names the exceeded limit and the rule, or reports that ctx is done. Evaluation of the initial position
// can fail, too.
func New(ctx context.Context, g *gdl.Game, lim datalog.Limits) (m machine.Machine, err error) {
	defer guard.Stopped(&err)
	shared, err := newSharedRules(ctx, g, lim)
	if err != nil {
		return nil, err
	}
	if err := shared.open(); err != nil {
		return nil, err
	}
	info := machine.Info{Engine: "datalog", Gates: len(shared.rules), Bytes: shared.theory.Bytes(), Stages: shared.clock.Stages}
	return scalar.New(shared.names, shared.initial, info, func() scalar.Stepper {
		return newStepper(shared, guard.NewWatch(context.Background(), datalog.Grounding))
	}), nil
}

const (
	// maxEager is the size from which static relations are computed on demand: most games need a small part of
	// such large relations.
	maxEager = 500_000

	// positionShare divides the memory limit: the share of one evaluator. vocabularyShare divides this share: the
	// vocabulary's part.
	positionShare   = 4
	vocabularyShare = 4

	// sampleWords is the length of positions while random matches show the number of their fluents. The matches take
	// sampleWork matches of rules, or sampleSteps joint moves. spareFluents is the minimal room for further fluents.
	sampleWords  = 64
	sampleWork   = 2_000_000
	sampleSteps  = 200
	sampleSeed   = 1
	spareFluents = 32
)

func newSharedRules(ctx context.Context, g *gdl.Game, lim datalog.Limits, without ...string) (*sharedRules, error) {
	game, err := ground.Prepare(ctx, g, lim, maxEager, without...)
	if err != nil {
		return nil, err
	}
	th := game.Theory
	shared := &sharedRules{theory: th, rules: th.OpenRules(), limits: game.Limits, clock: game.Clock, without: without}
	shared.limits.MaxBytes /= positionShare
	expectFew(th, shared.rules)
	return shared, nil
}

// open makes the vocabulary, with positions as long as random matches need.
func (shared *sharedRules) open() error {
	shared.makeVocabulary(sampleWords)
	most, err := shared.mostFluents()
	if err != nil {
		return err
	}
	shared.clock.Done("sample")
	shared.makeVocabulary((most*3/2 + spareFluents) / 2)
	err = newStepper(shared, shared.theory.Watch).evaluateInitial() // makes the indexes that all evaluators share
	shared.clock.Done("indexes")
	return err
}

// mostFluents returns the largest number of fluents in the positions of random matches.
func (shared *sharedRules) mostFluents() (most int, err error) {
	s := newStepper(shared, shared.theory.Watch)
	rng := machine.NewRand(sampleSeed)
	state := slices.Clone(shared.initial)
	for step := 0; step < sampleSteps && s.meter.Work < sampleWork; step++ {
		joint := s.random(state, rng)
		most = max(most, len(s.numbers))
		if joint == nil {
			copy(state, shared.initial)
		} else {
			s.Next(state, joint)
		}
		if errors.Is(s.meter.Err, datalog.ErrLimit) {
			break
		}
		if s.meter.Err != nil {
			return 0, s.meter.Err
		}
	}
	return most, nil
}

// random returns random moves in a position; nil if it is terminal or a role has no move.
func (s *stepper) random(state machine.State, rng *machine.Rand) []machine.Move {
	s.SetState(state)
	var joint []machine.Move
	for r := range s.shared.names.Roles {
		moves := s.AppendLegal(nil, machine.Role(r))
		if len(moves) == 0 || s.Terminal() {
			return nil
		}
		joint = append(joint, moves[rng.Intn(len(moves))])
	}
	return joint
}

// makeVocabulary makes a vocabulary with positions of the given number of words, and adds the initial position to it.
func (shared *sharedRules) makeVocabulary(words int) {
	th := shared.theory
	shared.vocabulary = newVocabulary(th, words, shared.limits.MaxBytes/vocabularyShare)
	shared.names = &machine.Names{Open: shared.vocabulary}
	for _, role := range th.Roles {
		shared.names.Roles = append(shared.names.Roles, th.Terms.Name(role))
	}
	var fluents []string
	for _, rel := range th.Relations {
		if rel.Name == "init" {
			for t := range rel.Len() {
				fluents = append(fluents, th.Terms.ArgName(rel.Predicate, 0, rel.Row(t)))
			}
		}
	}
	slices.Sort(fluents)
	var err error
	if shared.initial, err = shared.names.State(fluents); err != nil {
		guard.Stop(err)
	}
}

// expectFew assigns profiles to the open relations. A position holds few of the possible tuples of true and does, as
// each cell of a board has one content. The square root of the possible tuples is assumed.
func expectFew(th *rules.Theory, list []*rules.Rule) {
	join.Estimate(th, list)
	for _, rel := range th.Relations {
		if rel.IsOpen() && rel.IsInput() {
			rel.Profile.Tuples = math.Sqrt(rel.Profile.Tuples)
		}
	}
}

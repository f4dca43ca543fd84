package cli

import (
	"context"
	"errors"
	"fmt"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/layers"
)

// saved is what solve --save has kept of a game: a file, or the folder of method layers.
func (s *console) saved(path string, rules *gdl.Game, m machine.Machine, bytes int64) (search.Solution, error) {
	return await(s.ctx, func() (search.Solution, error) {
		if layers.Holds(path) {
			return layers.Open(path, m, rules.ExactDigest(), bytes)
		}
		return book.Load(path, m, rules.ExactDigest(), bytes)
	})
}

// solutionPlayer begins the names of players that play saved solutions.
const solutionPlayer = "solution:"

// solved plays by a saved solution.
type solved struct {
	*console
	follower
	path     string
	memory   int64
	rng      *machine.Rand
	solution search.Solution
}

var _ protocol.Agent = (*solved)(nil)

// Start implements protocol.Agent.
func (a *solved) Start(_ context.Context, m protocol.Match) error {
	err := a.begin(m)
	if err == nil {
		a.solution, err = a.saved(a.path, m.Game, m.Machine, a.memory)
	}
	return err
}

// Play implements protocol.Agent.
func (a *solved) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	legal, err := a.follow(told, nil)
	if err != nil {
		return gdl.Term{}, err
	}
	move := legal[0]
	if len(legal) > 1 {
		claim, err := a.solution.At(ctx, a.state())
		if err != nil {
			return gdl.Term{}, err
		}
		left := a.rng.Float64()
		for _, w := range claim.Strategies[a.role] {
			if move = w.Move; left < w.Probability {
				break
			}
			left -= w.Probability
		}
	}
	return gdl.ParseTerm(a.names.MoveText(a.role, move))
}

// Stop implements protocol.Agent.
func (*solved) Stop([][]gdl.Term) {}

// Abort implements protocol.Agent.
func (*solved) Abort() {}

// follower follows a match on the machine of the game.
type follower struct {
	names *machine.Names
	batch machine.Batch
	words int
	role  machine.Role
	told  int // joint moves that the batch has made
}

// begin begins a match.
func (f *follower) begin(m protocol.Match) error {
	if m.Machine == nil {
		return errors.New("expected the names of the rules: a match without --scramble")
	}
	f.names, f.batch, f.words, f.told = m.Machine.Names(), m.Machine.NewBatch(), m.Machine.Words(), 0
	f.batch.Fill(m.Machine.Initial(), nil)
	f.batch.Evaluate(1)
	role, ok := f.names.Role(m.Role)
	if !ok {
		return fmt.Errorf("the game has no role %s", m.Role)
	}
	f.role = role
	return nil
}

// follow makes the joint moves that were told and hands them to made, unless that is nil. It returns the legal moves of
// the role, or protocol.ErrOver.
func (f *follower) follow(told [][]gdl.Term, made func(joint []gdl.Term)) ([]machine.Move, error) {
	for _, joint := range told[min(f.told, len(told)):] {
		f.told++
		if joint == nil {
			continue
		}
		for r, t := range joint {
			if move, ok := f.names.Move(machine.Role(r), t.String()); ok {
				f.batch.Choose(0, machine.Role(r), move)
			}
		}
		f.batch.Advance(1)
		f.batch.Evaluate(1)
		if made != nil {
			made(joint)
		}
	}
	if f.batch.Terminal()[0]&1 != 0 {
		return nil, protocol.ErrOver
	}
	return f.batch.AppendLegal(nil, 0, f.role), nil
}

// state is the position.
func (f *follower) state() machine.State {
	q := make(machine.State, f.words)
	f.batch.Store(q, 1)
	return q
}

package games_test

import (
	"slices"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// position is a position of a compiled game, put there by hand.
type position struct {
	t     *testing.T
	batch machine.Batch
	names *machine.Names
	state machine.State
}

// at returns the position where exactly the facts are true.
func at(t *testing.T, m machine.Machine, facts ...string) *position {
	t.Helper()
	state := must.Get(m.Names().State(facts))(t)
	p := &position{t, m.NewBatch(), m.Names(), state}
	p.evaluate()
	return p
}

func (p *position) evaluate() {
	p.batch.Fill(p.state, nil)
	p.batch.Evaluate(1)
}

// moves returns the legal moves of a role, sorted by their texts.
func (p *position) moves(role string) []string {
	p.t.Helper()
	r, ok := p.names.Role(role)
	if !ok {
		p.t.Fatalf("no role %s", role)
	}
	var texts []string
	for _, m := range p.batch.AppendLegal(nil, 0, r) {
		texts = append(texts, p.names.MoveText(r, m))
	}
	slices.Sort(texts)
	return texts
}

// allows reports whether a move is legal for a role.
func (p *position) allows(role, move string) bool {
	p.t.Helper()
	return slices.Contains(p.moves(role), move)
}

// play makes a joint move, one move for each role.
func (p *position) play(joint ...string) {
	p.t.Helper()
	for r, text := range joint {
		m, ok := p.names.Move(machine.Role(r), text)
		if !ok || !p.allows(p.names.Roles[r], text) {
			p.t.Fatalf("%s must not %s; legal are %v", p.names.Roles[r], text, p.moves(p.names.Roles[r]))
		}
		p.batch.Choose(0, machine.Role(r), m)
	}
	p.batch.Advance(1)
	p.batch.Store(p.state, 1)
	p.evaluate()
}

// facts returns the true fluents that begin with a prefix, sorted.
func (p *position) facts(prefix string) []string {
	all := p.names.AppendFluents(nil, p.state)
	all = slices.DeleteFunc(all, func(f string) bool { return !strings.HasPrefix(f, prefix) })
	slices.Sort(all)
	return all
}

// result returns the goals of a terminal position, nil of others.
func (p *position) result() []int32 {
	if p.batch.Terminal()[0]&1 == 0 {
		return nil
	}
	goals := make([]int32, len(p.names.Roles))
	p.batch.Goals(goals, 0)
	return goals
}

// wants fails the test if the game is not over with these goals; none tell that it goes on.
func (p *position) wants(goals ...int32) {
	p.t.Helper()
	if got := p.result(); !slices.Equal(got, goals) {
		p.t.Errorf("result %v, want %v", got, goals)
	}
}

// checkPerft compares the numbers of sequences of 1, 2, … joint moves from a position with known numbers. Numbers above
// deep are left to long tests.
func checkPerft(t *testing.T, m machine.Machine, s machine.State, want ...int64) {
	t.Helper()
	const deep = 100_000
	for !exhaustive.On() && want[len(want)-1] > deep {
		want = want[:len(want)-1]
	}
	counts := must.Get(play.Perft(t.Context(), m, s, len(want)))(t)
	for i, n := range want {
		if counts[i].JointMoves != n {
			t.Errorf("%d sequences of %d joint moves, want %d", counts[i].JointMoves, i+1, n)
		}
	}
}

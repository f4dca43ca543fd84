package tracking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// snapshot is the key of a position in a rulebook. Within a rulebook, positions are equal if and only if their
// snapshots are equal; other rulebooks have other snapshots.
type snapshot string

// rulebook answers queries about positions by the rules. It belongs to one goroutine. Errors come from the context,
// from limits, or from faults of the rules.
type rulebook interface {
	initial(ctx context.Context) (snapshot, error)
	terminal(ctx context.Context, s snapshot) (bool, error)
	// legal returns the legal moves of a role, at most atMost moves if atMost > 0.
	legal(ctx context.Context, s snapshot, role, atMost int) ([]string, error)
	isLegal(ctx context.Context, s snapshot, role int, move string) (bool, error)
	// next returns the position after a joint move that is legal in s.
	next(ctx context.Context, s snapshot, joint []string) (snapshot, error)
}

// compiled is the rulebook of a machine.
type compiled struct {
	machine machine.Machine
	batch   machine.Batch
	at      snapshot // in lane 0 of batch, evaluated
	loaded  bool
	moves   []machine.Move
}

func newCompiled(m machine.Machine) *compiled {
	return &compiled{machine: m, batch: m.NewNarrowBatch()}
}

func (c *compiled) load(s snapshot) {
	if c.loaded && c.at == s {
		return
	}
	c.batch.Load(machine.AppendState(nil, string(s)), 1)
	c.batch.Evaluate(1)
	c.at, c.loaded = s, true
}

func (c *compiled) initial(context.Context) (snapshot, error) {
	return snapshot(c.machine.Initial().Key()), nil
}

func (c *compiled) terminal(ctx context.Context, s snapshot) (bool, error) {
	c.load(s)
	if err := machine.Unknown(c.batch, 0); err != nil {
		return false, err
	}
	return c.batch.Terminal()[0]&1 != 0, ctx.Err()
}

// list writes the legal moves of a role into c.moves.
func (c *compiled) list(s snapshot, role int) error {
	c.load(s)
	if err := machine.Unknown(c.batch, 0); err != nil {
		return err
	}
	c.moves = c.batch.AppendLegal(c.moves[:0], 0, machine.Role(role))
	return nil
}

func (c *compiled) isLegal(ctx context.Context, s snapshot, role int, move string) (bool, error) {
	if err := c.list(s, role); err != nil {
		return false, err
	}
	m, ok := c.machine.Names().Move(machine.Role(role), move)
	return ok && slices.Contains(c.moves, m), ctx.Err()
}

func (c *compiled) legal(ctx context.Context, s snapshot, role, atMost int) ([]string, error) {
	if err := c.list(s, role); err != nil {
		return nil, err
	}
	if atMost > 0 && len(c.moves) > atMost {
		c.moves = c.moves[:atMost]
	}
	list := make([]string, len(c.moves))
	for i, m := range c.moves {
		list[i] = c.machine.Names().MoveText(machine.Role(role), m)
	}
	return list, ctx.Err()
}

func (c *compiled) next(ctx context.Context, s snapshot, joint []string) (snapshot, error) {
	c.load(s)
	for r, text := range joint {
		m, ok := c.machine.Names().Move(machine.Role(r), text)
		if !ok {
			return "", fmt.Errorf("expected a move of %s, found %s", c.machine.Names().Roles[r], text)
		}
		c.batch.Choose(0, machine.Role(r), m)
	}
	c.loaded = false
	c.batch.Advance(1)
	words := make(machine.State, len(c.machine.Initial()))
	c.batch.Store(words, 1)
	return snapshot(words.Key()), ctx.Err()
}

// Prover answers queries about positions, given as lists of fluents, by the rules without compilation
// (prover.Prover).
type Prover interface {
	Initial(ctx context.Context) ([]string, error)
	Terminal(ctx context.Context, fluents []string) (bool, error)
	Legal(ctx context.Context, fluents []string, role string, atMost int) ([]string, error)
	IsLegal(ctx context.Context, fluents []string, role, move string) (bool, error)
	Next(ctx context.Context, fluents []string, joint []string) ([]string, error)
}

// uncompiled is the rulebook of a prover: slow, but available without compilation.
type uncompiled struct {
	Prover
	roles []string
}

func newUncompiled(p Prover, g *gdl.Game) *uncompiled {
	u := &uncompiled{Prover: p}
	for _, r := range g.Roles {
		u.roles = append(u.roles, r.String())
	}
	return u
}

func listed(fluents []string) snapshot {
	slices.Sort(fluents)
	return snapshot(strings.Join(slices.Compact(fluents), "\n"))
}

func (s snapshot) fluents() []string {
	if s == "" {
		return nil
	}
	return strings.Split(string(s), "\n")
}

func (u *uncompiled) initial(ctx context.Context) (snapshot, error) {
	fluents, err := u.Initial(ctx)
	return listed(fluents), err
}

func (u *uncompiled) terminal(ctx context.Context, s snapshot) (bool, error) {
	return u.Terminal(ctx, s.fluents())
}

func (u *uncompiled) legal(ctx context.Context, s snapshot, role, atMost int) ([]string, error) {
	return u.Legal(ctx, s.fluents(), u.roles[role], atMost)
}

func (u *uncompiled) isLegal(ctx context.Context, s snapshot, role int, move string) (bool, error) {
	return u.IsLegal(ctx, s.fluents(), u.roles[role], move)
}

func (u *uncompiled) next(ctx context.Context, s snapshot, joint []string) (snapshot, error) {
	fluents, err := u.Next(ctx, s.fluents(), joint)
	return listed(fluents), err
}

// withoutEnd is a rulebook without the terminal rule: no position is terminal.
type withoutEnd struct{ *uncompiled }

func (withoutEnd) terminal(context.Context, snapshot) (bool, error) { return false, nil }

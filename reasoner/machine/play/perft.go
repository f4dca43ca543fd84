package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"stackmate/reasoner/machine"
)

// PerftCount holds the counts of Perft at one depth.
type PerftCount struct {
	Depth      int
	JointMoves int64 // sequences of exactly Depth joint moves from the root
	Terminals  int64 // sequences that end in a terminal position
}

// Perft counts the sequences of joint moves from s to every depth from 1 to depth: the usual check that a
// machine generates exactly the legal moves. When ctx ends early, or a position is too wide (ErrTooWide), it
// returns that error and the counts so far, which are then too small. A depth of more than MaxSteps is an
// error without counts.
func Perft(ctx context.Context, m machine.Machine, s machine.State, depth int) ([]PerftCount, error) {
	if depth > MaxSteps {
		return nil, fmt.Errorf("depth %d exceeds the limit of %d joint moves", depth, MaxSteps)
	}
	p := perft{ctx: ctx, expander: NewExpander(m), plies: make([]Expansion, depth)}
	p.expander.Limit(ctx, perftBytes, 0)
	for d := range depth {
		p.counts = append(p.counts, PerftCount{Depth: d + 1})
	}
	if terminal, _ := p.expander.Look(s); !terminal && depth > 0 {
		p.visit(s, 0)
	}
	return p.counts, cmp.Or(p.err, ctx.Err())
}

type perft struct {
	ctx      context.Context
	expander *Expander
	plies    []Expansion
	counts   []PerftCount
	last     []Expansion // expansions of the positions one ply above the last
	parents  []uint64    // the positions one ply above the last
	err      error
}

const (
	// perftGroup is the number of positions whose last ply is computed together. For wide positions it is
	// groupChildren divided by the width of their parent.
	perftGroup    = 64
	groupChildren = 1 << 16
	// perftBytes bounds the stored positions: sixteen plies of the widest expansions.
	perftBytes = 16 * MaxExpansionBytes
)

func (p *perft) visit(s machine.State, ply int) {
	e := &p.plies[ply]
	if p.err != nil || p.ctx.Err() != nil || !p.accept(p.expander.Expand(e, s)) {
		return
	}
	p.count(e, ply)
	if ply+1 == len(p.plies) {
		return
	}
	for c := range e.Children {
		switch {
		case e.Terminal[c]:
		case ply+2 == len(p.plies):
			p.parents = append(p.parents, e.Child(c)...)
			if len(p.parents) >= len(s)*min(perftGroup, 1+groupChildren/e.Children) {
				p.flush(len(s))
			}
		default:
			p.visit(e.Child(c), ply+1)
		}
	}
	p.flush(len(s))
}

// accept reports whether an expansion has children to count, and keeps its error. A position without legal
// moves has no children and is no error.
func (p *perft) accept(err error) bool {
	if err != nil && !errors.Is(err, ErrStuck) && p.err == nil {
		p.err = err
	}
	return err == nil
}

func (p *perft) count(e *Expansion, ply int) {
	if e.Lost { // whether the lost child is terminal is not known
		p.accept(machine.ErrLost)
	}
	p.counts[ply].JointMoves += int64(e.Children)
	for c := range e.Children {
		if e.Terminal[c] {
			p.counts[ply].Terminals++
		}
	}
}

// flush counts the children of the gathered positions, which are the last ply.
func (p *perft) flush(words int) {
	n := len(p.parents) / words
	for len(p.last) < n {
		p.last = append(p.last, Expansion{})
	}
	p.expander.ExpandMany(p.last[:n], p.parents)
	for i := range n {
		if p.accept(p.last[i].Err) {
			p.count(&p.last[i], len(p.plies)-1)
		}
	}
	p.parents = p.parents[:0]
}

package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// PerftCount is what Perft counts at one depth.
type PerftCount struct {
	Depth      int
	JointMoves int64 // sequences of exactly Depth joint moves from the root
	Terminals  int64 // those of them that end in a terminal position
}

// Perft counts the sequences of joint moves from s to every depth from 1 to
// depth: the usual check that a machine makes exactly the right moves. When ctx
// ends early, or a position is too wide (ErrTooWide), it returns that error and the
// counts made so far, which are then too small. A depth of more than MaxSteps is an
// error without counts.
func Perft(ctx context.Context, m Machine, s State, depth int) ([]PerftCount, error) {
	if depth > MaxSteps {
		return nil, fmt.Errorf("joint moves can be counted to a depth of %d, not %d", MaxSteps, depth)
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
	last     []Expansion // of the positions one ply above the last
	above    []uint64    // those positions
	err      error
}

const (
	// perftGroup is the number of positions whose last ply is computed together,
	// unless they are wide: then it is groupChildren by the width of their parent.
	perftGroup    = 64
	groupChildren = 1 << 16
	// perftBytes bounds the positions held: sixteen plies of the widest expansions.
	perftBytes = 16 * MaxExpansionBytes
)

func (p *perft) visit(s State, ply int) {
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
			p.above = append(p.above, e.Child(c)...)
			if len(p.above) >= len(s)*min(perftGroup, 1+groupChildren/e.Children) {
				p.flush(len(s))
			}
		default:
			p.visit(e.Child(c), ply+1)
		}
	}
	p.flush(len(s))
}

// accept tells whether an expansion has children to count. A position without
// legal moves has none.
func (p *perft) accept(err error) bool {
	if err != nil && !errors.Is(err, ErrStuck) && p.err == nil {
		p.err = err
	}
	return err == nil
}

func (p *perft) count(e *Expansion, ply int) {
	if e.Lost { // nor is it known whether that child is terminal
		p.accept(ErrLost)
	}
	p.counts[ply].JointMoves += int64(e.Children)
	for c := range e.Children {
		if e.Terminal[c] {
			p.counts[ply].Terminals++
		}
	}
}

// flush counts the last ply below the positions gathered.
func (p *perft) flush(words int) {
	n := len(p.above) / words
	for len(p.last) < n {
		p.last = append(p.last, Expansion{})
	}
	p.expander.ExpandMany(p.last[:n], p.above)
	for i := range n {
		if p.accept(p.last[i].Err) {
			p.count(&p.last[i], len(p.plies)-1)
		}
	}
	p.above = p.above[:0]
}

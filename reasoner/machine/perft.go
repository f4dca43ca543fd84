package machine

import "context"

// PerftCount is what Perft counts at one depth.
type PerftCount struct {
	Depth      int
	JointMoves int64 // sequences of exactly Depth joint moves from the root
	Terminals  int64 // those of them that end in a terminal position
}

// Perft counts the sequences of joint moves from s to every depth from 1 to
// depth: the usual check that a machine makes exactly the right moves. When ctx
// ends early it returns ctx's error and the counts made so far, which are then
// too small.
func Perft(ctx context.Context, m Machine, s State, depth int) ([]PerftCount, error) {
	p := perft{ctx: ctx, expander: NewExpander(m), plies: make([]Expansion, depth)}
	for d := range depth {
		p.counts = append(p.counts, PerftCount{Depth: d + 1})
	}
	if terminal, _ := p.expander.Look(s); !terminal && depth > 0 {
		p.visit(s, 0)
	}
	return p.counts, ctx.Err()
}

type perft struct {
	ctx      context.Context
	expander *Expander
	plies    []Expansion
	counts   []PerftCount
}

func (p *perft) visit(s State, ply int) {
	e := &p.plies[ply]
	if p.ctx.Err() != nil || !p.expander.Expand(e, s) {
		return
	}
	p.counts[ply].JointMoves += int64(e.Children)
	for c := range e.Children {
		if e.Terminal[c] {
			p.counts[ply].Terminals++
		} else if ply+1 < len(p.plies) {
			p.visit(e.Child(c), ply+1)
		}
	}
}

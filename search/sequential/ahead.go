package sequential

import (
	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Looking ahead: the children of a position are expanded together, in one pass of a
// machine whose passes cost the same for one position as for all lanes, before any of
// them is searched. What is seen then of their own children
//
//	bounds them     where a player can win at once, or all its moves end the game,
//	                there is nothing to search
//	orders them     by the replies that they leave (order.go)
//	is kept         a child that is searched needs no pass of its own
//
// so a position costs one pass as before, but sees two plies. Of a machine that is not
// parallel nothing is expanded before it is searched.
//
// Positions of so many children that theirs fill several passes look ahead when a
// child is about to be searched: at it and at as many of those to come as fit into a
// pass, or, where one child is expected to be enough, at it alone. That is expected of
// every second position below those with an open window, whose children will all be
// searched (Knuth and Moore's types 1, 2 and 3).

// maxAhead bounds the children of positions that look ahead: those of wider ones
// fill passes of their own. It is the number of lanes of narrow batches.
const maxAhead = 128

// ahead is what a frame sees of the children's children.
type ahead struct {
	expectAll  bool                // all children are expected to be searched
	action     int                 // the one being searched
	window     window              // what the position still wants to know
	expansions []machine.Expansion // by child
	seen       []bool              // by child: its expansion is there
	glanced    []bool              // by child: its expansion has tightened its bounds
	gathered   bool                // some have been
	wanted     []int
}

// clear forgets the expansions of another position and prepares for n children.
func (d *ahead) clear(n int, on bool) {
	if n > maxAhead || !on {
		n = 0
	}
	d.seen = scratch.Resize(d.seen, n)
	d.glanced = scratch.Resize(d.glanced, n)
	clear(d.seen)
	clear(d.glanced)
	for len(d.expansions) < n {
		d.expansions = append(d.expansions, machine.Expansion{})
	}
	d.gathered = false
}

// has tells whether the expansion of child c is there.
func (d *ahead) has(c int) bool { return c < len(d.seen) && d.seen[c] }

// isAhead tells whether the expansion of child c of f is there, or now is.
func (r *run) isAhead(f *frame, c int) bool {
	d := &f.ahead
	if len(d.seen) == 0 || d.has(c) {
		return len(d.seen) > 0
	}
	if !d.expectAll && !d.gathered {
		d.gathered = true // the next time
		return false
	}
	r.gather(f, c)
	return len(d.wanted) > 1 && r.expandTogether(f, d.wanted) > 0
}

// lookAhead expands all children that are to be searched, but for positions of so
// many children that they fill many passes.
func (r *run) lookAhead(f *frame) {
	d := &f.ahead
	if n := len(d.seen); n == 0 || n*n > 2*maxAhead {
		return
	}
	r.gather(f, -1)
	for wanted := d.wanted; len(wanted) > 0; {
		done := r.expandTogether(f, wanted)
		if wanted = wanted[done:]; done == 0 {
			return
		}
	}
}

// expandTogether expands as many of the children that are wanted as fit into a pass,
// glances at them, and tells how many.
func (r *run) expandTogether(f *frame, wanted []int) int {
	d := &f.ahead
	done := r.beyond().ExpandChildren(d.expansions, f.children, wanted)
	for _, i := range wanted[:done] {
		d.seen[i] = true
		d.glanced[i] = r.glance(f, i)
	}
	for a := range f.Actions {
		f.values[a] = f.mean(a)
	}
	if done == 0 {
		d.seen = d.seen[:0] // nor will others be
	}
	return done
}

// gather lists child c of f, if that is not -1, and those that are to be searched
// after it.
func (r *run) gather(f *frame, c int) {
	d := &f.ahead
	if d.wanted = d.wanted[:0]; c >= 0 {
		d.wanted = append(d.wanted, c)
	}
	for a := range f.Actions {
		if (a != d.action || c < 0) && (f.done[a] || d.window.isClosed(f.values[a].guess)) {
			continue
		}
		for k := range f.Replies {
			i := f.ChildNumber(a, k)
			if i != c && !f.children.Terminal[i] && !d.seen[i] && !d.window.isClosed(f.kids[i].guess) {
				d.wanted = append(d.wanted, i)
			}
		}
	}
}

// glance tightens the bounds of child c of f by what its own children that are
// terminal are worth, if any are.
func (r *run) glance(f *frame, c int) bool {
	e := &f.ahead.expansions[c]
	chooser := machine.NoRole
	for role, moves := range e.Moves {
		switch {
		case len(moves) == 1:
		case chooser >= 0 || machine.Role(role) == r.random:
			return false
		default:
			chooser = machine.Role(role)
		}
	}
	known, some := search.Interval{}, false
	for i, over := range e.Terminal {
		bounds := r.Goals
		if over {
			some = true
			r.looked++
			bounds = r.terminal(e.ChildGoals(i)).proved
		}
		if i == 0 {
			known = bounds
		} else {
			known = better(known, bounds, r.maximises(chooser))
		}
	}
	if some {
		f.kids[c] = f.kids[c].tightened(known)
	}
	return some
}

// replies is the number of children that are not terminal.
func replies(e *machine.Expansion) (n int) {
	for _, over := range e.Terminal {
		if !over {
			n++
		}
	}
	return n
}

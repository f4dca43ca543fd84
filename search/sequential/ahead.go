package sequential

import (
	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// Lookahead: on parallel machines a pass costs the same for one position as for all lanes. There the children of a
// position are expanded in one batch before the search of the first child. The grandchildren
//
//	bound children   if a player can win at once, or all its moves end the game, the child
//	                 needs no search
//	order children   by the number of replies (order.go)
//	are kept         a child that is searched needs no pass of its own
//
// so a position still costs one pass, but the pass shows two plies. On other machines a position is expanded when it
// is searched.
//
// If the grandchildren would fill several passes, lookahead waits until a child is about to be searched. At an expected
// cut node it expands this child alone; at an expected all node it fills the pass with the siblings (node types
// 1–3 of Knuth and Moore).

// maxAhead bounds the children of a position with lookahead: the children of wider positions fill passes of their
// own. It is the number of lanes of narrow batches.
const maxAhead = 128

// ahead holds the grandchildren of a frame.
type ahead struct {
	expectAll  bool             // expected all node: the search needs all children
	action     int              // action that is being searched
	window     window           // current window of the position
	expansions []play.Expansion // by child
	seen       []bool           // by child: its expansion is valid
	glanced    []bool           // by child: its expansion has tightened its bounds
	gathered   bool             // lookahead has been postponed once
	wanted     []int
}

// clear invalidates the expansions and prepares for n children; on enables lookahead.
func (d *ahead) clear(n int, on bool) {
	if n > maxAhead || !on {
		n = 0
	}
	d.seen = scratch.Resize(d.seen, n)
	d.glanced = scratch.Resize(d.glanced, n)
	clear(d.seen)
	clear(d.glanced)
	for len(d.expansions) < n {
		d.expansions = append(d.expansions, play.Expansion{})
	}
	d.gathered = false
}

// has reports whether child c is expanded.
func (d *ahead) has(c int) bool { return c < len(d.seen) && d.seen[c] }

// isAhead expands child c of f with its siblings if lookahead is due, and reports whether child c is expanded.
func (r *run) isAhead(f *frame, c int) bool {
	d := &f.ahead
	if len(d.seen) == 0 || d.has(c) {
		return len(d.seen) > 0
	}
	if !d.expectAll && !d.gathered {
		d.gathered = true // lookahead from the next child on
		return false
	}
	r.gather(f, c)
	return len(d.wanted) > 1 && r.expandTogether(f, d.wanted) > 0
}

// lookAhead expands all children that may be searched, unless they would fill many
// passes.
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

// expandTogether expands the wanted children that fit into one pass, glances at them, and returns their
// number.
func (r *run) expandTogether(f *frame, wanted []int) int {
	d := &f.ahead
	done := r.innerExpander().ExpandChildren(d.expansions, f.children, wanted)
	for _, i := range wanted[:done] {
		d.seen[i] = true
		d.glanced[i] = r.glance(f, i)
	}
	for a := range f.Actions {
		f.values[a] = f.mean(a)
	}
	if done == 0 {
		d.seen = d.seen[:0] // no child of this position fits
	}
	return done
}

// gather sets wanted to child c of f, unless c is -1, and the children to be searched
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

// glance tightens the bounds of child c of f by the goals of its terminal children, and reports whether there
// are any.
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
		bounds := search.GoalRange
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

// replies returns the number of non-terminal children.
func replies(e *play.Expansion) (n int) {
	for _, over := range e.Terminal {
		if !over {
			n++
		}
	}
	return n
}

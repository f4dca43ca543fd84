package montecarlo

import (
	"slices"

	"stackmate/internal/scratch"
)

// All paths of a round go down the tree in one pass, level by level. Those that have come the
// same way choose at a node one after the other, so it is read once for all of them, and once
// more when what they brought goes up. Visits are counted at once, so that they part (Chaslot,
// Winands and van den Herik, 2008, virtual loss).
//
// Paths to a leaf that the round has already make room for others, which go down in a further
// pass; so do those that end in solved nodes, when these have passed up what they are worth.

// round is what a worker is doing between two batches of playouts.
type round struct {
	// steps are in the order in which they were made: what leads to a node comes before what
	// leaves from it.
	steps []step
	goals []float64 // by step, then role: the sum over the paths that come back

	reached  []edge   // by leaf
	repeated []repeat // paths to leaves that are reached already
	repeats  int      // how many these are
	ended    int      // paths that have ended in solved nodes

	arms   []arm   // see pick
	picked []int32 // by role, then path: which of its moves
	cells  []int64 // by path
}

// step is a joint move at a node that paths of a round make together.
type step struct {
	cell   int64 // the number of the joint move; of one without, the complement of that of its leaf
	before int32 // the step by which they came, or none
	node   int32
	link   int32 // the way, or none
	paths  int32
	done   int32 // paths that come back
	last   bool  // those end with it
}

// edge is a joint move at a node.
type edge struct {
	node int32
	cell int64
}

// repeat are paths that must not count.
type repeat struct{ step, paths int32 }

const (
	// maxRepeated: paths of a round may lead to a leaf again that it has already, one in so
	// many; then the tree is too small or too sure of its best line for a whole batch.
	maxRepeated = 2
	// maxEnded bounds the paths of a round that end in solved nodes, for each lane of the batch:
	// they cost no playouts, so they take no lane from those that do.
	maxEnded = 4
)

// gather goes down the tree until it has as many leaves as a round of a tree of this size has, or has come
// too often to the same ones again or to what is solved.
func (w *worker) gather() []leaf {
	r := &w.round
	r.steps, r.goals, r.reached, r.repeated, r.repeats, r.ended = r.steps[:0], r.goals[:0], r.reached[:0], r.repeated[:0], 0, 0
	most := min(len(w.leaves), max(firstLeaves, w.playouts.lanes/DefaultPlayouts, int(w.tree.at(w.tree.root).visits)/leafVisits))
	for r.repeats <= most/maxRepeated && r.ended <= maxEnded*most && w.ctx.Err() == nil && !w.isSolved() {
		paths := int64(most - len(r.reached))
		if w.maxNodes > 0 {
			paths = min(paths, w.maxNodes-w.nodes)
		}
		if paths <= 0 {
			break
		}
		w.descend(int32(paths))
	}
	for _, p := range r.repeated {
		w.undo(p)
	}
	return w.leaves[:len(r.reached)]
}

// descend lets paths go down from the root, until joint moves lead to no node yet, or to one that
// is not opened, or to a solved one.
func (w *worker) descend(paths int32) {
	t, r := w.tree, &w.round
	first, ended := len(r.steps), r.ended
	w.branch(none, t.root, paths)
	for i := first; i < len(r.steps); i++ {
		s := &r.steps[i]
		if s.link == none {
			if s.cell >= 0 {
				w.reach(i)
			}
			continue
		}
		k := t.links.at(s.link).to
		a := t.at(k)
		if a.moves == none && !a.solved {
			w.reach(i)
			continue
		}
		if a.news > 0 && !a.solved && t.isDue(k, s.paths) && w.updateBounds(k) {
			w.settle(k)
		}
		if a.solved {
			a.visits += s.paths
			w.end(s, k, r.goals[i*t.roles:])
			continue
		}
		w.branch(int32(i), k, s.paths)
	}
	if r.ended > ended {
		w.backUp(first)
	}
}

// branch lets paths, which step before has led to the opened node n, go on from there.
func (w *worker) branch(before, n, paths int32) {
	t, r := w.tree, &w.round
	a := t.at(n)
	cells := scratch.Resize(r.cells, int(paths))
	r.cells, r.picked = cells, scratch.Resize(r.picked, t.roles*int(paths))
	clear(cells)
	if c := int(a.chooser); c >= 0 {
		picked := r.picked[:paths]
		w.pick(picked, before, n, c, t.choices(a), 1)
		for j, i := range picked {
			cells[j] = int64(i)
		}
	} else {
		choosers, moves := w.choosers(n), t.movesOf(n)
		for role, width := range t.widthsOf(n) {
			picked := r.picked[role*int(paths):][:paths]
			w.pick(picked, before, n, role, moves[:width], choosers)
			moves = moves[width:]
			for j, i := range picked {
				cells[j] = cells[j]*int64(width) + int64(i)
			}
		}
	}
	a.visits += paths
	if !a.numbered {
		for j := range int(paths) {
			leaf := len(r.reached)
			for role := range t.roles {
				w.leaves[leaf].picks[role] = r.picked[role*int(paths)+j]
			}
			w.reach(w.step(step{cell: ^int64(leaf), before: before, node: n, link: none, paths: 1}))
		}
		return
	}
	if paths > 1 {
		slices.Sort(cells)
	}
	for len(cells) > 0 {
		same := 1
		for same < len(cells) && cells[same] == cells[0] {
			same++
		}
		w.step(step{cell: cells[0], before: before, node: n, link: t.way(n, cells[0]), paths: int32(same)})
		cells = cells[same:]
	}
}

// step adds a step and returns its number.
func (w *worker) step(s step) int {
	r := &w.round
	r.steps = append(r.steps, s)
	r.goals = append(r.goals, w.zeros...)
	return len(r.steps) - 1
}

// reach makes a leaf of what step i leads to, unless the round has it already.
func (w *worker) reach(i int) {
	r := &w.round
	s := &r.steps[i]
	e, repeats := edge{s.node, s.cell}, s.paths
	if !slices.Contains(r.reached, e) {
		repeats--
		l := &w.leaves[len(r.reached)]
		r.reached = append(r.reached, e)
		w.nodes++
		l.step, l.node = int32(i), none
		if s.link != none {
			l.node = w.tree.links.at(s.link).to
		}
		copy(l.from, w.tree.state(s.node))
		copy(l.picks, w.picksOf(s))
		w.tree.decode(s.node, l.picks, l.joint)
	}
	if repeats > 0 {
		r.repeats += int(repeats)
		r.repeated = append(r.repeated, repeat{int32(i), repeats})
	}
}

// picksOf are the moves that make up the joint move of a step, by role.
func (w *worker) picksOf(s *step) []int32 {
	if s.cell < 0 {
		return w.leaves[^s.cell].picks
	}
	w.tree.split(s.node, s.cell, w.picks)
	return w.picks
}

// undo takes back the visits of repeated paths.
func (w *worker) undo(p repeat) {
	t := w.tree
	for i := p.step; i != none; i = w.round.steps[i].before {
		s := &w.round.steps[i]
		t.at(s.node).visits -= p.paths
		if move := t.only(s.node, s.cell); move != nil {
			move.visits -= p.paths
			continue
		}
		moves, widths := t.movesOf(s.node), t.widthsOf(s.node)
		for r, i := range w.picksOf(s) {
			moves[i].visits -= p.paths
			moves = moves[widths[r]:]
		}
	}
}

// end lets the paths of step s, which have come to the solved node k, come back with what that is worth.
func (w *worker) end(s *step, k int32, goals []float64) {
	w.nodes += int64(s.paths)
	w.round.ended += int(s.paths)
	s.done, s.last = s.paths, true
	for r := range w.zeros {
		goals[r] = w.tree.value(k, r) * float64(s.paths)
	}
}

// absorb adds evaluated leaves to the tree, as far as there is room, and passes up
// what came of them.
func (w *worker) absorb(leaves []leaf) {
	t, r := w.tree, &w.round
	if w.plan != nil {
		w.plan.consider(w, leaves)
	}
	for i := range leaves {
		l := &leaves[i]
		w.games += int64(l.count)
		s := &r.steps[l.step]
		s.done, s.last = 1, true
		copy(r.goals[int(l.step)*t.roles:], l.goals)
		isNew := false
		if s.cell >= 0 {
			if s.link = t.way(s.node, s.cell); s.link == none {
				s.link, isNew = t.grow(s.node, s.cell, l.state), true
			}
		}
		if s.link != none {
			w.enter(i, l, t.links.at(s.link).to, isNew)
		}
	}
	w.backUp(0)
}

// enter writes what came of leaf i to node k.
func (w *worker) enter(i int, l *leaf, k int32, isNew bool) {
	t := w.tree
	a := t.at(k)
	a.visits++
	if l.opens && a.moves == none && t.open(k, l.moves) {
		t.begin(k, l.priors)
	}
	for r, moves := range l.moves {
		if len(moves) > keptMoves {
			l.moves[r] = nil
		}
	}
	if w.playouts.rave != nil {
		w.raise(i, l, k)
	}
	switch {
	case l.terminal:
		t.finish(k, func(r int) float64 { return l.goals[r] })
		w.settle(k)
	case isNew && a.bounded: // from elsewhere
		w.settle(k)
	}
}

// backUp passes what paths have brought up the steps from the first one on: their goals, but of a balanced node its value, and of
// one whose chooser does better by what is proved, that.
func (w *worker) backUp(first int) {
	t, steps := w.tree, w.round.steps
	for i := len(steps) - 1; i >= first; i-- {
		s := &steps[i]
		if s.done == 0 {
			continue
		}
		goals := w.round.goals[i*t.roles : (i+1)*t.roles]
		brought := goals
		if s.link != none {
			k := t.links.at(s.link).to
			if s.last {
				t.count(k, s.done, goals)
			}
			if kid := w.taken(k); kid != k {
				for r := range goals {
					goals[r] = t.value(kid, r) * float64(s.done)
				}
			}
			if t.at(k).balanced {
				brought = w.brought
				for r := range brought {
					brought[r] = t.mean(k, r) * float64(s.done)
				}
			}
		}
		t.count(s.node, s.done, brought)
		if move := t.only(s.node, s.cell); move != nil {
			move.sum += brought[t.at(s.node).chooser]
		} else {
			w.learn(s, brought, goals)
		}
		if s.before != none {
			steps[s.before].done += s.done
			for r, g := range goals {
				w.round.goals[int(s.before)*t.roles+r] += g
			}
		}
		s.done = 0
		clear(goals)
	}
}

// count adds the goals of paths to node n. The mean of a balanced one stays.
func (t *tree) count(n, paths int32, goals []float64) {
	a, totals := t.at(n), t.totalsOf(n)
	for r, g := range goals {
		if a.balanced {
			g = t.mean(n, r) * float64(paths)
		}
		totals[r] += g
	}
	a.done += paths
}

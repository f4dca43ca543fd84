package montecarlo

import (
	"slices"

	"stackmate/internal/scratch"
)

// All paths of a round descend in one pass, level by level. Paths with a common prefix are handled
// together, so each node is read once on the descent and once for the backup. Visits are counted on the
// descent to spread the paths (virtual loss; Chaslot, Winands and van den Herik, 2008).
//
// Paths to a leaf that the round already contains are replaced by new paths in a further pass. So are
// paths that end in solved nodes, after their values have been backed up.

// round is the state of a worker between two batches of playouts.
type round struct {
	// steps are in topological order: a step to a node comes before the steps from it.
	steps []step
	goals []float64 // by step, then role: sum over the paths to back up

	reached  []edge   // by leaf
	repeated []repeat // paths to leaves that were already reached
	repeats  int      // number of repeated paths
	ended    int      // paths that ended in solved nodes

	arms   []arm   // scratch memory of pick
	picked []int32 // by role, then path: index of the move
	cells  []int64 // by path
}

// step is a joint move at a node that several paths of a round share.
type step struct {
	cell   int64 // number of the joint move; at an unnumbered node the complement of the number of its leaf
	before int32 // preceding step, or none
	node   int32
	link   int32 // the link of the joint move, or none
	paths  int32
	done   int32 // paths to back up
	last   bool  // the paths of done end here
}

// edge is a joint move at a node.
type edge struct {
	node int32
	cell int64
}

// repeat is a number of paths to an already reached leaf, whose visits are undone.
type repeat struct{ step, paths int32 }

const (
	// maxRepeated ends a round once more than one path in maxRepeated leads to an already reached leaf.
	// Then the tree is too small, or too certain of its principal variation, for a full batch.
	maxRepeated = 2
	// maxEnded bounds the paths of a round that end in solved nodes, relative to the lanes. They need no
	// playouts and therefore no lanes.
	maxEnded = 4
)

// gather descends until the round has enough leaves for the size of the tree, or too many paths repeat
// leaves or end in solved nodes. It returns the leaves.
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

// descend sends paths down from the root until they reach a missing node, an unopened node or a solved
// node.
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
			w.propagateBounds(k)
		}
		if a.solved {
			t.visit(a, s.paths)
			w.end(s, k, r.goals[i*t.roles:])
			continue
		}
		w.branch(int32(i), k, s.paths)
	}
	if r.ended > ended {
		w.backUp(first)
	}
}

// branch selects the next joint moves of paths that step before has led to the opened node n.
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
	t.visit(a, paths)
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
		w.step(step{cell: cells[0], before: before, node: n, link: t.findLink(n, cells[0]), paths: int32(same)})
		cells = cells[same:]
	}
}

// step appends a step and returns its number.
func (w *worker) step(s step) int {
	r := &w.round
	r.steps = append(r.steps, s)
	r.goals = append(r.goals, w.zeros...)
	return len(r.steps) - 1
}

// reach adds the leaf behind step i to the round, unless the round already contains it.
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

// picksOf returns the indices of the moves in the joint move of a step, by role.
func (w *worker) picksOf(s *step) []int32 {
	if s.cell < 0 {
		return w.leaves[^s.cell].picks
	}
	w.tree.split(s.node, s.cell, w.picks)
	return w.picks
}

// undo removes the visits of repeated paths.
func (w *worker) undo(p repeat) {
	t := w.tree
	for i := p.step; i != none; i = w.round.steps[i].before {
		s := &w.round.steps[i]
		t.at(s.node).visits -= p.paths
		if move := t.soleMove(s.node, s.cell); move != nil {
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

// end backs up the value of the solved node k for the paths of step s.
func (w *worker) end(s *step, k int32, goals []float64) {
	w.nodes += int64(s.paths)
	w.round.ended += int(s.paths)
	s.done, s.last = s.paths, true
	for r := range w.zeros {
		goals[r] = w.tree.value(k, r) * float64(s.paths)
	}
}

// absorb adds evaluated leaves to the tree, as far as memory allows, and backs up their goals.
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
			if s.link = t.findLink(s.node, s.cell); s.link == none {
				s.link, isNew = t.grow(s.node, s.cell, l.state), true
			}
		}
		if s.link != none {
			w.enter(i, l, t.links.at(s.link).to, isNew)
		}
	}
	w.backUp(0)
}

// enter stores the result of leaf i at node k.
func (w *worker) enter(i int, l *leaf, k int32, isNew bool) {
	t := w.tree
	a := t.at(k)
	t.visit(a, 1)
	if l.opens && a.moves == none && t.open(k, l.moves) {
		t.setPriors(k, l.priors)
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
		w.propagateBounds(k)
	case isNew && a.bounded: // a transposition
		w.propagateBounds(k)
	}
}

// backUp adds the goals of paths to the nodes and moves of all steps from the first one on. A balanced
// node passes up its equilibrium value. A node whose chooser has a better proved move passes up the value
// of that move.
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
		if move := t.soleMove(s.node, s.cell); move != nil {
			move.sum += brought[t.at(s.node).chooser]
			w.backUpPrior(s, move)
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

// count adds the goals of paths to node n. The mean of a balanced node stays the same.
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

package sequential

import (
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
)

// Bounded Alpha-Beta: depth-first search with an interval [L, U] around the minimax value and a window (α, β) at every
// position. The search leaves the position as soon as min(β, U) ≤ max(α, L) + ε. One node takes nine steps, which the
// functions position and choice below number:
//
//	step                 Algorithm 1                       file
//	1 table              lines 1 to 3: known L and U       memory.go
//	2 horizon            the leaves of Theorem 1           this file
//	3 forced moves       lines 11 and 12 with one child    this file, foresight.go
//	4 expand             line 11: the children             ahead.go
//	5 order              line 11 leaves it open            order.go, history.go, prior.go
//	6 window and search  lines 6 to 12, 22, 23; C4 to C6   window.go, chance.go
//	7 combine            lines 13 to 21, 25, 26; C1 to C3  order.go, chance.go
//	8 cut                line 24                           window.go
//	9 store              line 27                           memory.go
//
// A position where a player and chance move together is a choice among actions, each a chance node (the state-action
// nodes of Definition 1). Several threads share the table and divide the actions of a position: crew.go. The loop
// over ε and the depth: falling.go, crew.go.
//
// Invariants: [L, U] contains the value at all times, also after an interruption; an unsearched child counts with its
// known bounds, at worst the whole range of goals. A completed search of the root has U − L ≤ ε (Theorem 1).
//
// Cost: per node, one expansion (three or four passes of the machine, ahead.go) and one table lookup for each child;
// time O(b) per child; no allocation once the frames have grown. References: Bounded Alpha-Beta, Algorithm 1;
// Ballard (1983) for chance; Pearl (1980) for null windows.

// position searches the non-terminal position s of key k, depth choices deep. If parent is not nil, s is child c of
// parent. Positions with a single joint move are skipped; stepsPerNode of them count as a node. The root ignores the
// table: a bound from the table does not say which move achieves it.
func (r *run) position(s machine.State, k *key, parent *frame, c, ply, depth int, w window) value {
	f := r.frame(ply)
	var of *play.Expansion // expansion with s as child c
	if parent != nil {
		of = parent.children
	}
	for step := range search.MaxPlies {
		// 1 table: bounds of an earlier search of the position.
		v, best := r.recall(k, depth)
		if ply == 0 {
			v = unknown
		}
		if r.isStopped() || ply > 0 && w.isClosed(v.guess) {
			return v
		}
		// 2 horizon: the depth is used up.
		if depth == 0 || ply == exact.MaxPly {
			r.horizon = true
			return r.guessed(v)
		}
		// 3 forced moves: follow a single joint move without a node.
		if !r.expand(f, s, parent, of, c) {
			return r.guessed(v)
		}
		if f.children.Children > 1 {
			f.state = s
			f.lastMove = r.lastMoveHash(ply)
			f.ahead.expectAll = parent == nil || !parent.ahead.expectAll || !w.isNull()
			return r.choice(f, k, best, ply, depth, w)
		}
		if f.children.Terminal[0] {
			return r.terminal(f.children.ChildGoals(0))
		}
		copy(f.forced, f.children.Child(0))
		if f.circle.Repeats(step, f.forced) {
			break
		}
		if step%stepsPerNode == stepsPerNode-1 {
			r.count()
		}
		s, parent, of, c = f.forced, nil, f.children, 0
		r.find(&f.key, f.image, s)
		k = &f.key
	}
	r.horizon = true
	return r.guessed(unknown)
}

// stepsPerNode is the number of forced moves that count as a node.
const stepsPerNode = 64

// choice searches the position of key k, expanded in f, which has several joint moves; last is the best move of the
// previous search.
func (r *run) choice(f *frame, k *key, last machine.Move, ply, depth int, w window) value {
	r.count()
	f.asked, f.completed = question{k, depth, w}, 0
	if r.isOutrun(ply) || !r.layOut(f) {
		return unknown
	}
	// 4 expand: bounds of the children from the rules and the table, and of the grandchildren.
	maximise, best, first := r.maximises(f.Decider), f.action(last), r.nodes
	r.preview(f, depth-1)
	f.ahead.window = w.narrowed(f.best(maximise).guess)
	r.lookAhead(f)
	v := f.best(maximise)
	// 5 order: the table move, then history scores.
	if !w.isClosed(v.guess) {
		r.rank(f, best)
	}
	complete := true
	for complete && !w.isClosed(v.guess) { // 8 cut
		a := r.next(f)
		if a < 0 {
			break
		}
		// 6 window and search: the actions that may still matter to the ancestors.
		inner := w.narrowed(v.guess)
		if f.completed > 0 && !inner.isClosed(f.values[a].guess) && r.defers(f, a) {
			continue
		}
		f.done[a] = true
		if r.isSettled(f, a, inner) {
			continue
		}
		r.enterAction(f, a, inner)
		r.scout(f, a, ply, depth, inner, maximise, f.completed > 0)
		r.leave(f, f.ChildNumber(a, 0))
		// 7 combine: C1 or C2.
		v = f.best(maximise)
		if complete = !r.isStopped(); complete {
			r.complete(f, a, depth, w.isCut(f.values[a].guess, maximise))
			complete = r.probe != ply
		}
	}
	// 9 store.
	if !complete {
		depth = 0
	}
	known := r.remember(f, k, v, depth, f.bestAction(maximise, best), first)
	if ply == 0 {
		return v
	}
	return r.caughtUp(ply, known)
}

// isSettled reports whether the bounds of action a of f close window w before a search. An action that a glance has
// settled counts as a node.
func (r *run) isSettled(f *frame, a int, w window) bool {
	if r.Without&Lookahead != 0 || !w.isClosed(f.values[a].guess) {
		return false
	}
	if c := f.ChildNumber(a, 0); f.ahead.has(c) && f.ahead.glanced[c] && !r.isStopped() {
		r.nodes++
	}
	return true
}

// enterAction marks action a of f as under search with window w.
func (r *run) enterAction(f *frame, a int, w window) {
	f.ahead.action, f.ahead.window = a, w
	f.searched[a] = true
	r.enter(f, f.ChildNumber(a, 0))
}

// complete counts the complete search of action a of f, and credits an action that closes the window of its position.
func (r *run) complete(f *frame, a, depth int, cut bool) {
	if cut {
		r.credit(f, a, depth)
		r.cuts[min(f.completed, len(r.cuts)-1)]++
	}
	f.completed++
}

// scout searches action a. After the first action it searches with a null window, and again with the whole window if
// the result leaves the window open.
func (r *run) scout(f *frame, a, ply, depth int, w window, maximise, later bool) {
	if later && r.Without&NullWindow == 0 {
		f.values[a] = r.action(f, a, ply, depth, w.null(maximise))
		if r.isStopped() || w.isClosed(f.values[a].guess) {
			return
		}
		w = w.narrowed(f.values[a].guess)
	}
	known := f.values[a].guess
	f.values[a] = r.action(f, a, ply, depth, w)
	f.values[a].narrow(known)
}

// action searches action a: a child, or a chance node.
func (r *run) action(f *frame, a, ply, depth int, w window) value {
	if f.Replies > 1 {
		return r.chance(f, a, ply, depth, w)
	}
	c := f.ChildNumber(a, 0)
	r.child(f, c, ply, depth, w)
	return f.kids[c]
}

// child searches child c of f.
func (r *run) child(f *frame, c, ply, depth int, w window) {
	if f.children.Terminal[c] {
		f.kids[c] = r.terminal(f.children.ChildGoals(c))
		return
	}
	v := r.position(f.children.Child(c), &f.keys[c], f, c, ply+1, depth-1, w)
	f.kids[c] = v.tightened(f.kids[c].proved)
}

// terminal returns the value of a terminal position.
func (r *run) terminal(goals []int32) value {
	g, err := r.Of(goals)
	if err != nil {
		r.fail("%w", err)
		return unknown
	}
	return exactly(g)
}

// guessed returns the value of a position on the horizon with bounds v. Its guess is Config.horizon, or the middle of
// the range of goals.
func (r *run) guessed(v value) value {
	guess := machine.MaxGoal / 2.
	if r.Config.horizon != nil {
		guess = *r.Config.horizon
	}
	return value{v.proved, clamp(search.Exact(guess), v.proved)}
}

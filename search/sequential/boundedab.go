package sequential

import (
	"slices"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Bounded Alpha-Beta: depth-first search with an interval [L, U] around the minimax
// value and a window (α, β) at every position. The search leaves the
// position as soon as min(β, U) ≤ max(α, L) + ε.
//
//	position   table, horizon, forced moves                      lines 1–3
//	choice     MAX and MIN: children in order, best of them      lines 11–27, C1, C2, C5
//	chance     the mean over the moves of "random"               lines 8–10, 19–21, C3, C6
//
// A position where a player and chance move together is a choice among actions, each a
// chance node (the state-action nodes of Definition 1).
//
// Invariants: [L, U] contains the value at all times, also after an interruption; an unsearched
// child counts with its known bounds, at worst the whole range of goals. A completed search of the root has
// U − L ≤ ε (Theorem 1).
//
// Cost: per node, one expansion (three or four passes of the machine, ahead.go) and one table lookup for each child;
// time O(b) per child; no allocation once the frames have grown. References: Bounded Alpha-Beta, Algorithm 1;
// Ballard (1983) for chance; Pearl (1980) for null windows.

// maxForced bounds a chain of positions with a single joint move, in case the
// positions repeat.
const maxForced = 1000

// windowSlack, in goal points, widens the windows of the children of a chance
// node. So rounding in the division by a probability never closes a child
// whose parent stays open.
const windowSlack = 1e-9

// frame is the working memory of one ply.
type frame struct {
	state    machine.State      // the position
	lastMove uint64             // hash of the fluents that the previous action made true; 0 at the root
	children *machine.Expansion // expansion of state: own, or the parent's lookahead
	own      machine.Expansion
	ahead    ahead
	forced   machine.State // position after forced moves
	key      key           // of forced
	image    machine.State // memory for key

	asked question // goal of the search

	machine.Turn // role that chooses

	kids     []value  // by child
	keys     []key    // by child; valid for looked-up children
	images   []uint64 // memory for keys
	values   []value  // by action
	done     []bool   // by action: searched, or pruned
	searched []bool   // by action
	scores   []int64  // by action: move ordering

	completed int // number of completely searched actions
}

// childBytes returns the bytes of a frame for each child with the given number of words: its bounds and key, the
// bounds of its action, and its lookahead without the expander's own memory.
func childBytes(words int) int64 {
	known := 2*unsafe.Sizeof(value{}) + unsafe.Sizeof(key{}) + unsafe.Sizeof(int64(0)) + 2*unsafe.Sizeof(false)
	seen := unsafe.Sizeof(machine.Expansion{}) + unsafe.Sizeof(0) + 2*unsafe.Sizeof(false)
	return int64(known+seen) + 8*int64(words)
}

func (r *run) frame(ply int) *frame {
	for len(r.frames) <= ply {
		r.frames = append(r.frames, newFrame(r.words))
	}
	return r.frames[ply]
}

func newFrame(words int) *frame {
	f := &frame{
		forced: make(machine.State, words),
		image:  make(machine.State, words),
	}
	f.children = &f.own
	return f
}

// terminal returns the value of a terminal position.
func (r *run) terminal(goals []int32) value {
	g, err := r.maximiserGoal(goals)
	if err != nil {
		r.fail("%w", err)
		return value{r.Goals, r.Goals}
	}
	return exactly(g)
}

// position searches the non-terminal position s of key k, depth choices deep. If parent is not nil, s is child c of
// parent. Positions with a single joint move are skipped and do not count as nodes. The root ignores the
// table: a bound from the table does not say which move achieves it.
func (r *run) position(s machine.State, k *key, parent *frame, c, ply, depth int, w window) value {
	f := r.frame(ply)
	var of *machine.Expansion // expansion with s as child c
	if parent != nil {
		of = parent.children
	}
	for range maxForced {
		v, best := r.recall(k, depth)
		if ply == 0 {
			v = value{r.Goals, r.Goals}
		}
		if r.isStopped() || ply > 0 && w.isClosed(v.guess) {
			return v
		}
		if depth == 0 || ply == maxPly {
			r.horizon = true
			return r.guessed(v)
		}
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
		s, parent, of, c = f.forced, nil, f.children, 0
		r.find(&f.key, f.image, s)
		k = &f.key
	}
	r.horizon = true
	return r.guessed(value{r.Goals, r.Goals})
}

// guessed returns the value of a position on the horizon with bounds v. Its guess is Config.horizon, or the middle of
// the range of goals.
func (r *run) guessed(v value) value {
	guess := (r.Goals.Lower + r.Goals.Upper) / 2
	if r.Config.horizon != nil {
		guess = *r.Config.horizon
	}
	return value{v.proved, clamp(search.Exact(guess), v.proved)}
}

// choice searches position k, expanded in f; last is the best move of the previous
// search.
func (r *run) choice(f *frame, k *key, last machine.Move, ply, depth int, w window) value {
	r.count()
	f.asked, f.completed = question{k, depth, w}, 0
	if r.isOutrun(ply) {
		return value{r.Goals, r.Goals}
	}
	if !r.layOut(f) {
		return value{r.Goals, r.Goals}
	}
	best := f.action(last)
	r.preview(f, depth-1)
	f.ahead.window = w.narrowed(f.best(r.maximises(f.Decider)).guess)
	r.lookAhead(f)
	maximise := r.maximises(f.Decider)
	first := r.nodes
	v := f.best(maximise)
	if !w.isClosed(v.guess) {
		r.rank(f, best)
	}
	for !w.isClosed(v.guess) {
		a := r.next(f)
		if a < 0 {
			break
		}
		inner := w.narrowed(v.guess)
		if f.completed > 0 && !inner.isClosed(f.values[a].guess) && r.defers(f, a) {
			continue
		}
		f.done[a] = true
		if r.Without&Lookahead == 0 && inner.isClosed(f.values[a].guess) {
			if c := f.ChildNumber(a, 0); f.ahead.has(c) && f.ahead.glanced[c] && !r.isStopped() {
				r.nodes++ // searched by a glance
			}
			continue
		}
		f.ahead.action, f.ahead.window = a, inner
		f.searched[a] = true
		r.enter(f, f.ChildNumber(a, 0))
		r.scout(f, a, ply, depth, inner, maximise, f.completed > 0)
		r.leave(f, f.ChildNumber(a, 0))
		if r.isStopped() {
			v = f.best(maximise)
			if known := r.remember(f, k, v, 0, f.bestAction(maximise, best), first); ply > 0 {
				v = r.caughtUp(ply, known)
			}
			return v
		}
		if v = f.best(maximise); w.isCut(f.values[a].guess, maximise) {
			r.credit(f, a, depth)
			r.cuts[min(f.completed, len(r.cuts)-1)]++
		}
		if f.completed++; r.probe == ply {
			return r.remember(f, k, v, 0, f.bestAction(maximise, best), first)
		}
	}
	if known := r.remember(f, k, v, depth, f.bestAction(maximise, best), first); ply > 0 {
		v = known
	}
	return v
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

// chance searches action a, followed by chance. The window of a child follows from the
// bounds of its siblings (C6, the windows of Star1). With ShareEpsilon the
// tolerances of the children differ, but their mean is at most ε (Eq. 26): each child
// passes its unused tolerance on to its later siblings.
//
// A first pass searches only the best action of each child (Star2, Ballard 1983): the resulting bounds often close
// the window. Without a table this work would be done twice.
func (r *run) chance(f *frame, a, ply, depth int, w window) value {
	if r.Without&(Probing|Lookahead|Table) == 0 && f.Replies > 1 && depth > 1 && r.probe < 0 {
		r.probe = ply + 1
		for k := range f.Replies {
			v := f.mean(a)
			if w.isClosed(v.guess) || r.isStopped() {
				break
			}
			r.reply(f, a, k, ply, depth, r.inner(f, a, k, w, v))
		}
		r.probe = -1
	}
	v := f.mean(a)
	spent := 0.0 // sum of the widths of the searched children
	for k := range f.Replies {
		if r.isStopped() || w.isClosed(v.guess) {
			break
		}
		inner := r.inner(f, a, k, w, v)
		if r.ShareEpsilon {
			inner.epsilon = max(0, (w.epsilon*float64(f.Replies)-spent)/float64(f.Replies-k)-windowSlack)
		}
		r.reply(f, a, k, ply, depth, inner)
		v = f.mean(a)
		kid := &f.kids[f.ChildNumber(a, k)]
		spent += kid.guess.Upper - kid.guess.Lower
	}
	return v
}

// inner returns the window of reply k to action a with value v.
func (r *run) inner(f *frame, a, k int, w window, v value) window {
	n := float64(f.Replies)
	kid := &f.kids[f.ChildNumber(a, k)]
	return window{
		alpha:   max(r.Goals.Lower, (w.alpha-v.guess.Upper)*n+kid.guess.Upper) - windowSlack,
		beta:    min(r.Goals.Upper, (w.beta-v.guess.Lower)*n+kid.guess.Lower) + windowSlack,
		epsilon: w.epsilon,
	}
}

// reply searches reply k to action a, unless its bounds close the window.
func (r *run) reply(f *frame, a, k, ply, depth int, w window) {
	c := f.ChildNumber(a, k)
	if r.Without&Lookahead != 0 || !w.isClosed(f.kids[c].guess) {
		r.child(f, c, ply, depth, w)
	}
}

// action returns the index of a move of the role that chooses, or -1.
func (f *frame) action(m machine.Move) int {
	if f.Decider < 0 {
		return -1
	}
	return slices.Index(f.children.Moves[f.Decider], m)
}

// layOut determines the role that chooses in the position of f. It fails with search.ErrNotSequential if there are two.
func (r *run) layOut(f *frame) (ok bool) {
	if f.Turn, ok = f.children.Turn(r.random); !ok {
		r.fail("%w", search.ErrNotSequential)
	}
	return ok
}

package sequential

import (
	"slices"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Bounded Alpha-Beta: depth-first search that keeps at every position an
// interval [L, U] around its minimax value and a window (α, β), and leaves the
// position as soon as min(β, U) ≤ max(α, L) + ε.
//
//	position   table, horizon, forced moves                      lines 1–3
//	choice     MAX and MIN: children in order, best of them      lines 11–27, C1, C2, C5
//	chance     the mean over the moves of "random"               lines 8–10, 19–21, C3, C6
//
// A position where a player and chance move together is a choice among actions
// each of which is a chance node (the state-action nodes of Definition 1).
//
// Invariants: [L, U] contains the value at all times, also when the search is
// broken off; unsearched children count with the bounds they have, at worst the
// whole range of goals. The root is left with U − L ≤ ε (Theorem 1).
//
// Cost: one expansion (three or four passes of the machine, ahead.go) and a look into
// the table for each child per node, time O(b) per child, no allocation once the
// frames have grown. Reference: Bounded Alpha-Beta, Algorithm 1; Ballard (1983) for
// chance; Pearl (1980) for null windows.

// maxForced bounds a chain of positions with a single joint move, in case a
// game runs in circles.
const maxForced = 1000

// windowSlack, in goal points, widens the windows of the children of a chance
// node, so that rounding in the division by a probability never closes a child
// whose parent stays open.
const windowSlack = 1e-9

// frame is the working memory of one ply.
type frame struct {
	state    machine.State      // the position
	before   uint64             // a hash of what the action above made true; of the root 0
	children *machine.Expansion // of it: own, or what the parent has of it
	own      machine.Expansion
	ahead    ahead
	forced   machine.State // the position behind forced moves
	key      key           // of that
	image    machine.State // memory for that key

	asked question // what its search is to answer

	machine.Turn // who chooses

	kids     []value  // by child
	keys     []key    // by child, of those that are looked up
	images   []uint64 // memory for the keys
	values   []value  // by action
	done     []bool   // by action: searched, or known to be of no interest
	searched []bool   // by action
	scores   []int64  // by action: how promising it is

	completed int // actions searched to the end
}

// childBytes is what a frame holds for a child of so many words beside the
// expansion: what is known of it and, at most, of the action that leads there, and
// what it sees ahead but for what an expander counts.
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

// terminal is the value of a terminal position.
func (r *run) terminal(goals []int32) value {
	g, err := r.of(goals)
	if err != nil {
		r.fail("%w", err)
		return value{r.Goals, r.Goals}
	}
	return exactly(g)
}

// position searches the non-terminal position s of key k, depth choices deep: child c of
// parent, if that is not nil. It steps over positions with a single joint move; those
// are not nodes. The root is searched whatever the table says, since its actions are
// wanted, and worth no more than these are known to be: what the table says proves none of
// them to be best.
func (r *run) position(s machine.State, k *key, parent *frame, c, ply, depth int, w window) value {
	f := r.frame(ply)
	var of *machine.Expansion // in which s is child c
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
			f.before = r.before(ply)
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

// guessed returns the value of a position that is not searched, of which v is known: by a guess the middle of the
// goals, or the horizon of the configuration.
func (r *run) guessed(v value) value {
	guess := (r.Goals.Lower + r.Goals.Upper) / 2
	if r.Config.horizon != nil {
		guess = *r.Config.horizon
	}
	return value{v.proved, clamp(search.Exact(guess), v.proved)}
}

// choice searches position k, expanded in f, whose best move was last when it
// was searched before.
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

// scout searches action a: with a null window first, where others were searched
// before it, and with the whole window if it turns out to be better.
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

// action searches action a: a child, or a chance node over several.
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

// chance searches action a where chance replies. A child's window follows from
// what its siblings leave open (C6, the windows of Star1). With ShareEpsilon the
// tolerances of the children differ, but their mean is at most ε (Eq. 26): what a child
// leaves over is shared out among those still to come.
//
// Where both players wait for chance, one action of each child is searched first, the
// most promising one (Star2, Ballard 1983): often these bounds close the window together. Without a
// table that would be done twice.
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
	spent := 0.0 // sum of the widths of the children searched
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

// inner is the window of reply k to action a, whose value is v so far.
func (r *run) inner(f *frame, a, k int, w window, v value) window {
	n := float64(f.Replies)
	kid := &f.kids[f.ChildNumber(a, k)]
	return window{
		alpha:   max(r.Goals.Lower, (w.alpha-v.guess.Upper)*n+kid.guess.Upper) - windowSlack,
		beta:    min(r.Goals.Upper, (w.beta-v.guess.Lower)*n+kid.guess.Lower) + windowSlack,
		epsilon: w.epsilon,
	}
}

// reply searches reply k to action a, unless what is known of it is enough.
func (r *run) reply(f *frame, a, k, ply, depth int, w window) {
	c := f.ChildNumber(a, k)
	if r.Without&Lookahead != 0 || !w.isClosed(f.kids[c].guess) {
		r.child(f, c, ply, depth, w)
	}
}

// action is the number of a move of the role that chooses, -1 if it is none.
func (f *frame) action(m machine.Move) int {
	if f.Decider < 0 {
		return -1
	}
	return slices.Index(f.children.Moves[f.Decider], m)
}

// layOut finds out who chooses in the position that f has expanded.
func (r *run) layOut(f *frame) (ok bool) {
	if f.Turn, ok = f.children.Turn(r.random); !ok {
		r.fail("%w", search.ErrNotSequential)
	}
	return ok
}

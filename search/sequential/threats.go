package sequential

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/table"
)

// Threat-space search (Allis, van den Herik and Huntjens, "Go-Moku solved by new search techniques", 1996; λ¹-search of
// Thomsen, "Lambda-search in game trees", 2000) searches for wins of one role, the attacker, by threats alone. A
// threat is a move that leaves the other role, the defender, at most mostReplies sensible moves. So a
// position has few children, and the search finds wins that are far too deep for other searches. Its
// failure proves nothing.
//
//	attack    an OR node: one threat has to win
//	threat    an AND node: it wins if all replies lose
//
// It follows proof numbers and disproof numbers (numbers.go). It is depth-first with a table of the attacker's
// positions.
//
// Foresight determines the sensible moves: if the defender must prevent a win, few moves are left; two wins to
// prevent settle the position before its search.
//
// At the root the role that chooses attacks; after each of its moves the other role attacks, which shows mistakes.
//
// Invariant: a win is proved by the goals of terminal positions, against all sensible replies.
//
// Cost: three passes of the machine for each position of the attacker.

const (
	// mostReplies bounds the number of sensible replies to a threat.
	mostReplies = 2
	// leastAttack is the number of positions of the first attempt at each attack; each attempt has attackGrowth times as many.
	leastAttack  = 64
	attackGrowth = 4
)

// Threats is threat-space search with a table that persists between calls of Search. It is for sequential games of two
// roles with constant sum and without chance. It belongs to one goroutine.
type Threats struct {
	machine  machine.Machine
	maxBytes int64
	attack   *attack
}

var _ search.Searcher = (*Threats)(nil)

// NewThreats returns a threat-space search.
func NewThreats() *Threats { return new(Threats) }

var (
	// errNoOpponent is returned for games of one role.
	errNoOpponent = errors.New("threat-space search requires a game of two roles")
	// errNoThreats is the reason of a search that ended without the value.
	errNoThreats = errors.New("threat-space search has no threat left to try")
)

// threat is a move of the attacker with its sensible replies.
type threat struct {
	child   int
	replies int
	known   [mostReplies]numbers // by reply
	keys    [mostReplies]key
}

// numbers returns the numbers of the position after the threat: an AND node over its replies.
func (t *threat) numbers() (n numbers, hardest int, second uint32) {
	return weigh(t.known[:t.replies], false)
}

// assault is the frame of a position of the attacker.
type assault struct {
	children play.Expansion
	replies  []play.Expansion // by child
	threats  []threat
	wanted   []int     // children that are threats
	known    []numbers // by threat
	images   []uint64  // memory of the keys
	best     machine.Move
}

// attack is the state that persists between calls of Search.
type attack struct {
	*payoff
	ctx        context.Context
	table      *table.Shared
	canon      *table.Canon
	plain      *play.Expander
	foreseeing *play.Expander
	stack      int64 // bytes of expansions
	words      int
	attacker   machine.Role
	frames     []*assault
	packed     []uint64
	nodes      int64
	limit      int64
	err        error
}

// Search implements search.Searcher. A node is a position of the attacker. It returns ErrChance, or another error for
// an unsupported game.
func (v *Threats) Search(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	if v.machine != m || v.maxBytes != lim.MaxBytes {
		a, err := newAttack(ctx, m, lim.MaxBytes)
		if err != nil {
			return search.Result{}, err
		}
		v.machine, v.maxBytes, v.attack = m, lim.MaxBytes, a
	}
	a := v.attack
	a.ctx, a.nodes, a.err = ctx, 0, nil
	a.plain.Limit(ctx, a.stack, 0)
	res := search.Result{Values: a.values(search.GoalRange), Proved: true, Strategies: make([][]search.Weighted, a.roles)}
	if over, goals := a.plain.Look(s); over {
		value, err := a.Of(goals)
		res.Values, a.err = a.values(search.Exact(value)), err
	} else if a.isReady(m) {
		a.root(s, lim.MaxNodes, &res)
	}
	stats := a.table.Stats()
	res.Nodes, res.PeakBytes, res.Evictions, res.Elapsed = a.nodes, stats.Bytes, stats.Evictions, time.Since(began)
	return res, a.err
}

// newAttack returns an attack for a game.
func newAttack(ctx context.Context, m machine.Machine, maxBytes int64) (*attack, error) {
	p, err := newPayoff(m.Names())
	switch {
	case err != nil:
		return nil, err
	case p.random >= 0:
		return nil, ErrChance
	case p.Other < 0:
		return nil, errNoOpponent
	}
	tables, stack := search.Divide(maxBytes, m.Info().Batch)
	return &attack{
		payoff: p, words: len(m.Initial()), packed: make([]uint64, 2*attackWords), plain: play.NewExpander(m), stack: stack,
		canon: table.NewCanon(m, [2]machine.Role{p.First, p.Other}, false), table: table.NewShared(m, 64*attackWords, tables),
	}, nil
}

// isReady finds the sum of the goals by a random game, as foresight requires it, and reports whether foresight is available.
// It fails if time is too short.
func (a *attack) isReady(m machine.Machine) bool {
	if a.foreseeing != nil {
		return true
	}
	a.err = a.Find(a.ctx, m)
	if sum, ok := a.Sum.Known(); ok && a.ctx.Err() == nil {
		a.foreseeing = a.plain.Foreseeing(cmp.Or(facts.Decisive(a.ctx, m, false), m), int32(sum))
	}
	return a.foreseeing != nil && a.err == nil
}

// win returns the maximiser's value if a role gets its greatest possible goal.
func (a *attack) win(role machine.Role) search.Interval {
	if a.maximises(role) {
		return search.Exact(machine.MaxGoal)
	}
	return search.Exact(0)
}

// root attacks for the role that chooses in s and, after each of its moves, for the other role. The number of positions
// grows with each round, until all attacks are decided.
func (a *attack) root(s machine.State, limit int64, res *search.Result) {
	var e play.Expansion
	if a.err = a.plain.Expand(&e, s); a.err != nil {
		return
	}
	mover := machine.Role(0)
	switch first, second := len(e.Moves[0]), len(e.Moves[1]); {
	case first > 1 && second > 1:
		a.err = search.ErrNotSequential
		return
	case first == 1:
		mover = 1
	}
	var open []int
	kids := make([]search.Interval, e.Children)
	for c := range kids {
		if kids[c] = search.GoalRange; !e.Terminal[c] {
			open = append(open, c)
			continue
		}
		value, err := a.Of(e.ChildGoals(c))
		kids[c], a.err = search.Exact(value), errors.Join(a.err, err)
	}
	own := true
	for budget := int64(leastAttack); (own || len(open) > 0) && !a.isOver(limit); budget *= attackGrowth {
		if own {
			n, best := a.begin(s, mover, budget, limit)
			if own = !n.isDecided(); n.proof == 0 {
				res.Line = a.line(s)
				kids[slices.Index(e.Moves[mover], best)] = a.win(mover)
				break
			}
		}
		open = slices.DeleteFunc(open, func(c int) bool {
			n, _ := a.begin(e.Child(c), 1-mover, budget, limit)
			if n.proof == 0 {
				kids[c] = a.win(1 - mover)
			}
			return n.isDecided()
		})
	}
	if a.report(res, mover, &e, kids); !own && len(open) == 0 && !res.Values[mover].Solved() {
		res.Unfinished = errNoThreats
	}
}

// report enters the bounds of the moves of the only role that chooses, and of the root.
func (a *attack) report(res *search.Result, mover machine.Role, e *play.Expansion, kids []search.Interval) {
	best, known := 0, kids[0]
	res.Moves = make([][]search.Known, a.roles)
	for c, m := range e.Moves[mover] {
		if prefers(kids[c], kids[best], a.maximises(mover)) {
			best = c
		}
		known = better(known, kids[c], a.maximises(mover))
		res.Moves[mover] = append(res.Moves[mover], search.Known{Move: m, Bounds: a.values(kids[c])[mover]})
	}
	res.Values = a.values(known)
	res.Strategies[mover] = []search.Weighted{{Move: e.Moves[mover][best], Probability: 1}}
	res.Strategies[1-mover] = []search.Weighted{{Move: e.Moves[1-mover][0], Probability: 1}}
}

// isOver reports whether the search must unwind.
func (a *attack) isOver(limit int64) bool {
	return a.err != nil || a.ctx.Err() != nil || limit > 0 && a.nodes >= limit
}

// begin attacks for a role from position s with a limit of nodes, and returns the numbers of the position and
// the most promising threat.
func (a *attack) begin(s machine.State, attacker machine.Role, budget, limit int64) (numbers, machine.Move) {
	a.attacker, a.limit = attacker, a.nodes+budget
	if limit > 0 {
		a.limit = min(a.limit, limit)
	}
	k := keyOf(a.canon, a.table, make([]uint64, a.words), s)
	n, best := a.recall(&k)
	if !n.isDecided() {
		n = a.search(s, &k, 0, numbers{never, never})
		best = a.frame(0).best
	}
	return n, best
}

// search attacks from s until one of its numbers reaches its limit, and returns them.
func (a *attack) search(s machine.State, k *key, ply int, limit numbers) numbers {
	switch {
	case ply == exact.MaxPly:
		return numbers{never, 0}
	case a.isOver(a.limit):
		return numbers{1, 1}
	}
	a.nodes++
	first := a.nodes
	f := a.frame(ply)
	if won := a.open(f, s); won >= 0 {
		f.best = f.children.Moves[a.attacker][won]
		return a.store(k, numbers{0, never}, f.best, 1)
	}
	f.best = machine.NoMove
	for {
		for i := range f.threats {
			f.known[i], _, _ = f.threats[i].numbers()
		}
		n, best, second := numbers{never, 0}, -1, uint32(0)
		if len(f.threats) > 0 {
			n, best, second = weigh(f.known, true)
			f.best = f.children.Moves[a.attacker][f.threats[best].child]
		}
		if n.proof >= limit.proof || n.disproof >= limit.disproof || a.isOver(a.limit) {
			return a.store(k, n, f.best, a.nodes-first+1)
		}
		t := &f.threats[best]
		of, reply, next := t.numbers()
		within := inner(inner(limit, n, of, second, true), of, t.known[reply], next, false)
		t.known[reply] = a.search(f.replies[t.child].Child(reply), &t.keys[reply], ply+1, within)
	}
}

// open finds the threats in position s and the numbers of their replies. It returns the index of a move that wins at
// once, or -1.
func (a *attack) open(f *assault, s machine.State) (won int) {
	f.threats = f.threats[:0]
	e, defender := &f.children, 1-a.attacker
	if a.foreseeing.Expand(e, s) != nil || len(e.Moves[defender]) > 1 {
		return -1
	}
	for len(f.replies) < e.Children {
		f.replies = append(f.replies, play.Expansion{})
	}
	a.foreseeing.ListChildMoves(f.replies, e)
	wanted := f.wanted[:0]
	for c := range e.Children {
		switch r := &f.replies[c]; {
		case e.Terminal[c]:
			if a.wins(e.ChildGoals(c)) {
				return c
			}
		case r.Err == nil && r.Children <= mostReplies:
			wanted = append(wanted, c)
			f.threats = append(f.threats, threat{child: c, replies: r.Children})
		}
	}
	for f.wanted = wanted; len(wanted) > 0; {
		done := a.foreseeing.ExpandChildren(f.replies, e, wanted)
		if done == 0 {
			done = 1
			if a.foreseeing.Expand(&f.replies[wanted[0]], e.Child(wanted[0])) != nil {
				f.threats = f.threats[:0]
				return -1
			}
		}
		wanted = wanted[done:]
	}
	a.recallReplies(f)
	return -1
}

// recallReplies looks up the numbers of the replies to the threats.
func (a *attack) recallReplies(f *assault) {
	f.images = scratch.Resize(f.images, mostReplies*len(f.threats)*a.words)
	f.known = scratch.Resize(f.known, len(f.threats))
	memory := f.images
	for i := range f.threats {
		t := &f.threats[i]
		e := &f.replies[t.child]
		for c := range e.Children {
			switch {
			case !e.Terminal[c]:
				t.keys[c] = keyOf(a.canon, a.table, memory[:a.words], e.Child(c))
				t.known[c], _ = a.recall(&t.keys[c])
				memory = memory[a.words:]
			case a.wins(e.ChildGoals(c)):
				t.known[c] = numbers{0, never}
			default:
				t.known[c] = numbers{never, 0}
			}
		}
	}
}

// wins reports whether the attacker wins with the goals of a terminal position.
func (a *attack) wins(goals []int32) bool {
	value, err := a.Of(goals)
	a.err = cmp.Or(a.err, err)
	return search.Exact(value) == a.win(a.attacker)
}

func (a *attack) frame(ply int) *assault {
	for len(a.frames) <= ply {
		a.frames = append(a.frames, new(assault))
	}
	return a.frames[ply]
}

// An entry of the table is
//
//	numbers, with the attacker (numbers.pack)
//	most promising threat + 1
const attackWords = 2

// recall returns the numbers of position k in the table, and the most promising threat.
func (a *attack) recall(k *key) (numbers, machine.Move) {
	if !a.table.Lookup(a.packed, k.Key) {
		return numbers{1, 1}, machine.NoMove
	}
	n, attacker := unpackNumbers(a.packed[0])
	switch {
	case machine.Role(attacker) != a.attacker:
		return numbers{1, 1}, machine.NoMove
	case a.packed[1] == 0:
		return n, machine.NoMove
	}
	return n, k.Preimage(a.attacker, machine.Move(a.packed[1]-1))
}

// store enters the numbers of position k and the most promising threat. Nodes is the cost of the entry.
func (a *attack) store(k *key, n numbers, best machine.Move, nodes int64) numbers {
	a.packed[0], a.packed[1] = n.pack(int8(a.attacker)), 0
	if best != machine.NoMove {
		a.packed[1] = uint64(k.Move(a.attacker, best)) + 1
	}
	a.table.Update(a.packed, k.Key, nodes, func([]uint64, []uint64) {})
	return n
}

// line returns the winning threats from position s with the first reply to each. It ends at a position that foresight
// decides or that is not in the table.
func (a *attack) line(s machine.State) [][]machine.Move {
	attacks := true
	line, _, _ := search.Walk(a.foreseeing, s, func(e *play.Expansion, q machine.State) (int, bool) {
		if attacks = !attacks; attacks {
			return 0, true
		}
		k := keyOf(a.canon, a.table, make([]uint64, a.words), q)
		n, best := a.recall(&k)
		c := slices.Index(e.Moves[a.attacker], best)
		return c, n.proof == 0 && c >= 0
	})
	return line
}

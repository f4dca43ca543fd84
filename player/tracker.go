package player

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// The tracker derives from what was told where the match stands. Messages carry
// no numbers, and they may come twice, late, never, or from another match. So it
// keeps a small set of beliefs: positions in which the match may be, each with
// the cost of the story that leads there. Every message is read in every belief
// in all ways that make sense; a reading that needs a fault of somebody costs
// something. The cheapest story is where the match stands. A belief that is not
// the cheapest today stays in the set, so a message that was misread is read
// anew as soon as a later one shows it.

// reading is what a message was taken for.
type reading string

const (
	asTold     reading = ""
	asReplaced reading = "a joint move with another move of ours than we sent"
	asRepeated reading = "the message before, repeated"
	asStale    reading = "an older message, late"
	asForeign  reading = "a message of another match"
	asMissed   reading = "a joint move after others that never arrived"
	asGarbled  reading = "a joint move of which a part cannot be read"
	asRestart  reading = "the match begins again"
)

// The costs of what may have gone wrong, in powers of ten of how rare it is, more
// or less. A late move that was replaced comes before a message that is older than
// it seems: if it is one, nobody waits for the answer.
const (
	costAgain    = 2.5 // repeated or stale
	costReplaced = 2.0
	costMissed   = 4.0 // for each joint move
	costGarbled  = 4.0
	costRestart  = 4.0
	costForeign  = 5.0
	costOver     = 3.5 // asked for a move where the game is over
)

const (
	// beliefWindow drops beliefs that cost more than the best by this: as much as
	// three faults in a row.
	beliefWindow = 12.0
	// maxBeliefs bounds the set: the joint moves of two players with 16 moves each.
	maxBeliefs = 256
	// maxMissed joint moves in a row are guessed.
	maxMissed = 3
	// lookBack is how many messages back a joint move may have been missed unnoticed.
	lookBack = 6
	// maxQuestions and questionTime bound the guessing about one message: positions
	// asked about, and the time that this may take.
	maxQuestions = 5000
	questionTime = 100 * time.Millisecond
	// alike is the difference of cost up to which beliefs are about as plausible.
	alike = 1.0
	// maxFacts bounds the memory of answers, in positions.
	maxFacts = 2 * maxQuestions
)

// belief is a position in which the match may be.
type belief struct {
	at      snapshot
	cost    float64
	turn    int      // joint moves made
	last    []string // the joint move made last
	asked   []int    // messages one of whose replies the next joint move holds
	reading reading  // of the last message
	from    int      // the belief that it comes from: its place in the set before
}

// facts are what the rulebook says of a position; the legal moves as far as asked.
type facts struct {
	over  bool
	legal [][]string // by role
}

// tracker follows one match on one rulebook. It belongs to one goroutine.
type tracker struct {
	rules       rulebook
	history     *history
	roles, self int

	start   snapshot
	beliefs []belief // by cost; the first is where the match stands
	heard   int      // messages read
	past    []moment // the last lookBack messages, oldest first
	facts   map[snapshot]*facts

	timeLimit time.Duration // for guessing about one message
	questions int           // left for the present message
	until     time.Time     // when to stop guessing about it
}

// moment is a message and the beliefs when it came.
type moment struct {
	message message
	number  int
	old     bool // the same joint move was told before
	beliefs []belief
}

func newTracker(rules rulebook, h *history, roles, self int) *tracker {
	return &tracker{rules: rules, history: h, roles: roles, self: self, timeLimit: questionTime, facts: map[snapshot]*facts{}}
}

// begin finds the initial position. It must come before everything else.
func (t *tracker) begin(ctx context.Context) error {
	s, err := t.rules.initial(ctx)
	if err != nil {
		return err
	}
	t.start, t.beliefs = s, []belief{{at: s}}
	return nil
}

// hear reads the next message.
func (t *tracker) hear(ctx context.Context, m message) error {
	now := moment{m, t.heard, t.history.has(m.joint, t.heard), t.beliefs}
	t.questions, t.until = maxQuestions, time.Now().Add(t.timeLimit)
	next, err := t.read(ctx, now)
	if err != nil {
		return err
	}
	if best := t.beliefs[0].cost; !isPlain(next, best) && t.isPossible(m.joint) {
		guessed, err := t.guess(ctx, now)
		if err != nil {
			return err
		}
		next = append(next, guessed...)
	}
	t.beliefs = weigh(next)
	t.heard++
	t.past = append(t.past, now)
	if len(t.past) > lookBack {
		t.past = t.past[1:]
	}
	return nil
}

// isPlain tells whether some belief can take the message for what it says, and the
// match goes on.
func isPlain(next []belief, best float64) bool {
	return slices.ContainsFunc(next, func(b belief) bool {
		return (b.reading == asTold || b.reading == asReplaced || b.reading == asGarbled) && b.cost < best+costOver
	})
}

// isPossible tells whether a joint move may be legal somewhere.
func (t *tracker) isPossible(joint []string) bool {
	if len(joint) != t.roles {
		return false
	}
	for r, text := range joint {
		if !t.rules.knows(r, text) {
			return false
		}
	}
	return true
}

// read reads a message in every belief in all ways but those that guess at joint
// moves.
func (t *tracker) read(ctx context.Context, m moment) ([]belief, error) {
	var next []belief
	for i, b := range m.beliefs {
		b.from = i
		if m.message.isNIL() {
			next = append(next, t.readNIL(b, m.number)...)
			continue
		}
		next = append(next, t.ignore(b, m))
		ahead, err := t.advance(ctx, b, m)
		if err != nil {
			return nil, err
		}
		next = append(next, ahead...)
	}
	return next, nil
}

// readNIL: nobody has moved. Either that is so, or the first message comes late,
// or the match begins again.
func (t *tracker) readNIL(b belief, number int) []belief {
	if b.turn == 0 {
		b.asked, b.reading = with(b.asked, number), asTold
		return []belief{b}
	}
	again := belief{at: t.start, cost: b.cost + costRestart, asked: []int{number}, reading: asRestart, from: b.from}
	b.cost += costAgain
	b.reading = asStale
	return []belief{b, again}
}

// with is asked with one more; it never shares memory that grows.
func with(asked []int, number int) []int { return append(slices.Clip(asked), number) }

// ignore is the belief in which the message changes nothing.
func (t *tracker) ignore(b belief, m moment) belief {
	switch {
	case b.turn > 0 && slices.Equal(m.message.joint, b.last):
		b.cost += costAgain
		b.asked, b.reading = with(b.asked, m.number), asRepeated
	case m.old:
		b.cost += costAgain
		b.reading = asStale
	default:
		b.cost += costForeign
		b.reading = asForeign
	}
	return b
}

// advance makes the joint move of a message where it is legal. Where only a part
// of it can be read, these are all joint moves that it may mean.
func (t *tracker) advance(ctx context.Context, b belief, m moment) ([]belief, error) {
	joint, known, err := t.spell(ctx, b.at, m.message.joint)
	if err != nil || known == 0 {
		return nil, err
	}
	cost, choices := b.cost, 0
	read := asTold
	switch {
	case known < t.roles:
		cost += costGarbled
		read = asGarbled
	case len(m.message.joint) > t.roles:
		cost += alike
		read = asGarbled
	}
	var next []belief
	err = t.each(ctx, b.at, joint, func(joint []string) error {
		if choices++; read == asGarbled && choices > 1 && !t.mayAsk() {
			return errEnough
		}
		s, err := t.rules.next(ctx, b.at, joint)
		if err != nil {
			return err
		}
		n := belief{at: s, cost: cost, turn: b.turn + 1, last: m.message.joint, asked: []int{m.number}, reading: read, from: b.from}
		if t.isReplaced(b, joint[t.self]) {
			n.cost += costReplaced
			n.reading = asReplaced
			if slices.Equal(m.message.joint, b.last) {
				n.cost += alike // that the replacement makes it the same is a coincidence
			}
		}
		over, err := t.isOver(ctx, s)
		if over && !m.message.stop {
			n.cost += costOver
		}
		next = append(next, n)
		return err
	})
	return next, err
}

// isReplaced tells whether a move of ours is another one than we sent.
func (t *tracker) isReplaced(b belief, own string) bool {
	if f := t.facts[b.at]; f != nil && len(f.legal[t.self]) == 1 {
		return false
	}
	for _, n := range b.asked {
		if reply := t.history.reply(n); reply == "" || strings.EqualFold(reply, own) {
			return false
		}
	}
	return len(b.asked) > 0
}

// spell writes a joint move as the rules spell it and counts the moves of it that
// are legal in s; the others are left empty.
func (t *tracker) spell(ctx context.Context, s snapshot, joint []string) (spelled []string, known int, err error) {
	if over, err := t.isOver(ctx, s); over || err != nil {
		return nil, 0, err
	}
	spelled = make([]string, t.roles)
	for r := range min(t.roles, len(joint)) {
		legal, err := t.legal(ctx, s, r)
		if err != nil {
			return nil, 0, err
		}
		if spelled[r] = spelledIn(legal, joint[r]); spelled[r] != "" {
			known++
		}
	}
	return spelled, known, nil
}

// spelledIn is the move of a list that a text means: as spelled, or else in any
// case if only one fits.
func spelledIn(legal []string, text string) string {
	found := ""
	for _, m := range legal {
		if m == text {
			return m
		}
		if strings.EqualFold(m, text) {
			if found != "" {
				return ""
			}
			found = m
		}
	}
	return found
}

// isOver tells whether the game is over in s.
func (t *tracker) isOver(ctx context.Context, s snapshot) (bool, error) {
	f, err := t.look(ctx, s)
	if err != nil {
		return false, err
	}
	return f.over, nil
}

// legal are the legal moves of a role in s.
func (t *tracker) legal(ctx context.Context, s snapshot, role int) ([]string, error) {
	f, err := t.look(ctx, s)
	if err != nil {
		return nil, err
	}
	if f.legal[role] == nil {
		list, err := t.rules.legal(ctx, s, role, 0)
		if err != nil {
			return nil, err
		}
		f.legal[role] = append([]string{}, list...)
	}
	return f.legal[role], nil
}

// look asks about a position that was not asked about before.
func (t *tracker) look(ctx context.Context, s snapshot) (*facts, error) {
	if f := t.facts[s]; f != nil {
		return f, nil
	}
	over, err := t.rules.terminal(ctx, s)
	if err != nil {
		return nil, err
	}
	if len(t.facts) >= maxFacts {
		clear(t.facts)
	}
	f := &facts{over: over, legal: make([][]string, t.roles)}
	t.facts[s] = f
	t.questions--
	return f, nil
}

// mayAsk tells whether there is time for guessing.
func (t *tracker) mayAsk() bool {
	return t.questions > 0 && (t.questions%64 != 0 || time.Now().Before(t.until))
}

// weigh makes the set of beliefs of the readings of a message.
func weigh(next []belief) []belief {
	slices.SortStableFunc(next, func(a, b belief) int { return cmp.Compare(a.cost, b.cost) })
	seen := make(map[snapshot]bool, len(next))
	var kept []belief
	for _, b := range next {
		if b.cost > next[0].cost+beliefWindow || len(kept) == maxBeliefs {
			break
		}
		if !seen[b.at] {
			seen[b.at] = true
			kept = append(kept, b)
		}
	}
	return kept
}

// here is the belief to answer the last message from: the best, but where the
// message says that nobody has moved, that is so, and where it is not sure that
// the game is over, it is not: somebody asks for a move.
func (t *tracker) here(ctx context.Context) (belief, error) {
	best := t.beliefs[0]
	if t.heard > 0 && t.past[len(t.past)-1].message.isNIL() {
		for _, b := range t.beliefs {
			if b.turn == 0 {
				return b, nil
			}
		}
	}
	if over, err := t.isOver(ctx, best.at); !over || err != nil {
		return best, err
	}
	for _, b := range t.beliefs {
		if over, err := t.isOver(ctx, b.at); err != nil {
			return best, err
		} else if !over && b.cost < best.cost+doubtful {
			return b, nil
		}
	}
	return best, nil
}

// doubtful is the difference of cost up to which it is not sure that the game is
// over.
const doubtful = 1.5

// moves are our legal moves where the match stands. Where it may as well stand
// elsewhere, they are those of them that are legal in most of these positions.
func (t *tracker) moves(ctx context.Context) ([]string, error) {
	here, err := t.here(ctx)
	if err != nil {
		return nil, err
	}
	own, err := t.legal(ctx, here.at, t.self)
	if err != nil || len(own) < 2 || here.at != t.beliefs[0].at {
		return own, err
	}
	votes := make(map[string]int)
	most := 0
	for _, b := range t.beliefs {
		if b.cost > t.beliefs[0].cost+alike || !t.mayAsk() {
			break
		}
		list, err := t.legal(ctx, b.at, t.self)
		if err != nil {
			return own, nil //nolint:nilerr // the moves of the best belief are known all the same
		}
		for _, m := range list {
			votes[m]++
		}
	}
	for _, m := range own {
		most = max(most, votes[m])
	}
	return slices.DeleteFunc(slices.Clone(own), func(m string) bool { return votes[m] < most }), nil
}

package tracking

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// The tracker derives the position of the match from the messages. Messages carry no turn numbers, and
// they may come twice, late, never, or from another match. A message is read in the first of
// three ways that makes sense:
//
//   - as a new turn: its joint move is legal in the present position. This holds for the joint move of the
//     turn before, too: managers replace a late move by a random one, which may be our last move again.
//     The endpoint has filtered requests that were sent again;
//   - as a repetition: it repeats the last joint move, which is not legal any more;
//   - anew from the history: all messages so far are read again, each in every way, at a cost for
//     each fault that a reading assumes; the cheapest account gives the position.

// reading is the interpretation of a message.
type reading string

const (
	asTold     reading = ""
	asReplaced reading = "a joint move with another move of ours than we sent"
	asRepeated reading = "the message before, repeated"
	asStale    reading = "an older message, late"
	asForeign  reading = "a message of another match"
	asMissed   reading = "a joint move after another one that never arrived"
	asGarbled  reading = "a joint move of which a part cannot be read"
	asRestart  reading = "the match begins again"
)

// The costs of the faults that a reading assumes: the rarer a fault, the higher its cost. A replaced
// move is cheaper than an old message: nobody waits for the answer to an old message.
const (
	costReplaced = 4
	costAgain    = 5 // repeated or stale
	costOver     = 7 // asked for a move where the game is over
	costMissed   = 8
	costGarbled  = 9
	costRestart  = 8
	costForeign  = 10
)

const (
	// accountWindow drops accounts that cost more than the best by this, maxAccounts bounds them:
	// the joint moves of two players with 16 moves each.
	accountWindow = 24
	maxAccounts   = 256
	// lookBack is how many messages back a joint move may have been missed.
	lookBack = 6
	// maxQuestions and questionTime bound reading anew: positions asked about, and time.
	maxQuestions = 5000
	questionTime = 100 * time.Millisecond
	// maxFacts bounds the memory of answers, in positions.
	maxFacts = 2 * maxQuestions
)

// account is where the match stands by some reading of the messages.
type account struct {
	at      snapshot
	cost    int
	turn    int      // joint moves made
	last    []string // the joint move made last
	asked   []int    // messages one of whose replies the next joint move holds
	reading reading  // of the last message
}

// facts are what the rulebook says of a position; the legal moves as far as asked.
type facts struct {
	over  bool
	legal [][]string // by role
}

// tracker follows one match on one rulebook. It belongs to one goroutine.
type tracker struct {
	rules       rulebook
	roles, self int

	start   snapshot
	account account   // where the match stands
	told    []message // those that are read
	facts   map[snapshot]*facts

	timeLimit time.Duration // for reading anew
	questions int           // left for that
	until     time.Time
}

func newTracker(rules rulebook, roles, self int) *tracker {
	return &tracker{rules: rules, roles: roles, self: self, timeLimit: questionTime, facts: map[snapshot]*facts{}}
}

// begin finds the initial position. It must come before everything else.
func (t *tracker) begin(ctx context.Context) (err error) {
	t.start, err = t.rules.initial(ctx)
	t.account = account{at: t.start}
	return err
}

// hear reads the last of all messages. It has read the others before.
func (t *tracker) hear(ctx context.Context, told []message) error {
	t.told = told
	t.questions, t.until = maxQuestions, time.Now().Add(t.timeLimit)
	next, err := t.read(ctx, t.account, len(told)-1)
	if err != nil {
		return err
	}
	best := weigh(next)[0]
	if !best.isPlain() || best.cost >= t.account.cost+costOver {
		for _, guess := range []bool{false, true} {
			anew, err := t.anew(ctx, guess)
			if err != nil {
				return err
			}
			if len(anew) > 0 {
				best = anew[0]
			}
			if best.isPlain() && best.cost <= t.account.cost {
				break
			}
		}
	}
	t.account = best
	return nil
}

// doubt is 0 where the last message says where the match stands now, else 1.
func (a *account) doubt() int {
	if a.reading == asTold || a.reading == asReplaced || a.reading == asMissed {
		return 0
	}
	return 1
}

// isPlain tells whether the last message is taken for what it says, or for the one before.
func (a *account) isPlain() bool {
	return a.reading == asTold || a.reading == asReplaced || a.reading == asRepeated
}

// anew reads all messages again, and returns the accounts of them by cost; none if there is no time
// for that. If it may guess, the last ones may come after joint moves that never arrived.
func (t *tracker) anew(ctx context.Context, guess bool) ([]account, error) {
	list := []account{{at: t.start}}
	for n, m := range t.told {
		var next []account
		for _, a := range list {
			if !t.mayAsk() {
				return nil, nil
			}
			read, err := t.read(ctx, a, n)
			if err != nil {
				return nil, err
			}
			next = append(next, read...)
		}
		if guess && n > len(t.told)-lookBack && len(m.joint) == t.roles {
			found, err := t.missed(ctx, list, n)
			if err != nil {
				return nil, err
			}
			next = append(next, found...)
		}
		list = weigh(next)
	}
	return list, nil
}

// weigh sorts accounts by cost; of equal ones those that take the last message for what it says come first. Of those that end in one position the cheapest is left.
func weigh(list []account) []account {
	slices.SortStableFunc(list, func(a, b account) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.doubt(), b.doubt()))
	})
	seen := make(map[snapshot]bool, len(list))
	var kept []account
	for _, a := range list {
		if a.cost > list[0].cost+accountWindow || len(kept) == maxAccounts {
			break
		}
		if !seen[a.at] {
			seen[a.at] = true
			kept = append(kept, a)
		}
	}
	return kept
}

// read reads message n in an account in all ways but those that guess at joint moves.
func (t *tracker) read(ctx context.Context, a account, n int) ([]account, error) {
	if !t.told[n].isNIL() {
		ahead, err := t.advance(ctx, a, n)
		return append(ahead, t.ignore(a, n)), err
	}
	if a.turn == 0 {
		a.asked, a.reading = append(slices.Clip(a.asked), n), asTold
		return []account{a}, nil
	}
	restarted := account{at: t.start, cost: a.cost + costRestart, asked: []int{n}, reading: asRestart}
	a.cost, a.reading = a.cost+costAgain, asStale
	return []account{a, restarted}, nil
}

// ignore is the account in which the message changes nothing.
func (t *tracker) ignore(a account, n int) account {
	joint := t.told[n].joint
	switch {
	case a.turn > 0 && slices.Equal(joint, a.last):
		a.cost, a.reading, a.asked = a.cost+costAgain, asRepeated, append(slices.Clip(a.asked), n)
	case slices.ContainsFunc(t.told[:n], func(m message) bool { return !m.isNIL() && slices.Equal(m.joint, joint) }):
		a.cost, a.reading = a.cost+costAgain, asStale
	default:
		a.cost, a.reading = a.cost+costForeign, asForeign
	}
	return a
}

// advance makes the joint move of a message where it is legal. Where only a part of it can be
// read, these are all joint moves that it may mean.
func (t *tracker) advance(ctx context.Context, a account, n int) ([]account, error) {
	m := t.told[n]
	joint, known, err := t.spell(ctx, a.at, m.joint)
	if err != nil || known == 0 {
		return nil, err
	}
	as := asTold
	if known < t.roles {
		a.cost, as = a.cost+costGarbled, asGarbled
	}
	var next []account
	err = t.each(ctx, a.at, joint, func(joint []string) error {
		if len(next) > 0 && !t.mayAsk() {
			return errEnough
		}
		b, err := t.made(ctx, a, joint, as)
		if err != nil {
			return err
		}
		b.last, b.asked = m.joint, []int{n}
		over, err := t.isOver(ctx, b.at)
		if over {
			b.cost += costOver
		}
		next = append(next, b)
		return err
	})
	return next, err
}

// made is an account after one more joint move, which is legal.
func (t *tracker) made(ctx context.Context, a account, joint []string, as reading) (account, error) {
	s, err := t.rules.next(ctx, a.at, joint)
	b := account{at: s, cost: a.cost, turn: a.turn + 1, reading: as}
	if t.isReplaced(a, joint[t.self]) {
		b.cost, b.reading = b.cost+costReplaced, asReplaced
	}
	return b, err
}

// isReplaced tells whether a move of ours is another one than we sent.
func (t *tracker) isReplaced(a account, own string) bool {
	if f := t.facts[a.at]; f != nil && len(f.legal[t.self]) == 1 {
		return false
	}
	for _, n := range a.asked {
		if reply := t.told[n].reply; reply == "" || strings.EqualFold(reply, own) {
			return false
		}
	}
	return len(a.asked) > 0
}

// missed are the accounts of a message after one joint move that never arrived. It holds the reply
// that we sent, as far as that is legal.
func (t *tracker) missed(ctx context.Context, list []account, n int) ([]account, error) {
	var found []account
	for _, a := range list {
		own := make([]string, t.roles)
		if len(a.asked) > 0 {
			own[t.self] = t.told[a.asked[len(a.asked)-1]].reply
		}
		partial, _, err := t.spell(ctx, a.at, own)
		if err != nil {
			return nil, err
		}
		err = t.each(ctx, a.at, partial, func(joint []string) error {
			if t.questions--; !t.mayAsk() {
				return errEnough
			}
			between, err := t.made(ctx, a, joint, asMissed)
			if err != nil {
				return err
			}
			between.cost += costMissed
			if _, known, err := t.spell(ctx, between.at, t.told[n].joint); err != nil || known < t.roles {
				return err
			}
			after, err := t.advance(ctx, between, n)
			for i := range after {
				after[i].reading = asMissed
			}
			found = append(found, after...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// errEnough ends an enumeration; it is no error.
var errEnough = errors.New("enough")

// each calls f for the joint moves that are legal in s and agree with partial: one move for each
// role, empty where any will do. It ends early where f says errEnough.
func (t *tracker) each(ctx context.Context, s snapshot, partial []string, f func(joint []string) error) error {
	var joints [][]string
	for r, text := range partial {
		choices := []string{text}
		if text == "" {
			var err error
			if choices, err = t.legal(ctx, s, r); err != nil {
				return err
			}
		}
		before := joints
		if joints = nil; r == 0 {
			before = [][]string{nil}
		}
		for _, joint := range before {
			for _, c := range choices[:min(len(choices), maxQuestions/len(before))] {
				joints = append(joints, append(slices.Clip(joint), c))
			}
		}
	}
	for _, joint := range joints {
		if err := f(joint); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
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

// here is the position to answer the last message from: where the match stands, but the initial one
// where the message says that nobody has moved.
func (t *tracker) here() account {
	if n := len(t.told); n > 0 && t.told[n-1].isNIL() {
		return account{at: t.start}
	}
	return t.account
}

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
// they may come twice, late, never, or from another match. The tracker uses the first possible reading of a
// message:
//
//  - a new turn: its joint move is legal in the present position. The joint move may equal the previous one, since
//    managers replace a late move by a random move, perhaps the same move again. The endpoint has filtered
//    repeated requests;
//  - a repetition: its joint move is the previous one and is not legal any more;
//  - a new reading of the history: each message is read in every way, at a cost for each fault that a reading
//    assumes. The cheapest account gives the position.

// reading is the interpretation of a message.
type reading string

const (
	asTold     reading = ""
	asReplaced reading = "a joint move in which the server replaced the own move"
	asRepeated reading = "a repetition of the previous message"
	asStale    reading = "a late older message"
	asForeign  reading = "a message of another match"
	asMissed   reading = "a joint move after a lost message"
	asGarbled  reading = "a joint move with illegible moves"
	asRestart  reading = "a restart of the match"
)

// The costs of the faults that a reading assumes: the rarer a fault, the higher its cost. A replaced
// move is cheaper than an old message: no server waits for the answer to an old message.
const (
	costReplaced = 4
	costAgain    = 5 // repeated or stale message
	costOver     = 7 // a request for a move in a terminal position
	costMissed   = 8
	costGarbled  = 9
	costRestart  = 8
	costForeign  = 10
)

const (
	// accountWindow is the cost above the cheapest account at which accounts are dropped. maxAccounts bounds their number:
	// all joint moves of two players with 16 moves each.
	accountWindow = 24
	maxAccounts   = 256
	// lookBack is the number of last messages before which a missed joint move is assumed.
	lookBack = 6
	// maxQuestions and questionTime bound a new reading of the history: in queried positions, and in time.
	maxQuestions = 5000
	questionTime = 100 * time.Millisecond
	// maxFacts bounds the cache of facts, in positions.
	maxFacts = 2 * maxQuestions
)

// account is the state of the match by one reading of the messages.
type account struct {
	at      snapshot
	cost    int
	turn    int      // number of joint moves made
	last    []string // last joint move
	asked   []int    // indices of the messages whose replies the next joint move may contain
	reading reading  // of the last message
}

// facts caches the rulebook's answers about a position; lists of legal moves are nil before the first query.
type facts struct {
	over  bool
	legal [][]string // by role
}

// tracker follows one match with one rulebook. It belongs to one goroutine.
type tracker struct {
	rules       rulebook
	roles, self int

	start   snapshot
	account account   // where the match stands
	told    []message // messages read
	facts   map[snapshot]*facts

	timeLimit time.Duration // of a new reading of the history
	questions int           // remaining queries of the new reading
	until     time.Time
}

func newTracker(rules rulebook, roles, self int) *tracker {
	return &tracker{rules: rules, roles: roles, self: self, timeLimit: questionTime, facts: map[snapshot]*facts{}}
}

// begin computes the initial position. It must be called first.
func (t *tracker) begin(ctx context.Context) (err error) {
	t.start, err = t.rules.initial(ctx)
	t.account = account{at: t.start}
	return err
}

// hear reads the last message of the history. All earlier messages have been read.
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
			found, err := t.reread(ctx, guess)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				best = found[0]
			}
			if best.isPlain() && best.cost <= t.account.cost {
				break
			}
		}
	}
	t.account = best
	return nil
}

// doubt returns 0 if the last message gives the present position, else 1.
func (a *account) doubt() int {
	if a.reading == asTold || a.reading == asReplaced || a.reading == asMissed {
		return 0
	}
	return 1
}

// isPlain reports whether the last message is read as a new turn or as a repetition of the previous one.
func (a *account) isPlain() bool {
	return a.reading == asTold || a.reading == asReplaced || a.reading == asRepeated
}

// reread reads the history again and returns its accounts by rising cost; no accounts if time is up. If guess is true,
// joint moves may have been missed before each of the last messages.
func (t *tracker) reread(ctx context.Context, guess bool) ([]account, error) {
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
			found, err := t.afterMissed(ctx, list, n)
			if err != nil {
				return nil, err
			}
			next = append(next, found...)
		}
		list = weigh(next)
	}
	return list, nil
}

// weigh sorts accounts by cost. At equal cost, accounts whose last message gives the present position come first. For
// each position the cheapest account is kept.
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

// read returns the accounts after message n, without missed joint moves.
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

// ignore returns the account in which the message does not change the position.
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

// advance returns the accounts after the joint move of a message, if it is legal. A move that no legal move matches
// stands for every legal move.
func (t *tracker) advance(ctx context.Context, a account, n int) ([]account, error) {
	m := t.told[n]
	joint, known, err := t.legible(ctx, a.at, m.joint)
	if err != nil || known == 0 {
		return nil, err
	}
	as := asTold
	if known < t.roles {
		a.cost, as = a.cost+costGarbled, asGarbled
	}
	var next []account
	err = t.eachJoint(ctx, a.at, joint, func(joint []string) error {
		if len(next) > 0 && !t.mayAsk() {
			return errEnough
		}
		b, err := t.apply(ctx, a, joint, as)
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

// apply returns the account after one more joint move, which is legal.
func (t *tracker) apply(ctx context.Context, a account, joint []string, as reading) (account, error) {
	b := account{cost: a.cost, turn: a.turn + 1, reading: as}
	replaced, err := t.isReplaced(ctx, a, joint[t.self])
	if err != nil {
		return b, err
	}
	if replaced {
		b.cost, b.reading = b.cost+costReplaced, asReplaced
	}
	b.at, err = t.rules.next(ctx, a.at, joint)
	return b, err
}

// isReplaced reports whether the own move of a joint move differs from all possible replies and was not the only legal move.
func (t *tracker) isReplaced(ctx context.Context, a account, own string) (bool, error) {
	for _, n := range a.asked {
		if reply := t.told[n].reply; reply == "" || strings.EqualFold(reply, own) {
			return false, nil
		}
	}
	if len(a.asked) == 0 {
		return false, nil
	}
	some, err := t.rules.legal(ctx, a.at, t.self, 2)
	return len(some) > 1, err
}

// afterMissed returns the accounts of a message after one joint move that never arrived. This joint move contains the own
// reply, if it is legal.
func (t *tracker) afterMissed(ctx context.Context, list []account, n int) ([]account, error) {
	var found []account
	for _, a := range list {
		if !t.mayAsk() {
			return found, nil
		}
		own := make([]string, t.roles)
		if len(a.asked) > 0 {
			own[t.self] = t.told[a.asked[len(a.asked)-1]].reply
		}
		partial, _, err := t.legible(ctx, a.at, own)
		if err != nil {
			return nil, err
		}
		err = t.eachJoint(ctx, a.at, partial, func(joint []string) error {
			if t.questions--; !t.mayAsk() {
				return errEnough
			}
			between, err := t.apply(ctx, a, joint, asMissed)
			if err != nil {
				return err
			}
			between.cost += costMissed
			if _, known, err := t.legible(ctx, between.at, t.told[n].joint); err != nil || known < t.roles {
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

// errEnough ends an enumeration; it is not returned to callers.
var errEnough = errors.New("enough")

// eachJoint calls f for the legal joint moves in s that agree with partial: one move per role, where "" matches every legal
// move. It stops when f returns an error; errEnough is not an error. If the legal moves of a role cannot be listed in the
// time of a new reading, there are no joint moves.
func (t *tracker) eachJoint(ctx context.Context, s snapshot, partial []string, f func(joint []string) error) error {
	var joints [][]string
	for r, text := range partial {
		choices := []string{text}
		if text == "" {
			brief, cancel := context.WithDeadline(ctx, t.until)
			list, err := t.legal(brief, s, r)
			cancel()
			if err != nil {
				return ctx.Err()
			}
			choices = list
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

// legible returns a joint move with "" for each move that is not legal in s, and the number of legal moves.
func (t *tracker) legible(ctx context.Context, s snapshot, joint []string) (legal []string, known int, err error) {
	if over, err := t.isOver(ctx, s); over || err != nil {
		return nil, 0, err
	}
	legal = make([]string, t.roles)
	for r := range min(t.roles, len(joint)) {
		isLegal, err := t.rules.isLegal(ctx, s, r, joint[r])
		if err != nil {
			return nil, 0, err
		}
		if isLegal {
			legal[r] = joint[r]
			known++
		}
	}
	return legal, known, nil
}

// isOver reports whether s is terminal.
func (t *tracker) isOver(ctx context.Context, s snapshot) (bool, error) {
	f, err := t.factsOf(ctx, s)
	if err != nil {
		return false, err
	}
	return f.over, nil
}

// legal returns the legal moves of a role in s.
func (t *tracker) legal(ctx context.Context, s snapshot, role int) ([]string, error) {
	f, err := t.factsOf(ctx, s)
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

// factsOf returns the facts of a position. An uncached position costs one query.
func (t *tracker) factsOf(ctx context.Context, s snapshot) (*facts, error) {
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

// mayAsk reports whether queries and time of the new reading remain.
func (t *tracker) mayAsk() bool {
	return t.questions > 0 && time.Now().Before(t.until)
}

// answerFrom returns the account to answer the last message from. After NIL this is the initial position, else the present
// position.
func (t *tracker) answerFrom() account {
	if n := len(t.told); n > 0 && t.told[n-1].isNIL() {
		return account{at: t.start}
	}
	return t.account
}

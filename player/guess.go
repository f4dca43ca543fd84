package player

import (
	"context"
	"errors"
)

// errEnough ends an enumeration; it is no error.
var errEnough = errors.New("enough")

// each calls f for the joint moves that are legal in s and agree with partial: one
// move for each role, empty where any will do. It ends early where f says errEnough.
func (t *tracker) each(ctx context.Context, s snapshot, partial []string, f func(joint []string) error) error {
	choices := make([][]string, t.roles)
	for r, text := range partial {
		if text != "" {
			choices[r] = []string{text}
			continue
		}
		legal, err := t.legal(ctx, s, r)
		if err != nil || len(legal) == 0 {
			return err
		}
		choices[r] = legal
	}
	joint, digits := make([]string, t.roles), make([]int, t.roles)
	for {
		for r, d := range digits {
			joint[r] = choices[r][d]
		}
		if err := f(joint); err != nil {
			if errors.Is(err, errEnough) {
				return nil
			}
			return err
		}
		r := t.roles - 1
		for ; r >= 0; r-- {
			if digits[r]++; digits[r] < len(choices[r]) {
				break
			}
			digits[r] = 0
		}
		if r < 0 {
			return nil
		}
	}
}

// guess reads a message as one after joint moves that never arrived: just before
// it, or unnoticed before one of the messages before it.
func (t *tracker) guess(ctx context.Context, now moment) (all []belief, err error) {
	for back := range len(t.past) + 1 {
		at := now
		if back > 0 {
			at = t.past[len(t.past)-back]
		}
		found, err := t.missed(ctx, at)
		for k := len(t.past) - back + 1; k <= len(t.past) && back > 0 && err == nil; k++ {
			then := now
			if k < len(t.past) {
				then = t.past[k]
			}
			found, err = t.follow(ctx, found, then)
		}
		all = append(all, found...)
		if err != nil || !t.mayAsk() {
			return all, err
		}
	}
	return all, nil
}

// follow keeps those of the beliefs in which the joint move of a message is legal,
// and makes it.
func (t *tracker) follow(ctx context.Context, beliefs []belief, m moment) ([]belief, error) {
	var next []belief
	for _, b := range beliefs {
		if m.message.isNIL() {
			return nil, nil
		}
		if !t.mayAsk() {
			break
		}
		ahead, err := t.advance(ctx, b, m)
		if err != nil {
			return nil, err
		}
		for _, a := range ahead {
			if a.reading != asGarbled {
				a.reading = asMissed
				next = append(next, a)
			}
		}
	}
	return next, nil
}

// missed is what comes of a message if joint moves before it never arrived: the
// fewest that make it legal. Such a joint move holds the reply we sent, or, where
// that does not help, any move of ours.
func (t *tracker) missed(ctx context.Context, m moment) ([]belief, error) {
	if m.message.isNIL() {
		return nil, nil
	}
	frontier := m.beliefs
	seen := map[snapshot]bool{}
	for range maxMissed {
		var err error
		for _, trusting := range []bool{true, false} {
			var ahead, found []belief
			if ahead, err = t.anywhere(ctx, frontier, trusting, seen); err != nil {
				return nil, err
			}
			if found, err = t.follow(ctx, ahead, m); err != nil || len(found) > 0 {
				return found, err
			}
			if !trusting {
				frontier = ahead
			} else {
				clear(seen)
			}
		}
		if len(frontier) == 0 || !t.mayAsk() {
			break
		}
	}
	return nil, nil
}

// anywhere are the positions one unknown joint move after beliefs. If trusting is
// set, our move in it is the one we sent.
func (t *tracker) anywhere(ctx context.Context, beliefs []belief, trusting bool, seen map[snapshot]bool) ([]belief, error) {
	var next []belief
	for _, b := range beliefs {
		if over, err := t.isOver(ctx, b.at); err != nil {
			return nil, err
		} else if over {
			continue
		}
		own, err := t.sent(ctx, b, trusting)
		if err != nil {
			return nil, err
		}
		partial := make([]string, t.roles)
		partial[t.self] = own
		err = t.each(ctx, b.at, partial, func(joint []string) error {
			if !t.mayAsk() {
				return errEnough
			}
			t.questions--
			s, err := t.rules.next(ctx, b.at, joint)
			if err != nil {
				return err
			}
			if seen[s] {
				return nil
			}
			seen[s] = true
			cost := b.cost + costMissed
			if t.isReplaced(b, joint[t.self]) {
				cost += costReplaced
			}
			next = append(next, belief{at: s, cost: cost, turn: b.turn + 1, last: nil, reading: asMissed, from: b.from})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return next, nil
}

// sent is the move that we sent last in a belief, as far as it is legal there and
// to be trusted; else empty.
func (t *tracker) sent(ctx context.Context, b belief, trusting bool) (string, error) {
	if !trusting || len(b.asked) == 0 {
		return "", nil
	}
	legal, err := t.legal(ctx, b.at, t.self)
	if err != nil {
		return "", err
	}
	return spelledIn(legal, t.history.reply(b.asked[len(b.asked)-1])), nil
}

package bridge

import "slices"

// stateKey is a state at the beginning of a trick: what the table is asked for.
type stateKey struct {
	north, south Cards
	gone         [2]Cards
	leader       Seat
	need         int8
}

// known is what the table holds of a state: the outcome of solve.
type known struct {
	answer
	alive, shared worlds
	limit         int64
}

// recall tells what is known of the worlds alive by what is known of others.
func (s *single) recall(key stateKey, alive, shared worlds, limit int64) (answer, bool) {
	for i := range s.table[key] {
		k := &s.table[key][i]
		switch {
		case k.found.hasNothing():
			if alive.within(k.proof) {
				return k.answer, true
			}
		case k.found == nil:
			if k.limit >= limit && k.proof.within(alive) {
				return k.answer, true
			}
		case k.limit >= limit && slices.Equal(k.alive, alive) && alive.intersectionWithin(shared, k.shared):
			return k.upTo(limit), true
		}
	}
	return answer{}, false
}

// upTo is what is known with a limit that is not higher.
func (k *known) upTo(limit int64) answer {
	a := answer{proof: k.alive}
	for _, d := range k.found {
		if d.weight <= limit {
			a.found = append(a.found, d)
		}
	}
	return a
}

// remember keeps an answer. A table that is full begins again.
func (s *single) remember(key stateKey, k known) {
	size := int64(len(s.none)*8*(3+len(k.found)) + knownBytes)
	if s.bytes += size; s.limit > 0 && s.bytes > s.limit {
		s.table, s.bytes = make(map[stateKey][]known), size
	}
	s.table[key] = append(s.table[key], k)
}

// knownBytes is about what an entry of the table takes beside its sets.
const knownBytes = 256

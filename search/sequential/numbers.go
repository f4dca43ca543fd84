package sequential

import "errors"

// Depth-first proof-number search (df-pn; Nagai, 2002), by which threat-space search chooses the leaf to expand: the one
// whose position is closest to a proof, or to a disproof, of a win.
//
//	proof number pn        of a position: 0 proved, ∞ disproved
//	  attacker             the minimum over the children
//	  defender             the maximum over the undecided children, plus 1 for each other undecided child
//	disproof number dn     the same with roles exchanged
//
// The search leaves a position if its number exceeds the sibling's number by a quarter (the 1+ε thresholds of Pawlewicz
// and Lew, 2007), so that not every step begins at the root. Sums would count positions with several
// parents several times. The maximum plus one for each other child does not (weak proof numbers; Ueda,
// Hashimoto, Hashimoto and Iida, 2008).

// ErrChance is returned by threat-space search for games with chance.
var ErrChance = errors.New("threat-space search requires a game without chance")

// never is the number of a position without a proof: infinity.
const never = 1 << 30

// numbers holds the proof number and the disproof number of a position.
type numbers struct{ proof, disproof uint32 }

// pack returns the numbers of a position and its attacker in a word.
func (n numbers) pack(attacker int8) uint64 {
	return uint64(attacker+1)<<62 | uint64(n.proof)<<31 | uint64(n.disproof)
}

func unpackNumbers(w uint64) (n numbers, attacker int8) {
	return numbers{uint32(w >> 31 & (1<<31 - 1)), uint32(w & (1<<31 - 1))}, int8(w>>62) - 1
}

// isDecided reports whether the position is proved or disproved.
func (n numbers) isDecided() bool { return n.proof == 0 || n.disproof == 0 }

func (n numbers) turned() numbers { return numbers{n.disproof, n.proof} }

// inner returns the limit for the best child of the attacker or of the defender. The child has numbers of, its parent
// numbers n, and the next best sibling has number second.
func inner(limit, n, of numbers, second uint32, attacks bool) numbers {
	if !attacks {
		limit, n, of = limit.turned(), n.turned(), of.turned()
	}
	inner := numbers{
		proof:    min(limit.proof, second+second/4+1),
		disproof: min(limit.disproof-n.disproof+of.disproof, never),
	}
	if limit.disproof == never {
		inner.disproof = never
	}
	// The greatest number replaces the sum, so another child may keep n.disproof up.
	inner.disproof = max(inner.disproof, of.disproof+1)
	if !attacks {
		inner = inner.turned()
	}
	return inner
}

// weigh returns the numbers of a position of the attacker or of the defender by the numbers of its children, the child
// to search, and the number of the next best child.
func weigh(children []numbers, attacks bool) (n numbers, best int, second uint32) {
	n.proof, second = never, never
	undecided, greatest := uint32(0), uint32(0)
	var least numbers
	for i, c := range children {
		if !attacks {
			c = c.turned()
		}
		if c.disproof > 0 {
			undecided++
			greatest = max(greatest, c.disproof)
		}
		switch {
		case i == 0 || c.proof < least.proof || c.proof == least.proof && c.disproof < least.disproof:
			if i > 0 {
				second = least.proof
			}
			best, least = i, c
		default:
			second = min(second, c.proof)
		}
	}
	n.proof = least.proof
	if undecided > 0 {
		n.disproof = min(greatest+undecided-1, never)
	}
	if n.proof == 0 {
		n.disproof = never
	}
	if !attacks {
		n = n.turned()
	}
	return n, best, second
}

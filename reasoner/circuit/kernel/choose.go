package kernel

import "math/bits"

// Random legal moves for all lanes together, bit-sliced: an integer per lane is
// kept as one row per binary digit, least significant first.
//
//  1. Count: n = the number of legal moves, by carry-save adders in blocks of
//     eight (Harley and Seal; Warren, Hacker's Delight, section 5-1), about
//     three operations a move.
//  2. Draw: the target t = floor(u·n / 2^k), u a random k-bit fraction, by
//     shifting and adding. So t is uniform in [0, n), but for a relative error
//     of at most 2^-choiceBits in the probability of a move.
//  3. Pick: run down the moves and take each legal one off t. The borrow out of
//     the top digit says that t was zero, so this is the move. From then on t
//     stays above zero, because fewer than 2^digits moves are left.
//
// A lane without legal moves picks none. The cost is about 2·digits operations
// a move and no memory but the rows of the moves themselves; step 3 only looks at
// the digits that n has in some lane.
//
// Where there are registers and gates of three inputs, digits stay in registers, and
// step 3 takes moves off the target by fours, as one number: digits/2 + 4 operations a
// move (tools/kernels/choice.go).

const (
	// choiceBits is the number of random bits beyond those that count the moves.
	choiceBits = 14
	// blockMoves is the number of moves that are counted at once. Lists of rows
	// are padded with row 0, the constant false.
	blockMoves = 8
	// A count has at least minDigits digits, those of a block, and at most maxDigits:
	// a move is an int32.
	minDigits, maxDigits = 3, 32
)

// choice is the move table of one role, which has moves, as the kernels see it, or of two
// that take turns.
type choice struct {
	legal, other    []int32 // word offsets of the rows of the legal bits, padded; no other: nil
	moves           int
	does, otherDoes int32      // word offset of the row of move 0
	digits          int        // of the number of legal moves
	waits           [][2]int32 // word offsets of rows that are copied: to, from
}

func newChoice(m Moves, words int32) choice {
	n := len(m.Legal)
	c := choice{moves: n, does: scale(m.Does, words), digits: bits.Len(uint(n))}
	c.legal = scaledList(m.Legal, words)
	if t := m.Turns; t != nil {
		c.other, c.otherDoes = scaledList(t.Legal, words), scale(t.Does, words)
		for _, w := range t.Waits {
			c.waits = append(c.waits, [2]int32{scale(w[0], words), scale(w[1], words)})
		}
	}
	return c
}

// scaledList is the word offsets of a list of rows, padded.
func scaledList(rows []int32, words int32) []int32 {
	list := make([]int32, (len(rows)+blockMoves-1)/blockMoves*blockMoves)
	for i, r := range rows {
		list[i] = scale(r, words)
	}
	return list
}

// fractionRows is the number of random rows that a choice needs.
func (c *choice) fractionRows() int {
	if c.moves == 1 {
		return 0
	}
	return c.digits + choiceBits
}

// choose64 is the portable form, for rows of one word. The random rows are those
// of the fraction u.
func choose64(rows []uint64, c *choice, random, _ []uint64) {
	var n, target [maxDigits]uint64
	count64(rows, c, &n)
	digits := c.digits
	for digits > 1 && n[digits-1] == 0 {
		digits--
	}
	draw64(random, n[:digits], target[:digits])
	does := rows[c.does : int(c.does)+c.moves]
	for m := range does {
		borrow := c.row(rows, m)
		for i, t := range target[:digits] {
			target[i] = t ^ borrow
			borrow &^= t
		}
		does[m] = borrow
	}
	if c.other != nil {
		otherDoes := rows[c.otherDoes : int(c.otherDoes)+c.moves]
		for m, chosen := range does {
			mine := rows[c.legal[m]]
			otherDoes[m], does[m] = chosen&^mine, chosen&mine
		}
	}
}

// row is the legal bits of a move, of either role.
func (c *choice) row(rows []uint64, m int) uint64 {
	if c.other == nil {
		return rows[c.legal[m]]
	}
	return rows[c.legal[m]] | rows[c.other[m]]
}

// count64 adds up the legal moves in blocks of eight.
func count64(rows []uint64, c *choice, n *[maxDigits]uint64) {
	for m := 0; m < len(c.legal); m += blockMoves {
		one, a := fullAdd(n[0], c.row(rows, m), c.row(rows, m+1))
		one, b := fullAdd(one, c.row(rows, m+2), c.row(rows, m+3))
		two, e := fullAdd(n[1], a, b)
		one, a = fullAdd(one, c.row(rows, m+4), c.row(rows, m+5))
		one, b = fullAdd(one, c.row(rows, m+6), c.row(rows, m+7))
		two, f := fullAdd(two, a, b)
		four, carry := fullAdd(n[2], e, f)
		n[0], n[1], n[2] = one, two, four
		for i := 3; carry != 0; i++ {
			n[i], carry = n[i]^carry, n[i]&carry
		}
	}
}

func fullAdd(a, b, c uint64) (sum, carry uint64) {
	x := a ^ b
	return x ^ c, a&b | x&c
}

// draw64 computes floor(u·n / 2^k) for the k digits of u, least significant
// first: add n where the digit is set, then halve.
func draw64(fraction, n, target []uint64) {
	for _, u := range fraction {
		carry := uint64(0)
		for i, d := range n {
			var sum uint64
			sum, carry = fullAdd(target[i], d&u, carry)
			if i > 0 {
				target[i-1] = sum
			}
		}
		target[len(n)-1] = carry
	}
}

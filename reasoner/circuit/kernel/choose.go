package kernel

import "math/bits"

// Random legal moves in every lane, bit-sliced: an integer per lane is kept as one row per binary digit,
// least significant first.
//
//  1. Count: n = the number of legal moves, by carry-save adders in blocks of
//     eight (Harley and Seal; Warren, Hacker's Delight, section 5-1), about
//     three operations a move.
//  2. Draw: the target t = floor(u·n / 2^k), u a random k-bit fraction, by
//     shifting and adding. So t is uniform in [0, n), up to a relative error
//     of at most 2^-choiceBits in the probability of a move.
//  3. Pick: for each legal move in order, subtract one from t. The borrow out of
//     the top digit says that t was zero, so this is the move. From then on t
//     stays above zero, because fewer than 2^digits moves are left.
//
// A lane without legal moves picks no move. The cost is about 2·digits operations a move and no memory but
// the rows of the moves themselves; step 3 only reads the digits that n has in some lane.
//
// With enough registers and gates of three inputs, digits stay in registers, and step 3 subtracts four moves
// at a time, as one number: digits/2 + 4 operations a move (tools/kernels/choice.go).

const (
	// choiceBits is the number of random bits beyond the digits of the number of moves. Package choice has the
	// same.
	choiceBits = 14
	// blockMoves is the number of moves that are counted at once. Lists of rows are padded with row 0, the
	// constant false.
	blockMoves = 8
	// A count has at least minDigits digits, the digits of a block, and at most maxDigits: a move is an
	// int32.
	minDigits, maxDigits = 3, 32
	// fewDigits is the number of digits up to which the portable form keeps them in registers.
	fewDigits = 8
)

// moveTable is the move table of a role that has moves, or of two roles that take turns, with word offsets.
type moveTable struct {
	legal, other    []int32 // word offsets of the rows of the legal bits, padded; other is nil without turns
	moves           int
	does, otherDoes int32      // word offset of the row of move 0
	digits          int        // greatest number of digits of a count
	waits           [][2]int32 // word offsets of rows that are copied: to, from
}

func newMoveTable(m Moves, words int32) moveTable {
	n := len(m.Legal)
	table := moveTable{moves: n, does: scale(m.Does, words), digits: bits.Len(uint(n))}
	table.legal = scaledList(m.Legal, words)
	if t := m.Turns; t != nil {
		table.other, table.otherDoes = scaledList(t.Legal, words), scale(t.Does, words)
		for _, w := range t.Waits {
			table.waits = append(table.waits, [2]int32{scale(w[0], words), scale(w[1], words)})
		}
	}
	return table
}

// scaledList returns the word offsets of a list of rows, padded.
func scaledList(rows []int32, words int32) []int32 {
	list := make([]int32, (len(rows)+blockMoves-1)/blockMoves*blockMoves)
	for i, r := range rows {
		list[i] = scale(r, words)
	}
	return list
}

// fractionRows returns the number of random rows that a choice needs.
func (t *moveTable) fractionRows() int {
	if t.moves == 1 {
		return 0
	}
	return t.digits + choiceBits
}

// choosePortable returns the portable form. It chooses in one column of words after the other, so that digits
// stay in registers. The random rows are the digits of the fraction u.
func choosePortable(words int) func(rows []uint64, t *moveTable, random, _ []uint64) {
	return func(rows []uint64, t *moveTable, random, _ []uint64) {
		for w := range words {
			choose := t.column
			if t.digits <= fewDigits {
				choose = t.shortColumn
			}
			choose(rows[w:], random[min(w, len(random)):], words)
		}
	}
}

// shortColumn does the same as column for numbers of at most fewDigits.
func (t *moveTable) shortColumn(rows, random []uint64, words int) {
	var low, high quad // digits of the target
	n := t.count(rows)
	if few := (quad{n[0], n[1], n[2], n[3]}); n[4]|n[5]|n[6]|n[7] == 0 {
		low = draw4(random, words, few)
	} else {
		low, high = draw8(random, words, few, quad{n[4], n[5], n[6], n[7]})
	}
	for m := range t.moves {
		t.record(rows, m, words, high.subtract(low.subtract(t.row(rows, m))))
	}
}

// column chooses in the lanes of one column: the first word of each row of `words` words.
func (t *moveTable) column(rows, random []uint64, words int) {
	var target [maxDigits]uint64
	n := t.count(rows)
	digits := t.digits
	for digits > 1 && n[digits-1] == 0 {
		digits--
	}
	for ; len(random) > 0; random = random[min(words, len(random)):] {
		draw(random[0], n[:digits], target[:digits])
	}
	for m := range t.moves {
		borrow := t.row(rows, m)
		for i, digit := range target[:digits] {
			target[i] = digit ^ borrow
			borrow &^= digit
		}
		t.record(rows, m, words, borrow)
	}
}

// row returns the legal bits of a move, of either role.
func (t *moveTable) row(rows []uint64, m int) uint64 {
	if t.other == nil {
		return rows[t.legal[m]]
	}
	return rows[t.legal[m]] | rows[t.other[m]]
}

// record writes the lanes in which move m is chosen.
func (t *moveTable) record(rows []uint64, m, words int, chosen uint64) {
	if t.other != nil {
		mine := rows[t.legal[m]]
		rows[int(t.otherDoes)+m*words] = chosen &^ mine
		chosen &= mine
	}
	rows[int(t.does)+m*words] = chosen
}

// count adds up the legal moves in blocks of eight.
func (t *moveTable) count(rows []uint64) (n [maxDigits]uint64) {
	one, two, four := uint64(0), uint64(0), uint64(0)
	for m := 0; m < len(t.legal); m += blockMoves {
		var a, b, e, f, carry uint64
		one, a = fullAdd(one, t.row(rows, m), t.row(rows, m+1))
		one, b = fullAdd(one, t.row(rows, m+2), t.row(rows, m+3))
		two, e = fullAdd(two, a, b)
		one, a = fullAdd(one, t.row(rows, m+4), t.row(rows, m+5))
		one, b = fullAdd(one, t.row(rows, m+6), t.row(rows, m+7))
		two, f = fullAdd(two, a, b)
		four, carry = fullAdd(four, e, f)
		for i := 3; carry != 0; i++ {
			n[i], carry = n[i]^carry, n[i]&carry
		}
	}
	n[0], n[1], n[2] = one, two, four
	return n
}

func fullAdd(a, b, c uint64) (sum, carry uint64) {
	x := a ^ b
	return x ^ c, a&b | x&c
}

// draw extends the computation of floor(u·n / 2^k) by one digit u of the fraction, least significant first:
// it adds n where the digit is set, then halves.
func draw(u uint64, n, target []uint64) {
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

// subtract subtracts a digit from a number of four digits, and returns the borrow.
func (x *quad) subtract(b0 uint64) uint64 {
	b1 := b0 &^ x.a
	b2 := b1 &^ x.b
	b3 := b2 &^ x.c
	x.a, x.b, x.c, b0, x.d = x.a^b0, x.b^b1, x.c^b2, b3&^x.d, x.d^b3
	return b0
}

// draw4 does the steps of draw for every digit of the fraction, with numbers of four digits.
func draw4(random []uint64, words int, n quad) (t quad) {
	for at := 0; at < len(random); at += words {
		u := random[at]
		c0 := t.a & n.a & u
		s1, c1 := fullAdd(t.b, n.b&u, c0)
		s2, c2 := fullAdd(t.c, n.c&u, c1)
		s3, c3 := fullAdd(t.d, n.d&u, c2)
		t = quad{s1, s2, s3, c3}
	}
	return t
}

// draw8 does the steps of draw for every digit of the fraction, with numbers of eight digits.
func draw8(random []uint64, words int, n, m quad) (low, high quad) {
	for at := 0; at < len(random); at += words {
		u := random[at]
		c0 := low.a & n.a & u
		s1, c1 := fullAdd(low.b, n.b&u, c0)
		s2, c2 := fullAdd(low.c, n.c&u, c1)
		s3, c3 := fullAdd(low.d, n.d&u, c2)
		s4, c4 := fullAdd(high.a, m.a&u, c3)
		s5, c5 := fullAdd(high.b, m.b&u, c4)
		s6, c6 := fullAdd(high.c, m.c&u, c5)
		s7, c7 := fullAdd(high.d, m.d&u, c6)
		low, high = quad{s1, s2, s3, s4}, quad{s5, s6, s7, c7}
	}
	return low, high
}

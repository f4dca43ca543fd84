package kernel

import (
	"unsafe"

	"stackmate/reasoner/machine"
)

// The portable kernels, in plain Go: a wide one for playouts, and one of one word for a handful
// of positions.

var portableWide = &Kernel{
	name:      familyPortable,
	lanes:     64 * wideWords,
	run:       runWide,
	choose:    choosePortable(wideWords),
	restore:   restoreWide,
	random:    func(rng *machine.Rand, dst []uint64) { rng.FillRows(dst, wideWords) },
	translate: func(e *Executable, image *Image) error { return fuse(e, image, mostLeaves, fusedForms()) },
	splits:    true,
}

var portable64 = &Kernel{
	name:      Portable64,
	lanes:     64,
	run:       run64,
	choose:    choosePortable(1),
	restore:   restore64,
	random:    func(rng *machine.Rand, dst []uint64) { rng.FillRows(dst, 1) },
	translate: groupRuns,
}

// brief is portable64 for few evaluations: a translation would take longer than it saves.
var brief = func() *Kernel {
	k := *portable64
	k.name, k.translate = Brief, func(*Executable, *Image) error { return nil }
	return &k
}()

// wideWords is the number of words of a row of the wide kernel. With half as many, dispatch costs a tenth of the
// time.
const wideWords = 8

// quad is four words, which the compiler keeps in registers.
type quad struct{ a, b, c, d uint64 }

func (x quad) and(y quad) quad    { return quad{x.a & y.a, x.b & y.b, x.c & y.c, x.d & y.d} }
func (x quad) or(y quad) quad     { return quad{x.a | y.a, x.b | y.b, x.c | y.c, x.d | y.d} }
func (x quad) xor(y quad) quad    { return quad{x.a ^ y.a, x.b ^ y.b, x.c ^ y.c, x.d ^ y.d} }
func (x quad) andNot(y quad) quad { return quad{x.a &^ y.a, x.b &^ y.b, x.c &^ y.c, x.d &^ y.d} }
func (x quad) not() quad          { return quad{^x.a, ^x.b, ^x.c, ^x.d} }

// wideRow is a row of the wide kernel.
type wideRow [wideWords / 4]quad

func wideRows(words []uint64) []wideRow {
	return unsafe.Slice((*wideRow)(unsafe.Pointer(unsafe.SliceData(words))), len(words)/wideWords)
}

func restoreWide(to, from, mask []uint64) {
	rows, m := wideRows(to), &wideRows(mask)[0]
	for i, value := range from[:len(rows)] {
		if t := &rows[i]; value != 0 {
			t[0], t[1] = t[0].or(m[0]), t[1].or(m[1])
		} else {
			t[0], t[1] = t[0].andNot(m[0]), t[1].andNot(m[1])
		}
	}
}

// run64 evaluates straight code on one-word rows.
func run64(rows []uint64, code []int32) {
	base := unsafe.Pointer(unsafe.SliceData(rows))
	for len(code) > 0 {
		op, pos, neg, count := Op(code[0]), int(code[1]), int(code[2]), int(code[3])
		n := count * (1 + pos + neg)
		gates := code[Header : Header+n]
		code = code[Header+n:]
		switch {
		case op == And && pos == 2 && neg == 0:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) & *row(base, gates[2])
			}
		case op == Or && pos == 2 && neg == 0:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) | *row(base, gates[2])
			}
		case op == And && pos == 1 && neg == 1:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) &^ *row(base, gates[2])
			}
		case op == And && pos == 3 && neg == 0:
			for ; len(gates) >= 4; gates = gates[4:] {
				*row(base, gates[0]) = *row(base, gates[1]) & *row(base, gates[2]) & *row(base, gates[3])
			}
		case op == Or && pos == 3 && neg == 0:
			for ; len(gates) >= 4; gates = gates[4:] {
				*row(base, gates[0]) = *row(base, gates[1]) | *row(base, gates[2]) | *row(base, gates[3])
			}
		default:
			wide64(base, gates, op, pos, neg)
		}
	}
}

// wide64 evaluates a run of gates with any number of operands.
func wide64(base unsafe.Pointer, gates []int32, op Op, pos, neg int) {
	stride := 1 + pos + neg
	for ; len(gates) >= stride; gates = gates[stride:] {
		plain, complemented := gates[1:1+pos], gates[1+pos:stride]
		var acc uint64
		switch op {
		case And:
			acc = ^uint64(0)
			for _, g := range plain {
				acc &= *row(base, g)
			}
			for _, g := range complemented {
				acc &^= *row(base, g)
			}
		case Or:
			for _, g := range plain {
				acc |= *row(base, g)
			}
			for _, g := range complemented {
				acc |= ^*row(base, g)
			}
		}
		*row(base, gates[0]) = acc
	}
}

func restore64(to, from, mask []uint64) {
	m := mask[0]
	from = from[:len(to)]
	for i, old := range to {
		to[i] = old ^ (old^from[i])&m
	}
}

func row(base unsafe.Pointer, i int32) *uint64 {
	return (*uint64)(unsafe.Add(base, uintptr(uint32(i))*8))
}

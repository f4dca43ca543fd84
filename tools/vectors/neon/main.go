// Command neon generates the kernels of search/evaluate/vector for arm64.
//
// A row of floats is sixteen registers, a row of shorts eight. Additions are in the order of the portable
// functions, and no multiplication is fused with an addition.
package main

import (
	"fmt"

	"stackmate/tools/arm64"
)

const (
	quad     = 4 * 16 // bytes of the registers that one instruction loads
	floats   = 16     // registers of a row
	row      = floats * 16
	rowShift = 8 // shift from a row number to bytes
	shorts   = 8 // registers of a row
	setShift = 7 // shift from the number of a row of shorts to bytes
)

// Encodings of instructions on four floats, or eight shorts, that Go's assembler lacks (Arm Architecture
// Reference Manual, section C7.2), with register numbers zero.
const (
	fadd  = 0x4e20d400
	fsub  = 0x4ea0d400
	fmul  = 0x6e20dc00
	fdiv  = 0x6e20fc00
	fmax  = 0x4e20f400
	fsqrt = 0x6ea1f800
	facgt = 0x6ea0ec00 // |a| > |b|
	faddp = 0x7e30d800 // the sum of the lower two
	sxtl  = 0x0f10a400 // the lower four shorts as integers
	sxtl2 = 0x4f10a400 // the upper four
	scvtf = 0x4e21d800
	mla   = 0x4e609400 // of shorts: to += a·b
)

type generator struct{ *arm64.File }

func main() {
	arm64.Generate(func(f *arm64.File) {
		g := generator{f}
		g.sum()
		g.add()
		g.change()
		g.apply()
		g.read()
		g.readShorts()
		g.back()
		g.step()
	})
}

func (g generator) begin(name, signature, does string) []arm64.R {
	return g.Func(name+"Kernel", signature, does)
}

// binary writes an instruction by its encoding: to = a op b.
func (g generator) binary(op uint32, name string, a, b, to arm64.V) {
	g.Op(fmt.Sprintf("WORD $%#x // %s V%d, V%d, V%d", op|uint32(b)<<16|uint32(a)<<5|uint32(to), name, a, b, to))
}

func (g generator) fadd(a, b, to arm64.V) { g.binary(fadd, "FADD", a, b, to) }
func (g generator) fsub(a, b, to arm64.V) { g.binary(fsub, "FSUB", a, b, to) } // to = a - b
func (g generator) fmul(a, b, to arm64.V) { g.binary(fmul, "FMUL", a, b, to) }

// unary writes an instruction with one operand by its encoding.
func (g generator) unary(op uint32, name string, a, to arm64.V) {
	g.Op(fmt.Sprintf("WORD $%#x // %s V%d, V%d", op|uint32(a)<<5|uint32(to), name, a, to))
}

func (g generator) zero(to arm64.V) { g.Op("VMOVI", "$0", to.As("B16")) }

func (g generator) or(a, b, to arm64.V) { g.Op("VORR", a.As("B16"), b.As("B16"), to.As("B16")) }

// whereTrue computes to = mask ? x : to.
func (g generator) whereTrue(mask, x, to arm64.V) {
	g.Op("VBIT", mask.As("B16"), x.As("B16"), to.As("B16"))
}

// load and store access four registers at a time and advance the address.
func (g generator) load(from arm64.R, to []arm64.V) {
	for ; len(to) > 0; to = to[4:] {
		g.Op("VLD1.P", from.At(quad), arm64.List(to[:4], "D2"))
	}
}

func (g generator) store(x []arm64.V, to arm64.R) {
	for ; len(x) > 0; x = x[4:] {
		g.Op("VST1.P", arm64.List(x[:4], "D2"), to.At(quad))
	}
}

// loadInPlace loads four registers without advancing the address.
func (g generator) loadInPlace(from arm64.R, to []arm64.V) {
	g.Op("VLD1", from.At(0), arm64.List(to, "D2"))
}

// eachInput writes a loop over the n numbers at inputs, at least one. at is the address of each number's row.
func (g generator) eachInput(rows, inputs, n arm64.R, body func(at arm64.R)) {
	at := g.General()
	g.Label("input")
	g.Op("MOVWU.P", inputs.At(4), at)
	g.Op("ADD", fmt.Sprintf("%v<<%d", at, rowShift), rows, at)
	body(at)
	g.EndLoop(n, "input")
}

func (g generator) sum() {
	p := g.begin("sum", "func(to, rows *float32, inputs *uint32, n int)", "writes the sum of n rows, at least one.")
	units, x := g.Vectors(floats), g.Vectors(floats)
	for _, u := range units {
		g.zero(u)
	}
	g.eachInput(p[1], p[2], p[3], func(at arm64.R) {
		g.load(at, x)
		for i, u := range units {
			g.fadd(u, x[i], u)
		}
	})
	g.store(units, p[0])
	g.Op("RET")
}

func (g generator) add() {
	p := g.begin("add", "func(rows *float32, inputs *uint32, n int, delta *float32)", "adds delta to n rows, at least one.")
	change, x := g.Vectors(floats), g.Vectors(4)
	g.load(p[3], change)
	g.eachInput(p[0], p[1], p[2], func(at arm64.R) {
		for i, d := range change {
			if i%4 == 0 {
				g.loadInPlace(at, x)
			}
			g.fadd(x[i%4], d, x[i%4])
			if i%4 == 3 {
				g.store(x, at)
			}
		}
	})
	g.Op("RET")
}

// addSigned adds the row of shorts with the given number to units if sign is 1, and subtracts it if sign is 0.
func (g generator) addSigned(units []arm64.V, rows, number, sign arm64.R) {
	x, signs := g.Vectors(shorts), g.Vectors(1)[0]
	g.Op("LSL", "$1", sign)
	g.Op("SUB", "$1", sign) // 1, else -1
	g.Op("VDUP", sign, signs.As("H8"))
	g.Op("ADD", fmt.Sprintf("%v<<%d", number, setShift), rows, number)
	g.load(number, x)
	for i, u := range units {
		g.binary(mla, "MLA", x[i], signs, u)
	}
}

func (g generator) change() {
	p := g.begin("change", "func(sums, rows *int16, from, to *uint64, words int)", "adds the rows of bits set only in to, and subtracts the rows of bits set only in from; the sets have the given number of words, at least one.")
	sums, rows, from, to, words := p[0], p[1], p[2], p[3], p[4]
	now, differs, number, sign := g.General(), g.General(), g.General(), g.General()
	units := g.Vectors(shorts)
	g.Op("MOVD", sums, number)
	g.load(number, units)
	g.Label("word")
	g.Op("MOVD.P", to.At(8), now)
	g.Op("MOVD.P", from.At(8), differs)
	g.Op("EOR", now, differs)
	g.Op("CBZ", differs, "next")
	g.Label("bit")
	g.Op("RBIT", differs, number)
	g.Op("CLZ", number, number)
	g.Op("LSR", number, now, sign)
	g.Op("AND", "$1", sign)
	g.addSigned(units, rows, number, sign)
	g.Op("SUB", "$1", differs, number)
	g.Op("ANDS", number, differs)
	g.Op("BNE", "bit")
	g.Label("next")
	g.Op("ADD", fmt.Sprintf("$%d", 64<<setShift), rows)
	g.EndLoop(words, "word")
	g.store(units, sums)
	g.Op("RET")
}

func (g generator) apply() {
	p := g.begin("apply", "func(sums, rows *int16, changes *uint32, n int)", "applies n changes, at least one: 2k+1 adds row k, 2k subtracts it.")
	sums, rows, changes, n := p[0], p[1], p[2], p[3]
	number, sign, units := g.General(), g.General(), g.Vectors(shorts)
	g.Op("MOVD", sums, number)
	g.load(number, units)
	g.Label("change")
	g.Op("MOVWU.P", changes.At(4), number)
	g.Op("AND", "$1", number, sign)
	g.Op("LSR", "$1", number)
	g.addSigned(units, rows, number, sign)
	g.EndLoop(n, "change")
	g.store(units, sums)
	g.Op("RET")
}

func (g generator) read() {
	p := g.begin("read", "func(weights, units *float32) float32", "returns the sum of weights·max(0, units)².")
	g.readOut(p[0], func(x []arm64.V) { g.load(p[1], x) })
}

func (g generator) readShorts() {
	p := g.begin("readShorts", "func(weights *float32, units *int16) float32", "returns the sum of weights·max(0, units)².")
	narrow := g.Vectors(2)
	g.readOut(p[0], func(x []arm64.V) {
		g.Op("VLD1.P", p[1].At(quad/2), arm64.List(narrow, "D2"))
		for i, v := range x {
			if i%2 == 0 {
				g.unary(sxtl, "SXTL", narrow[i/2], v)
			} else {
				g.unary(sxtl2, "SXTL2", narrow[i/2], v)
			}
			g.unary(scvtf, "SCVTF", v, v)
		}
	})
}

// readOut writes the read-out of units, of which get loads four registers.
func (g generator) readOut(weights arm64.R, get func(x []arm64.V)) {
	sum, x, w, zero := g.Vectors(2), g.Vectors(4), g.Vectors(4), g.Vectors(1)[0]
	for _, v := range []arm64.V{zero, sum[0], sum[1]} {
		g.zero(v)
	}
	for range floats / 4 {
		get(x)
		g.load(weights, w)
		for i, v := range x {
			g.binary(fmax, "FMAX", zero, v, v)
			g.fmul(v, v, v)
			g.fmul(w[i], v, v)
			g.fadd(v, sum[i%2], sum[i%2])
		}
	}
	g.fadd(sum[0], sum[1], sum[0]) // 0+4, 1+5, 2+6, 3+7
	g.Op("VEXT", "$8", sum[0].As("B16"), sum[0].As("B16"), sum[1].As("B16"))
	g.fadd(sum[0], sum[1], sum[0]) // (0+4)+(2+6), (1+5)+(3+7)
	g.unary(faddp, "FADDP", sum[0], sum[0])
	g.Op("FMOVS", sum[0].Q(), "ret+16(FP)")
	g.Op("RET")
}

func (g generator) back() {
	p := g.begin("back", "func(delta, gradient, weights, units *float32, e float32)", "adds 2e·weights·max(0, units) to delta, and e·max(0, units)² to gradient.")
	delta, gradient, weights, units := p[0], p[1], p[2], p[3]
	x, slope, w, y := g.Vectors(4), g.Vectors(4), g.Vectors(4), g.Vectors(4)
	e, zero := g.Vectors(1)[0], g.Vectors(1)[0]
	g.zero(zero)
	g.Op("FMOVS", "e+32(FP)", e.Q())
	g.Op("VDUP", fmt.Sprintf("V%d.S[0]", e), e.As("S4"))
	part := func(more []arm64.V, at arm64.R) { // adds registers to memory
		g.loadInPlace(at, y)
		for i, v := range more {
			g.fadd(y[i], v, y[i])
		}
		g.store(y, at)
	}
	for range floats / 4 {
		g.load(units, x)
		g.load(weights, w)
		for i, v := range x {
			g.binary(fmax, "FMAX", zero, v, v)
			g.fmul(e, v, slope[i])
			g.fmul(slope[i], v, v)
			g.fmul(slope[i], w[i], w[i])
			g.fadd(w[i], w[i], w[i])
		}
		part(x, gradient)
		part(w, delta)
	}
	g.Op("RET")
}

// stepper holds the registers of a step of Adam.
type stepper struct {
	generator
	weights, gradient, first, second, mean arm64.R
	// Constants, in the order of the list.
	scale, firstDecay, firstGain, secondDecay, secondGain, rate, epsilon, follow, tiny arm64.V
	g, f, s, w                                                                         []arm64.V
}

func (g generator) step() {
	p := g.begin("step", "func(weights, gradient, first, second, mean *float32, rows int, constants *float32)", "does a step of Adam on the given number of rows, at least one.")
	t := &stepper{generator: g, weights: p[0], gradient: p[1], first: p[2], second: p[3], mean: p[4]}
	rows, constants := p[5], p[6]
	for _, c := range []*arm64.V{&t.scale, &t.firstDecay, &t.firstGain, &t.secondDecay, &t.secondGain, &t.rate, &t.epsilon, &t.follow, &t.tiny} {
		*c = g.Vectors(1)[0]
		g.Op("VLD1R.P", constants.At(4), arm64.List([]arm64.V{*c}, "S4"))
	}
	t.g, t.f, t.s, t.w = g.Vectors(4), g.Vectors(4), g.Vectors(4), g.Vectors(4)
	g.Label("row")
	t.jumpIfQuiet("quiet")
	for range floats / 4 {
		t.learn()
	}
	t.skip("SUB", t.weights, t.gradient, t.first, t.second)
	g.Label("quiet")
	for range floats / 4 {
		g.load(t.weights, t.w)
		g.loadInPlace(t.mean, t.s)
		for i, w := range t.w {
			g.fsub(w, t.s[i], w)
			g.fmul(t.follow, w, w)
			g.fadd(w, t.s[i], t.s[i])
		}
		g.store(t.s, t.mean)
	}
	t.skip("ADD", t.gradient, t.first, t.second)
	g.EndLoop(rows, "row")
	g.Op("RET")
}

// skip moves addresses by a row.
func (t *stepper) skip(op string, addresses ...arm64.R) {
	for _, r := range addresses {
		t.Op(op, fmt.Sprintf("$%d", row), r)
	}
}

// jumpIfQuiet jumps if gradient and first are zero in the whole row.
func (t *stepper) jumpIfQuiet(label string) {
	at, some, low, high := t.General(), t.s[0], t.General(), t.General()
	t.zero(some)
	for _, from := range []arm64.R{t.gradient, t.first} {
		t.Op("MOVD", from, at)
		for range floats / 4 {
			t.load(at, t.g)
			for _, v := range t.g {
				t.or(v, some, some)
			}
		}
	}
	t.Op("VMOV", some.As("D[0]"), low)
	t.Op("VMOV", some.As("D[1]"), high)
	t.Op("ORR", high, low)
	t.Op("CBZ", low, label)
}

// learn writes the step of sixteen weights and advances the addresses.
func (t *stepper) learn() {
	t.loadInPlace(t.gradient, t.g)
	t.loadInPlace(t.first, t.f)
	t.loadInPlace(t.second, t.s)
	t.loadInPlace(t.weights, t.w)
	for i := range t.g {
		g, f, s, w := t.g[i], t.f[i], t.s[i], t.w[i]
		spare := t.Vectors(1)[0]
		t.fmul(g, t.scale, g)
		t.fmul(f, t.firstDecay, f)
		t.fmul(g, t.firstGain, spare)
		t.fadd(f, spare, f)
		t.fmul(g, g, g)
		t.fmul(s, t.secondDecay, s)
		t.fmul(g, t.secondGain, g)
		t.fadd(s, g, s)
		t.binary(facgt, "FACGT", t.tiny, f, g)
		t.zero(spare)
		t.whereTrue(g, spare, f)
		t.unary(fsqrt, "FSQRT", s, spare)
		t.fadd(spare, t.epsilon, spare)
		t.fmul(f, t.rate, g)
		t.binary(fdiv, "FDIV", g, spare, g)
		t.fsub(w, g, w)
		t.zero(g)
		t.Free(spare)
	}
	t.store(t.g, t.gradient)
	t.store(t.f, t.first)
	t.store(t.s, t.second)
	t.store(t.w, t.weights)
}

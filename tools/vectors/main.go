// Command vectors generates the kernels of search/evaluate/vector for AVX2.
//
// A row of floats is eight registers, a row of shorts four. Additions are in the order of the portable
// functions, and no multiplication is fused with an addition.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	register = 32                // bytes
	floats   = 8                 // registers of a row
	row      = floats * register // bytes
	rowShift = 8                 // shift from a row number to bytes
	shorts   = 4                 // registers of a row
	setShift = 7                 // shift from the number of a row of shorts to bytes
)

func main() {
	sum()
	add()
	change()
	apply()
	read()
	readShorts()
	back()
	step()
	Generate()
}

func begin(name, signature, does string) {
	TEXT(name+"Kernel", NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + "Kernel " + does)
}

func end() {
	VZEROUPPER()
	RET()
}

func param(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

// vectors allocates n registers.
func vectors(n int) []VecVirtual {
	list := make([]VecVirtual, n)
	for i := range list {
		list[i] = YMM()
	}
	return list
}

// part returns the operand for the i-th register of a row at base.
func part(base GPVirtual, i int) Mem { return Mem{Base: base, Disp: i * register} }

// load loads n registers.
func load(base GPVirtual, n int) []VecVirtual {
	list := vectors(n)
	for i, r := range list {
		VMOVUPS(part(base, i), r)
	}
	return list
}

// eachInput writes a loop over the n numbers at inputs, at least one. at is the address of each number's row.
func eachInput(rows, inputs, n GPVirtual, body func(at GPVirtual)) {
	Label("input")
	at := GP64()
	MOVL(Mem{Base: inputs}, at.As32())
	SHLQ(U8(rowShift), at)
	ADDQ(rows, at)
	body(at)
	ADDQ(Imm(4), inputs)
	DECQ(n)
	JNZ(LabelRef("input"))
}

func sum() {
	begin("sum", "func(to, rows *float32, inputs *uint32, n int)", "writes the sum of n rows, at least one.")
	to, rows, inputs, n := param("to"), param("rows"), param("inputs"), param("n")
	units := vectors(floats)
	for _, u := range units {
		VXORPS(u, u, u)
	}
	eachInput(rows, inputs, n, func(at GPVirtual) {
		for i, u := range units {
			VADDPS(part(at, i), u, u)
		}
	})
	for i, u := range units {
		VMOVUPS(u, part(to, i))
	}
	end()
}

func add() {
	begin("add", "func(rows *float32, inputs *uint32, n int, delta *float32)", "adds delta to n rows, at least one.")
	rows, inputs, n, delta := param("rows"), param("inputs"), param("n"), param("delta")
	change, sums := load(delta, floats), vectors(floats)
	eachInput(rows, inputs, n, func(at GPVirtual) {
		for i, d := range change {
			VADDPS(part(at, i), d, sums[i])
			VMOVUPS(sums[i], part(at, i))
		}
	})
	end()
}

// addSigned adds the row of shorts with the given number to sums if the carry flag is set, and else subtracts it.
func addSigned(sums []VecVirtual, rows, number GPVirtual) {
	sign, narrow, signs, rest := GP64(), XMM(), YMM(), YMM()
	SBBQ(sign, sign)                                            // -1 to add, else 0
	LEAQ(Mem{Base: sign, Index: sign, Scale: 1, Disp: 1}, sign) // -1, else 1
	VMOVQ(sign, narrow)
	VPBROADCASTW(narrow, signs)
	SHLQ(U8(setShift), number)
	ADDQ(rows, number)
	for i, s := range sums {
		VMOVDQU(part(number, i), rest)
		VPSIGNW(signs, rest, rest)
		VPSUBW(rest, s, s)
	}
}

// store stores registers.
func store(list []VecVirtual, base GPVirtual) {
	for i, r := range list {
		VMOVDQU(r, part(base, i))
	}
}

func change() {
	begin("change", "func(sums, rows *int16, from, to *uint64, words int)", "adds the rows of bits set only in to, and subtracts the rows of bits set only in from; the sets have the given number of words, at least one.")
	at, rows, from, to, words := param("sums"), param("rows"), param("from"), param("to"), param("words")
	sums := load(at, shorts)
	number, differs, now := GP64(), GP64(), GP64()
	Label("word")
	MOVQ(Mem{Base: to}, now)
	MOVQ(Mem{Base: from}, differs)
	XORQ(now, differs)
	JZ(LabelRef("next"))
	Label("bit")
	TZCNTQ(differs, number)
	BTQ(number, now)
	addSigned(sums, rows, number)
	BLSRQ(differs, differs)
	JNZ(LabelRef("bit"))
	Label("next")
	ADDQ(U32(64<<setShift), rows)
	ADDQ(Imm(8), from)
	ADDQ(Imm(8), to)
	DECQ(words)
	JNZ(LabelRef("word"))
	store(sums, at)
	end()
}

func apply() {
	begin("apply", "func(sums, rows *int16, changes *uint32, n int)", "applies n changes, at least one: 2k+1 adds row k, 2k subtracts it.")
	at, rows, changes, n := param("sums"), param("rows"), param("changes"), param("n")
	sums, number := load(at, shorts), GP64()
	Label("change")
	MOVL(Mem{Base: changes}, number.As32())
	SHRQ(Imm(1), number)
	addSigned(sums, rows, number)
	ADDQ(Imm(4), changes)
	DECQ(n)
	JNZ(LabelRef("change"))
	store(sums, at)
	end()
}

func read() {
	begin("read", "func(weights, units *float32) float32", "returns the sum of weights·max(0, units)².")
	weights, units := param("weights"), param("units")
	readOut(weights, func(i int, x VecVirtual) { VMOVUPS(part(units, i), x) })
}

func readShorts() {
	begin("readShorts", "func(weights *float32, units *int16) float32", "returns the sum of weights·max(0, units)².")
	weights, units := param("weights"), param("units")
	readOut(weights, func(i int, x VecVirtual) {
		VPMOVSXWD(Mem{Base: units, Disp: i * register / 2}, x)
		VCVTDQ2PS(x, x)
	})
}

// readOut writes the read-out of units that get loads.
func readOut(weights GPVirtual, get func(i int, x VecVirtual)) {
	sum, x, zero := YMM(), YMM(), YMM()
	VXORPS(zero, zero, zero)
	for i := range floats {
		get(i, x)
		VMAXPS(zero, x, x)
		VMULPS(x, x, x)
		if i == 0 {
			VMULPS(part(weights, i), x, sum)
			continue
		}
		VMULPS(part(weights, i), x, x)
		VADDPS(x, sum, sum)
	}
	half := XMM()
	VEXTRACTF128(U8(1), sum, half)
	VADDPS(half, sum.AsX(), half) // 0+4, 1+5, 2+6, 3+7
	other := XMM()
	VMOVHLPS(half, half, other)
	VADDPS(other, half, half) // (0+4)+(2+6), (1+5)+(3+7)
	VMOVSHDUP(half, other)
	VADDSS(other, half, half)
	VZEROUPPER() // before an instruction without VEX prefix
	Store(half, ReturnIndex(0))
	RET()
}

func back() {
	begin("back", "func(delta, gradient, weights, units *float32, e float32)", "adds 2e·weights·max(0, units) to delta, and e·max(0, units)² to gradient.")
	delta, gradient, weights, units := param("delta"), param("gradient"), param("weights"), param("units")
	address, err := Param("e").Resolve()
	if err != nil {
		panic(err)
	}
	e, zero, x, slope, w := YMM(), YMM(), YMM(), YMM(), YMM()
	VBROADCASTSS(address.Addr, e)
	VXORPS(zero, zero, zero)
	for i := range floats {
		VMOVUPS(part(units, i), x)
		VMAXPS(zero, x, x)
		VMULPS(x, e, slope)
		VMULPS(x, slope, x)
		VADDPS(part(gradient, i), x, x)
		VMOVUPS(x, part(gradient, i))
		VMULPS(part(weights, i), slope, w)
		VADDPS(w, w, w)
		VADDPS(part(delta, i), w, w)
		VMOVUPS(w, part(delta, i))
	}
	end()
}

// notLess is the predicate of VCMPPS: not less, without exceptions, so that NaN stays.
const notLess = 0x15

func step() {
	begin("step", "func(weights, gradient, first, second, mean *float32, rows int, constants *float32)", "does a step of Adam on the given number of rows, at least one.")
	weights, gradient, first, second, mean := param("weights"), param("gradient"), param("first"), param("second"), param("mean")
	rows, constants := param("rows"), param("constants")
	constant := make([]VecVirtual, 9) // scale, decays and gains of the first and of the second, rate, epsilon, follow, tiny
	for i := range constant {
		constant[i] = YMM()
		VBROADCASTSS(Mem{Base: constants, Disp: 4 * i}, constant[i])
	}
	scale, firstDecay, firstGain, secondDecay, secondGain := constant[0], constant[1], constant[2], constant[3], constant[4]
	rate, epsilon, follow, tiny := constant[5], constant[6], constant[7], constant[8]
	g, f, s, w := YMM(), YMM(), YMM(), YMM()
	Label("row")
	VMOVUPS(part(gradient, 0), g)
	VORPS(part(first, 0), g, g)
	for i := 1; i < floats; i++ {
		VORPS(part(gradient, i), g, g)
		VORPS(part(first, i), g, g)
	}
	VPTEST(g, g)
	JZ(LabelRef("quiet"))
	for i := range floats {
		VMULPS(part(gradient, i), scale, g)
		VMULPS(part(first, i), firstDecay, f)
		VMULPS(g, firstGain, s)
		VADDPS(s, f, f)
		VMULPS(g, g, g)
		VMULPS(part(second, i), secondDecay, s)
		VMULPS(g, secondGain, g)
		VADDPS(g, s, s)
		VMOVUPS(s, part(second, i))
		// f is zero where its absolute value is less than tiny.
		VPSLLD(U8(1), f, g)
		VPSRLD(U8(1), g, g)
		VCMPPS(U8(notLess), tiny, g, g)
		VANDPS(g, f, f)
		VMOVUPS(f, part(first, i))
		VSQRTPS(s, s)
		VADDPS(epsilon, s, s)
		VMULPS(rate, f, f)
		VDIVPS(s, f, f)
		VMOVUPS(part(weights, i), w)
		VSUBPS(f, w, w)
		VMOVUPS(w, part(weights, i))
		VXORPS(g, g, g)
		VMOVUPS(g, part(gradient, i))
	}
	Label("quiet")
	for i := range floats {
		VMOVUPS(part(mean, i), s)
		VMOVUPS(part(weights, i), w)
		VSUBPS(s, w, w)
		VMULPS(follow, w, w)
		VADDPS(w, s, s)
		VMOVUPS(s, part(mean, i))
	}
	for _, at := range []GPVirtual{weights, gradient, first, second, mean} {
		ADDQ(U32(row), at)
	}
	DECQ(rows)
	JNZ(LabelRef("row"))
	end()
}

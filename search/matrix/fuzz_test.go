package matrix

import (
	"encoding/binary"
	"math"
	"testing"
)

// decodeGame reads a game of up to 8×8 from the bytes of the fuzzer: the size,
// the kind of the elements, the elements. Short input is continued with zeros.
func decodeGame(data []byte) (a []float64, m, n int) {
	next := func(count int) []byte {
		b := make([]byte, count)
		data = data[copy(b, data):]
		return b
	}
	head := next(3)
	m, n = 1+int(head[0]%8), 1+int(head[1]%8)
	a = make([]float64, m*n)
	for k := range a {
		if head[2]%2 == 0 {
			a[k] = float64(int8(next(1)[0]))
		} else {
			a[k] = math.Float64frombits(binary.LittleEndian.Uint64(next(8)))
		}
	}
	return a, m, n
}

// FuzzNash plays the engines against each other: all reject a game or all solve
// it, to the same value, with a certificate.
func FuzzNash(f *testing.F) {
	f.Add([]byte{1, 1, 0, 3, 255, 254, 1})
	f.Add([]byte{2, 2, 0, 6, 1, 0, 3, 3, 3, 0, 1, 6})
	f.Add([]byte{3, 3, 0, 1, 0, 0, 1, 0, 1, 1})
	f.Add(binary.LittleEndian.AppendUint64([]byte{0, 1, 1}, math.Float64bits(math.NaN())))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, m, n := decodeGame(data)
		x, y := make([]float64, m), make([]float64, n)
		native := NewNative()
		value, err := native.Nash(a, m, n, x, y)
		finite := spread(a)-spread(a) == 0
		if (err == nil) != finite {
			t.Fatalf("%d×%d %v: error %v", m, n, a, err)
		}
		if !finite {
			return
		}
		checkEquilibrium(t, maximalGap(native), a, m, n, value, x, y)
		other, err := NewEngine("glpk")
		if err != nil {
			return
		}
		second, err := other.Nash(a, m, n, x, y)
		if err != nil {
			t.Logf("GLPK gives up: %v", err)
			return
		}
		checkEquilibrium(t, maximalGap(other), a, m, n, second, x, y)
		if math.Abs(value-second) > maximalGap(other)*spread(a)+math.SmallestNonzeroFloat64 {
			t.Fatalf("%d×%d %v: native %v, GLPK %v", m, n, a, value, second)
		}
	})
}

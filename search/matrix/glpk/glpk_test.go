//go:build glpk

package glpk

import (
	"math"
	"runtime"
	"testing"
)

// blending returns max 10x + 6y + 4z subject to x + y + z ≤ 100,
// 10x + 4y + 5z ≤ 600, 2x + 2y + 6z ≤ 300 and x, y, z ≥ 0, the example of the
// GLPK reference manual. Its optimum is 733⅓ at (33⅓, 66⅔, 0).
func blending(t *testing.T) *Prob {
	runtime.LockOSThread()
	p := New()
	t.Cleanup(func() {
		p.Delete()
		runtime.UnlockOSThread()
	})
	p.SetObjDir(MAX)
	if first := p.AddRows(3); first != 1 {
		t.Fatalf("first row %d, expected 1", first)
	}
	p.AddCols(3)
	for i, bound := range []float64{100, 600, 300} {
		p.SetRowBnds(i+1, UP, 0, bound)
	}
	for j, coefficient := range []float64{10, 6, 4} {
		p.SetColBnds(j+1, LO, 0, 0)
		p.SetObjCoef(j+1, coefficient)
	}
	p.LoadMatrix([]int32{0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, []int32{0, 1, 2, 3, 1, 2, 3, 1, 2, 3},
		[]float64{0, 1, 1, 1, 10, 4, 5, 2, 2, 6})
	return p
}

func quiet() *Smcp {
	s := NewSmcp()
	s.SetMsgLev(MSG_OFF)
	return s
}

func TestSimplexFindsTheOptimum(t *testing.T) {
	for _, method := range []Meth{PRIMAL, DUALP, DUAL} {
		p, parameters := blending(t), quiet()
		parameters.SetMeth(method)
		if err := p.Simplex(parameters); err != nil {
			t.Fatalf("method %d: %v", method, err)
		}
		if p.Status() != OPT || math.Abs(p.ObjVal()-2200./3) > 1e-9 {
			t.Errorf("method %d: status %d, value %v", method, p.Status(), p.ObjVal())
		}
		for j, want := range []float64{100. / 3, 200. / 3, 0} {
			if math.Abs(p.ColPrim(j+1)-want) > 1e-9 {
				t.Errorf("method %d: column %d is %v, expected %v", method, j+1, p.ColPrim(j+1), want)
			}
		}
	}
}

func TestStatusTellsInfeasibleAndUnbounded(t *testing.T) {
	p := blending(t)
	p.SetRowBnds(1, LO, 200, 0)
	if err := p.Simplex(quiet()); err != nil || p.Status() != NOFEAS {
		t.Errorf("status %d, error %v, expected no feasible solution", p.Status(), err)
	}
	p = blending(t)
	for i := 1; i <= 3; i++ {
		p.SetRowBnds(i, FR, 0, 0)
	}
	if err := p.Simplex(quiet()); err != nil || p.Status() != UNBND {
		t.Errorf("status %d, error %v, expected unbounded", p.Status(), err)
	}
}

func TestContradictoryBoundsAreAnError(t *testing.T) {
	p := blending(t)
	p.SetColBnds(1, DB, 2, 1)
	if err := p.Simplex(quiet()); err != EBOUND {
		t.Errorf("error %v, expected %v", err, EBOUND)
	}
}

func TestMisuseOfAProblemPanicsInsteadOfAborting(t *testing.T) {
	p := blending(t)
	deleted := New()
	deleted.Delete()
	deleted.Delete()
	for name, misuse := range map[string]func(){
		"row out of range":     func() { p.SetRowBnds(4, FR, 0, 0) },
		"column out of range":  func() { p.ColPrim(0) },
		"slices of two sizes":  func() { p.LoadMatrix([]int32{0}, []int32{0}, nil) },
		"element out of range": func() { p.LoadMatrix([]int32{0, 9}, []int32{0, 1}, []float64{0, 1}) },
		"deleted":              func() { deleted.Status() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: expected a panic", name)
				}
			}()
			misuse()
		}()
	}
}

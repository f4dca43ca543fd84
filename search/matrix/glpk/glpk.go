//go:build glpk

// Package glpk binds the linear programming part of the GNU Linear Programming
// Kit. It owns the crossing to C and knows nothing of games.
//
// Rows (constraints) and columns (variables) are numbered from 1, and element 0
// of the slices that hold a sparse matrix is ignored, as in C. libglpk keeps its
// memory per thread: a Prob belongs to the operating-system thread that made it,
// so lock the thread from New to Delete.
package glpk

// #cgo LDFLAGS: -lglpk
// #include <glpk.h>
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// ObjDir is the direction of the objective.
type ObjDir int

// MAX is the direction to set; at first the objective is minimised.
const MAX = ObjDir(C.GLP_MAX)

// BndsType says which bounds a row or column has.
type BndsType int

// The kinds of bounds.
const (
	FR = BndsType(C.GLP_FR) // none
	LO = BndsType(C.GLP_LO) // lower
	UP = BndsType(C.GLP_UP) // upper
	DB = BndsType(C.GLP_DB) // lower and upper, different
	FX = BndsType(C.GLP_FX) // lower and upper, equal
)

// SolStat is the status of a solution.
type SolStat int

// The statuses that tell something.
const (
	NOFEAS = SolStat(C.GLP_NOFEAS) // no feasible solution exists
	OPT    = SolStat(C.GLP_OPT)
	UNBND  = SolStat(C.GLP_UNBND)
)

// Prob is a linear program. Make one with New and free it with Delete.
type Prob struct {
	p          *C.glp_prob
	rows, cols int
}

// New makes an empty program.
func New() *Prob { return &Prob{p: C.glp_create_prob()} }

// Delete frees the program. A second Delete does nothing; any other call panics.
func (p *Prob) Delete() {
	if p.p != nil {
		C.glp_delete_prob(p.p)
		p.p = nil
	}
}

func (p *Prob) handle() *C.glp_prob {
	if p.p == nil {
		panic("glpk: use of a deleted problem")
	}
	return p.p
}

// row returns i as a row number.
func (p *Prob) row(i int) C.int { return within("row", i, p.rows) }

// column returns j as a column number.
func (p *Prob) column(j int) C.int { return within("column", j, p.cols) }

func within(what string, i, count int) C.int {
	if i < 1 || i > count {
		panic(fmt.Sprintf("glpk: %s %d of %d", what, i, count))
	}
	return C.int(i)
}

// SetObjDir sets the direction of the objective.
func (p *Prob) SetObjDir(dir ObjDir) { C.glp_set_obj_dir(p.handle(), C.int(dir)) }

// AddRows adds free rows and returns the number of the first.
func (p *Prob) AddRows(nrs int) int {
	first := int(C.glp_add_rows(p.handle(), positive(nrs)))
	p.rows += nrs
	return first
}

// AddCols adds columns fixed at zero and returns the number of the first.
func (p *Prob) AddCols(ncs int) int {
	first := int(C.glp_add_cols(p.handle(), positive(ncs)))
	p.cols += ncs
	return first
}

func positive(count int) C.int {
	if count < 1 || count > math.MaxInt32 {
		panic(fmt.Sprintf("glpk: cannot add %d rows or columns", count))
	}
	return C.int(count)
}

// SetRowBnds bounds row i; a bound that the type does not have is ignored, and
// of FX only lb counts.
func (p *Prob) SetRowBnds(i int, kind BndsType, lb, ub float64) {
	C.glp_set_row_bnds(p.handle(), p.row(i), C.int(kind), C.double(lb), C.double(ub))
}

// SetColBnds bounds column j as SetRowBnds does a row.
func (p *Prob) SetColBnds(j int, kind BndsType, lb, ub float64) {
	C.glp_set_col_bnds(p.handle(), p.column(j), C.int(kind), C.double(lb), C.double(ub))
}

// SetObjCoef sets the objective coefficient of column j.
func (p *Prob) SetObjCoef(j int, coef float64) {
	C.glp_set_obj_coef(p.handle(), p.column(j), C.double(coef))
}

// LoadMatrix replaces all coefficients: row ia[k], column ja[k] becomes ar[k]
// for k ≥ 1. The slices have one length, and no place may occur twice.
func (p *Prob) LoadMatrix(ia, ja []int32, ar []float64) {
	if len(ia) != len(ja) || len(ia) != len(ar) || len(ia) == 0 {
		panic(fmt.Sprintf("glpk: matrix of %d rows, %d columns and %d values", len(ia), len(ja), len(ar)))
	}
	for k := 1; k < len(ia); k++ {
		within("row", int(ia[k]), p.rows)
		within("column", int(ja[k]), p.cols)
	}
	C.glp_load_matrix(p.handle(), C.int(len(ia)-1),
		(*C.int)(unsafe.SliceData(ia)), (*C.int)(unsafe.SliceData(ja)), (*C.double)(unsafe.SliceData(ar)))
}

// Status returns the status of the last solution.
func (p *Prob) Status() SolStat { return SolStat(C.glp_get_status(p.handle())) }

// ObjVal returns the value of the objective.
func (p *Prob) ObjVal() float64 { return float64(C.glp_get_obj_val(p.handle())) }

// ColPrim returns the value of the variable of column j.
func (p *Prob) ColPrim(j int) float64 {
	return float64(C.glp_get_col_prim(p.handle(), p.column(j)))
}

//go:build glpk

package glpk

// #include <glpk.h>
import "C"

import "math"

// OptError says why a solver gave up. It is the error of Simplex.
type OptError int

// EBOUND is the error of contradictory bounds.
const EBOUND = OptError(C.GLP_EBOUND)

var optErrors = map[OptError]string{
	C.GLP_EBADB:  "the initial basis is invalid",
	C.GLP_ESING:  "the basis matrix is singular",
	C.GLP_ECOND:  "the basis matrix is ill-conditioned",
	C.GLP_EBOUND: "a variable has contradictory bounds",
	C.GLP_EFAIL:  "the solver failed",
	C.GLP_EOBJLL: "the objective reached its lower limit",
	C.GLP_EOBJUL: "the objective reached its upper limit",
	C.GLP_EITLIM: "the iteration limit was reached",
	C.GLP_ETMLIM: "the time limit was reached",
	C.GLP_ENOPFS: "no feasible solution exists",
	C.GLP_ENODFS: "the objective is unbounded",
}

// Error describes the failure.
func (e OptError) Error() string {
	if s, ok := optErrors[e]; ok {
		return s
	}
	return "unknown failure"
}

// MsgLev is the verbosity of a solver on the terminal.
type MsgLev int

// MSG_OFF is the level at which nothing is; by default everything is.
const MSG_OFF = MsgLev(C.GLP_MSG_OFF)

// Meth is a simplex method.
type Meth int

// The methods; PRIMAL is the default.
const (
	PRIMAL = Meth(C.GLP_PRIMAL)
	DUALP  = Meth(C.GLP_DUALP) // dual, and primal if that fails
	DUAL   = Meth(C.GLP_DUAL)
)

// Smcp holds the parameters of a simplex method.
type Smcp struct {
	smcp C.glp_smcp
}

// NewSmcp returns the default parameters.
func NewSmcp() *Smcp {
	s := new(Smcp)
	C.glp_init_smcp(&s.smcp)
	return s
}

// SetMsgLev sets the verbosity.
func (s *Smcp) SetMsgLev(lev MsgLev) { s.smcp.msg_lev = C.int(lev) }

// SetMeth sets the method.
func (s *Smcp) SetMeth(meth Meth) { s.smcp.meth = C.int(meth) }

// iterationsPerLine bounds the iterations of Simplex by the rows and columns of a
// program. A run takes 2 or 3 per line; libglpk does not prevent cycling, and
// without a limit it would not return.
const iterationsPerLine = 100

// Simplex solves the program in floating point.
// Without an error the method came to an end, and Status tells to which.
func (p *Prob) Simplex(parm *Smcp) error {
	limited := parm.smcp
	limited.it_lim = C.int(min(iterationsPerLine*(p.rows+p.cols), math.MaxInt32))
	if code := C.glp_simplex(p.handle(), &limited); code != 0 {
		return OptError(code)
	}
	return nil
}

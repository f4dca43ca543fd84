package glpk

// #include <glpk.h>
import "C"

import "math"

// OptError says why a solver gave up. It is the error of Simplex.
type OptError int

// The errors of the simplex method.
const (
	EBADB  = OptError(C.GLP_EBADB)
	ESING  = OptError(C.GLP_ESING)
	ECOND  = OptError(C.GLP_ECOND)
	EBOUND = OptError(C.GLP_EBOUND)
	EFAIL  = OptError(C.GLP_EFAIL)
	EOBJLL = OptError(C.GLP_EOBJLL)
	EOBJUL = OptError(C.GLP_EOBJUL)
	EITLIM = OptError(C.GLP_EITLIM)
	ETMLIM = OptError(C.GLP_ETMLIM)
	ENOPFS = OptError(C.GLP_ENOPFS)
	ENODFS = OptError(C.GLP_ENODFS)
)

var optErrors = map[OptError]string{
	EBADB:  "the initial basis is invalid",
	ESING:  "the basis matrix is singular",
	ECOND:  "the basis matrix is ill-conditioned",
	EBOUND: "a variable has contradictory bounds",
	EFAIL:  "the solver failed",
	EOBJLL: "the objective reached its lower limit",
	EOBJUL: "the objective reached its upper limit",
	EITLIM: "the iteration limit was reached",
	ETMLIM: "the time limit was reached",
	ENOPFS: "no feasible solution exists",
	ENODFS: "the objective is unbounded",
}

// Error describes the failure.
func (e OptError) Error() string {
	if s, ok := optErrors[e]; ok {
		return s
	}
	return "unknown failure"
}

// MsgLev is what a solver prints on the terminal.
type MsgLev int

// The message levels; MSG_ALL is the default.
const (
	MSG_OFF = MsgLev(C.GLP_MSG_OFF)
	MSG_ERR = MsgLev(C.GLP_MSG_ERR)
	MSG_ON  = MsgLev(C.GLP_MSG_ON)
	MSG_ALL = MsgLev(C.GLP_MSG_ALL)
)

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

// SetMsgLev sets what is printed.
func (s *Smcp) SetMsgLev(lev MsgLev) { s.smcp.msg_lev = C.int(lev) }

// SetMeth sets the method.
func (s *Smcp) SetMeth(meth Meth) { s.smcp.meth = C.int(meth) }

// iterationsPerLine bounds the iterations of Simplex by the rows and columns of a
// program. A run takes 2 or 3 per line; libglpk does not prevent cycling, and
// without a limit it would not return.
const iterationsPerLine = 100

// Simplex solves the program in floating point; nil parameters are the default.
// Without an error the method came to an end, and Status tells to which.
func (p *Prob) Simplex(parm *Smcp) error {
	if parm == nil {
		parm = NewSmcp()
	}
	limited := parm.smcp
	limited.it_lim = C.int(min(iterationsPerLine*(p.rows+p.cols), math.MaxInt32))
	return optError(C.glp_simplex(p.handle(), &limited))
}

func optError(code C.int) error {
	if code != 0 {
		return OptError(code)
	}
	return nil
}

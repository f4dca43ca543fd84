package datalog

import "errors"

// Limits bound the work of grounding and of the Datalog machine. Zero fields mean the defaults. Thorough grounding doubles the
// defaults, as it adds the tuples of demand relations.
type Limits struct {
	MaxTuples    int   // of all relations; default 6 million
	MaxAtoms     int   // possible atoms of open relations; default 2.5 million
	MaxInstances int   // rule instances; default 5 million
	MaxBytes     int64 // memory of tables and instances; default 3 GiB
	// Thorough makes grounding rewrite rules wherever the program may become smaller, which takes longer. Without it rules
	// are rewritten only if the program is expected to become smaller.
	Thorough bool
}

// ErrLimit is wrapped by errors that name the exceeded limit.
var ErrLimit = errors.New("limit exceeded")

// WithDefaults returns l with the defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
	times := 1
	if l.Thorough {
		times = 2
	}
	if l.MaxTuples <= 0 {
		l.MaxTuples = times * 6_000_000
	}
	if l.MaxAtoms <= 0 {
		l.MaxAtoms = times * 2_500_000
	}
	if l.MaxInstances <= 0 {
		l.MaxInstances = times * 5_000_000
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = 3 << 30
	}
	return l
}

// Grounding names the operation in the errors of a context that is done.
const Grounding = "grounding"

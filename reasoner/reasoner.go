// Package reasoner is the front door of the compiler: checked rules in, state
// machine out. It chooses the engine and owns the order of the passes; the
// engines live in the packages below.
package reasoner

import (
	"context"
	"errors"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Options steer New. The zero value is right for nearly everyone.
type Options struct {
	Engine string        // "auto" (or ""), "circuit", "datalog", "reference"
	Budget time.Duration // time that compiling may take; 0 means 60 s
	Memory int64         // bytes that compiling may take; 0 means 4 GiB
}

// New compiles a game into a state machine.
func New(ctx context.Context, g *gdl.Game, o Options) (machine.Machine, error) {
	return nil, errors.New("no engine yet")
}

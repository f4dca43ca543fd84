package guard

import (
	"context"
	"fmt"
)

// Watch checks a context during long work in deeply nested functions without errors: parsing, planning, rewriting. It
// ends the work by a panic, which Stopped turns into an error at the outermost function. It belongs to one goroutine.
type Watch struct {
	ctx   context.Context
	what  string
	steps int
}

// stopped is the value of the panic.
type stopped struct{ err error }

// NewWatch returns a Watch; what names the work in errors.
func NewWatch(ctx context.Context, what string) *Watch { return &Watch{ctx: ctx, what: what} }

// stepsPerLook is the number of steps between checks of the context: about a millisecond of work.
const stepsPerLook = 512

// Step counts a step of some microseconds, and checks the context every stepsPerLook steps.
func (w *Watch) Step() {
	if w.steps++; w.steps%stepsPerLook == 0 {
		w.Look()
	}
}

// Look ends the work by a panic if the context is done.
func (w *Watch) Look() {
	if err := w.Err(); err != nil {
		Stop(err)
	}
}

// Err returns an error if the context is done, for work that can return errors.
func (w *Watch) Err() error {
	if err := w.ctx.Err(); err != nil {
		return fmt.Errorf("%s stopped: %w", w.what, err)
	}
	return nil
}

// Stop ends watched work with an error.
func Stop(err error) { panic(stopped{err}) }

// Stopped recovers the panic of Stop and stores its error. Use it with defer around watched work.
func Stopped(err *error) {
	switch p := recover().(type) {
	case nil:
	case stopped:
		*err = p.err
	default:
		panic(p)
	}
}

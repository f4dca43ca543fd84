package guard

import (
	"context"
	"fmt"
)

// Watch looks at a context while long work goes on that is deep inside of other work, and has
// results of its own: parsing, planning, rewriting. It ends the work by a panic, which Stopped
// turns into an error at the function that began it. It belongs to one goroutine.
type Watch struct {
	ctx   context.Context
	what  string
	steps int
}

// stopped is the value of the panic that ends watched work.
type stopped struct{ err error }

// NewWatch watches over a piece of work, whose name is for the error.
func NewWatch(ctx context.Context, what string) *Watch { return &Watch{ctx: ctx, what: what} }

// stepsPerLook is how many steps pass between looks at the context: about a millisecond of work.
const stepsPerLook = 512

// Step counts some microseconds of work.
func (w *Watch) Step() {
	if w.steps++; w.steps%stepsPerLook == 0 {
		w.Look()
	}
}

// Look ends the work if the context is done.
func (w *Watch) Look() {
	if err := w.Err(); err != nil {
		Stop(err)
	}
}

// Err says that the work must end, for work that can return an error.
func (w *Watch) Err() error {
	if err := w.ctx.Err(); err != nil {
		return fmt.Errorf("%s stopped: %w", w.what, err)
	}
	return nil
}

// Stop ends watched work with an error.
func Stop(err error) { panic(stopped{err}) }

// Stopped is deferred around watched work: it stores the error that has ended it.
func Stopped(err *error) {
	switch p := recover().(type) {
	case nil:
	case stopped:
		*err = p.err
	default:
		panic(p)
	}
}

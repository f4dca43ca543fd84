// Package guard turns panics into errors. Every goroutine that the program
// starts runs inside of it, because a panic that nobody recovers ends the
// process. It knows nothing of the rest of the project.
package guard

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/rs/zerolog"
)

// Panic is the error of a function that panicked.
type Panic struct {
	Value any    // what panic was called with
	Stack []byte // of the goroutine, down to where it panicked
}

// Error implements error. The stack is left to the log.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Unwrap is the value of the panic if that is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Do runs f and returns its error or, if f panics, a *Panic. What f started in
// other goroutines is not covered, nor what the runtime itself ends the process
// for: a stack that overflows, memory that the system refuses.
func Do(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Log adds an error to a line of a log, with the stack if it is of a panic.
func Log(e *zerolog.Event, err error) *zerolog.Event {
	var p *Panic
	if errors.As(err, &p) {
		e = e.Bytes("stack", p.Stack)
	}
	return e.Err(err)
}

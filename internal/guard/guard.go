// Package guard turns panics into errors. Every goroutine of the program runs inside of guard.Do, because an
// unrecovered panic ends the process. It is independent of the rest of the project.
package guard

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/rs/zerolog"
)

// Panic is the error of a function that panicked.
type Panic struct {
	Value any    // argument of panic
	Stack []byte // stack of the goroutine at the panic
}

// Error implements error. It omits the stack, which Log adds.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Unwrap returns the value of the panic if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Do runs f and returns its error or, if f panics, a *Panic. It covers neither other goroutines started by f nor
// fatal errors of the runtime: stack overflow and exhausted memory.
func Do(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Log adds an error to a log line, and the stack of a Panic.
func Log(e *zerolog.Event, err error) *zerolog.Event {
	var p *Panic
	if errors.As(err, &p) {
		e = e.Bytes("stack", p.Stack)
	}
	return e.Err(err)
}

package machine

import "time"

// Stage is a part of making a machine.
type Stage struct {
	Name string
	Took time.Duration
}

// Stages are the parts of making a machine, in order. Two that follow each other under
// one name are one.
type Stages []Stage

// Add appends a stage.
func (s *Stages) Add(name string, took time.Duration) {
	if n := len(*s); n > 0 && (*s)[n-1].Name == name {
		(*s)[n-1].Took += took
		return
	}
	*s = append(*s, Stage{name, took})
}

// Stopwatch measures stages that follow each other.
type Stopwatch struct {
	Stages Stages
	began  time.Time
}

// NewStopwatch begins to measure the first stage.
func NewStopwatch() *Stopwatch { return &Stopwatch{began: time.Now()} }

// Done ends a stage, and begins the next.
func (w *Stopwatch) Done(name string) {
	now := time.Now()
	w.Stages.Add(name, now.Sub(w.began))
	w.began = now
}

package machine

import "time"

// Stage is a step of compilation with its duration.
type Stage struct {
	Name string
	Took time.Duration
}

// Stages is the list of the steps of compilation, in order. Successive steps of the same name are added
// together.
type Stages []Stage

// Add appends a stage.
func (s *Stages) Add(name string, took time.Duration) {
	if n := len(*s); n > 0 && (*s)[n-1].Name == name {
		(*s)[n-1].Took += took
		return
	}
	*s = append(*s, Stage{name, took})
}

// Stopwatch measures successive stages.
type Stopwatch struct {
	Stages Stages
	began  time.Time
}

// NewStopwatch starts the first stage.
func NewStopwatch() *Stopwatch { return &Stopwatch{began: time.Now()} }

// Done ends the current stage under the given name, and starts the next.
func (w *Stopwatch) Done(name string) {
	now := time.Now()
	w.Stages.Add(name, now.Sub(w.began))
	w.began = now
}

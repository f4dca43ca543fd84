package training

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"stackmate/gdl"
	"stackmate/gdl/canonical"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/evaluate"
	"stackmate/search/solve"
)

// Task asks for games of self-play with given weights.
type Task struct {
	Known   []byte  `json:"known"` // a file of evaluate.Learner
	Seed    uint64  `json:"seed"`
	Seconds float64 `json:"seconds"`
}

// maxSeconds bounds the time of a task.
const maxSeconds = 60

// Helper plays games for trainings of one game on other machines.
type Helper struct {
	rules   *canonical.Form
	machine machine.Machine
	config  evaluate.Config // without the seed
}

// NewHelper returns a helper whose tables take so much memory, in bytes.
func NewHelper(ctx context.Context, rules *gdl.Game, m machine.Machine, seed uint64, memory int64) *Helper {
	return &Helper{canonical.New(rules), cmp.Or(facts.Decisive(ctx, m, false), m), config(ctx, m, solve.Classify(ctx, m, seed), seed, memory)}
}

// Play plays the games of a task.
func (h *Helper) Play(ctx context.Context, task Task) (*evaluate.Played, error) {
	c := h.config
	c.Seed = task.Seed
	learner, err := evaluate.Read(bytes.NewReader(task.Known), h.rules, h.machine, c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(min(task.Seconds, maxSeconds)*float64(time.Second)))
	defer cancel()
	return learner.Play(ctx), nil
}

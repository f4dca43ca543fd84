package reasoner

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/ground"
	"stackmate/reasoner/machine"
)

const (
	// A game with more than plainInstances rule instances is grounded thoroughly, with up to mostInstances. Nearly all
	// games have fewer than plainInstances.
	plainInstances = 2_500_000
	mostInstances  = 10_000_000
	// aheadMemory is the least memory limit, in bytes, of two groundings at a time. Its limits of instances and atoms
	// keep plain grounding below a quarter of it.
	aheadMemory = 2 << 30
)

// groundProgram returns the ground program of a game. A game that exceeds a limit is grounded again, thoroughly. Of a game with
// half of the allowed instances the thorough grounding begins at once, on another processor; only the time depends on it.
func groundProgram(ctx context.Context, g *gdl.Game, memory int64) (*ground.Program, error) {
	plain := datalog.Limits{MaxInstances: plainInstances, MaxBytes: memory}
	thorough := datalog.Limits{MaxInstances: mostInstances, MaxBytes: memory, Thorough: true}
	return groundWithin(ctx, g, plain, thorough, memory >= aheadMemory && runtime.GOMAXPROCS(0) > 1)
}

// groundWithin returns the ground program of a game within the plain limits, or else within the thorough limits. With
// ahead, it begins the second grounding when the first has half of its instances, and stops it if the first succeeds.
func groundWithin(ctx context.Context, g *gdl.Game, plain, thorough datalog.Limits, ahead bool) (*ground.Program, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type grounded struct {
		program *ground.Program
		err     error
	}
	second := make(chan grounded, 1)
	begin := sync.OnceFunc(func() {
		go func() {
			var r grounded
			r.err = guard.Do(func() (err error) { r.program, err = ground.New(ctx, g, thorough); return err })
			second <- r
		}()
	})
	if ahead {
		plain.Large = begin
	}
	began := time.Now()
	p, err := ground.New(ctx, g, plain)
	if err == nil || !errors.Is(err, datalog.ErrLimit) {
		return p, err
	}
	var stages machine.Stages
	stages.Add("grounding, failed", time.Since(began))
	begin()
	r := <-second
	if r.err == nil {
		r.program.Stages = append(stages, r.program.Stages...)
	}
	return r.program, r.err
}

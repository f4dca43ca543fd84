package reasoner

import (
	"context"
	"errors"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/ground"
	"stackmate/reasoner/machine"
)

const (
	// The first attempt of groundProgram has up to plainInstances rule instances, the second up to mostInstances. Nearly
	// all games have fewer than plainInstances.
	plainInstances = 2_500_000
	mostInstances  = 10_000_000
)

// groundProgram returns the ground program of a game. A game that exceeds any limit of datalog.Limits is grounded again,
// thoroughly.
func groundProgram(ctx context.Context, g *gdl.Game, memory int64) (p *ground.Program, err error) {
	var stages machine.Stages
	for _, lim := range []datalog.Limits{{MaxInstances: plainInstances}, {MaxInstances: mostInstances, Thorough: true}} {
		began := time.Now()
		lim.MaxBytes = memory
		if p, err = ground.New(ctx, g, lim); err == nil {
			p.Stages = append(stages, p.Stages...)
			return p, nil
		}
		if !errors.Is(err, datalog.ErrLimit) {
			break
		}
		stages.Add("grounding, failed", time.Since(began))
	}
	return nil, err
}

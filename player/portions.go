package player

import (
	"context"
	"time"
)

// portion bounds the time of a step of the start clock: to a share of the time that is left when the step begins, and to a
// time.
type portion struct {
	share float64
	most  time.Duration // 0 means no bound
}

// The portions of the start clock (docs/lab/constants.md, with all other constants). At least 3/32 of the clock are left after
// training, for the search of the first position and for overruns.
var (
	// half is for training, for more training after the comparison of the evaluation with playouts, and for the comparison of
	// RAVE values with first-move values.
	half = portion{share: 1. / 2}
	// quarter is for the comparison of the evaluation with playouts, and for training where both players choose at once: exact
	// searches need the time, and seconds suffice (docs/lab/atonce.md). It is also for the value of a simultaneous game without
	// subgames: a first move without a proof often loses.
	quarter = portion{share: 1. / 4}
	// factTime is for each search for a fact about the game: the sum of the goals, decisive moves, signals, subgames, the
	// value.
	factTime = portion{1. / 8, 1500 * time.Millisecond}
	// rateTime is for a search that measures leaves a second.
	rateTime = portion{1, 100 * time.Millisecond}
)

// of returns the time of the portion if so much time is left.
func (p portion) of(left time.Duration) time.Duration {
	if t := scaled(p.share, left); p.most == 0 || t < p.most {
		return t
	}
	return p.most
}

// begin returns ctx with a deadline for a step that begins now.
func (p portion) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, p.of(timeLeft(ctx, time.Now())))
}

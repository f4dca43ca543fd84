package player

import (
	"context"
	"time"
)

const (
	// replyMargin is what is left of a clock when the searches are told to stop:
	// for them to unwind (tens of milliseconds on a slow engine), for a garbage
	// collection, for the reply to be scheduled and to cross the network.
	replyMargin = 300 * time.Millisecond
	// readyMargin is the same for the start clock, where nothing depends on the
	// last second but the whole match on being ready.
	readyMargin = time.Second
	// marginShare bounds the margin to this part of a short clock.
	marginShare = 0.25
	// unwinding is the part of the margin that searches have to return; one that
	// takes longer is left behind.
	unwinding = replyMargin / 2
	// unwindingShare bounds that to this part of the time searched: half the
	// margin of a short clock.
	unwindingShare = marginShare / (1 - marginShare) / 2
	// unlimitedThinking is the time for a move where the clock has no limit.
	unlimitedThinking = 10 * time.Second
	// unlimitedPreparing is the time for Start where the clock has no limit.
	unlimitedPreparing = 60 * time.Second
)

// withMargin is ctx, done a margin before its deadline, or before the share of a
// short clock.
func withMargin(ctx context.Context, now time.Time, margin time.Duration) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithDeadline(ctx, now.Add(unlimitedThinking))
	}
	left := deadline.Sub(now)
	margin = min(margin, time.Duration(marginShare*float64(left)))
	return context.WithDeadline(ctx, deadline.Add(-margin))
}

// patience is the time until the deadline of ctx.
func patience(ctx context.Context, now time.Time) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Sub(now)
	}
	return unlimitedPreparing
}

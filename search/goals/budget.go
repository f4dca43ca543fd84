package goals

import (
	"context"
	"time"

	"stackmate/internal/cputime"
)

// busyFactor is the share of a busy machine, one part in so many, that a budget of processor time allows for.
const busyFactor = 20

// budget returns a context that ends when the process has taken so much processor time from now on, or after busyFactor times as
// long: then what is found in time hardly depends on other work on the machine.
func budget(ctx context.Context, work time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, busyFactor*work)
	began := cputime.Now()
	look := time.NewTicker(work / 10)
	go func() {
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
				if cputime.Now()-began >= work {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

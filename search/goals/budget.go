package goals

import (
	"context"
	"time"

	"stackmate/internal/cputime"
)

// busyFactor is the share of a busy machine, one part in so many, that a budget of processor time allows for.
const busyFactor = 20

// budget returns a context that ends when the process has used `work` of processor time, or after busyFactor times as long.
// So results found in time hardly depend on other load on the machine.
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

package cputime

import (
	"context"
	"time"
)

// busyFactor: 1/busyFactor is the smallest share of a busy machine that a budget allows for.
const busyFactor = 20

// Budget returns a context that ends when the process has used `work` of processor time, or after busyFactor times as long.
// So results found in time hardly depend on other load on the machine.
func Budget(ctx context.Context, work time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, busyFactor*work)
	began := Now()
	look := time.NewTicker(work / 10)
	go func() {
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
				if Now()-began >= work {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

//go:build unix

package player

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has taken.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

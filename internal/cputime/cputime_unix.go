//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Now returns the processor time of this process.
func Now() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

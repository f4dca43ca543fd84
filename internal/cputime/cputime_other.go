//go:build !unix

package cputime

import "time"

var started = time.Now()

// Now returns the elapsed time: this platform has no better measure.
func Now() time.Duration { return time.Since(started) }

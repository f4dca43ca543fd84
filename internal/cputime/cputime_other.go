//go:build !unix

package cputime

import "time"

var started = time.Now()

// Now is the time that has passed: there is no better measure here.
func Now() time.Duration { return time.Since(started) }

//go:build !unix

package reasoner_test

import "time"

var started = time.Now()

// cpuTime is the time that has passed: there is no better measure here.
func cpuTime() time.Duration { return time.Since(started) }

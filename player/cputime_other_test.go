//go:build !unix

package player

import "time"

var started = time.Now()

// cpuTime is the time that has passed: there is no better measure here.
func cpuTime() time.Duration { return time.Since(started) }

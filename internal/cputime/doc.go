// Package cputime is the clock of benchmarks that other work on the machine must not
// disturb.
package cputime

// Package cputime measures processor time: the clock of benchmarks, and of budgets that other work on the machine must not
// disturb.
package cputime

//go:build race

package exhaustive

const race = true

//go:build !race

package exhaustive

const race = false

// Package scratch holds memory that is used again for every position or matrix: the
// searches allocate nothing once their slices have grown.
package scratch

import "slices"

// Resize returns a slice of length n in the memory of s, or in new memory, with
// some room to grow, where that is too short. What it holds is not specified.
func Resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

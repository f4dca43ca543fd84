// Package scratch holds memory that is used again for every position or matrix: the
// searches allocate nothing once their slices have grown.
package scratch

import "slices"

// Resize returns a slice of length n with undefined contents. It reuses the memory of s if it is large enough, and
// otherwise allocates some room to grow.
func Resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

//go:build !amd64

package kernel

// Transpose transposes a 64×64 bit matrix; nil if the processor lacks the instructions.
var Transpose func(a *[64]uint64)

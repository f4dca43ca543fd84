//go:build !amd64 && !arm64

package kernel

// vectorKernels lists the vector kernels of this processor, widest first.
func vectorKernels() []*Kernel { return nil }

// Transpose transposes a 64×64 bit matrix; nil if the processor lacks the instructions.
var Transpose func(a *[64]uint64)

//go:build !amd64 && !arm64

package kernel

// vectorKernels lists the vector kernels of this processor, widest first.
func vectorKernels() []*Kernel { return nil }

// Transpose makes bit j of word i what bit i of word j was; nil where there are no
// instructions for it.
var Transpose func(a *[64]uint64)

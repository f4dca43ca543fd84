//go:build !amd64

package kernel

// vectorKernels lists the vector kernels of this processor, widest first.
func vectorKernels() []*Kernel { return nil }

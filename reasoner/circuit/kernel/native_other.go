//go:build !arm64 && !(amd64 && (linux || windows))

package kernel

// vectorKernels lists the vector kernels of this processor, widest first.
func vectorKernels() []*Kernel { return nil }

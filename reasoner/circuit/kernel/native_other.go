//go:build !linux || !amd64

package kernel

// translators lists the kernels that translate programs.
func translators() []*Kernel { return nil }

//go:build !amd64 || !(linux || windows)

package kernel

// translators lists the kernels that translate programs.
func translators() []*Kernel { return nil }

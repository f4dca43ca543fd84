//go:build !amd64

package circuit

// kernels lists the kernels of this processor, widest first.
func kernels() []kernel { return []kernel{portable} }

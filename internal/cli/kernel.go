package cli

import (
	"strings"

	"stackmate/reasoner"
)

// kernelFlag selects the kernel that evaluates circuits.
type kernelFlag struct {
	Kernel string `default:"auto" placeholder:"NAME" help:"Kernel that runs circuits: ${kernels}; auto is the quickest of this machine."`
}

// Validate implements kong's interface.
func (f kernelFlag) Validate() error { return reasoner.CheckKernel(f.Kernel) }

// kernelNames returns the names of the kernels.
func kernelNames() string { return strings.Join(reasoner.Kernels(), ", ") }

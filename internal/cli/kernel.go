package cli

import (
	"strings"

	"stackmate/reasoner"
)

// kernelFlag chooses what circuits run on.
type kernelFlag struct {
	Kernel string `default:"auto" placeholder:"NAME" help:"Kernel that runs circuits: ${kernels}; auto is the quickest of this machine."`
}

// Validate tells kong what is wrong with the flag.
func (f kernelFlag) Validate() error { return reasoner.CheckKernel(f.Kernel) }

// kernelNames are those that the flag takes.
func kernelNames() string { return strings.Join(reasoner.Kernels(), ", ") }

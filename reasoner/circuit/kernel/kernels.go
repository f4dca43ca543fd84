package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Family is the set of kernels of one kind: the widest kernel, for playouts, and narrower kernels.
type Family struct {
	Name  string
	Needs string // required processor and system
}

// Families lists all families of kernels, the fastest family first.
var Families = []Family{
	{familyNative, "amd64 with AVX-512, and Linux or Windows that lets a program run code that it has made"},
	{familyAVX2, "amd64 with AVX2, and Linux or Windows that lets a program run code that it has made"},
	{"neon", "arm64"},
	{familyPortable, "nothing"},
}

// Names that From accepts, besides the names of families and of other kernels.
const (
	Auto       = "auto"        // the quickest kernels of this processor
	Portable64 = "portable/64" // the portable kernel of 64 lanes
	Brief      = "brief"       // Portable64 without its translation, for few evaluations; in no list
)

// The families of the kernels that make machine code, and of the kernels in Go.
const (
	familyNative   = "native"
	familyAVX2     = "native-avx2"
	familyPortable = "portable"
)

// All lists the kernels of this processor, the quickest family first, and the widest kernel of a family first.
func All() []*Kernel {
	return append(vectorKernels(), portableWide, portable64)
}

// From lists the kernels of this processor from the named kernel, or from the first kernel of the named
// family, on. If a batch of the first kernel takes too much memory, the caller tries the next.
func From(name string) ([]*Kernel, error) {
	if name == Brief {
		return []*Kernel{brief}, nil
	}
	all := All()
	if name == "" || name == Auto {
		return all, nil
	}
	if at := slices.IndexFunc(all, func(k *Kernel) bool { return k.familyName() == name || k.name == name }); at >= 0 {
		return all[at:], nil
	}
	names := []string{Auto}
	for _, f := range Families {
		if names = append(names, f.Name); f.Name == name {
			return nil, fmt.Errorf("the kernel %q needs %s, which this machine lacks; the best kernel here is %q", name, f.Needs, all[0].familyName())
		}
	}
	return nil, fmt.Errorf("no kernel %q: it is one of %s", name, strings.Join(names, ", "))
}

// Name returns the family, followed by the number of lanes where the family has several widths.
func (k *Kernel) Name() string { return k.name }

// familyName returns the name of the kernel's family.
func (k *Kernel) familyName() string {
	family, _, _ := strings.Cut(k.name, "/")
	return family
}

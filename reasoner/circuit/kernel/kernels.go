package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Family is the kernels of one kind: the widest one, for playouts, and narrower ones.
type Family struct {
	Name  string
	Needs string // required processor and system
}

// Families is the table of all kernels, the quickest first.
var Families = []Family{
	{Native, "amd64 with AVX-512, and Linux or Windows that lets a program run code that it has made"},
	{NativeAVX2, "amd64 with AVX2, and Linux or Windows that lets a program run code that it has made"},
	{"neon", "arm64"},
	{Portable, "nothing"},
}

// Names that From takes, besides those of all kernels and families.
const (
	Auto       = "auto"   // stands for the quickest kernels of this processor
	Native     = "native" // the families of those that make machine code
	NativeAVX2 = "native-avx2"
	Portable   = "portable"
	Narrow     = "portable/64" // the kernel of 64 lanes, which every processor has
)

// All lists the kernels of this processor, the quickest family first, and the widest kernel of a family first.
func All() []*Kernel {
	return append(vectorKernels(), wide, narrow)
}

// From lists the kernels of this processor from the one of a name, or from those of a family,
// on: where a batch of the first ones takes too much memory, the others are asked.
func From(name string) ([]*Kernel, error) {
	all := All()
	if name == "" || name == Auto {
		return all, nil
	}
	if at := slices.IndexFunc(all, func(k *Kernel) bool { return k.Family() == name || k.name == name }); at >= 0 {
		return all[at:], nil
	}
	names := []string{Auto}
	for _, f := range Families {
		if names = append(names, f.Name); f.Name == name {
			return nil, fmt.Errorf("the kernel %q needs %s, which is not here; %q is the best one that there is", name, f.Needs, all[0].Family())
		}
	}
	return nil, fmt.Errorf("no kernel %q: it is one of %s", name, strings.Join(names, ", "))
}

// Name returns the family, followed by the number of lanes where the family has several widths.
func (k *Kernel) Name() string { return k.name }

// Family is the kind of kernel.
func (k *Kernel) Family() string {
	family, _, _ := strings.Cut(k.name, "/")
	return family
}

package vector

import "golang.org/x/sys/cpu"

// vectors reports whether this processor has the instructions of the kernels.
var vectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1

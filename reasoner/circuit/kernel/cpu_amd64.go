package kernel

import "golang.org/x/sys/cpu"

// Transpose transposes a 64×64 bit matrix; nil if the processor lacks the instructions.
var Transpose = func() func(a *[64]uint64) {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	return func(a *[64]uint64) { transposeAVX2(&a[0]) }
}()

package kernel

import "golang.org/x/sys/cpu"

// vectorKernels lists the vector kernels of this processor, widest first.
func vectorKernels() []*Kernel {
	var list []*Kernel
	if cpu.X86.HasAVX512F {
		a := assembly{8, kernelAVX512, countAVX512, countTurnsAVX512, drawAVX512, pickAVX512, pickTurnsAVX512, blendAVX512, restoreAVX512, randomAVX512}
		list = append(list, a.kernel("avx512"))
	}
	if cpu.X86.HasAVX2 {
		a := assembly{4, kernelAVX2, countAVX2, countTurnsAVX2, drawAVX2, pickAVX2, pickTurnsAVX2, blendAVX2, restoreAVX2, randomAVX2}
		list = append(list, a.kernel("avx2"))
		a = assembly{2, kernelAVX128, countAVX128, countTurnsAVX128, drawAVX128, pickAVX128, pickTurnsAVX128, blendAVX128, restoreAVX128, randomAVX128}
		list = append(list, a.kernel("avx2/128"))
	}
	return list
}

// Transpose transposes a 64×64 bit matrix; nil if the processor lacks the instructions.
var Transpose = func() func(a *[64]uint64) {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	return func(a *[64]uint64) { transposeAVX2(&a[0]) }
}()

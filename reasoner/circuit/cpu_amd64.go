package circuit

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C ../../tools ./kernels -out ../reasoner/circuit/kernels_amd64.s -stubs ../reasoner/circuit/kernels_amd64.go -pkg circuit

// kernels lists the kernels of this processor, widest first.
func kernels() []kernel {
	var list []kernel
	if cpu.X86.HasAVX512F {
		list = append(list, kernel{"avx512", 512, vector(kernelAVX512)})
	}
	if cpu.X86.HasAVX2 {
		list = append(list, kernel{"avx2", 256, vector(kernelAVX2)})
	}
	return append(list, portable)
}

func vector(assembly func(*uint64, *int32, int)) func([]uint64, []int32) {
	return func(rows []uint64, code []int32) {
		assembly(unsafe.SliceData(rows), unsafe.SliceData(code), len(code))
	}
}

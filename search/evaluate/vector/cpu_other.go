//go:build !amd64 && !arm64

package vector

// vectors reports whether kernels exist for this processor. The stubs below are never called.
const vectors = false

func sumKernel(_, _ *float32, _ *uint32, _ int)            { panic(vectors) }
func addKernel(_ *float32, _ *uint32, _ int, _ *float32)   { panic(vectors) }
func changeKernel(_, _ *int16, _, _ *uint64, _ int)        { panic(vectors) }
func applyKernel(_, _ *int16, _ *uint32, _ int)            { panic(vectors) }
func readKernel(_, _ *float32) float32                     { panic(vectors) }
func readShortsKernel(_ *float32, _ *int16) float32        { panic(vectors) }
func backKernel(_, _, _, _ *float32, _ float32)            { panic(vectors) }
func stepKernel(_, _, _, _, _ *float32, _ int, _ *float32) { panic(vectors) }

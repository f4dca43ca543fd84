package kernel

// vectorKernels lists the vector kernels of this processor, widest first. NEON is part of every arm64.
func vectorKernels() []*Kernel {
	wide := vectorRoutines{8, kernelNEON, countNEON, countTurnsNEON, drawNEON, pickNEON, pickTurnsNEON, restoreNEON, randomNEON}
	narrow := vectorRoutines{2, kernelNEON128, countNEON128, countTurnsNEON128, drawNEON128, pickNEON128, pickTurnsNEON128, restoreNEON128, randomNEON128}
	return []*Kernel{wide.kernel("neon"), narrow.kernel("neon/128")}
}

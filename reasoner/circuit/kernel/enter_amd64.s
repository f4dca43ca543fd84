//go:build linux || windows

#include "textflag.h"

// func enter(code unsafe.Pointer, rows *uint64)
TEXT ·enter(SB), NOSPLIT, $8-16
	MOVQ code+0(FP), AX
	MOVQ rows+8(FP), DI
	CALL AX
	VZEROUPPER
	RET

//go:build goexperiment.simd && amd64

#include "textflag.h"

DATA bias<>+0(SB)/4, $0x80808080
GLOBL bias<>(SB), RODATA|NOPTR, $4

// func dotInt8VNNI(a, b *int8, n int) int32
//
// n is a multiple of 64 and at least 64. VPDPBUSD multiplies unsigned bytes by
// signed ones and adds four products at a time to a lane, without loss. a is made
// unsigned by adding 128 (flipping the top bit), and 128·Σb is taken off again.
TEXT ·dotInt8VNNI(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VPBROADCASTD bias<>(SB), Z31
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
loop:
	VMOVDQU64 (DI), Z3
	VPXORD (SI), Z31, Z2
	VPDPBUSD Z3, Z2, Z0
	VPDPBUSD Z3, Z31, Z1
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JNZ  loop
	VPSUBD Z1, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, AX
	VZEROUPPER
	MOVL AX, ret+24(FP)
	RET

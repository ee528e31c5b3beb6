#include "textflag.h"

// Inner kernels of MulAdd: C[rows × lanes] += A[rows × t] · B[t × lanes], with
// the whole of the C tile in registers. A step of the loop reads one row of B, and
// broadcasts one element of each row of A. lda, ldb and ldc arrive in bytes.

// Registers: CX t, SI/DI/R8/R9 rows 0, 3, 6, 9 of A, R10 lda, DX B, R11 ldb,
// BX C, R12 ldc.
#define ARGS \
	MOVQ t+0(FP), CX \
	MOVQ a+8(FP), SI \
	MOVQ lda+16(FP), R10 \
	MOVQ b+24(FP), DX \
	MOVQ ldb+32(FP), R11 \
	MOVQ c+40(FP), BX \
	MOVQ ldc+48(FP), R12 \
	LEAQ (R10)(R10*2), R13 \
	LEAQ (SI)(R13*1), DI \
	LEAQ (DI)(R13*1), R8 \
	LEAQ (R8)(R13*1), R9

// ROW adds one row of A, whose element is at addr, to two accumulators.
#define ROW(broadcast, fma, addr, tmp, b0, b1, c0, c1) \
	broadcast addr, tmp \
	fma b0, tmp, c0 \
	fma b1, tmp, c1

// OUT adds two accumulators to a row of C and goes on to the next row.
#define OUT(add, move, tmp, half, c0, c1) \
	add (BX), c0, c0 \
	move c0, (BX) \
	add half(BX), c1, c1 \
	move c1, half(BX) \
	ADDQ R12, BX

#define ZERO4(xor, c0, c1, c2, c3) \
	xor c0, c0, c0 \
	xor c1, c1, c1 \
	xor c2, c2, c2 \
	xor c3, c3, c3

#define TALL(broadcast, fma, load, add, size) \
	ARGS \
	ZERO4(VPXORQ, Z8, Z9, Z10, Z11) \
	ZERO4(VPXORQ, Z12, Z13, Z14, Z15) \
	ZERO4(VPXORQ, Z16, Z17, Z18, Z19) \
	ZERO4(VPXORQ, Z20, Z21, Z22, Z23) \
	ZERO4(VPXORQ, Z24, Z25, Z26, Z27) \
	ZERO4(VPXORQ, Z28, Z29, Z30, Z31) \
loop: \
	load (DX), Z0 \
	load 64(DX), Z1 \
	ROW(broadcast, fma, (SI), Z2, Z0, Z1, Z8, Z9) \
	ROW(broadcast, fma, (SI)(R10*1), Z3, Z0, Z1, Z10, Z11) \
	ROW(broadcast, fma, (SI)(R10*2), Z4, Z0, Z1, Z12, Z13) \
	ROW(broadcast, fma, (DI), Z5, Z0, Z1, Z14, Z15) \
	ROW(broadcast, fma, (DI)(R10*1), Z2, Z0, Z1, Z16, Z17) \
	ROW(broadcast, fma, (DI)(R10*2), Z3, Z0, Z1, Z18, Z19) \
	ROW(broadcast, fma, (R8), Z4, Z0, Z1, Z20, Z21) \
	ROW(broadcast, fma, (R8)(R10*1), Z5, Z0, Z1, Z22, Z23) \
	ROW(broadcast, fma, (R8)(R10*2), Z2, Z0, Z1, Z24, Z25) \
	ROW(broadcast, fma, (R9), Z3, Z0, Z1, Z26, Z27) \
	ROW(broadcast, fma, (R9)(R10*1), Z4, Z0, Z1, Z28, Z29) \
	ROW(broadcast, fma, (R9)(R10*2), Z5, Z0, Z1, Z30, Z31) \
	ADDQ $size, SI \
	ADDQ $size, DI \
	ADDQ $size, R8 \
	ADDQ $size, R9 \
	ADDQ R11, DX \
	DECQ CX \
	JNZ loop \
	OUT(add, load, Z0, 64, Z8, Z9) \
	OUT(add, load, Z0, 64, Z10, Z11) \
	OUT(add, load, Z0, 64, Z12, Z13) \
	OUT(add, load, Z0, 64, Z14, Z15) \
	OUT(add, load, Z0, 64, Z16, Z17) \
	OUT(add, load, Z0, 64, Z18, Z19) \
	OUT(add, load, Z0, 64, Z20, Z21) \
	OUT(add, load, Z0, 64, Z22, Z23) \
	OUT(add, load, Z0, 64, Z24, Z25) \
	OUT(add, load, Z0, 64, Z26, Z27) \
	OUT(add, load, Z0, 64, Z28, Z29) \
	OUT(add, load, Z0, 64, Z30, Z31) \
	VZEROUPPER \
	RET

#define LOW(broadcast, fma, load, add, size, half, xor, B0, B1, A0, A1, C0, C1, C2, C3, C4, C5, C6, C7) \
	ARGS \
	ZERO4(xor, C0, C1, C2, C3) \
	ZERO4(xor, C4, C5, C6, C7) \
loop: \
	load (DX), B0 \
	load half(DX), B1 \
	ROW(broadcast, fma, (SI), A0, B0, B1, C0, C1) \
	ROW(broadcast, fma, (SI)(R10*1), A1, B0, B1, C2, C3) \
	ROW(broadcast, fma, (SI)(R10*2), A0, B0, B1, C4, C5) \
	ROW(broadcast, fma, (DI), A1, B0, B1, C6, C7) \
	ADDQ $size, SI \
	ADDQ $size, DI \
	ADDQ R11, DX \
	DECQ CX \
	JNZ loop \
	OUT(add, load, B0, half, C0, C1) \
	OUT(add, load, B0, half, C2, C3) \
	OUT(add, load, B0, half, C4, C5) \
	OUT(add, load, B0, half, C6, C7) \
	VZEROUPPER \
	RET

// func tall32(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)
TEXT ·tall32(SB), NOSPLIT, $0-56
	TALL(VBROADCASTSS, VFMADD231PS, VMOVUPS, VADDPS, 4)

// func tall64(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)
TEXT ·tall64(SB), NOSPLIT, $0-56
	TALL(VBROADCASTSD, VFMADD231PD, VMOVUPD, VADDPD, 8)

// func low32(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)
TEXT ·low32(SB), NOSPLIT, $0-56
	LOW(VBROADCASTSS, VFMADD231PS, VMOVUPS, VADDPS, 4, 64, VPXORQ, Z0, Z1, Z2, Z3, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

// func low64(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)
TEXT ·low64(SB), NOSPLIT, $0-56
	LOW(VBROADCASTSD, VFMADD231PD, VMOVUPD, VADDPD, 8, 64, VPXORQ, Z0, Z1, Z2, Z3, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

// func half32(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)
TEXT ·half32(SB), NOSPLIT, $0-56
	LOW(VBROADCASTSS, VFMADD231PS, VMOVUPS, VADDPS, 4, 32, VXORPS, Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

// func half64(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)
TEXT ·half64(SB), NOSPLIT, $0-56
	LOW(VBROADCASTSD, VFMADD231PD, VMOVUPD, VADDPD, 8, 32, VXORPS, Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

/* SPDX-License-Identifier: Apache-2.0
 *
 * int32 operands as four planes of bytes, for kernels that multiply those (13_bytes.cu, 55_limbs.cu).
 *
 * Needs       any GPU
 * Change      none: 16 columns a thread, a row each blockIdx.y, rows past 65535 by a loop.
 * Bottleneck  memory: as many bytes are written as read.
 * Measured    docs/kernels.md.
 *
 * Plane b has its row r from (b * rows + r) * pitch on, pitch a multiple of 16, and zeros up to the next multiple of 16.
 * carry 0: unsigned bytes, x = x0 + x1 * 2^8 + x2 * 2^16 + x3 * 2^24.  carry 0x80808080: the same of signed ones, modulo 2^32: the bytes of x + carry are
 * 128 more than such digits, and an exclusive or with 128 makes a signed byte of each. */
static __device__ __forceinline__ unsigned pick(unsigned a, unsigned b, unsigned which)
{
    unsigned v;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(which));
    return v;
}

extern "C" __global__ void __launch_bounds__(128)
    split_bytes(unsigned char *to, unsigned long long pitch, const unsigned *from, unsigned long long ld, int rows, int columns, unsigned carry)
{
    enum { EACH = 16 };
    int  c = (blockIdx.x * 128 + threadIdx.x) * EACH;
    bool fast = ((unsigned long long)from | ld * 4) % 16 == 0 && c + EACH <= columns;
    if (c >= columns)
        return;
    for (int r = blockIdx.y; r < rows; r += gridDim.y) {
        const unsigned *p = from + r * ld + c;
        unsigned        w[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i += 4) {
            uint4 v  = {0, 0, 0, 0};
            if (fast)
                v = *(const uint4 *)(p + i);
            w[i]     = fast ? v.x : c + i < columns ? p[i] : 0;
            w[i + 1] = fast ? v.y : c + i + 1 < columns ? p[i + 1] : 0;
            w[i + 2] = fast ? v.z : c + i + 2 < columns ? p[i + 2] : 0;
            w[i + 3] = fast ? v.w : c + i + 3 < columns ? p[i + 3] : 0;
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
            w[i] = (w[i] + carry) ^ carry;
#pragma unroll
        for (int b = 0; b < 4; b++) {
            unsigned o[4], two = b | (4 + b) << 4;
#pragma unroll
            for (int i = 0; i < 4; i++)
                o[i] = pick(pick(w[i * 4], w[i * 4 + 1], two), pick(w[i * 4 + 2], w[i * 4 + 3], two), 0x5410);
            *(uint4 *)(to + ((unsigned long long)b * rows + r) * pitch + c) = {o[0], o[1], o[2], o[3]};
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C modulo 2^32 on tensor cores that multiply fp16, for GPUs whose units for bytes are slow or out of a warp's reach.
 *
 * Needs       sm_80
 * Change      x = x0 + x1 * 2^8 + x2 * 2^16 + x3 * 2^24 modulo 2^32 in signed bytes, y likewise, each of which fp16 holds.  Of the products xi * yj the ten
 *             with i + j <= 3 count; those of one weight are added up as floats: up to 4 * 128 products of 2^14 each, so no sum is above 2^23 and all are
 *             exact.  After each slice of 128 of k they are made integers and added in their weight, which wraps as it should.
 * Blocks      64 x 64 results, four warps of 32 x 32 (mma m16n8k16); slices of 128 of k, 64 KB, in a ring of g.parts, drawn by cp.async.  They are bytes in
 *             shared memory, too; a lane makes fp16 of its own: four bytes along k are the two pairs of a fragment, in the same order for both operands.
 * Bottleneck  the tensor cores: ten fp16 products for one of 32 bits.
 * Measured    docs/kernels.md.
 *
 * g.x, g.y: planes as split_bytes makes them with its carry; g.x_row, g.y_col: the pitch. */
#include "half_drawn.cuh"

enum { LIMB_SIDE = 64, LIMB_BK = 128, LIMB_BOX = LIMB_SIDE * LIMB_BK, LIMB_PLANES = 4, LIMB_SLICE = 2 * LIMB_PLANES * LIMB_BOX };

/* Four matrices of eight lines of 16 bytes, each lane naming a line: a lane has four bytes of each. */
static __device__ __forceinline__ void load_bytes(unsigned (&v)[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(at)
                 : "memory");
}

/* Signed bytes as pairs of fp16: with the upper byte 0x64 a byte b is 1024 + b. */
static __device__ __forceinline__ void as_halves(unsigned bytes, unsigned *low, unsigned *high)
{
    asm("{ .reg .b32 u, l, h; xor.b32 u, %2, 0x80808080; prmt.b32 l, u, 0x64646464, 0x4140; prmt.b32 h, u, 0x64646464, 0x4342;\n"
        "sub.f16x2 %0, l, %3; sub.f16x2 %1, h, %3; }"
        : "=r"(*low), "=r"(*high)
        : "r"(bytes), "r"(0x64806480) /* 1152, twice */);
}

static __device__ __forceinline__ void multiply_limbs(float (&d)[4], const unsigned (&x)[4], unsigned y0, unsigned y1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y0), "r"(y1));
}

/* 16 of k, from byte k of the slice's lines on. */
static __device__ __forceinline__ void multiply_step(unsigned slice, int row, int col, int k, float (&d)[LIMB_PLANES][2][4][4])
{
    int      lane = threadIdx.x % 32;
    unsigned y[4][LIMB_PLANES][2];
#pragma unroll
    for (int n = 0; n < 4; n++) { /* eight columns, all planes */
        unsigned v[4];
        load_bytes(v, box_at(slice + (LIMB_PLANES + lane / 8) * LIMB_BOX, col + n * 8 + lane % 8, k));
#pragma unroll
        for (int j = 0; j < LIMB_PLANES; j++)
            as_halves(v[j], &y[n][j][0], &y[n][j][1]);
    }
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int i = 0; i < LIMB_PLANES; i += 2) { /* 16 rows, two planes */
            unsigned v[4];
            load_bytes(v, box_at(slice + (i + lane / 16) * LIMB_BOX, row + m * 16 + lane % 16, k));
#pragma unroll
            for (int p = 0; p < 2; p++) {
                unsigned x[4];
                as_halves(v[p * 2], &x[0], &x[2]);
                as_halves(v[p * 2 + 1], &x[1], &x[3]);
#pragma unroll
                for (int j = 0; j < LIMB_PLANES - i - p; j++)
#pragma unroll
                    for (int n = 0; n < 4; n++)
                        multiply_limbs(d[i + p + j][m][n], x, y[n][j][0], y[n][j][1]);
            }
        }
}

/* Sums of floats, all whole numbers, into those of integers; they begin again. */
static __device__ __forceinline__ void add_up(float (&d)[LIMB_PLANES][2][4][4], unsigned (&sum)[2][4][4])
{
#pragma unroll
    for (int w = 0; w < LIMB_PLANES; w++)
#pragma unroll
        for (int e = 0; e < 32; e++) {
            int v;
            asm("cvt.rni.s32.f32 %0, %1;" : "=r"(v) : "f"(d[w][e / 16][e / 4 % 4][e % 4]));
            sum[e / 16][e / 4 % 4][e % 4] += (unsigned)v << (8 * w);
            d[w][e / 16][e / 4 % 4][e % 4] = 0;
        }
}

static __device__ __forceinline__ void draw_planes(unsigned to, GemmConst planes, unsigned long long pitch, int first, int lines, int k, int k0)
{
#pragma unroll
    for (int p = 0; p < LIMB_PLANES; p++) {
        /* Two bytes an element, as all lines have a pitch of 16 and zeros behind k. */
        HalfLines h = {(const unsigned short *)((const unsigned char *)planes + p * lines * pitch), pitch / 2, lines, (k + 1) / 2};
        draw_box<16>(to + p * LIMB_BOX, h, first, k0 / 2);
    }
}

static __device__ __forceinline__ void draw_limbs(const GemmArgs &g, unsigned to, int row, int col, int s, int slices)
{
    if (s < slices) {
        draw_planes(to, g.x, g.x_row, row, g.m, g.k, s * LIMB_BK);
        draw_planes(to + LIMB_PLANES * LIMB_BOX, g.y, g.y_col, col, g.n, g.k, s * LIMB_BK);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

static __device__ __forceinline__ void write_limbs(const GemmArgs &g, int row0, int col0, const unsigned (&sum)[2][4][4])
{
    int  lane = threadIdx.x % 32;
    bool keep = g.beta != 0;
#pragma unroll
    for (int e = 0; e < 32; e++) {
        int row = row0 + e / 16 * 16 + lane / 4 + e / 2 % 2 * 8, col = col0 + e / 4 % 4 * 8 + lane % 4 * 2 + e % 2;
        if (row >= g.m || col >= g.n)
            continue;
        unsigned *c = (unsigned *)g.c + row * g.ldc + col, v = g.alpha * sum[e / 16][e / 4 % 4][e % 4];
        *c          = keep ? v + g.beta * *c : v;
    }
}

extern "C" __global__ void __launch_bounds__(WARPGROUP) gemm_limbs_i32(const GemmArgs g)
{
    extern __shared__ __align__(1024) unsigned char ring[];
    DrawnTile t = tile_in_groups(g, blockIdx.x, LIMB_SIDE, LIMB_SIDE);
    unsigned at   = (shared_address(ring) + 1023) / 1024 * 1024;
    int      warp = threadIdx.x / 32, slices = (g.k + LIMB_BK - 1) / LIMB_BK, last = g.parts - 1, read = 0, drawn = last;
    float    d[LIMB_PLANES][2][4][4] = {};
    unsigned sum[2][4][4]            = {};
    for (int s = 0; s < last; s++)
        draw_limbs(g, at + s * LIMB_SLICE, t.row, t.col, s, slices);
    for (int s = 0; s < slices; s++) {
        draws_come(last - 1);
        __syncthreads();
        draw_limbs(g, at + drawn * LIMB_SLICE, t.row, t.col, s + last, slices);
        for (int k = 0; k < LIMB_BK; k += 16)
            multiply_step(at + read * LIMB_SLICE, warp / 2 * 32, warp % 2 * 32, k, d);
        add_up(d, sum);
        read  = read == last ? 0 : read + 1;
        drawn = drawn == last ? 0 : drawn + 1;
    }
    draws_wait<0>();
    write_limbs(g, t.row + warp / 2 * 32, t.col + warp % 2 * 32, sum);
}

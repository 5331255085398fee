/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads rows in the format of tests/data/golden/patterns_h200.tsv and makes each row's access once, with one warp, in a kernel launch of its own,
 * so that a profiler's counters of the n-th launch are the counters of the n-th row.  tools/patterns/read drives it.
 *
 * Offsets reach the kernel as a parameter (constant memory), so the launch makes no other global or shared access.  The result of a load is
 * kept alive by a store that never happens: all memory is zero or a small count, never NEVER.  Offset 0 of global memory lies on a multiple of a
 * power of two that no offset reaches, so the lowest address bits are the row's own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Row { unsigned mask, never, offset[32]; };

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t e_ = (call);                                                                     \
        if (e_ != cudaSuccess) {                                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));              \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

enum { SHARED_BYTES = 48 * 1024, NEVER = 0x7e57ab1e };

#define KERNEL(name, space, SETUP, BODY)                                                             \
    __global__ void name(const __grid_constant__ Row row, unsigned char *global)                    \
    {                                                                                                \
        extern __shared__ unsigned char shared[];                                                    \
        unsigned lane = threadIdx.x, x = 0, y = 0, z = 0, w = 0;                                     \
        SETUP;                                                                                       \
        if (row.mask >> lane & 1) {                                                                  \
            BODY;                                                                                    \
        }                                                                                            \
        if ((x ^ y ^ z ^ w) == row.never)                                                            \
            ((unsigned *)global)[lane] = shared[lane];                                               \
    }
#define GLOBAL_AT uint64_t at = (uint64_t)(global + row.offset[lane])
#define SHARED_AT unsigned at = (unsigned)__cvta_generic_to_shared(shared + row.offset[lane])

KERNEL(gl1, global, GLOBAL_AT, asm volatile("{.reg .u16 t; ld.global.u8 t, [%1]; cvt.u32.u16 %0, t;}" : "=r"(x) : "l"(at)))
KERNEL(gl2, global, GLOBAL_AT, asm volatile("{.reg .u16 t; ld.global.u16 t, [%1]; cvt.u32.u16 %0, t;}" : "=r"(x) : "l"(at)))
KERNEL(gl4, global, GLOBAL_AT, asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at)))
KERNEL(gl8, global, GLOBAL_AT, asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "l"(at)))
KERNEL(gl16, global, GLOBAL_AT, asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(at)))
KERNEL(gs1, global, GLOBAL_AT, asm volatile("{.reg .u16 t; cvt.u16.u32 t, %1; st.global.u8 [%0], t;}" ::"l"(at), "r"(lane)))
KERNEL(gs2, global, GLOBAL_AT, asm volatile("{.reg .u16 t; cvt.u16.u32 t, %1; st.global.u16 [%0], t;}" ::"l"(at), "r"(lane)))
KERNEL(gs4, global, GLOBAL_AT, asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(lane)))
KERNEL(gs8, global, GLOBAL_AT, asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(lane)))
KERNEL(gs16, global, GLOBAL_AT, asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(lane)))
KERNEL(ga4, global, GLOBAL_AT, asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(at)))
KERNEL(ga8, global, GLOBAL_AT, uint64_t t; asm volatile("atom.global.add.u64 %0, [%1], 1;" : "=l"(t) : "l"(at)); x = (unsigned)t)
KERNEL(gr4, global, GLOBAL_AT, asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at)))
KERNEL(gr8, global, GLOBAL_AT, asm volatile("red.global.add.u64 [%0], 1;" ::"l"(at)))
KERNEL(ga16, global, GLOBAL_AT, uint64_t t; uint64_t u; asm volatile("{.reg .b128 q; mov.b128 q, {%2,%2}; atom.global.exch.b128 q, [%3], q; mov.b128 {%0,%1}, q;}"
                                                            : "=l"(t), "=l"(u) : "l"((uint64_t)lane), "l"(at)); x = (unsigned)t; y = (unsigned)u)
KERNEL(gr16, global, GLOBAL_AT, asm volatile("red.global.add.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(at), "f"(0.0f)))
KERNEL(sl1, shared, SHARED_AT, asm volatile("{.reg .u16 t; ld.shared.u8 t, [%1]; cvt.u32.u16 %0, t;}" : "=r"(x) : "r"(at)))
KERNEL(sl2, shared, SHARED_AT, asm volatile("{.reg .u16 t; ld.shared.u16 t, [%1]; cvt.u32.u16 %0, t;}" : "=r"(x) : "r"(at)))
KERNEL(sl4, shared, SHARED_AT, asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at)))
KERNEL(sl8, shared, SHARED_AT, asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(at)))
KERNEL(sl16, shared, SHARED_AT, asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at)))
KERNEL(ss1, shared, SHARED_AT, asm volatile("{.reg .u16 t; cvt.u16.u32 t, %1; st.shared.u8 [%0], t;}" ::"r"(at), "r"(lane)))
KERNEL(ss2, shared, SHARED_AT, asm volatile("{.reg .u16 t; cvt.u16.u32 t, %1; st.shared.u16 [%0], t;}" ::"r"(at), "r"(lane)))
KERNEL(ss4, shared, SHARED_AT, asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(lane)))
KERNEL(ss8, shared, SHARED_AT, asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at), "r"(lane)))
KERNEL(ss16, shared, SHARED_AT, asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(lane)))
KERNEL(sa4, shared, SHARED_AT, asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(x) : "r"(at)))
KERNEL(sa8, shared, SHARED_AT, uint64_t t; asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(t) : "r"(at), "l"((uint64_t)lane)); x = (unsigned)t)
KERNEL(sr4, shared, SHARED_AT, asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at)))

struct Kind { const char *space, *op; int bytes; void (*kernel)(Row, unsigned char *); };
static const Kind kinds[] = {
    {"global", "ld", 1, gl1},   {"global", "ld", 2, gl2},   {"global", "ld", 4, gl4},    {"global", "ld", 8, gl8},
    {"global", "ld", 16, gl16}, {"global", "st", 1, gs1},   {"global", "st", 2, gs2},    {"global", "st", 4, gs4},
    {"global", "st", 8, gs8},   {"global", "st", 16, gs16}, {"global", "atom", 4, ga4},  {"global", "atom", 8, ga8},
    {"global", "red", 4, gr4},  {"global", "red", 8, gr8},  {"shared", "ld", 1, sl1},    {"shared", "ld", 2, sl2},
    {"shared", "ld", 4, sl4},   {"shared", "ld", 8, sl8},   {"shared", "ld", 16, sl16},  {"shared", "st", 1, ss1},
    {"shared", "st", 2, ss2},   {"shared", "st", 4, ss4},   {"shared", "st", 8, ss8},    {"shared", "st", 16, ss16},
    {"shared", "atom", 4, sa4}, {"shared", "red", 4, sr4},  {"global", "red", 16, gr16},
    {"global", "atom", 16, ga16}, {"shared", "atom", 8, sa8},
};

/* What a line of the file says; false if it is not a row. */
static bool parse(const char *line, Row *row, const Kind **kind)
{
    char space[20], op[20];
    int bytes, used;
    if (sscanf(line, "%*s %19s %19s %d %x %*s %*s %*s %*s%n", space, op, &bytes, &row->mask, &used) != 4)
        return false;
    row->never     = NEVER;
    const char *at = line + used;
    for (int i = 0; i < 32; i++) {
        char *end;
        row->offset[i] = (unsigned)strtoul(at, &end, 10);
        at             = end;
    }
    for (const Kind &k : kinds)
        if (!strcmp(k.space, space) && !strcmp(k.op, op) && k.bytes == bytes) {
            *kind = &k;
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    static char line[4096];
    size_t size = 1 << 20;
    unsigned char *global;
    Row row;
    const Kind *kind;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!f) {
        fprintf(stderr, "usage: patterns ROWS.tsv (a file that can be read)\n");
        return 1;
    }
    while (fgets(line, sizeof line, f))
        if (parse(line, &row, &kind))
            for (unsigned offset : row.offset)
                while (offset + (size_t)kind->bytes > size)
                    size *= 2;
    rewind(f);
    CHECK(cudaMalloc(&global, 2 * size));
    CHECK(cudaMemset(global, 0, 2 * size));
    global += size - (uintptr_t)global % size;
    while (fgets(line, sizeof line, f))
        if (parse(line, &row, &kind)) {
            kind->kernel<<<1, 32, SHARED_BYTES>>>(row, global);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
        }
    return 0;
}

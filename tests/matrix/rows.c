/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of the matrix sweep: matrix.def with its formats and shared-memory layouts. */
#include <string.h>

#include "matrix.h"

static const Format format_f16 = {"f16", 2, 5, 10, 0, true, 16}, format_bf16 = {"bf16", 2, 8, 7, 0, true, 16},
                    format_tf32 = {"tf32", 4, 8, 10, 13, true, 32}, format_f32 = {"f32", 4, 8, 23, 0, true, 32},
                    format_f64 = {"f64", 8, 11, 52, 0, true, 64}, format_e4m3 = {"e4m3", 1, 4, 3, 0, false, 8},
                    format_e5m2 = {"e5m2", 1, 5, 2, 0, true, 8}, format_s8 = {"s8", 1, 0, 0, 0, false, 8},
                    format_u8 = {"u8", 1, 0, 0, 0, false, 8}, format_s4 = {"s4", 1, 0, 0, 0, false, 4},
                    format_u4 = {"u4", 1, 0, 0, 0, false, 4}, format_b1 = {"b1", 1, 0, 0, 0, false, 1},
                    format_s32 = {"s32", 4, 0, 0, 0, false, 32};

/* LAYOUT(name, swizzle, leading offset, stride offset, start, base offset, rows side by side)
 * k..: k side by side; m..: rows (columns of B) side by side; the number is the swizzle's bytes.  start is behind the matrix's
 * 1024-byte aligned place. */
#define LAYOUTS(X)                                                                                                     \
    X(k0, 0, 128, 256, 0, 0, false)                                                                                    \
    X(k0b, 0, 4096, 128, 0, 0, false)                                                                                  \
    X(k0s, 0, 272, 1040, 16, 0, false)                                                                                 \
    X(k32, 3, 16, 256, 0, 0, false)                                                                                    \
    X(k32s, 3, 16, 256, 1280, 0, false)                                                                                \
    X(k32u, 3, 16, 256, 128, 1, false)                                                                                 \
    X(k32v, 3, 16, 256, 384, 3, false)                                                                                 \
    X(k64, 2, 16, 512, 0, 0, false)                                                                                    \
    X(k64s, 2, 16, 512, 32, 0, false)                                                                                  \
    X(k64u, 2, 16, 512, 128, 1, false)                                                                                 \
    X(k64v, 2, 16, 512, 256, 2, false)                                                                                 \
    X(k64y, 2, 16, 512, 640, 0, false)                                                                                 \
    X(k128, 1, 16, 1024, 0, 0, false)                                                                                  \
    X(k128l, 1, 2048, 1024, 0, 0, false)                                                                               \
    X(k128s, 1, 16, 1024, 64, 0, false)                                                                                \
    X(k128t, 1, 16, 1024, 96, 0, false)                                                                                \
    X(k128u, 1, 16, 1024, 128, 1, false)                                                                               \
    X(k128v, 1, 16, 1024, 384, 3, false)                                                                               \
    X(k128w, 1, 16, 1024, 128, 0, false)                                                                               \
    X(k128x, 1, 16, 1024, 384, 1, false)                                                                               \
    X(k128y, 1, 16, 1024, 1024, 2, false)                                                                              \
    X(m0, 0, 128, 256, 0, 0, true)                                                                                     \
    X(m0b, 0, 4096, 128, 0, 0, true)                                                                                   \
    X(m0q, 0, 128, 512, 0, 0, true)                                                                                    \
    X(m32, 3, 512, 256, 0, 0, true)                                                                                    \
    X(m32u, 3, 512, 256, 128, 1, true)                                                                                 \
    X(m64, 2, 1024, 512, 0, 0, true)                                                                                   \
    X(m64q, 2, 2048, 512, 0, 0, true)                                                                                  \
    X(m64u, 2, 1024, 512, 128, 1, true)                                                                                \
    X(m64v, 2, 1024, 512, 256, 0, true)                                                                                \
    X(m128, 1, 2048, 1024, 0, 0, true)                                                                                 \
    X(m128s, 1, 2048, 1024, 32, 0, true)                                                                               \
    X(m128u, 1, 2048, 1024, 128, 1, true)                                                                              \
    X(m128v, 1, 2048, 1024, 128, 0, true)

#define LAYOUT(name, swizzle, leading, stride, start, base, mn)                                                        \
    static const Layout layout_##name = {#name, swizzle, leading, stride, start, base, mn};
LAYOUTS(LAYOUT)
#undef LAYOUT
static const Layout layout_reg;

#define FORMATS(a, b, c, d)                                                                                            \
    {                                                                                                                  \
        &format_##a, &format_##b, &format_##c, &format_##d                                                             \
    }
#define TYPES_f16(c, d)  #d "." #c
#define TYPES_bf16(c, d) #d ".bf16.bf16." #c
#define TYPES_tf32(c, d) #d ".tf32.tf32." #c
#define TYPES_f64(c, d)  #d ".f64.f64." #c
#define TYPES_s8(c, d)   #d ".s8.s8." #c
#define TYPES_u8(c, d)   #d ".u8.u8." #c
#define TYPES_s4(c, d)   #d ".s4.s4." #c
#define TYPES_u4(c, d)   #d ".u4.u4." #c

#define MMA(t, text, a, b, c, d, na, nb, nc, nd)                                                                       \
    {.trials = t,                                                                                                      \
     .name   = "mma.sync.aligned." text,                                                                               \
     .op     = "mma.sync.aligned." text,                                                                               \
     .kind   = ROW_MMA,                                                                                                \
     .format = FORMATS(a, b, c, d),                                                                                    \
     .regs   = {na, nb, nc, nd}},
#define SPARSE(t, base, text, a, b, c, d, na, nb, nc, nd, sel)                                                         \
    {.trials   = t,                                                                                                    \
     .name     = base ".sync.aligned." text " selector " #sel,                                                         \
     .op       = base ".sync.aligned." text,                                                                           \
     .kind     = ROW_MMA,                                                                                              \
     .format   = FORMATS(a, b, c, d),                                                                                  \
     .regs     = {na, nb, nc, nd},                                                                                     \
     .sparse   = true,                                                                                                 \
     .selector = sel},
#define WMMA(t, sh, la, lb, lc, m_, n_, k_, ab, c, d, na, nb, nc, nd, more)                                            \
    {.trials        = t,                                                                                               \
     .name          = "wmma.mma.sync.aligned." #la "." #lb "." #sh "." TYPES_##ab(c, d) more,                          \
     .op            = "wmma.mma.sync.aligned." #la "." #lb "." #sh "." TYPES_##ab(c, d) more,                          \
     .kind          = ROW_WMMA,                                                                                        \
     .format        = FORMATS(ab, ab, c, d),                                                                           \
     .regs          = {na, nb, nc, nd},                                                                                \
     .matrix_layout = {#la, #lb, #lc, #lc},                                                                            \
     .shape         = #sh,                                                                                             \
     .m             = m_,                                                                                              \
     .n             = n_,                                                                                              \
     .k             = k_},
#define WG_OP(more, n_, k_, d, a, b, before, after)                                                                    \
    "wgmma.mma_async" more ".sync.aligned.m64n" #n_ "k" #k_ before "." #d "." #a "." #b after
#define WG_ROW(t, more, n_, k_, d, a, b, before, after, fa, fb, sp, sel, scale, imm)                                   \
    {.trials     = t,                                                                                                  \
     .name       = WG_OP(more, n_, k_, d, a, b, before, after) " " #fa " " #fb " " #sel " " #scale imm,                \
     .op         = WG_OP(more, n_, k_, d, a, b, before, after),                                                        \
     .kind       = ROW_WGMMA,                                                                                          \
     .format     = FORMATS(a, b, d, d),                                                                                \
     .m          = 64,                                                                                                 \
     .n          = n_,                                                                                                 \
     .k          = k_,                                                                                                 \
     .layout     = {&layout_##fa, &layout_##fb},                                                                       \
     .sparse     = sp,                                                                                                 \
     .selector   = sel,                                                                                                \
     .scale_d    = scale,                                                                                              \
     .immediates = imm},
#define WG(t, n, k, d, a, b, before, after, fa, fb, scale, imm)                                                        \
    WG_ROW(t, "", n, k, d, a, b, before, after, fa, fb, false, 0, scale, imm)
#define WGSP(t, n, k, d, a, b, before, after, fa, fb, sel, scale, imm)                                                 \
    WG_ROW(t, ".sp", n, k, d, a, b, before, after, fa, fb, true, sel, scale, imm)

static const Row table[] = {
#include "matrix.def"
};

unsigned rows_count(void)
{
    return sizeof table / sizeof *table;
}

const Row *rows_get(unsigned i)
{
    return &table[i];
}

unsigned row_threads(const Row *r)
{
    return r->kind == ROW_WGMMA ? WARPGROUP : LANES;
}

/* The bytes from a 1024-byte aligned place on that a factor's layout reaches: a generous bound. */
static unsigned layout_bytes(const Layout *l, unsigned rows, unsigned k_bytes)
{
    unsigned far = l->leading > l->stride ? l->leading : l->stride;
    unsigned end = l->start + rows / 8 * l->stride + k_bytes / 16 * (l->swizzle ? 16 : l->leading);
    if (l->major_mn)
        end = l->start + rows / 8 * far / (l->swizzle ? 8u >> (l->swizzle - 1) : 1) + 4 * far;
    return (end + 2047) & ~1023u;
}

unsigned row_bytes(const Row *r, unsigned x)
{
    if (x == E)
        return r->sparse ? 4 * row_threads(r) : 0;
    unsigned k = r->sparse && x == A ? r->k / 2 : r->k, elements = x == A ? r->m * k : x == B ? k * r->n : r->m * r->n;
    if (r->kind == ROW_MMA)
        return r->regs[x] * LANES * (r->format[x]->bytes == 8 ? 8 : 4);
    if (r->kind == ROW_WGMMA && x <= B && r->layout[x]->name)
        return layout_bytes(r->layout[x], x == A ? r->m : r->n, k * r->format[x]->bits / 8);
    return elements * r->format[x]->bits / 8;
}

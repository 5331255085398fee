/* SPDX-License-Identifier: Apache-2.0
 *
 * Biases and activations behind a product.
 *
 * The kernels of 16-bit and 8-bit operands bring them in before they round (kernels/gemm/finish.cuh); those of float operands do not, since the many of
 * them have registers for nothing else: a pass over C follows, which reads and writes each element once.  To add an activation, give it a row of
 * the table here and a name in blas.h. */
#include "blas/blas.h"

/* The numbers of GemmEnd.gate: -log2(e) and, of GELU, times 2 sqrt(2 / pi) and that times 0.044715. */
static const struct Activation {
    int   how;
    float gate[2];
} activations[] = {[WW_NO_ACTIVATION] = {GEMM_AS_IT_IS, {0, 0}},
                   [WW_RELU]          = {GEMM_RECTIFY, {0, 0}},
                   [WW_GELU]          = {GEMM_GATE, {-2.3022082f, -0.10294324f}},
                   [WW_SILU]          = {GEMM_GATE, {-1.44269504f, 0}}};

Status finish_set(WwDevice *d, const WwGemm *p, Problem *out)
{
    bool cm = p->layout == WW_COLUMN_MAJOR;
    if ((unsigned)p->activation >= sizeof activations / sizeof *activations)
        return device_fail(d, WW_ERR_INVALID,
                           "ww_gemm: activation %d is not one of WW_NO_ACTIVATION, WW_RELU, WW_GELU, WW_SILU",
                           (int)p->activation);
    out->ends = p->row_bias || p->column_bias || p->activation != WW_NO_ACTIVATION;
    if (out->ends && type_row(p->type)->scalar != SCALAR_f32)
        return device_fail(d, WW_ERR_INVALID,
                           "ww_gemm: biases and activations are for floating point of up to 32 bits, not for %s",
                           type_row(p->type)->text);
    const struct Activation *a = &activations[p->activation];
    out->end                   = (GemmEnd){
                          cm ? p->column_bias : p->row_bias, cm ? p->row_bias : p->column_bias, a->how, {a->gate[0], a->gate[1]}};
    return WW_OK;
}

Status finish_run(WwBlas *b, const Problem *p, const GemmArgs *g, size_t batch)
{
    enum { THREADS = 256, BLOCKS = 16 /* a multiprocessor */ };
    FinishArgs a      = {g->c, g->ldc, g->c_batch, g->m, g->n, p->end};
    uint64_t   blocks = ((uint64_t)g->m * (uint64_t)g->n + THREADS - 1) / THREADS, most = (uint64_t)b->sms * BLOCKS;
    return blas_launch(b, "gemm_finish_f32",
                       &(WwLaunch){.grid      = {(uint32_t)(blocks < most ? blocks : most), 1, (uint32_t)batch},
                                   .block     = {THREADS, 1, 1},
                                   .args      = (void *[]){&a},
                                   .arg_count = 1});
}

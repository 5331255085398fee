/* SPDX-License-Identifier: Apache-2.0
 *
 * The card's ceiling (kernels/peak): multiplications with sums and nothing else, on every multiprocessor.  The result of one thread is
 * compared with the host's; a kernel that computed something else has no rate. */
#include <math.h>
#include <string.h>

#include "blas/blas.h"
#include "cli/bench/bench.h"
#include "device/cuda.h"

enum { THREADS = 256, BLOCKS = 8, CHAINS = 16, STEPS = 16, ROUNDS = 256, ID = 77 };

/* Every chain takes its steps in turn, since the 64-bit ones look at their neighbours. */
static bool right(WwType type, const void *got, int rounds)
{
    float    xf[CHAINS], f = 0;
    uint32_t xu[CHAINS], u = 0;
    uint64_t xw[CHAINS], w = 0;
    for (unsigned i = 0; i < CHAINS; i++) {
        xf[i] = (float)(ID + i);
        xu[i] = (uint32_t)(xw[i] = ID + i);
    }
    for (int r = 0; r < rounds * STEPS; r++)
        for (int i = 0; i < CHAINS; i++) {
            xf[i] = fmaf(xf[i], 0.75f, 0.5f);
            xu[i] = xu[i] * 5 + 3;
            xw[i] += (uint64_t)((int64_t)(int32_t)(uint32_t)xw[(i + 1) % CHAINS] * 5);
        }
    for (int i = 0; i < CHAINS; i++) {
        f += xf[i];
        u += xu[i];
        w += xw[i];
    }
    float got_f;
    memcpy(&got_f, got, sizeof got_f);
    return type == WW_F32   ? got_f == f
           : type == WW_I32 ? memcmp(got, &u, sizeof u) == 0
                            : memcmp(got, &w, sizeof w) == 0;
}

double bench_peak(WwBlas *b, WwType type)
{
    if (bench_small(type) || type == WW_F64) /* no kernel reads the tensor cores' */
        return 0;
    static const char *const entry[] = {"peak_f32", "peak_i32", "peak_i64"};
    size_t                   element = type == WW_I32_I64 ? 8 : 4, bytes = (size_t)b->sms * BLOCKS * THREADS * element;
    float                    fa = 0.75f, fb = 0.5f;
    uint32_t                 ia = 5, ib = 3;
    int                      rounds = b->time ? ROUNDS : 2;
    uint64_t                 got    = 0;
    WwPtr                    out    = 0;
    double                   rate   = 0;
    void *args[] = {&out, type == WW_F32 ? (void *)&fa : &ia, type == WW_F32 ? (void *)&fb : &ib, &rounds};
    bool  kept   = b->keep;
    b->keep      = true;
    b->spent_ms  = 0;
    if (ww_alloc(b->device, bytes, &out) == WW_OK &&
        blas_launch(b, entry[type],
                    &(WwLaunch){.grid      = {b->time ? b->sms * BLOCKS : 1, 1, 1},
                                .block     = {THREADS, 1, 1},
                                .args      = args,
                                .arg_count = 4}) == WW_OK &&
        ww_copy_out(b->device, &got, out + ID * element, element) == WW_OK && right(type, &got, rounds))
        rate = b->spent_ms > 0 ? 2.0 * b->sms * BLOCKS * THREADS * CHAINS * STEPS * rounds / b->spent_ms / 1e9 : -1;
    ww_free(b->device, out);
    b->keep = kept;
    return rate;
}

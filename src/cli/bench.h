/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of `warpwright bench`: what was run, whether the result was right, how long it took; and where they are shown. */
#ifndef WW_CLI_BENCH_H
#define WW_CLI_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "warpwright/blas.h"

typedef struct BenchWork {
    const char *work; /* "gemm", "aat", "copy" */
    size_t      m, n, k;
    size_t      src_offset, dst_offset, bytes; /* copy */
    WwType      type;
    bool        ta, tb;
} BenchWork;

typedef struct BenchRow {
    BenchWork   w;
    const char *impl;
    double      median_ms; /* 0 = not measured */
    unsigned    runs;
    double      max_error; /* of a float product: in units of the bound; else the number of wrong elements */
    bool        verified;
    double      clock_mhz, power_w; /* 0 = unknown */
    char        problem[256];
} BenchRow;

/* Useful work of one run: operations (2mnk) or bytes, and the unit of their rate. */
double      bench_amount(const BenchWork *w);
const char *bench_unit(const BenchWork *w);

void bench_table_head(FILE *to);
void bench_table_row(FILE *to, const BenchRow *r, double cublas_ms);
/* false: cannot be written. */
bool bench_json(const char *file, const BenchRow *rows, size_t n, const char *device);

/* The median time of cuBLAS (or cudaMemcpy's driver call) for `w` on the current context, buffers as for the kernels.
 * impl: "cublas", "cublaslt", "memcpy". */
typedef struct BenchPeer BenchPeer;
BenchPeer               *bench_peer_open(WwDevice *d, const char *cublas, char *why, size_t size);
void                     bench_peer_close(BenchPeer *p);
bool                     bench_peer_run(BenchPeer *p, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c, BenchRow *row);

/* SM clock in MHz and power in W from NVML; false: unknown. */
bool bench_sensors(double *clock_mhz, double *power_w);

#endif

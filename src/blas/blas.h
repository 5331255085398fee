/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the matrix library share.
 *
 *   check.c    a public problem -> refused with a message, or a Problem: row-major, operands by strides
 *   choose.c   Problem -> Rung
 *   run.c      Problem and Rung -> launches; modules and workspace of a WwBlas
 *
 * A Problem has no layouts, transposes or triangles of the caller's view left: C is row by row, its operands X (m x k) and
 * Y (k x n) have a stride for each index, one of which is 1. */
#ifndef WW_BLAS_BLAS_H
#define WW_BLAS_BLAS_H

#include "base/status.h"
#include "device/device.h"
#include "gemm/args.h"
#include "warpwright/blas.h"

typedef enum RungLayouts { RUNG_ANY, RUNG_FOUR, RUNG_TWO } RungLayouts;

typedef struct Rung {
    const char *ladder, *name;
    int         rows, columns, threads;
    RungLayouts layouts;
    bool        stream;
} Rung;

size_t      rung_count(void);
const Rung *rung_at(size_t i);
const Rung *rung_find(const char *ladder, const char *name);

typedef struct Problem {
    WwType       type;
    bool         symmetric; /* Y is the transpose of X */
    GemmArgs     args;      /* x, y, c of the first problem of the batch; work and count not set */
    size_t       batch;
    const WwPtr *x, *y, *c; /* NULL: strided */
    WwPtr        workspace;
    size_t       workspace_bytes;
    const Rung  *rung;
} Problem;

enum { BLAS_MODULES = 64 };

typedef struct BlasModule {
    const char *file;
    WwModule   *module;
} BlasModule;

struct WwBlas {
    WwDevice  *device;
    unsigned   sms; /* blocks that stream-K launches: two for each */
    BlasModule modules[BLAS_MODULES];
    size_t     nmodules;
    WwPtr      workspace;
    size_t     workspace_bytes;
    /* For benchmarks: how each launch is made, and the result of the last one when wanted. */
    bool      time;
    unsigned  repeats, observe;
    WwResult *result; /* of the last launch; owned, kept only while `keep` */
    bool      keep;
};

/* check.c.  Nothing to compute: args.m or args.n or batch is 0. */
Status problem_of_gemm(WwBlas *b, const WwGemm *p, Problem *out);
Status problem_of_syrk(WwBlas *b, const WwSyrk *p, Problem *out);

/* choose.c.  name: the caller's wish or NULL. */
Status problem_choose(WwBlas *b, Problem *p, const char *ladder, const char *name);

/* run.c */
size_t problem_workspace(const WwBlas *b, const Problem *p);
Status problem_run(WwBlas *b, const Problem *p);
/* Launches one entry of kernels.def; its one or more arguments as WwLaunch has them. */
Status blas_launch(WwBlas *b, const char *entry, WwDim3 grid, unsigned threads, void **args, size_t nargs);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Beside bench grid: the same product by cublasXt, which takes operands in host memory as well.  cuBLAS stores by columns, so the operands change
 * places; A * A^T is a whole product there, because its syrk writes one half.  Its tiles' side is the best of a few: it decides much.
 *
 * The library is found with dlopen; handles are opaque, the numbers below are the interface's. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/bench/bench.h"

enum { OP_N, OP_T };

struct BenchXt {
    void *library, *handle;
    int (*create)(void **);
    int (*destroy)(void *);
    int (*select)(void *, int, const int *);
    int (*block)(void *, int);
    int (*sgemm)(void *, int, int, size_t, size_t, size_t, const float *, const float *, size_t, const float *, size_t,
                 const float *, float *, size_t);
};

static void *entry(void *library, const char *name, char *why, size_t size)
{
    void *p = dlsym(library, name);
    if (!p)
        snprintf(why, size, "the cuBLAS library has no %s", name);
    return p;
}

static bool load(BenchXt *x, const char *path, size_t devices, char *why, size_t size)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    int                      ids[WW_GRID_DEVICES];
    for (size_t i = 0; !x->library && (path ? i < 1 : i < sizeof names / sizeof *names); i++)
        x->library = dlopen(path ? path : names[i], RTLD_NOW | RTLD_LOCAL);
    if (!x->library) {
        snprintf(why, size, "%s", dlerror());
        return false;
    }
    *(void **)&x->create  = entry(x->library, "cublasXtCreate", why, size);
    *(void **)&x->destroy = entry(x->library, "cublasXtDestroy", why, size);
    *(void **)&x->select  = entry(x->library, "cublasXtDeviceSelect", why, size);
    *(void **)&x->block   = entry(x->library, "cublasXtSetBlockDim", why, size);
    *(void **)&x->sgemm   = entry(x->library, "cublasXtSgemm", why, size);
    if (!x->create || !x->destroy || !x->select || !x->block || !x->sgemm)
        return false;
    for (size_t i = 0; i < devices; i++)
        ids[i] = (int)i;
    int e = x->create(&x->handle);
    if (e == 0)
        e = x->select(x->handle, (int)devices, ids);
    if (e != 0)
        snprintf(why, size, "cublasXt for %zu devices failed with status %d", devices, e);
    return e == 0;
}

BenchXt *bench_xt_open(const char *cublas, size_t devices, char *why, size_t size)
{
    BenchXt *x = xcalloc(1, sizeof *x);
    if (load(x, cublas, devices, why, size))
        return x;
    bench_xt_close(x);
    return NULL;
}

void bench_xt_close(BenchXt *x)
{
    if (!x)
        return;
    if (x->handle)
        x->destroy(x->handle);
    if (x->library)
        dlclose(x->library);
    free(x);
}

bool bench_xt_run(BenchXt *x, const BenchWork *w, int block, const void *a, const void *b, void *c, int *status)
{
    const float one = 1, zero = 0;
    bool        aat = strcmp(w->work, "aat") == 0;
    size_t      lda = w->ta ? w->m : w->k, ldb = aat ? lda : w->tb ? w->k : w->n, n = aat ? w->m : w->n;
    int         opa = w->ta ? OP_T : OP_N, opb = aat ? w->ta ? OP_N : OP_T : w->tb ? OP_T : OP_N;
    *status = x->block(x->handle, block);
    if (*status == 0) /* by columns: C' = B' A' */
        *status = x->sgemm(x->handle, opb, opa, n, w->m, w->k, &one, aat ? a : b, ldb, a, lda, &zero, c, n);
    return *status == 0;
}

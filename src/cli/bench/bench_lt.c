/* SPDX-License-Identifier: Apache-2.0
 *
 * cublasLt beside cuBLAS: its heuristic is asked for up to 8 algorithms with 32 MiB of workspace, in float32 arithmetic, each is timed
 * briefly, and the fastest is measured in full.  A * A^T is asked for as a product, both halves written.
 *
 * The library is found with dlopen; handles and descriptors are opaque, the numbers below are the interface's. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/bench/bench.h"
#include "device/device.h"

enum {
    ALGORITHMS  = 8,
    QUICK_RUNS  = 3,
    WORKSPACE   = 32 << 20,
    R_32F       = 0,
    COMPUTE_32F = 68,
    DESC_TRANSA = 3,
    DESC_TRANSB = 4,
    DESC_END    = 7,
    DESC_BIAS   = 8,
    PREF_BYTES  = 1
};

typedef struct LtResult { /* cublasLtMatmulHeuristicResult_t */
    uint64_t algorithm[8];
    size_t   workspace;
    int      state;
    float    waves;
    int      reserved[4];
} LtResult;

#define LT_ENTRIES(ENTRY)                                                                                              \
    ENTRY(create, "cublasLtCreate", (void **handle))                                                                   \
    ENTRY(destroy, "cublasLtDestroy", (void *handle))                                                                  \
    ENTRY(desc, "cublasLtMatmulDescCreate", (void **desc, int compute, int scale))                                     \
    ENTRY(desc_set, "cublasLtMatmulDescSetAttribute", (void *desc, int attribute, const void *value, size_t bytes))    \
    ENTRY(desc_free, "cublasLtMatmulDescDestroy", (void *desc))                                                        \
    ENTRY(layout, "cublasLtMatrixLayoutCreate", (void **layout, int type, uint64_t rows, uint64_t cols, int64_t ld))   \
    ENTRY(layout_free, "cublasLtMatrixLayoutDestroy", (void *layout))                                                  \
    ENTRY(pref, "cublasLtMatmulPreferenceCreate", (void **pref))                                                       \
    ENTRY(pref_set, "cublasLtMatmulPreferenceSetAttribute",                                                            \
          (void *pref, int attribute, const void *value, size_t bytes))                                                \
    ENTRY(pref_free, "cublasLtMatmulPreferenceDestroy", (void *pref))                                                  \
    ENTRY(                                                                                                             \
        heuristic, "cublasLtMatmulAlgoGetHeuristic",                                                                   \
        (void *h, void *desc, void *a, void *b, void *c, void *d, void *pref, int wanted, LtResult *out, int *found))  \
    ENTRY(matmul, "cublasLtMatmul",                                                                                    \
          (void *h, void *desc, const float *alpha, uint64_t a, void *la, uint64_t b, void *lb, const float *beta,     \
           uint64_t c, void *lc, uint64_t d, void *ld, const uint64_t *algorithm, uint64_t workspace, size_t bytes,    \
           void *stream))

struct BenchLt {
#define ENTRY(member, symbol, params) int(*member) params;
    LT_ENTRIES(ENTRY)
#undef ENTRY
    WwDevice *device;
    void     *library, *handle;
    WwPtr     workspace;
    /* the product at hand */
    void           *plan, *a, *b, *c, *stream;
    const LtResult *use;
};

/* The library beside the cuBLAS that was named, or the one the loader finds. */
static void *find(const char *cublas, char *why, size_t size)
{
    static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *slash = cublas ? strrchr(cublas, '/') : NULL;
        char        path[4096];
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - cublas + 1) : 0, slash ? cublas : "", names[i]);
        void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (lib)
            return lib;
    }
    snprintf(why, size, "%s", dlerror());
    return NULL;
}

BenchLt *bench_lt_open(WwDevice *d, const char *cublas, char *why, size_t size)
{
    BenchLt *p = xcalloc(1, sizeof *p);
    p->device  = d;
    p->library = find(cublas, why, size);
    bool ok    = p->library != NULL;
#define ENTRY(member, symbol, params)                                                                                  \
    if (ok && !(*(void **)&p->member = dlsym(p->library, symbol))) {                                                   \
        snprintf(why, size, "the cublasLt library has no %s", symbol);                                                 \
        ok = false;                                                                                                    \
    }
    LT_ENTRIES(ENTRY)
#undef ENTRY
    if (ok && p->create(&p->handle) != 0) {
        snprintf(why, size, "cublasLtCreate failed");
        ok = false;
    }
    if (ok && ww_alloc(d, WORKSPACE, &p->workspace) == WW_OK)
        return p;
    bench_lt_close(p);
    return NULL;
}

void bench_lt_close(BenchLt *p)
{
    if (!p)
        return;
    if (p->handle)
        p->destroy(p->handle);
    ww_free(p->device, p->workspace);
    if (p->library)
        dlclose(p->library);
    free(p);
}

static bool enqueue(void *user, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c)
{
    static const float one = 1, zero = 0;
    const BenchLt     *p = user;
    WwPtr              y = strcmp(w->work, "aat") == 0 ? a : b; /* row by row: the operands change places */
    return p->matmul(p->handle, p->plan, &one, y, p->a, a, p->b, &zero, c, p->c, c, p->c, p->use->algorithm,
                     p->workspace, WORKSPACE, p->stream) == 0;
}

/* Descriptors of C^T = op(B)^T op(A)^T, column by column; all of them NULL or made. */
static bool describe(BenchLt *p, const BenchWork *w)
{
    bool     aat = strcmp(w->work, "aat") == 0, tb = aat ? !w->ta : w->tb;
    uint64_t m = w->m, n = aat ? w->m : w->n, k = w->k;
    int      first = tb, second = w->ta;
    return p->desc(&p->plan, COMPUTE_32F, R_32F) == 0 && p->desc_set(p->plan, DESC_TRANSA, &first, sizeof first) == 0 &&
           p->desc_set(p->plan, DESC_TRANSB, &second, sizeof second) == 0 &&
           p->layout(&p->a, bench_peer_operand(w->type), tb ? k : n, tb ? n : k, (int64_t)(tb ? k : n)) == 0 &&
           p->layout(&p->b, bench_peer_operand(w->type), w->ta ? m : k, w->ta ? k : m, (int64_t)(w->ta ? m : k)) == 0 &&
           p->layout(&p->c, bench_peer_result(w->type), n, m, (int64_t)n) == 0;
}

/* Column by column, a bias of columns is one of rows. */
static bool describe_end(const BenchLt *p, const BenchWork *w)
{
    enum { NONE = 1, RELU = 2, BIAS = 4, GELU = 32 };
    int end = w->activation == WW_RELU ? RELU : w->activation == WW_GELU ? GELU : 0;
    end |= w->bias == BENCH_COLUMNS ? BIAS : 0;
    end = end ? end : NONE;
    return p->desc_set(p->plan, DESC_END, &end, sizeof end) == 0 &&
           (w->bias != BENCH_COLUMNS || p->desc_set(p->plan, DESC_BIAS, &w->bias_at, sizeof w->bias_at) == 0);
}

static void forget(BenchLt *p)
{
    void **layouts[] = {&p->a, &p->b, &p->c};
    for (int i = 0; i < 3; i++)
        if (*layouts[i])
            p->layout_free(*layouts[i]);
    if (p->plan)
        p->desc_free(p->plan);
    p->plan = p->a = p->b = p->c = NULL;
}

static int ask(BenchLt *p, LtResult *out)
{
    void  *pref  = NULL;
    size_t bytes = WORKSPACE;
    int    found = 0;
    if (p->pref(&pref) == 0 && p->pref_set(pref, PREF_BYTES, &bytes, sizeof bytes) == 0 &&
        p->heuristic(p->handle, p->plan, p->a, p->b, p->c, p->c, pref, ALGORITHMS, out, &found) != 0)
        found = 0;
    if (pref)
        p->pref_free(pref);
    return found;
}

bool bench_lt_run(BenchLt *p, WwStream *s, const BenchWork *w, const BenchData *d, BenchRow *row)
{
    LtResult result[ALGORITHMS];
    int      found = describe(p, w) && describe_end(p, w) ? ask(p, result) : 0, best = -1;
    double   fastest = 0, ms;
    p->stream        = s->native;
    for (int i = 0; i < found; i++) {
        p->use = &result[i];
        if (result[i].state == 0 && bench_time(s, w, d, enqueue, p, QUICK_RUNS, &ms, NULL) &&
            (best < 0 || ms < fastest)) {
            fastest = ms;
            best    = i;
        }
    }
    if (best >= 0)
        p->use = &result[best];
    bool ok = best >= 0 && bench_time(s, w, d, enqueue, p, row->runs, &row->median_ms, &row->host_us);
    snprintf(row->note, sizeof row->note, "algorithm %d of %d", best + 1, found);
    if (!ok)
        snprintf(row->problem, sizeof row->problem, "cublasLt's heuristic names %d algorithms, of which none ran",
                 found);
    forget(p);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What people use instead, measured like our own kernels: cuBLAS (found with dlopen, default math mode) and the driver's
 * copy.  Both work on the primary context that the device has made current.
 *
 * A time is the median of runs between two events; a run is as many calls as take about a millisecond, after a warm-up,
 * as in the device's own timing.  NVML, where it is, tells clock and power right after the last run. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/bench.h"
#include "device/cuda.h"

enum { RUNS = 20, WARM = 3, MAX_CALLS = 1000, OP_N = 0, OP_T = 1, FILL_LOWER = 0 };

typedef struct Cublas {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*sgemm)(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                 const float *b, int ldb, const float *beta, float *c, int ldc);
    int (*ssyrk)(void *h, int fill, int trans, int n, int k, const float *alpha, const float *a, int lda,
                 const float *beta, float *c, int ldc);
} Cublas;

struct BenchPeer {
    CudaDevice *c;
    void       *library, *handle;
    Cublas      fn;
};

static void *entry(void *library, const char *name, char *why, size_t size)
{
    void *p = dlsym(library, name);
    if (!p)
        snprintf(why, size, "the cuBLAS library has no %s", name);
    return p;
}

/* Leaves handle NULL, and the reason in why, when there is none. */
static bool load(BenchPeer *p, const char *path, char *why, size_t size)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    for (size_t i = 0; path ? i < 1 : i < sizeof names / sizeof *names; i++)
        if ((p->library = dlopen(path ? path : names[i], RTLD_NOW | RTLD_LOCAL)))
            break;
    if (!p->library) {
        snprintf(why, size, "%s", dlerror());
        return false;
    }
    *(void **)&p->fn.create  = entry(p->library, "cublasCreate_v2", why, size);
    *(void **)&p->fn.destroy = entry(p->library, "cublasDestroy_v2", why, size);
    *(void **)&p->fn.sgemm   = entry(p->library, "cublasSgemm_v2", why, size);
    *(void **)&p->fn.ssyrk   = entry(p->library, "cublasSsyrk_v2", why, size);
    if (!p->fn.create || !p->fn.destroy || !p->fn.sgemm || !p->fn.ssyrk)
        return false;
    int e = p->fn.create(&p->handle);
    if (e != 0)
        snprintf(why, size, "cublasCreate failed with status %d", e);
    return e == 0;
}

BenchPeer *bench_peer_open(WwDevice *d, const char *cublas, char *why, size_t size)
{
    if (strcmp(ww_device_kind(d), "cuda") != 0) {
        snprintf(why, size, "cuBLAS needs a GPU");
        return NULL;
    }
    BenchPeer *p = xcalloc(1, sizeof *p);
    p->c         = (CudaDevice *)d;
    if (cuda_enter(p->c) != WW_OK) {
        snprintf(why, size, "%s", ww_device_error(d));
        bench_peer_close(p);
        return NULL;
    }
    load(p, cublas, why, size); /* without cuBLAS there is still the driver's copy */
    return p;
}

void bench_peer_close(BenchPeer *p)
{
    if (!p)
        return;
    if (p->handle)
        p->fn.destroy(p->handle);
    if (p->library)
        dlclose(p->library);
    free(p);
}

/* Row-major C = op(A) op(B) is the column-major C^T = op(B)^T op(A)^T. */
static int call(const BenchPeer *p, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c)
{
    static const float one = 1, zero = 0;
    int                m = (int)w->m, n = (int)w->n, k = (int)w->k;
    const float       *fa = (const float *)(uintptr_t)a, *fb = (const float *)(uintptr_t)b;
    float             *fc = (float *)(uintptr_t)c;
    if (strcmp(w->work, "copy") == 0)
        return p->c->drv.copy(c, a, w->bytes);
    if (strcmp(w->work, "aat") == 0)
        return p->fn.ssyrk(p->handle, FILL_LOWER, w->ta ? OP_N : OP_T, m, k, &one, fa, w->ta ? m : k, &zero, fc, m);
    return p->fn.sgemm(p->handle, w->tb ? OP_T : OP_N, w->ta ? OP_T : OP_N, n, m, k, &one, fb, w->tb ? k : n, fa,
                       w->ta ? m : k, &zero, fc, n);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct Clock {
    CuEvent from, to;
} Clock;

static bool timed(BenchPeer *p, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c, unsigned calls, Clock t, double *ms)
{
    const CudaDriver *drv = &p->c->drv;
    float             f   = 0;
    int               e   = drv->event_record(t.from, NULL);
    for (unsigned i = 0; i < calls && e == 0; i++)
        e = call(p, w, a, b, c);
    if (e == 0)
        e = drv->event_record(t.to, NULL);
    if (e == 0)
        e = drv->event_sync(t.to);
    if (e == 0)
        e = drv->event_elapsed(&f, t.from, t.to);
    *ms = (double)f / calls;
    return e == 0;
}

bool bench_peer_run(BenchPeer *p, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c, BenchRow *row)
{
    double each[RUNS], one = 0;
    if (!p->handle && strcmp(w->work, "copy") != 0) {
        snprintf(row->problem, sizeof row->problem, "no cuBLAS");
        return false;
    }
    Clock t  = {NULL, NULL};
    bool  ok = p->c->drv.event_create(&t.from, 0) == 0 && p->c->drv.event_create(&t.to, 0) == 0;
    for (int i = 0; ok && i < WARM; i++)
        ok = timed(p, w, a, b, c, i ? 4 : 1, t, &one);
    unsigned calls = one > 0 && one < 1 ? (unsigned)fmin(ceil(1 / one), MAX_CALLS) : 1;
    for (int i = 0; ok && i < RUNS; i++)
        ok = timed(p, w, a, b, c, calls, t, &each[i]);
    if (t.from)
        p->c->drv.event_destroy(t.from);
    if (t.to)
        p->c->drv.event_destroy(t.to);
    if (!ok) {
        snprintf(row->problem, sizeof row->problem, "the call failed");
        return false;
    }
    qsort(each, RUNS, sizeof *each, by_value);
    row->median_ms = (each[RUNS / 2 - 1] + each[RUNS / 2]) / 2;
    row->runs      = RUNS;
    bench_sensors(&row->clock_mhz, &row->power_w);
    return true;
}

bool bench_sensors(double *clock_mhz, double *power_w)
{
    int (*init)(void), (*stop)(void), (*device)(unsigned, void **);
    int (*clock)(void *, int, unsigned *), (*power)(void *, unsigned *);
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), *dev = NULL;
    if (!lib)
        return false;
    unsigned mhz = 0, mw = 0;
    *(void **)&init   = dlsym(lib, "nvmlInit_v2");
    *(void **)&stop   = dlsym(lib, "nvmlShutdown");
    *(void **)&device = dlsym(lib, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&clock  = dlsym(lib, "nvmlDeviceGetClockInfo");
    *(void **)&power  = dlsym(lib, "nvmlDeviceGetPowerUsage");
    bool ok           = init && stop && device && clock && power && init() == 0;
    if (ok) {
        ok = device(0, &dev) == 0 && clock(dev, 1, &mhz) == 0; /* 1: the SM clock */
        if (ok && power(dev, &mw) == 0)
            *power_w = mw / 1000.0;
        if (ok)
            *clock_mhz = mhz;
        stop();
    }
    dlclose(lib);
    return ok;
}

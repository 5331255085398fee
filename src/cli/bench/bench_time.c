/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock of `warpwright bench`, the same for the library and for what it is compared with.
 *
 * A time is the median of runs between two events of one stream, divided by the calls of a run: 1 for a call of 1 ms or more,
 * otherwise as many as take 1 ms.  Before, calls until 10 ms have passed.  Calls are enqueued without waiting, so a run's time is the
 * GPU's, unless the host is slower than it.  The host's part is that of 64 calls put on an idle stream, the least of 5 such runs.
 * With fewer runs than 20 the warm-up is as much shorter; with fewer than 10 it and the runs are less than half as long, and neither the
 * host's part nor clock and power are measured: many shapes in little time.
 * Buffers take turns: consecutive calls work on different sets, so many that they do not fit the L2 twice; a product finds its
 * operands in memory, as one that is called for the first time does. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "cli/bench/bench.h"
#include "device/cuda.h"

enum { MAX_CALLS = 1000, MAX_SETS = 64, L2_TIMES = 2, MAX_RUNS = 64 };

static const double warm_ms = 0.5 /* for each run */, run_ms = 1, short_ms = 0.4;

typedef struct Clock {
    const CudaDriver *drv;
    CuStream          stream;
    CuEvent           from, to;
    const BenchWork  *w;
    const BenchData  *d;
    BenchCall         call;
    void             *user;
    size_t            set;
} Clock;

static bool timed(Clock *t, unsigned calls, double *ms)
{
    float f  = 0;
    bool  ok = t->drv->event_record(t->from, t->stream) == CU_OK;
    for (unsigned i = 0; i < calls && ok; i++) {
        const BenchData *d = t->d;
        size_t           s = t->set++ % d->sets;
        ok                 = t->call(t->user, t->w, d->da + s * d->step_a + t->w->src_offset, d->db + s * d->step_b,
                                     d->dc + s * d->step_c + t->w->dst_offset);
    }
    ok = ok && t->drv->event_record(t->to, t->stream) == CU_OK && t->drv->event_sync(t->to) == CU_OK &&
         t->drv->event_elapsed(&f, t->from, t->to) == CU_OK;
    *ms = (double)f / calls;
    return ok;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool measure(Clock *t, unsigned runs, double *median_ms)
{
    double   each[MAX_RUNS], one = 0, spent = 0;
    unsigned step    = 1;
    bool     ok      = timed(t, 1, &one); /* loads what is loaded once */
    double   each_ms = runs < BENCH_FULL_RUNS ? short_ms : run_ms;
    for (unsigned n = 0; ok && spent < warm_ms * each_ms * runs && n < MAX_CALLS; n += step, step = n) {
        ok = timed(t, step, &one);
        spent += one * step;
    }
    unsigned calls = one > 0 && one < each_ms ? (unsigned)fmin(ceil(each_ms / one), MAX_CALLS) : 1;
    runs           = runs < MAX_RUNS ? runs : MAX_RUNS;
    for (unsigned i = 0; i < runs && ok; i++)
        ok = timed(t, calls, &each[i]);
    if (!ok)
        return false;
    qsort(each, runs, sizeof *each, by_value);
    *median_ms = (each[(runs - 1) / 2] + each[runs / 2]) / 2;
    return true;
}

/* Microseconds of the host for a call while the stream takes everything at once. */
static bool host_time(Clock *t, double *us)
{
    enum { RUNS = 5, CALLS = 64 };
    bool ok = true;
    *us     = 0;
    for (int r = 0; r < RUNS && ok; r++) {
        struct timespec a, b;
        ok = t->drv->event_record(t->from, t->stream) == CU_OK && t->drv->event_sync(t->from) == CU_OK;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < CALLS && ok; i++)
            ok = t->call(t->user, t->w, t->d->da + t->w->src_offset, t->d->db, t->d->dc + t->w->dst_offset);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double one = ((double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) * 1e-3) / CALLS;
        *us        = r == 0 || one < *us ? one : *us;
    }
    return ok && t->drv->event_record(t->to, t->stream) == CU_OK && t->drv->event_sync(t->to) == CU_OK;
}

bool bench_time(WwStream *s, const BenchWork *w, const BenchData *d, BenchCall call, void *user, unsigned runs,
                double *median_ms, double *host_us)
{
    CudaDevice *c  = (CudaDevice *)s->device;
    Clock       t  = {.drv = &c->drv, .stream = s->native, .w = w, .d = d, .call = call, .user = user};
    bool        ok = cuda_enter(c, &(CudaScope){0}) == WW_OK && c->drv.event_create(&t.from, 0) == CU_OK &&
              c->drv.event_create(&t.to, 0) == CU_OK && measure(&t, runs, median_ms);
    if (ok && host_us && *median_ms < 0.1 && runs >= BENCH_FULL_RUNS) /* 64 calls of longer ones take long */
        ok = host_time(&t, host_us);
    if (t.from)
        c->drv.event_destroy(t.from);
    if (t.to)
        c->drv.event_destroy(t.to);
    return ok;
}

size_t bench_sets(WwDevice *d, size_t set_bytes)
{
    CudaDevice *c  = (CudaDevice *)d;
    int         l2 = 0;
    if (strcmp(ww_device_kind(d), "cuda") != 0 || c->drv.device_attribute(&l2, CU_ATTR_L2_BYTES, c->ordinal) != CU_OK ||
        l2 <= 0)
        return 1;
    size_t sets = (size_t)l2 * L2_TIMES / set_bytes + 1;
    return sets < MAX_SETS ? sets : MAX_SETS;
}

/* ---- sensors ---- */

struct BenchSensors {
    void *lib, *device;
    int (*stop)(void);
    int (*clock)(void *, int, unsigned *);
    int (*power)(void *, unsigned *);
};

BenchSensors *bench_sensors_open(unsigned ordinal)
{
    int (*init)(void) = NULL, (*device)(unsigned, void **) = NULL;
    BenchSensors s = {.lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!s.lib)
        return NULL;
    *(void **)&init    = dlsym(s.lib, "nvmlInit_v2");
    *(void **)&s.stop  = dlsym(s.lib, "nvmlShutdown");
    *(void **)&device  = dlsym(s.lib, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&s.clock = dlsym(s.lib, "nvmlDeviceGetClockInfo");
    *(void **)&s.power = dlsym(s.lib, "nvmlDeviceGetPowerUsage");
    bool all           = init && s.stop && device && s.clock && s.power;
    if (!all || init() != 0) {
        dlclose(s.lib);
        return NULL;
    }
    if (device(ordinal, &s.device) != 0) {
        s.stop();
        dlclose(s.lib);
        return NULL;
    }
    return memcpy(xmalloc(sizeof s), &s, sizeof s);
}

void bench_sensors_read(const BenchSensors *s, double *clock_mhz, double *power_w)
{
    enum { SM_CLOCK = 1 };
    unsigned mhz = 0, mw = 0;
    if (s && s->clock(s->device, SM_CLOCK, &mhz) == 0)
        *clock_mhz = mhz;
    if (s && s->power(s->device, &mw) == 0)
        *power_w = mw / 1000.0;
}

void bench_sensors_close(BenchSensors *s)
{
    if (!s)
        return;
    s->stop();
    dlclose(s->lib);
    free(s);
}

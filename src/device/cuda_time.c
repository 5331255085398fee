/* SPDX-License-Identifier: Apache-2.0
 *
 * How long a kernel takes on the GPU.
 *
 *   warm-up   launches until 3 have run and 10 ms have passed (clocks rise, caches and the compiled code are in place), at
 *             most 1000; together they give the estimate of one launch
 *   a run     record event, n launches, record event, wait; its time is the difference of the events divided by n
 *   n         1 for a kernel of at least 1 ms; otherwise as many as take 1 ms, at most 1000
 *
 * Events resolve about 0.5 us and the first launch of a run starts a few us after its event: below 1 % of a run of 1 ms.
 * What remains in the time of a short kernel is the gap between consecutive launches of one stream (about 1 us), and a kernel
 * shorter than the 2 to 3 us in which the host can enqueue a launch shows that interval, not its own.
 * Reported are the median and the fastest of w->repeats runs (20 unless given), in milliseconds. */
#include <math.h>
#include <stdlib.h>

#include "device/cuda.h"

enum { DEFAULT_RUNS = 20, MAX_BATCH = 1000, WARM_LAUNCHES = 3 };

static const double warm_ms = 10.0, run_ms = 1.0;

typedef struct Timer {
    CudaDevice *c;
    CuEvent     from, to;
} Timer;

static Status timer_open(Timer *t)
{
    TRY(cuda_check(t->c, t->c->drv.event_create(&t->from, 0), "cuEventCreate"));
    return cuda_check(t->c, t->c->drv.event_create(&t->to, 0), "cuEventCreate");
}

static void timer_close(Timer *t)
{
    if (t->from)
        t->c->drv.event_destroy(t->from);
    if (t->to)
        t->c->drv.event_destroy(t->to);
}

/* Milliseconds between the events around n launches. */
static Status timer_run(Timer *t, const CudaRequest *q, unsigned n, double *ms)
{
    const CudaDriver *drv = &t->c->drv;
    float             f   = 0;
    TRY(cuda_check(t->c, drv->event_record(t->from, NULL), "cuEventRecord"));
    for (unsigned i = 0; i < n; i++)
        TRY(cuda_check(t->c, cuda_enqueue(t->c, q), "cuLaunchKernel (timed)"));
    TRY(cuda_check(t->c, drv->event_record(t->to, NULL), "cuEventRecord"));
    TRY(cuda_check(t->c, drv->event_sync(t->to), "a timed launch"));
    TRY(cuda_check(t->c, drv->event_elapsed(&f, t->from, t->to), "cuEventElapsedTime"));
    *ms = (double)f;
    return WW_OK;
}

/* Warms up and chooses the number of launches in a run. */
static Status choose_batch(Timer *t, const CudaRequest *q, unsigned *batch)
{
    double   total = 0, one = 0;
    unsigned n = 0;
    for (unsigned step = 1; n < MAX_BATCH && (n < WARM_LAUNCHES || total < warm_ms); n += step, step = n) {
        if (step > MAX_BATCH - n)
            step = MAX_BATCH - n;
        double ms = 0;
        TRY(timer_run(t, q, step, &ms));
        total += ms;
        one = ms / step;
    }
    double wanted = one > 0 ? ceil(run_ms / one) : MAX_BATCH;
    *batch        = wanted <= 1 ? 1 : wanted >= MAX_BATCH ? MAX_BATCH : (unsigned)wanted;
    return WW_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static Status measure(Timer *t, const CudaRequest *q, unsigned runs, double *each, WwResult *r)
{
    unsigned batch = 1;
    TRY(timer_open(t));
    TRY(choose_batch(t, q, &batch));
    for (unsigned i = 0; i < runs; i++) {
        TRY(timer_run(t, q, batch, &each[i]));
        each[i] /= batch;
    }
    qsort(each, runs, sizeof *each, by_value);
    r->median_ms = runs % 2 ? each[runs / 2] : (each[runs / 2 - 1] + each[runs / 2]) / 2;
    r->min_ms    = each[0];
    r->runs      = runs;
    r->batch     = batch;
    return WW_OK;
}

Status cuda_time(CudaDevice *c, const CudaRequest *q, WwResult *r)
{
    unsigned runs = q->w->repeats ? q->w->repeats : DEFAULT_RUNS;
    double  *each = xcalloc(runs, sizeof *each);
    Timer    t    = {.c = c};
    Status   s    = measure(&t, q, runs, each, r);
    timer_close(&t);
    free(each);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Executes plans by FFTW, the shared libraries that Debian's libfftw3-single3 and libfftw3-double3 bring, loaded when they are first wanted.
 * FFTW plans in one thread at a time and keeps nothing of the arrays (FFTW_ESTIMATE).  It destroys the input of transforms to real numbers of
 * several dimensions: those get a copy, so inputs stay, as cuFFT's do out of place. */
#include "cuda/libraries/cufft/cufft.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"

enum { ESTIMATE = 1 << 6, UNALIGNED = 1 << 1, PRESERVE_INPUT = 1 << 4 }; /* FFTW's flags */

typedef void *PlanComplex(int, const int *, int, void *, const int *, int, int, void *, const int *, int, int, int,
                          unsigned);
typedef void *PlanReal(int, const int *, int, void *, const int *, int, int, void *, const int *, int, int, unsigned);
typedef void  UsePlan(void *);

typedef struct Fftw {
    const char  *file;
    void        *library;
    PlanComplex *complex;
    PlanReal    *to_complex, *to_real;
    UsePlan     *execute, *destroy;
} Fftw;

static Fftw            fftw[2] = {{.file = "libfftw3f.so.3"}, {.file = "libfftw3.so.3"}}; /* float, double */
static pthread_once_t  once    = PTHREAD_ONCE_INIT;
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static bool take(const Fftw *f, const char *letter, const char *name, void *out)
{
    char full[64];
    snprintf(full, sizeof full, "fftw%s_%s", letter, name);
    void *at = dlsym(f->library, full);
    memcpy(out, &at, sizeof at);
    return at != NULL;
}

static void load(void)
{
    for (int d = 0; d < 2; d++) {
        Fftw       *f      = &fftw[d];
        const char *letter = d ? "" : "f";
        f->library         = dlopen(f->file, RTLD_NOW | RTLD_LOCAL);
        if (f->library && take(f, letter, "plan_many_dft", &f->complex) &&
            take(f, letter, "plan_many_dft_r2c", &f->to_complex) && take(f, letter, "plan_many_dft_c2r", &f->to_real) &&
            take(f, letter, "execute", &f->execute) && take(f, letter, "destroy_plan", &f->destroy))
            continue;
        f->library = NULL;
        fprintf(stderr,
                "warpwright: the program computes with cuFFT, which needs FFTW on the host here: install %s (Debian: "
                "libfftw3-%s3)\n",
                f->file, d ? "double" : "single");
    }
}

/* ---- one side of a transform ---- */

typedef struct Side {
    int    dims[FFT_DIMS], embed[FFT_DIMS], stride, dist; /* elements */
    size_t element;                                       /* bytes */
} Side;

typedef struct Job {
    Plan  plan;
    int   sign;
    void *in, *out;
    Side  side[2];
    bool  real[2];
} Job;

/* The basic layout: dense, but that the real side of a transform in place is as wide as the complex one. */
static void basic(const Plan *p, bool in_place, bool real, bool half, Side *s)
{
    int last = p->rank - 1;
    s->dist  = 1;
    for (int i = 0; i < p->rank; i++) {
        s->embed[i] = i < last ? p->n[i] : half ? p->n[i] / 2 + 1 : real && in_place ? 2 * (p->n[i] / 2 + 1) : p->n[i];
        s->dist *= s->embed[i];
    }
    s->stride = 1;
}

static void find_sides(Job *j)
{
    const Plan *p     = &j->plan;
    bool        wide  = p->type & 0x40;
    bool        reals = p->type != FFT_C2C && p->type != FFT_Z2Z;
    j->real[0]        = p->type == FFT_R2C || p->type == FFT_D2Z;
    j->real[1]        = reals && !j->real[0];
    for (int i = 0; i < 2; i++) {
        Side *s    = &j->side[i];
        bool  half = reals && !j->real[i];
        s->element = (size_t)(wide ? 8 : p->narrow ? 2 : 4) * (j->real[i] ? 1 : 2);
        for (int d = 0; d < p->rank; d++)
            s->dims[d] = d == p->rank - 1 && half ? p->n[d] / 2 + 1 : p->n[d];
        if (p->basic[i]) {
            basic(p, j->in == j->out, j->real[i], half, s);
        } else {
            memcpy(s->embed, p->layout[i].embed, sizeof s->embed);
            s->stride = p->layout[i].stride;
            s->dist   = p->layout[i].dist;
        }
    }
}

/* From the first element to behind the last, in elements. */
static size_t extent(const Plan *p, const Side *s)
{
    size_t at = 0;
    for (int d = 0; d < p->rank; d++)
        at = at * (d ? (size_t)s->embed[d] : 1) + (size_t)(s->dims[d] - 1);
    return at * (size_t)s->stride + (size_t)(p->batch - 1) * (size_t)s->dist + 1;
}

static LibrarySpan span(const void *at, size_t pitch, size_t width, size_t height, LibraryUse use)
{
    return (LibrarySpan){.at = at, .pitch = pitch, .width = width, .height = height, .use = use};
}

/* The memory of one side, for checks.  Rows where they are equally far apart; else what is written from end to end, and of what is read the first and
 * the last element: what lies between elements may never have been written. */
static unsigned find_spans(const Plan *p, const Side *s, const void *at, LibraryUse use, LibrarySpan *out)
{
    int    last = p->rank - 1;
    size_t rows = 1, pitch = last ? (size_t)s->embed[last] : (size_t)s->dist;
    size_t stride = (size_t)s->stride, whole = pitch;
    bool   even = stride == 1;
    for (int d = last - 1; d >= 0; d--) {
        rows *= (size_t)s->dims[d];
        even &= d == 0 || s->embed[d] == s->dims[d];
        whole *= d ? (size_t)s->embed[d] : (size_t)s->dims[0];
    }
    even &= p->batch == 1 || last == 0 || whole == (size_t)s->dist;
    size_t bytes = extent(p, s) * s->element;
    if (even) {
        out[0] = span(at, pitch * s->element, (size_t)s->dims[last] * s->element, rows * (size_t)p->batch, use);
        return 1;
    }
    if (use == LIBRARY_WRITES) {
        out[0] = span(at, bytes, bytes, 1, LIBRARY_WRITES);
        return 1;
    }
    out[0] = span(at, s->element, s->element, 1, LIBRARY_READS);
    out[1] = span((const char *)at + bytes - s->element, s->element, s->element, 1, LIBRARY_READS);
    return 2;
}

/* ---- the work ---- */

static void *plan_fftw(const Fftw *f, const Job *j, void *in, unsigned flags)
{
    const Plan *p = &j->plan;
    const Side *a = &j->side[0], *b = &j->side[1];
    if (j->real[0])
        return f->to_complex(p->rank, p->n, p->batch, in, a->embed, a->stride, a->dist, j->out, b->embed, b->stride,
                             b->dist, flags);
    if (j->real[1])
        return f->to_real(p->rank, p->n, p->batch, in, a->embed, a->stride, a->dist, j->out, b->embed, b->stride,
                          b->dist, flags);
    return f->complex(p->rank, p->n, p->batch, in, a->embed, a->stride, a->dist, j->out, b->embed, b->stride, b->dist,
                      j->sign, flags);
}

static void transform(const Job *j)
{
    const Fftw *f  = &fftw[j->plan.type >> 6 & 1];
    void       *in = j->in, *copy = NULL;
    size_t      size = extent(&j->plan, &j->side[0]) * j->side[0].element;
    if (j->real[1] && j->in != j->out && (copy = malloc(size)))
        in = memcpy(copy, j->in, size);
    pthread_mutex_lock(&planner);
    void *plan = plan_fftw(f, j, in, ESTIMATE | UNALIGNED);
    pthread_mutex_unlock(&planner);
    if (plan)
        f->execute(plan);
    else
        fprintf(stderr, "warpwright: %s cannot plan this transform; its result is not computed\n", f->file);
    pthread_mutex_lock(&planner);
    if (plan)
        f->destroy(plan);
    pthread_mutex_unlock(&planner);
    free(copy);
}

/* Numbers of 16 bits from and to floats. */
static void widen(const Plan *p, const uint16_t *in, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(p->narrow == FFT_HALF ? half_to_double(in[i]) : bf16_to_double(in[i]));
}

static void narrow(const Plan *p, const float *in, uint16_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = p->narrow == FFT_HALF ? half_from_double((double)in[i]) : bf16_from_double((double)in[i]);
}

/* The whole extent of either side as floats, so that what lies between elements stays as it is. */
static void transform_narrow(const Job *j)
{
    Job    f = *j;
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        n[i] = extent(&j->plan, &j->side[i]) * (j->real[i] ? 1 : 2);
        f.side[i].element *= 2;
    }
    f.in  = ww_cuda_library_memory(n[0] * sizeof(float));
    f.out = ww_cuda_library_memory(n[1] * sizeof(float));
    widen(&j->plan, j->in, f.in, n[0]);
    widen(&j->plan, j->out, f.out, n[1]);
    transform(&f);
    narrow(&j->plan, f.out, j->out, n[1]);
    free(f.in);
    free(f.out);
}

static void compute(const void *args)
{
    const Job *j = args;
    if (j->plan.narrow)
        transform_narrow(j);
    else
        transform(j);
}

void fft_compute(const Plan *p, int sign, void *in, void *out)
{
    Job j = {.plan = *p, .sign = sign, .in = in, .out = out};
    find_sides(&j);
    compute(&j);
}

const char *fft_host(const Plan *p)
{
    pthread_once(&once, load);
    const Fftw *f = &fftw[p->type >> 6 & 1];
    return f->library ? f->file : NULL;
}

/* 5 n log2 n of each complex transform, half of it of a real one: the usual count. */
double fft_operations(const Plan *p)
{
    double n = 1, logarithm = 0;
    for (int d = 0; d < p->rank; d++) {
        n *= p->n[d];
        for (int k = p->n[d]; k > 1; k /= 2)
            logarithm++;
    }
    return (p->type == FFT_C2C || p->type == FFT_Z2Z ? 5 : 2.5) * n * logarithm * p->batch;
}

static Fft execute(int handle, const char *call, int type, int sign, void *in, void *out)
{
    Job j = {.sign = sign, .in = in, .out = out};
    if (!plan_of(handle, &j.plan) || !j.plan.made || j.plan.gpus > 1)
        return FFT_INVALID_PLAN;
    if (type && (type != j.plan.type || j.plan.narrow))
        return FFT_INVALID_TYPE;
    if (!in || !out || (sign != FFT_FORWARD && sign != FFT_INVERSE))
        return FFT_INVALID_VALUE;
    const char *host = fft_host(&j.plan);
    if (!host)
        return FFT_NOT_SUPPORTED;
    find_sides(&j);
    LibraryWork w = {.library    = "cuFFT",
                     .call       = call,
                     .by         = host,
                     .compute    = compute,
                     .args       = &j,
                     .bytes      = sizeof j,
                     .operations = fft_operations(&j.plan)};
    w.nspans      = find_spans(&j.plan, &j.side[0], in, LIBRARY_READS, w.span);
    w.nspans += find_spans(&j.plan, &j.side[1], out, LIBRARY_WRITES, w.span + w.nspans);
    return ww_cuda_library_do(j.plan.stream, &w) ? FFT_SUCCESS : FFT_EXEC_FAILED;
}

Fft cufftExecC2C(int handle, void *in, void *out, int direction)
{
    return execute(handle, "cufftExecC2C", FFT_C2C, direction, in, out);
}

Fft cufftExecZ2Z(int handle, void *in, void *out, int direction)
{
    return execute(handle, "cufftExecZ2Z", FFT_Z2Z, direction, in, out);
}

Fft cufftExecR2C(int handle, void *in, void *out)
{
    return execute(handle, "cufftExecR2C", FFT_R2C, FFT_FORWARD, in, out);
}

Fft cufftExecD2Z(int handle, void *in, void *out)
{
    return execute(handle, "cufftExecD2Z", FFT_D2Z, FFT_FORWARD, in, out);
}

Fft cufftExecC2R(int handle, void *in, void *out)
{
    return execute(handle, "cufftExecC2R", FFT_C2R, FFT_INVERSE, in, out);
}

Fft cufftExecZ2D(int handle, void *in, void *out)
{
    return execute(handle, "cufftExecZ2D", FFT_Z2D, FFT_INVERSE, in, out);
}

/* The plan says the type; the direction is looked at for complex ones only. */
Fft cufftXtExec(int handle, void *in, void *out, int direction)
{
    Plan p;
    if (!plan_of(handle, &p))
        return FFT_INVALID_PLAN;
    bool complex = p.type == FFT_C2C || p.type == FFT_Z2Z;
    return execute(handle, "cufftXtExec", 0, complex ? direction : FFT_FORWARD, in, out);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans: what is to be transformed.  A handle is a number of a slot and is given again after its plan was destroyed. */
#include <limits.h>
#include <stdlib.h>

#include "cuda/libraries/cufft/cufft.h"

enum { VERSION = WW_CUFFT * 1000 };

static const char kind;

__attribute__((constructor)) static void begin(void)
{
    ww_cuda_library_is((void (*)(void))begin);
}

bool plan_of(int handle, Plan *out)
{
    const Plan *p = ww_cuda_library_numbered(&kind, handle);
    if (p)
        *out = *p;
    return p != NULL;
}

/* The handle's plan becomes this one. */
static Fft keep(int handle, const Plan *p)
{
    Plan *kept = ww_cuda_library_numbered(&kind, handle);
    if (!kept)
        return FFT_INVALID_PLAN;
    *kept = *p;
    return FFT_SUCCESS;
}

Fft cufftCreate(int *handle)
{
    if (!handle)
        return FFT_INVALID_VALUE;
    if (!ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return FFT_SETUP_FAILED;
    Plan *p      = calloc(1, sizeof *p);
    int   number = p ? ww_cuda_library_keep(&kind, p) : -1;
    if (number < 0) {
        free(p);
        return FFT_ALLOC_FAILED;
    }
    *handle = number;
    return FFT_SUCCESS;
}

Fft cufftDestroy(int handle)
{
    Plan *p = ww_cuda_library_numbered(&kind, handle);
    if (!p)
        return FFT_INVALID_PLAN;
    bool ok = ww_cuda_library_wait(p->stream);
    if (ww_cuda_library_drop(&kind, p))
        free(p);
    return ok ? FFT_SUCCESS : FFT_EXEC_FAILED;
}

Fft cufftSetStream(int handle, void *stream)
{
    Plan p;
    if (!plan_of(handle, &p))
        return FFT_INVALID_PLAN;
    p.stream = stream;
    return keep(handle, &p);
}

/* ---- sizes and layouts ---- */

static bool is_type(int type)
{
    return type == FFT_R2C || type == FFT_C2R || type == FFT_C2C || type == FFT_D2Z || type == FFT_Z2D ||
           type == FFT_Z2Z;
}

typedef struct Asked { /* embed NULL: the basic layout, and stride and dist are not looked at */
    int              rank;
    const long long *n, *embed[2];
    long long        stride[2], dist[2], batch;
    int              type;
    int              narrow; /* FFT_HALF, FFT_BFLOAT */
} Asked;

/* What cuFFT asks of numbers of 16 bits. */
static Fft check_narrow(const Asked *a)
{
    for (int i = 0; i < a->rank; i++)
        if (a->n[i] & (a->n[i] - 1))
            return FFT_INVALID_SIZE;
    int real = a->type == FFT_R2C ? 0 : a->type == FFT_C2R ? 1 : -1;
    return real >= 0 && a->embed[real] && a->stride[real] != 1 ? FFT_NOT_SUPPORTED : FFT_SUCCESS;
}

static Fft check(const Asked *a, Plan *p)
{
    if (!is_type(a->type))
        return FFT_INVALID_TYPE;
    if (a->rank < 1 || a->rank > FFT_DIMS)
        return FFT_INVALID_VALUE;
    if (!a->n || a->batch < 1 || a->batch > INT_MAX)
        return FFT_INVALID_SIZE;
    p->type   = a->type;
    p->narrow = a->narrow;
    p->rank   = a->rank;
    p->batch  = (int)a->batch;
    for (int i = 0; i < a->rank; i++) {
        if (a->n[i] < 1 || a->n[i] > INT_MAX)
            return FFT_INVALID_SIZE;
        p->n[i] = (int)a->n[i];
    }
    for (int side = 0; side < 2; side++) {
        p->basic[side] = !a->embed[side];
        if (p->basic[side])
            continue;
        if (a->stride[side] < 1 || a->stride[side] > INT_MAX || a->dist[side] < 0 || a->dist[side] > INT_MAX)
            return FFT_INVALID_VALUE;
        p->layout[side].stride = (int)a->stride[side];
        p->layout[side].dist   = (int)a->dist[side];
        for (int i = 0; i < a->rank; i++) { /* embed[0] says nothing */
            if (i && (a->embed[side][i] < 1 || a->embed[side][i] > INT_MAX))
                return FFT_INVALID_SIZE;
            p->layout[side].embed[i] = i ? (int)a->embed[side][i] : p->n[0];
        }
    }
    return a->narrow ? check_narrow(a) : FFT_SUCCESS;
}

/* No work area, on any of the devices. */
static Fft no_work(const Plan *p, size_t *work)
{
    if (!work)
        return FFT_INVALID_VALUE;
    for (int i = 0; i < p->gpus || i == 0; i++)
        work[i] = 0;
    return FFT_SUCCESS;
}

static Fft make(int handle, const Asked *a, size_t *work)
{
    Plan p;
    if (!plan_of(handle, &p) || p.made) /* a plan is made once */
        return FFT_INVALID_PLAN;
    Fft e = check(a, &p);
    if (e != FFT_SUCCESS)
        return e;
    if (p.gpus > 1 && (p.narrow || !p.basic[0] || !p.basic[1]))
        return FFT_NOT_SUPPORTED;
    if (work)
        no_work(&p, work);
    p.made = true;
    return keep(handle, &p);
}

static const long long *wide(int rank, const int *n, long long out[FFT_DIMS])
{
    for (int i = 0; n && i < rank && i < FFT_DIMS; i++)
        out[i] = n[i];
    return n ? out : NULL;
}

Fft cufftMakePlanMany(int handle, int rank, const int *n, const int *in, int istride, int idist, const int *out,
                      int ostride, int odist, int type, int batch, size_t *work)
{
    long long size[FFT_DIMS], from[FFT_DIMS], to[FFT_DIMS];
    return make(handle,
                &(Asked){rank,
                         wide(rank, n, size),
                         {wide(rank, in, from), wide(rank, out, to)},
                         {istride, ostride},
                         {idist, odist},
                         batch,
                         type,
                         0},
                work);
}

Fft cufftMakePlanMany64(int handle, int rank, const long long *n, const long long *in, long long istride,
                        long long idist, const long long *out, long long ostride, long long odist, int type,
                        long long batch, size_t *work)
{
    return make(handle, &(Asked){rank, n, {in, out}, {istride, ostride}, {idist, odist}, batch, type, 0}, work);
}

/* Types of input, output and arithmetic (cudaDataType) instead of a cufftType.  Its number is 0 where there is none. */
typedef struct Numbers {
    int real, complex, wide, narrow;
} Numbers;

static const Numbers numbers[] = {{0, 4, 0, 0}, {1, 5, 0x40, 0}, {2, 6, 0, FFT_HALF}, {14, 15, 0, FFT_BFLOAT}};

static int type_of(int from, int to, int with, int *narrow)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const Numbers *k    = &numbers[i];
        int            type = from == k->real && to == k->complex      ? FFT_R2C
                              : from == k->complex && to == k->real    ? FFT_C2R
                              : from == k->complex && to == k->complex ? FFT_C2C
                                                                       : 0;
        *narrow             = k->narrow;
        if (type)
            return with == k->complex ? type | k->wide : 0;
    }
    return 0;
}

Fft cufftXtMakePlanMany(int handle, int rank, const long long *n, const long long *in, long long istride,
                        long long idist, int from, const long long *out, long long ostride, long long odist, int to,
                        long long batch, size_t *work, int with)
{
    int narrow = 0, type = type_of(from, to, with, &narrow);
    return make(handle, &(Asked){rank, n, {in, out}, {istride, ostride}, {idist, odist}, batch, type, narrow}, work);
}

Fft cufftMakePlan1d(int handle, int n, int type, int batch, size_t *work)
{
    return cufftMakePlanMany(handle, 1, &n, NULL, 1, 0, NULL, 1, 0, type, batch, work);
}

Fft cufftMakePlan2d(int handle, int n0, int n1, int type, size_t *work)
{
    return cufftMakePlanMany(handle, 2, (int[]){n0, n1}, NULL, 1, 0, NULL, 1, 0, type, 1, work);
}

Fft cufftMakePlan3d(int handle, int n0, int n1, int n2, int type, size_t *work)
{
    return cufftMakePlanMany(handle, 3, (int[]){n0, n1, n2}, NULL, 1, 0, NULL, 1, 0, type, 1, work);
}

Fft cufftPlanMany(int *handle, int rank, int *n, int *in, int istride, int idist, int *out, int ostride, int odist,
                  int type, int batch)
{
    int made = 0;
    Fft e    = handle ? cufftCreate(&made) : FFT_INVALID_VALUE;
    if (e != FFT_SUCCESS)
        return e;
    e = cufftMakePlanMany(made, rank, n, in, istride, idist, out, ostride, odist, type, batch, NULL);
    if (e != FFT_SUCCESS)
        cufftDestroy(made);
    else
        *handle = made;
    return e;
}

Fft cufftPlan1d(int *handle, int n, int type, int batch)
{
    return cufftPlanMany(handle, 1, &n, NULL, 1, 0, NULL, 1, 0, type, batch);
}

Fft cufftPlan2d(int *handle, int n0, int n1, int type)
{
    return cufftPlanMany(handle, 2, (int[]){n0, n1}, NULL, 1, 0, NULL, 1, 0, type, 1);
}

Fft cufftPlan3d(int *handle, int n0, int n1, int n2, int type)
{
    return cufftPlanMany(handle, 3, (int[]){n0, n1, n2}, NULL, 1, 0, NULL, 1, 0, type, 1);
}

/* ---- what needs no work area ---- */

static Fft no_work_of(int handle, size_t *work)
{
    Plan p;
    return plan_of(handle, &p) ? no_work(&p, work) : FFT_INVALID_PLAN;
}

static Fft size_of(const Asked *a, size_t *work)
{
    Plan p = {0};
    Fft  e = check(a, &p);
    return e == FFT_SUCCESS ? no_work(&p, work) : e;
}

static Fft size_of_plan(int handle, const Asked *a, size_t *work)
{
    Plan p;
    if (!plan_of(handle, &p))
        return FFT_INVALID_PLAN;
    Fft e = check(a, &p);
    return e == FFT_SUCCESS ? no_work(&p, work) : e;
}

Fft cufftEstimate1d(int n, int type, int batch, size_t *work)
{
    return size_of(&(Asked){1, (long long[]){n}, {NULL, NULL}, {1, 1}, {0, 0}, batch, type, 0}, work);
}

Fft cufftEstimate2d(int n0, int n1, int type, size_t *work)
{
    return size_of(&(Asked){2, (long long[]){n0, n1}, {NULL, NULL}, {1, 1}, {0, 0}, 1, type, 0}, work);
}

Fft cufftEstimate3d(int n0, int n1, int n2, int type, size_t *work)
{
    return size_of(&(Asked){3, (long long[]){n0, n1, n2}, {NULL, NULL}, {1, 1}, {0, 0}, 1, type, 0}, work);
}

Fft cufftEstimateMany(int rank, int *n, int *in, int istride, int idist, int *out, int ostride, int odist, int type,
                      int batch, size_t *work)
{
    long long size[FFT_DIMS], from[FFT_DIMS], to[FFT_DIMS];
    return size_of(&(Asked){rank,
                            wide(rank, n, size),
                            {wide(rank, in, from), wide(rank, out, to)},
                            {istride, ostride},
                            {idist, odist},
                            batch,
                            type,
                            0},
                   work);
}

Fft cufftGetSize(int handle, size_t *work)
{
    return no_work_of(handle, work);
}

Fft cufftGetSize1d(int handle, int n, int type, int batch, size_t *work)
{
    return size_of_plan(handle, &(Asked){1, (long long[]){n}, {NULL, NULL}, {1, 1}, {0, 0}, batch, type, 0}, work);
}

Fft cufftGetSize2d(int handle, int n0, int n1, int type, size_t *work)
{
    return size_of_plan(handle, &(Asked){2, (long long[]){n0, n1}, {NULL, NULL}, {1, 1}, {0, 0}, 1, type, 0}, work);
}

Fft cufftGetSize3d(int handle, int n0, int n1, int n2, int type, size_t *work)
{
    return size_of_plan(handle, &(Asked){3, (long long[]){n0, n1, n2}, {NULL, NULL}, {1, 1}, {0, 0}, 1, type, 0}, work);
}

Fft cufftGetSizeMany64(int handle, int rank, const long long *n, const long long *in, long long istride,
                       long long idist, const long long *out, long long ostride, long long odist, int type,
                       long long batch, size_t *work)
{
    return size_of_plan(handle, &(Asked){rank, n, {in, out}, {istride, ostride}, {idist, odist}, batch, type, 0}, work);
}

Fft cufftGetSizeMany(int handle, int rank, int *n, int *in, int istride, int idist, int *out, int ostride, int odist,
                     int type, int batch, size_t *work)
{
    long long size[FFT_DIMS], from[FFT_DIMS], to[FFT_DIMS];
    return cufftGetSizeMany64(handle, rank, wide(rank, n, size), wide(rank, in, from), istride, idist,
                              wide(rank, out, to), ostride, odist, type, batch, work);
}

Fft cufftXtGetSizeMany(int handle, int rank, const long long *n, const long long *in, long long istride,
                       long long idist, int from, const long long *out, long long ostride, long long odist, int to,
                       long long batch, size_t *work, int with)
{
    int narrow = 0, type = type_of(from, to, with, &narrow);
    return size_of_plan(handle, &(Asked){rank, n, {in, out}, {istride, ostride}, {idist, odist}, batch, type, narrow},
                        work);
}

Fft cufftXtSetWorkArea(int handle, void **areas)
{
    Plan p;
    (void)areas;
    return plan_of(handle, &p) ? FFT_SUCCESS : FFT_INVALID_PLAN;
}

Fft cufftXtSetWorkAreaPolicy(int handle, int policy, size_t *work)
{
    Plan p;
    (void)work;
    return !plan_of(handle, &p) ? FFT_INVALID_PLAN : policy < 0 || policy > 2 ? FFT_INVALID_VALUE : FFT_SUCCESS;
}

/* ---- properties of a plan that is not made yet: kept, and answered ---- */

static Fft set_property(int handle, int which, long long value)
{
    Plan p;
    if (!plan_of(handle, &p) || p.made)
        return FFT_INVALID_PLAN;
    if (which < 1 || which > FFT_PROPERTIES || value < 0)
        return FFT_INVALID_VALUE;
    p.property[which - 1] = value;
    return keep(handle, &p);
}

Fft cufftSetPlanPropertyInt64(int handle, int which, long long value)
{
    return set_property(handle, which, value);
}

Fft cufftResetPlanProperty(int handle, int which)
{
    return set_property(handle, which, 0);
}

Fft cufftGetPlanPropertyInt64(int handle, int which, long long *value)
{
    Plan p;
    if (!plan_of(handle, &p))
        return FFT_INVALID_PLAN;
    if (which < 1 || which > FFT_PROPERTIES || !value)
        return FFT_INVALID_VALUE;
    *value = p.property[which - 1];
    return FFT_SUCCESS;
}

/* ---- devices ---- */

Fft cufftXtSetGPUs(int handle, int n, int *which)
{
    Plan p;
    if (!plan_of(handle, &p) || p.made)
        return FFT_INVALID_PLAN;
    if (n < 1 || n > FFT_GPUS || !which)
        return FFT_INVALID_VALUE;
    for (int i = 0; i < n; i++) /* one may be named twice */
        if (which[i] < 0 || which[i] >= ww_cuda_library_devices())
            return FFT_INVALID_DEVICE;
    p.gpus = n;
    for (int i = 0; i < n; i++)
        p.gpu[i] = which[i];
    return keep(handle, &p);
}

Fft cufftSetWorkArea(int handle, void *area)
{
    Plan p;
    (void)area;
    return plan_of(handle, &p) ? FFT_SUCCESS : FFT_INVALID_PLAN;
}

Fft cufftSetAutoAllocation(int handle, int on)
{
    Plan p;
    (void)on;
    return plan_of(handle, &p) ? FFT_SUCCESS : FFT_INVALID_PLAN;
}

Fft cufftGetVersion(int *version)
{
    if (!version)
        return FFT_INVALID_VALUE;
    *version = VERSION;
    return FFT_SUCCESS;
}

Fft cufftGetProperty(int which, int *value) /* libraryPropertyType: major, minor, patch level */
{
    if (!value || which < 0 || which > 2)
        return FFT_INVALID_VALUE;
    *value = which == 0 ? WW_CUFFT : 0;
    return FFT_SUCCESS;
}

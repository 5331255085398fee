/* SPDX-License-Identifier: Apache-2.0
 *
 * What people use instead, measured by the same clock on the same stream and buffers: cuBLAS (found with dlopen, default math mode),
 * cublasLt (bench_lt.c) and the driver's copies.  Matrices are copied by cuMemcpy2DAsync, and by cublasSgeam, which transposes them
 * too.  All work on the primary context that the device has made current. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "cli/bench/bench.h"
#include "device/cuda.h"

enum { OP_N = 0, OP_T = 1, FILL_LOWER = 0 };

typedef struct Cublas {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*stream)(void *handle, CuStream s);
    int (*sgemm)(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                 const float *b, int ldb, const float *beta, float *c, int ldc);
    int (*ssyrk)(void *h, int fill, int trans, int n, int k, const float *alpha, const float *a, int lda,
                 const float *beta, float *c, int ldc);
    int (*dgemm)(void *h, int ta, int tb, int m, int n, int k, const double *alpha, const double *a, int lda,
                 const double *b, int ldb, const double *beta, double *c, int ldc);
    int (*dsyrk)(void *h, int fill, int trans, int n, int k, const double *alpha, const double *a, int lda,
                 const double *beta, double *c, int ldc);
    int (*gemm_ex)(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int a_type, int lda,
                   const void *b, int b_type, int ldb, const void *beta, void *c, int c_type, int ldc, int compute,
                   int algorithm);
    int (*sgeam)(void *h, int ta, int tb, int m, int n, const float *alpha, const float *a, int lda, const float *beta,
                 const float *b, int ldb, float *c, int ldc);
} Cublas;

/* As cuda.h has CUDA_MEMCPY2D. */
typedef struct Copy2d {
    size_t      src_x, src_y;
    unsigned    src_type;
    const void *src_host;
    CuPtr       src;
    void       *src_array;
    size_t      src_pitch, dst_x, dst_y;
    unsigned    dst_type;
    void       *dst_host;
    CuPtr       dst;
    void       *dst_array;
    size_t      dst_pitch, width, height;
} Copy2d;

struct BenchPeer {
    CudaDevice *c;
    WwStream   *stream;
    void       *library, *handle, *driver;
    Cublas      fn;
    int (*copy_2d)(const Copy2d *c, CuStream s);
    BenchLt *lt;
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
    *(void **)&p->fn.stream  = entry(p->library, "cublasSetStream_v2", why, size);
    *(void **)&p->fn.sgemm   = entry(p->library, "cublasSgemm_v2", why, size);
    *(void **)&p->fn.ssyrk   = entry(p->library, "cublasSsyrk_v2", why, size);
    *(void **)&p->fn.dgemm   = entry(p->library, "cublasDgemm_v2", why, size);
    *(void **)&p->fn.dsyrk   = entry(p->library, "cublasDsyrk_v2", why, size);
    *(void **)&p->fn.gemm_ex = entry(p->library, "cublasGemmEx", why, size);
    *(void **)&p->fn.sgeam   = entry(p->library, "cublasSgeam", why, size);
    if (!p->fn.create || !p->fn.destroy || !p->fn.stream || !p->fn.sgemm || !p->fn.ssyrk || !p->fn.gemm_ex ||
        !p->fn.sgeam || !p->fn.dgemm || !p->fn.dsyrk)
        return false;
    int e = p->fn.create(&p->handle);
    if (e == 0)
        e = p->fn.stream(p->handle, p->stream->native);
    if (e != 0)
        snprintf(why, size, "cublasCreate failed with status %d", e);
    return e == 0;
}

BenchPeer *bench_peer_open(WwDevice *d, WwStream *s, const char *cublas, char *why, size_t size)
{
    if (strcmp(ww_device_kind(d), "cuda") != 0) {
        snprintf(why, size, "cuBLAS needs a GPU");
        return NULL;
    }
    BenchPeer *p = xcalloc(1, sizeof *p);
    p->c         = (CudaDevice *)d;
    p->stream    = s;
    if (cuda_enter(p->c, &(CudaScope){0}) != WW_OK) {
        snprintf(why, size, "%s", ww_device_error(d));
        bench_peer_close(p);
        return NULL;
    }
    p->driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (p->driver)
        *(void **)&p->copy_2d = dlsym(p->driver, "cuMemcpy2DAsync_v2");
    if (load(p, cublas, why, size)) /* without cuBLAS there is still the driver's copy */
        p->lt = bench_lt_open(d, cublas, why, size);
    return p;
}

void bench_peer_close(BenchPeer *p)
{
    if (!p)
        return;
    bench_lt_close(p->lt);
    if (p->handle)
        p->fn.destroy(p->handle);
    if (p->library)
        dlclose(p->library);
    if (p->driver)
        dlclose(p->driver);
    free(p);
}

bool bench_peer_is(const char *impl)
{
    return strcmp(impl, "cublas") == 0 || strcmp(impl, "cublaslt") == 0 || strcmp(impl, "memcpy") == 0;
}

/* Of cublasLt: no bias of rows, no silu; of float sums of 8-bit operands the bias is another type than here. */
static bool lt_ends(const BenchWork *w)
{
    bool eight = type_row(w->type)->kind == TYPE_EIGHT && type_row(w->type)->result == 4;
    return w->bias != BENCH_ROWS && w->activation != WW_SILU && !(eight && w->bias != BENCH_NO_BIAS);
}

bool bench_peer_takes(const BenchPeer *p, const char *impl, const BenchWork *w)
{
    bool copy = strcmp(w->work, "copy") == 0, driver = strcmp(impl, "memcpy") == 0;
    if (!p || (driver && !copy))
        return false;
    if (driver)
        return !w->element || p->copy_2d;
    if (copy)
        return w->element == 4 && w->src_offset % 4 == 0 && w->dst_offset % 4 == 0 && strcmp(impl, "cublas") == 0 &&
               p->handle;
    if (bench_has_ends(w) && (strcmp(impl, "cublaslt") != 0 || !lt_ends(w)))
        return false;
    if (type_row(w->type)->kind == TYPE_EIGHT) /* operands along k alone */
        return strcmp(impl, "cublaslt") == 0 && p->lt && !w->ta && (strcmp(w->work, "aat") == 0 || w->tb);
    if (type_row(w->type)->kind == TYPE_DOUBLE)
        return strcmp(impl, "cublas") == 0 && p->handle;
    return (type_row(w->type)->scalar == SCALAR_f32 &&
            (strcmp(impl, "cublas") == 0 ? p->handle != NULL : p->lt != NULL));
}

/* The row-major source is a column-major matrix of n rows. */
static bool call_copy(const BenchPeer *p, const BenchWork *w, WwPtr from, WwPtr to, bool driver)
{
    static const float one = 1, zero = 0;
    int                m = (int)w->m, n = (int)w->n;
    size_t             e = w->element;
    float             *c = (float *)(uintptr_t)to;
    if (!e)
        return p->c->drv.copy_async(to, from, w->bytes, p->stream->native) == CU_OK;
    if (driver) {
        enum { DEVICE = 2 };
        Copy2d d = {.src_type  = DEVICE,
                    .src       = from,
                    .src_pitch = w->src_ld * e,
                    .dst_type  = DEVICE,
                    .dst       = to,
                    .dst_pitch = w->dst_ld * e,
                    .width     = w->n * e,
                    .height    = w->m};
        return p->copy_2d(&d, p->stream->native) == CU_OK;
    }
    return p->fn.sgeam(p->handle, w->ta ? OP_T : OP_N, OP_N, w->ta ? m : n, w->ta ? n : m, &one,
                       (const float *)(uintptr_t)from, (int)w->src_ld, &zero, c, (int)w->dst_ld, c,
                       (int)w->dst_ld) == 0;
}

static bool call_driver(void *user, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c)
{
    (void)b;
    return call_copy(user, w, a, c, true);
}

/* As cudaDataType_t says it. */
static int data_type(WwType type, bool result)
{
    enum { R_32F = 0, R_16F = 2, R_16BF = 14, R_E4M3 = 28, R_E5M2 = 29 };
    const TypeRow *r = type_row(type);
    if (r->kind == TYPE_EIGHT && !result)
        return strcmp(r->entry, "e4m3") == 0 ? R_E4M3 : R_E5M2;
    return (result ? r->result : r->operand) == 4                                     ? R_32F
           : type == WW_F16 || (r->kind == TYPE_HALF && strcmp(r->entry, "f16") == 0) ? R_16F
                                                                                      : R_16BF;
}

int bench_peer_operand(WwType type)
{
    return data_type(type, false);
}

int bench_peer_result(WwType type)
{
    return data_type(type, true);
}

/* There is no symmetric product of 16-bit numbers: the whole one. */
static bool call_half(const BenchPeer *p, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c)
{
    enum { COMPUTE_32F = 68, ALGORITHM = -1 };
    static const float one = 1, zero = 0;
    bool               aat = strcmp(w->work, "aat") == 0, tb = aat ? !w->ta : w->tb;
    int                m = (int)w->m, n = (int)w->n, k = (int)w->k, type = bench_peer_operand(w->type);
    const void        *x = (const void *)(uintptr_t)a, *y = (const void *)(uintptr_t)(aat ? a : b);
    return p->fn.gemm_ex(p->handle, tb ? OP_T : OP_N, w->ta ? OP_T : OP_N, n, m, k, &one, y, type, tb ? k : n, x, type,
                         w->ta ? m : k, &zero, (void *)(uintptr_t)c, bench_peer_result(w->type), n, COMPUTE_32F,
                         ALGORITHM) == 0;
}

static bool call_double(const BenchPeer *p, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c)
{
    static const double one = 1, zero = 0;
    int                 m = (int)w->m, n = (int)w->n, k = (int)w->k;
    const double       *da = (const double *)(uintptr_t)a, *db = (const double *)(uintptr_t)b;
    double             *dc = (double *)(uintptr_t)c;
    if (strcmp(w->work, "aat") == 0)
        return p->fn.dsyrk(p->handle, FILL_LOWER, w->ta ? OP_N : OP_T, m, k, &one, da, w->ta ? m : k, &zero, dc, m) ==
               0;
    return p->fn.dgemm(p->handle, w->tb ? OP_T : OP_N, w->ta ? OP_T : OP_N, n, m, k, &one, db, w->tb ? k : n, da,
                       w->ta ? m : k, &zero, dc, n) == 0;
}

/* Row-major C = op(A) op(B) is the column-major C^T = op(B)^T op(A)^T. */
static bool call(void *user, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c)
{
    static const float one = 1, zero = 0;
    const BenchPeer   *p = user;
    int                m = (int)w->m, n = (int)w->n, k = (int)w->k;
    const float       *fa = (const float *)(uintptr_t)a, *fb = (const float *)(uintptr_t)b;
    float             *fc = (float *)(uintptr_t)c;
    if (strcmp(w->work, "copy") == 0)
        return call_copy(p, w, a, c, false);
    if (type_row(w->type)->kind == TYPE_HALF)
        return call_half(p, w, a, b, c);
    if (type_row(w->type)->kind == TYPE_DOUBLE)
        return call_double(p, w, a, b, c);
    if (strcmp(w->work, "aat") == 0)
        return p->fn.ssyrk(p->handle, FILL_LOWER, w->ta ? OP_N : OP_T, m, k, &one, fa, w->ta ? m : k, &zero, fc, m) ==
               0;
    return p->fn.sgemm(p->handle, w->tb ? OP_T : OP_N, w->ta ? OP_T : OP_N, n, m, k, &one, fb, w->tb ? k : n, fa,
                       w->ta ? m : k, &zero, fc, n) == 0;
}

bool bench_peer_run(BenchPeer *p, const BenchWork *w, const BenchData *d, BenchRow *row)
{
    if (!bench_peer_takes(p, row->impl, w)) {
        snprintf(row->problem, sizeof row->problem, "%s does not compute this here", row->impl);
        return false;
    }
    if (strcmp(row->impl, "cublaslt") == 0)
        return bench_lt_run(p->lt, p->stream, w, d, row);
    if (bench_time(p->stream, w, d, strcmp(row->impl, "memcpy") == 0 ? call_driver : call, p, row->runs,
                   &row->median_ms, &row->host_us))
        return true;
    snprintf(row->problem, sizeof row->problem, "the call failed");
    return false;
}

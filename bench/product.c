/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of the lab's kernels on the emulator, as native code from the first launch on where WARPWRIGHT_ENGINE says nothing else.  Some elements
 * of a product are compared with the host's own sum in double: a fast wrong answer is a failure. */
#include "bench/product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "kernels/kernels.h"

enum { SAMPLES = 64 };

double product_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

float product_element(unsigned seed, unsigned i)
{
    unsigned h = (i + seed * 7919u) * 2654435761u;
    return (float)(h >> 16) / 65536.0f - 0.5f;
}

/* One row at a time, so that the process holds no second copy of the matrix. */
static WwStatus make_matrix(WwDevice *d, unsigned seed, unsigned rows, unsigned columns, WwPtr *out)
{
    WwStatus s   = ww_alloc(d, sizeof(float) * rows * columns, out);
    float   *row = malloc(sizeof *row * columns);
    if (!row)
        s = WW_ERR_NO_MEMORY;
    for (unsigned r = 0; r < rows && s == WW_OK; r++) {
        for (unsigned c = 0; c < columns; c++)
            row[c] = product_element(seed, r * columns + c);
        s = ww_copy_in(d, *out + sizeof(float) * r * columns, row, sizeof *row * columns);
    }
    free(row);
    return s;
}

bool product_right(const Product *p, bool (*element)(void *user, uint64_t at, float *out), void *user)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        unsigned row = i * 6151u % p->m, column = i * 3989u % p->n;
        double   sum = 0;
        float    got;
        for (unsigned k = 0; k < p->k; k++)
            sum += (double)product_element(1, row * p->k + k) * (double)product_element(2, k * p->n + column);
        if (!element(user, (uint64_t)row * p->n + column, &got) || !(fabs((double)got - sum) <= 1e-3)) {
            fprintf(stderr, "%s: element (%u, %u) is %g, expected %g\n", p->kernel, row, column, (double)got, sum);
            return false;
        }
    }
    return true;
}

WwDim3 product_grid(const Product *p)
{
    unsigned rows = p->m / PRODUCT_BLOCK, columns = p->n / PRODUCT_BLOCK;
    return p->x_on_rows ? (WwDim3){rows, columns, 1} : (WwDim3){columns, rows, 1};
}

typedef struct Emulated {
    Product   product;
    WwDevice *d;
    WwModule *m;
    WwPtr     matrix[3];
} Emulated;

static bool is_here(void)
{
    return true;
}

static WwStatus set_up(Emulated *x, const KernelText *text)
{
    const Product *p   = &x->product;
    char          *ptx = kernel_ptx(text);
    WwStatus       s   = ww_module_load(x->d, text->file, ptx, text->len, &x->m);
    free(ptx);
    s = s == WW_OK ? make_matrix(x->d, 1, p->m, p->k, &x->matrix[0]) : s;
    s = s == WW_OK ? make_matrix(x->d, 2, p->k, p->n, &x->matrix[1]) : s;
    return s == WW_OK ? ww_alloc(x->d, sizeof(float) * p->m * p->n, &x->matrix[2]) : s;
}

static void *open_emulated(const Product *p)
{
    bool               engine  = getenv("WARPWRIGHT_ENGINE") || ww_engine_missing();
    WwDeviceOptions    options = {.threads = p->threads, .check = p->check, .engine = engine ? NULL : "jit"};
    const char        *why     = NULL;
    const KernelEntry *entry   = kernel_find(p->kernel);
    const KernelText  *text    = entry ? kernel_text(entry, NULL) : NULL;
    if (!text || !text->data) {
        fprintf(stderr, "%s: %s\n", p->kernel, text ? text->reason : "no such kernel");
        return NULL;
    }
    Emulated *x = xcalloc(1, sizeof *x);
    x->product  = *p;
    if (ww_device_open("emulator", &options, &x->d, &why) != WW_OK) {
        fprintf(stderr, "%s\n", why);
        free(x);
        return NULL;
    }
    if (set_up(x, text) != WW_OK) {
        fprintf(stderr, "%s: %s\n", p->kernel, ww_device_error(x->d));
        ww_device_close(x->d);
        free(x);
        return NULL;
    }
    return x;
}

static bool launch_emulated(void *user, Reading *out)
{
    Emulated      *x = user;
    const Product *p = &x->product;
    int            m = (int)p->m, n = (int)p->n, k = (int)p->k;
    int            sizes[]  = {m, n, k, k, n, n}; /* m, n, k, lda, ldb, ldc */
    WwPtr          matrix[] = {x->matrix[0], x->matrix[1], x->matrix[2]};
    void          *args[]   = {&matrix[0], &matrix[1], &matrix[2], &sizes[0], &sizes[1],
                               &sizes[2],  &sizes[3],  &sizes[4],  &sizes[5]};
    WwLaunch       launch   = {.grid      = product_grid(p),
                               .block     = {PRODUCT_BLOCK, PRODUCT_BLOCK, 1},
                               .args      = args,
                               .arg_count = sizeof args / sizeof *args,
                               .observe   = p->counters ? WW_OBSERVE_COUNTERS : WW_OBSERVE_NOTHING};
    WwResult      *result   = NULL;
    double         begin = product_clock(CLOCK_MONOTONIC), before = product_clock(CLOCK_PROCESS_CPUTIME_ID);
    WwStatus       s = ww_launch(x->d, x->m, p->kernel, &launch, &result);
    out->seconds     = product_clock(CLOCK_MONOTONIC) - begin;
    out->processor   = product_clock(CLOCK_PROCESS_CPUTIME_ID) - before;
    if (s == WW_OK) {
        WwInstructionClasses c = ww_result_instructions(result);
        out->instructions      = c.exact + c.approximate + c.unsupported;
        out->native            = ww_result_native(result);
    } else {
        fprintf(stderr, "%s: %s\n", p->kernel, ww_device_error(x->d));
    }
    ww_result_free(result);
    return s == WW_OK;
}

static bool read_element(void *user, uint64_t at, float *out)
{
    const Emulated *x = user;
    return ww_copy_out(x->d, out, x->matrix[2] + sizeof(float) * at, sizeof *out) == WW_OK;
}

static bool close_emulated(void *user, const Product *p)
{
    Emulated *x     = user;
    bool      right = product_right(p, read_element, x);
    ww_device_close(x->d);
    free(x);
    return right;
}

const Maker product_emulator = {is_here, open_emulated, launch_emulated, close_emulated};

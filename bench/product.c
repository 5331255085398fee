/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures one product of the lab's kernels.  Everything happens in a process of its own, so that its peak memory and its SIMD level are its own;
 * the fastest launch counts.  Some elements of the product are compared with the host's own sum in double: a fast wrong answer is a failure. */
#include "bench/product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/simd.h"
#include "kernels/kernels.h"
#include "warpwright/warpwright.h"

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

typedef struct Result {
    WwDevice *d;
    WwPtr     c;
} Result;

static bool read_element(void *user, uint64_t at, float *out)
{
    const Result *r = user;
    return ww_copy_out(r->d, out, r->c + sizeof(float) * at, sizeof *out) == WW_OK;
}

WwDim3 product_grid(const Product *p)
{
    unsigned rows = p->m / PRODUCT_BLOCK, columns = p->n / PRODUCT_BLOCK;
    return p->x_on_rows ? (WwDim3){rows, columns, 1} : (WwDim3){columns, rows, 1};
}

static WwStatus launch_once(WwDevice *d, WwModule *m, const Product *c, const WwPtr p[3], Reading *r)
{
    int       m_ = (int)c->m, n_ = (int)c->n, k_ = (int)c->k;
    int       sizes[]  = {m_, n_, k_, k_, n_, n_}; /* m, n, k, lda, ldb, ldc */
    WwPtr     matrix[] = {p[0], p[1], p[2]};
    void     *args[]   = {&matrix[0], &matrix[1], &matrix[2], &sizes[0], &sizes[1],
                          &sizes[2],  &sizes[3],  &sizes[4],  &sizes[5]};
    WwLaunch  launch   = {.grid      = product_grid(c),
                          .block     = {PRODUCT_BLOCK, PRODUCT_BLOCK, 1},
                          .args      = args,
                          .arg_count = sizeof args / sizeof *args,
                          .observe   = c->counters ? WW_OBSERVE_COUNTERS : WW_OBSERVE_NOTHING};
    WwResult *result   = NULL;
    double    begin = product_clock(CLOCK_MONOTONIC), before = product_clock(CLOCK_PROCESS_CPUTIME_ID);
    WwStatus  s    = ww_launch(d, m, c->kernel, &launch, &result);
    double    took = product_clock(CLOCK_MONOTONIC) - begin;
    double    work = product_clock(CLOCK_PROCESS_CPUTIME_ID) - before;
    if (s == WW_OK) {
        WwInstructionClasses n = ww_result_instructions(result);
        r->instructions        = n.exact + n.approximate + n.unsupported;
        if (r->seconds < 0 || took < r->seconds)
            r->seconds = took;
        if (r->processor < 0 || work < r->processor)
            r->processor = work;
    }
    ww_result_free(result);
    return s;
}

/* The child: everything of one measurement. */
static Reading measure(const Product *c)
{
    Reading            r       = {.seconds = -1, .processor = -1};
    WwDeviceOptions    options = {.threads = c->threads, .check = c->check};
    WwDevice          *d       = NULL;
    WwModule          *m       = NULL;
    WwPtr              p[3]    = {0};
    const char        *why     = NULL;
    const KernelEntry *entry   = kernel_find(c->kernel);
    const KernelText  *text    = entry ? kernel_text(entry, NULL) : NULL;
    if (!text || !text->data) {
        fprintf(stderr, "%s: %s\n", c->kernel, text ? text->reason : "no such kernel");
        return r;
    }
    WwStatus s = ww_device_open("emulator", &options, &d, &why);
    if (s != WW_OK) {
        fprintf(stderr, "%s\n", why);
        return r;
    }
    char *ptx = kernel_ptx(text);
    s         = ww_module_load(d, text->file, ptx, text->len, &m);
    free(ptx);
    s = s == WW_OK ? make_matrix(d, 1, c->m, c->k, &p[0]) : s;
    s = s == WW_OK ? make_matrix(d, 2, c->k, c->n, &p[1]) : s;
    s = s == WW_OK ? ww_alloc(d, sizeof(float) * c->m * c->n, &p[2]) : s;
    for (unsigned i = 0; i < c->runs && s == WW_OK; i++)
        s = launch_once(d, m, c, p, &r);
    if (s != WW_OK)
        fprintf(stderr, "%s: %s\n", c->kernel, ww_device_error(d));
    Result is = {d, p[2]};
    if (s != WW_OK || !product_right(c, read_element, &is))
        r.seconds = -1;
    ww_device_close(d);
    return r;
}

Reading product_measure(const Product *c)
{
    Reading r = {.seconds = -1, .processor = -1};
    int     ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        return r;
    pid_t child = fork();
    if (child == 0) {
        if (c->simd)
            setenv(SIMD_VARIABLE, c->simd, 1); /* checkers ask for it, too */
        r      = measure(c);
        bool w = write(ends[1], &r, sizeof r) == (ssize_t)sizeof r;
        _exit(w ? 0 : 1);
    }
    close(ends[1]);
    if (child > 0) {
        struct rusage use;
        int           status;
        if (read(ends[0], &r, sizeof r) != (ssize_t)sizeof r)
            r.seconds = -1;
        if (wait4(child, &status, 0, &use) != child || status != 0)
            r.seconds = -1;
        r.memory_mib = (double)use.ru_maxrss / 1024;
    }
    close(ends[0]);
    return r;
}

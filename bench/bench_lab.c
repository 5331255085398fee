/* SPDX-License-Identifier: Apache-2.0
 *
 * Speed and memory of the emulator on the matrix products of the lab, at the article's size: 1920 x 1024 by 1024 x 1280.
 * Every measurement runs in a process of its own, so that its peak memory is its own, and is the fastest of RUNS.
 *
 *   <kernel>.c<cores>.<counters|plain>        seconds of the launch alone, with all counters or with no observer
 *   <kernel>.c<cores>.<...>.rate              warp instructions (PTX) a second and core
 *   <kernel>.c1.<...>.memory                  peak resident memory of the process
 *   <kernel>.counters_cost, .two_cores        ratios of the above
 *
 * Some elements of each product are compared with the host's own sum in double: a fast wrong answer is a failure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels/kernels.h"
#include "warpwright/warpwright.h"

enum { M = 1920, K = 1024, N = 1280, BLOCK = 16, RUNS = 3, SAMPLES = 64 };

typedef struct Case {
    const char *kernel;
    WwDim3      grid;
    unsigned    threads;
    bool        counters;
} Case;

typedef struct Reading { /* what the child tells the parent through a pipe */
    double   seconds;    /* negative: failed */
    uint64_t instructions;
    double   memory_mib; /* filled in by the parent */
} Reading;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Element i of a matrix: between -0.5 and 0.5, different for each seed. */
static float element(unsigned seed, unsigned i)
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
            row[c] = element(seed, r * columns + c);
        s = ww_copy_in(d, *out + sizeof(float) * r * columns, row, sizeof *row * columns);
    }
    free(row);
    return s;
}

static bool samples_right(WwDevice *d, WwPtr c)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        unsigned row = i * 6151u % M, column = i * 3989u % N;
        double   sum = 0;
        float    got;
        for (unsigned k = 0; k < K; k++)
            sum += (double)element(1, row * K + k) * (double)element(2, k * N + column);
        if (ww_copy_out(d, &got, c + sizeof(float) * (row * N + column), sizeof got) != WW_OK ||
            !(fabs((double)got - sum) <= 1e-3)) {
            fprintf(stderr, "element (%u, %u) is %g, expected %g\n", row, column, (double)got, sum);
            return false;
        }
    }
    return true;
}

static WwStatus launch_once(WwDevice *d, WwModule *m, const Case *c, const WwPtr p[3], Reading *r)
{
    int       sizes[]  = {M, N, K, K, N, N}; /* m, n, k, lda, ldb, ldc */
    WwPtr     matrix[] = {p[0], p[1], p[2]};
    void     *args[]   = {&matrix[0], &matrix[1], &matrix[2], &sizes[0], &sizes[1],
                          &sizes[2],  &sizes[3],  &sizes[4],  &sizes[5]};
    WwLaunch  launch   = {.grid      = c->grid,
                          .block     = {BLOCK, BLOCK, 1},
                          .args      = args,
                          .arg_count = sizeof args / sizeof *args,
                          .observe   = c->counters ? WW_OBSERVE_COUNTERS : WW_OBSERVE_NOTHING};
    WwResult *result   = NULL;
    double    begin    = now();
    WwStatus  s        = ww_launch(d, m, c->kernel, &launch, &result);
    double    took     = now() - begin;
    if (s == WW_OK) {
        WwInstructionClasses n = ww_result_instructions(result);
        r->instructions        = n.exact + n.approximate + n.unsupported;
        if (r->seconds < 0 || took < r->seconds)
            r->seconds = took;
    }
    ww_result_free(result);
    return s;
}

/* The child: everything of one measurement. */
static Reading measure(const Case *c)
{
    Reading            r       = {.seconds = -1};
    WwDeviceOptions    options = {.threads = c->threads};
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
    s = s == WW_OK ? make_matrix(d, 1, M, K, &p[0]) : s;
    s = s == WW_OK ? make_matrix(d, 2, K, N, &p[1]) : s;
    s = s == WW_OK ? ww_alloc(d, sizeof(float) * M * N, &p[2]) : s;
    for (int i = 0; i < RUNS && s == WW_OK; i++)
        s = launch_once(d, m, c, p, &r);
    if (s != WW_OK)
        fprintf(stderr, "%s: %s\n", c->kernel, ww_device_error(d));
    if (s != WW_OK || !samples_right(d, p[2]))
        r.seconds = -1;
    ww_device_close(d);
    return r;
}

static Reading in_child(const Case *c)
{
    Reading r = {.seconds = -1};
    int     ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        return r;
    pid_t child = fork();
    if (child == 0) {
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

static bool bench_kernel(const char *kernel, WwDim3 grid)
{
    static const struct {
        unsigned threads;
        bool     counters;
    } ways[] = {{1, false}, {1, true}, {2, true}};
    enum { WAYS = sizeof ways / sizeof *ways };
    Reading  r[WAYS];
    unsigned count = sysconf(_SC_NPROCESSORS_ONLN) < 2 ? 2 : WAYS;
    for (unsigned i = 0; i < count; i++) {
        Case c = {kernel, grid, ways[i].threads, ways[i].counters};
        r[i]   = in_child(&c);
        if (!(r[i].seconds > 0))
            return false;
        const char *how = c.counters ? "counters" : "plain";
        printf("%s.c%u.%s\t%.3f\ts\n", kernel, c.threads, how, r[i].seconds);
        printf("%s.c%u.%s.rate\t%.1f\tmillion warp instructions/s/core\n", kernel, c.threads, how,
               1e-6 * (double)r[i].instructions / r[i].seconds / c.threads);
        if (c.threads == 1)
            printf("%s.c%u.%s.memory\t%.1f\tMiB\n", kernel, c.threads, how, r[i].memory_mib);
    }
    printf("%s.counters_cost\t%.2f\tx\n", kernel, r[1].seconds / r[0].seconds);
    if (count > 2)
        printf("%s.two_cores\t%.2f\tx\n", kernel, r[1].seconds / r[2].seconds);
    return true;
}

int main(void)
{
    WwDim3 by_columns = {N / BLOCK, M / BLOCK, 1}, by_rows = {M / BLOCK, N / BLOCK, 1};
    bool   good = bench_kernel("matmul_v2_tile16", by_columns);
    good        = bench_kernel("matmul_v1_x_on_rows", by_rows) && good;
    printf("matmul.allocations\t%.1f\tMiB\n", (double)(sizeof(float) * (M * K + K * N + M * N)) / (1 << 20));
    return good ? 0 : 1;
}

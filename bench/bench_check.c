/* SPDX-License-Identifier: Apache-2.0
 *
 * What looking for faults costs beside the plain emulation, on one worker, in processor time; every measurement in a process of its own.
 *
 *   plain.<what>            seconds of the launch with no observer
 *   <rules>.<what>.cost     how many times as long with the rules of the category memory, init or race
 *   <rules>.<what>.memory   bytes of shadow memory and tables for a byte of the arrays, from the processes' peaks
 *
 * global: A*B from global memory; tiled: through 32 x 32 shared tiles; copy: each element read and written once; unwritten: the same, of an
 * array of which nobody wrote anything.  Promised: memory and init 3 times, race 6; init 1.25 bytes a byte, race 8. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels/kernels.h"
#include "warpwright/warpwright.h"

enum { SIZE = 512, COPIED = 1 << 24, RUNS = 3 };

typedef struct Case {
    const char *what, *kernel;
    bool        copies, unwritten;
    unsigned    edge; /* of a block */
} Case;

typedef struct Reading {
    double seconds, bytes, peak;
} Reading;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static WwStatus launch(WwDevice *d, WwModule *m, const Case *c, const WwPtr p[3])
{
    int      n = SIZE, offset = 0;
    size_t   copied   = COPIED;
    WwPtr    a[3]     = {p[0], p[1], p[2]};
    void    *matrix[] = {&a[0], &a[1], &a[2], &n, &n, &n, &n, &n, &n}, *copy[] = {&a[0], &a[1], &offset, &copied};
    WwLaunch w  = {.args = c->copies ? copy : matrix, .arg_count = c->copies ? 4 : 9};
    w.grid      = c->copies ? (WwDim3){COPIED / 256, 1, 1} : (WwDim3){SIZE / c->edge, SIZE / c->edge, 1};
    w.block     = c->copies ? (WwDim3){256, 1, 1} : (WwDim3){c->edge, c->edge, 1};
    WwResult *r = NULL;
    WwStatus  s = ww_launch(d, m, c->kernel, &w, &r);
    ww_result_free(r);
    return s;
}

/* The child: everything of one measurement. */
static Reading measure(const Case *c, const char *check)
{
    Reading           r       = {.seconds = -1};
    WwDeviceOptions   options = {.threads = 1, .check = check};
    WwDevice         *d       = NULL;
    WwModule         *m       = NULL;
    WwPtr             p[3]    = {0};
    size_t            bytes   = 4 * (size_t)(c->copies ? COPIED : SIZE * SIZE);
    const KernelText *text    = kernel_text(kernel_find(c->kernel), NULL);
    if (!text || !text->data || ww_device_open("emulator", &options, &d, NULL) != WW_OK)
        return r;
    char    *ptx = kernel_ptx(text);
    WwStatus s   = ww_module_load(d, text->file, ptx, text->len, &m);
    free(ptx);
    for (int i = 0; i < 3 && s == WW_OK; i++) {
        s = ww_alloc(d, bytes, &p[i]);
        s = s == WW_OK && !c->unwritten ? ww_fill(d, p[i], 0, bytes) : s;
        r.bytes += i < 2 || !c->copies ? (double)bytes : 0;
    }
    for (int i = 0; i < RUNS && s == WW_OK; i++) {
        double begin = now();
        s            = launch(d, m, c, p);
        double took  = now() - begin;
        r.seconds    = r.seconds < 0 || took < r.seconds ? took : r.seconds;
    }
    if (s != WW_OK) {
        fprintf(stderr, "%s: %s\n", c->kernel, ww_device_error(d));
        r.seconds = -1;
    }
    ww_device_close(d);
    return r;
}

static Reading in_child(const Case *c, const char *check)
{
    Reading r = {.seconds = -1};
    int     ends[2], status;
    fflush(stdout);
    if (pipe(ends) != 0)
        return r;
    pid_t child = fork();
    if (child == 0) {
        r = measure(c, check);
        _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
    }
    close(ends[1]);
    struct rusage use;
    if (read(ends[0], &r, sizeof r) != (ssize_t)sizeof r || wait4(child, &status, 0, &use) != child || status != 0)
        r.seconds = -1;
    else
        r.peak = (double)use.ru_maxrss * 1024;
    close(ends[0]);
    return r;
}

int main(void)
{
    static const Case        cases[]      = {{"global", "matmul_v1_x_on_columns", false, false, 16},
                                             {"tiled", "matmul_v2_tile32", false, false, 32},
                                             {"copy", "offsetCopy", true, false, 256},
                                             {"unwritten", "offsetCopy", true, true, 256}};
    static const char *const categories[] = {"memory", "init", "race"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Reading plain = in_child(&cases[i], NULL);
        printf("plain.%s\t%.3f\ts\n", cases[i].what, plain.seconds);
        for (size_t k = 0; k < sizeof categories / sizeof *categories; k++) {
            Reading r = in_child(&cases[i], categories[k]);
            if (!(plain.seconds > 0 && r.seconds > 0))
                return 1;
            printf("%s.%s.cost\t%.2f\tx\n", categories[k], cases[i].what, r.seconds / plain.seconds);
            printf("%s.%s.memory\t%.2f\tbytes a byte\n", categories[k], cases[i].what,
                   (r.peak - plain.peak) / plain.bytes);
        }
    }
    return 0;
}

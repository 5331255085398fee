/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane instructions a second of ten kernels of the kinds that real programs are made of (kinds.cu), with all counters on as under
 * `warpwright run`, on one worker thread:  kinds.<kernel>.rate, the share that native code ran, and of an empty launch its microseconds.
 *
 *   bench_kinds [KERNEL...]   these alone, without the empty launch */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "warpwright/warpwright.h"

enum { WORDS = 1 << 16, BLOCKS = 64, THREADS = 256, LAUNCHES = 10000 };

static const struct {
    const char *name;
    int         turns;
} kinds[] = {{"hash", 400},   {"stencil", 200}, {"doubles", 400},  {"reduction", 20}, {"bins", 200},
             {"gather", 200}, {"bytes", 200},   {"branches", 200}, {"locals", 200},   {"scan", 60}};

/* Seconds of processor time: what else runs on the machine changes it little. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(WwDevice *d, const char *what)
{
    fprintf(stderr, "bench_kinds: %s: %s\n", what, d ? ww_device_error(d) : "no device");
    exit(1);
}

static WwModule *load(WwDevice *d)
{
    char      buffer[1 << 16];
    Str       ptx = {0};
    size_t    n;
    WwModule *m = NULL;
    FILE     *f = fopen(WW_KINDS_PTX, "rb");
    while (f && (n = fread(buffer, 1, sizeof buffer, f)) > 0)
        str_addn(&ptx, buffer, n);
    if (!f || ww_module_load(d, "kinds.ptx", str_text(&ptx), ptx.len, &m) != WW_OK)
        die(d, WW_KINDS_PTX);
    fclose(f);
    str_free(&ptx);
    return m;
}

static void measure(WwDevice *d, WwModule *m, WwPtr a, const char *name, int turns)
{
    int      n      = WORDS;
    void    *args[] = {&a, &n, &turns};
    WwLaunch l      = {
             .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .args = args, .arg_count = 3, .observe = WW_OBSERVE_COUNTERS};
    double best = 0, native = 0;
    for (int i = 0; i < 3; i++) {
        WwResult *r     = NULL;
        double    start = now();
        if (ww_launch(d, m, name, &l, &r) != WW_OK)
            die(d, name);
        double rate = (double)ww_result_counters(r)->thread_inst_executed / (now() - start);
        best        = rate > best ? rate : best;
        native      = ww_result_native(r);
        ww_result_free(r);
    }
    printf("kinds.%s.rate\t%.0f\tM lane instructions/s\n", name, best * 1e-6);
    if (native > 0)
        printf("kinds.%s.native\t%.1f\t%% of the warp instructions\n", name, 100 * native);
}

static void measure_launch(WwDevice *d, WwModule *m, WwPtr a)
{
    int      n = WORDS, none = 0;
    void    *args[] = {&a, &n, &none};
    WwLaunch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args, .arg_count = 3, .observe = WW_OBSERVE_COUNTERS};
    double   start = now();
    for (int i = 0; i < LAUNCHES; i++)
        if (ww_launch(d, m, "hash", &l, NULL) != WW_OK)
            die(d, "hash");
    printf("kinds.launch\t%.2f\tus\n", (now() - start) / LAUNCHES * 1e6);
}

static bool is_asked(char **names, const char *name)
{
    for (char **n = names; *n; n++)
        if (strcmp(*n, name) == 0)
            return true;
    return !*names;
}

int main(int argc, char **argv)
{
    WwDeviceOptions o = {.threads = 1};
    WwDevice       *d = NULL;
    WwPtr           a = 0;
    if (ww_device_open("emulator", &o, &d, NULL) != WW_OK)
        die(NULL, "emulator");
    WwModule *m = load(d);
    if (ww_alloc(d, WORDS * 4, &a) != WW_OK || ww_fill(d, a, 1, WORDS * 4) != WW_OK)
        die(d, "memory");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_asked(argv + 1, kinds[i].name))
            measure(d, m, a, kinds[i].name, kinds[i].turns);
    if (argc == 1)
        measure_launch(d, m, a);
    ww_device_close(d);
    return 0;
}

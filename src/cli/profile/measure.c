/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of the GPU at hand for the time model, each from a kernel of kernels/peak/2_card.cu.
 *
 * Latencies are clocks of one thread; rates of a multiprocessor are bytes or instructions over the clocks of one block alone; rates of the card
 * and the pace of launches are times of events (WwLaunch.time).  Where a chain of loads ends, and what updates add up to, is compared
 * with what the host computes: a kernel that did something else has no figure.
 *
 * Not measured: what L2 keeps between launches, what cold caches cost, what a longer warp's accesses add.  L1 is the largest footprint that answers
 * as fast as a small one: it lacks what the driver keeps of it as shared memory, so it is a lower bound. */
#include "cli/profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "device/device.h"
#include "kernels/kernels.h"

enum {
    THREADS    = 1024,
    WARPS      = THREADS / 32,
    ROUNDS     = 256,
    WAVES      = 8,
    KIB        = 1024,
    LINE       = 128,
    CHAIN_MOST = 4096, /* steps of a chain of loads */
    STREAM_MIB = 1024,
    FLUSH_MIB  = 512, /* more than any L2 */
    CHAIN      = 64,  /* of 2_card.cu */
    WIDE       = 32,  /* passes of a conflicting access */
    MOST_ARGS  = 5
};

typedef struct Bench {
    WwDevice *d;
    WwModule *module;
    WwPtr     out;
    Str      *why;
    uint64_t  clocks, witness; /* of the last launch */
    double    ms;              /* when it was timed */
} Bench;

static Status failed(Bench *b, const char *kernel, Status s)
{
    str_printf(b->why, "%s: %s: %s", kernel, ww_status_text(s), ww_device_error(b->d));
    return s;
}

/* args: NULL stands for the end. */
static Status launch(Bench *b, const char *kernel, WwDim3 grid, unsigned threads, bool timed, void **args)
{
    WwLaunch  w       = {.grid = grid, .block = {threads, 1, 1}, .args = args, .time = timed, .repeats = 7};
    WwResult *r       = NULL;
    uint64_t  told[2] = {0};
    while (args[w.arg_count])
        w.arg_count++;
    Status s = ww_launch(b->d, b->module, kernel, &w, &r);
    b->ms    = 0;
    if (s == WW_OK && timed && !ww_result_time(r, &b->ms, NULL, NULL))
        s = WW_ERR_UNAVAILABLE;
    if (s == WW_OK)
        s = ww_copy_out(b->d, told, b->out, sizeof told);
    ww_result_free(r);
    b->clocks  = told[0];
    b->witness = told[1];
    return s == WW_OK ? s : failed(b, kernel, s);
}

static Status wrong(Bench *b, const char *kernel, uint64_t expected)
{
    str_printf(b->why, "%s computed %llu, not %llu: no figure", kernel, (unsigned long long)b->witness,
               (unsigned long long)expected);
    return WW_ERR_FAULT;
}

/* ---- latencies ---- */

/* A circle through `bytes`, a line a step, in an order that nobody guesses; *end: where `steps` steps lead from 0. */
static Status lay_circle(Bench *b, WwPtr at, size_t bytes, unsigned steps, unsigned *end)
{
    size_t    lines = bytes / LINE, pick = 1;
    uint32_t *order = xcalloc(steps + 1, sizeof *order), random = 12345;
    Status    s = WW_OK;
    for (unsigned i = 1; i < steps; i++) { /* distinct lines: one of each stretch */
        random     = random * 1664525u + 1013904223u;
        size_t len = lines / steps;
        pick       = (size_t)i * len + (len > 1 ? random % len : 0);
        order[i]   = (uint32_t)(pick * (LINE / 4));
    }
    for (unsigned i = steps - 1; i > 1; i--) { /* then in any order; the first is word 0 */
        random     = random * 1664525u + 1013904223u;
        unsigned j = 1 + (random >> 8) % i;
        uint32_t t = order[i];
        order[i]   = order[j];
        order[j]   = t;
    }
    for (unsigned i = 0; i < steps && s == WW_OK; i++)
        s = ww_copy_in(b->d, at + 4 * (uint64_t)order[i], &order[(i + 1) % steps], 4);
    *end = 0;
    free(order);
    return s;
}

/* Clocks a load of a circle through so many bytes. */
static Status chase(Bench *b, const char *kernel, size_t bytes, bool flush, double *clocks)
{
    unsigned steps = bytes / LINE < CHAIN_MOST ? (unsigned)(bytes / LINE) : CHAIN_MOST, end;
    WwPtr    at = 0, big = 0;
    void    *args[MOST_ARGS] = {&b->out, &at, &steps};
    Status   s               = ww_alloc(b->d, bytes, &at);
    if (s == WW_OK)
        s = lay_circle(b, at, bytes, steps, &end);
    if (s == WW_OK && flush && (s = ww_alloc(b->d, (size_t)FLUSH_MIB << 20, &big)) == WW_OK)
        s = ww_fill(b->d, big, 1, (size_t)FLUSH_MIB << 20);
    if (s != WW_OK)
        s = failed(b, kernel, s);
    for (int turn = 0; turn < (flush ? 1 : 2) && s == WW_OK; turn++) /* the first fills what is not to be flushed */
        s = launch(b, kernel, (WwDim3){1, 1, 1}, 1, false, args);
    ww_free(b->d, big);
    ww_free(b->d, at);
    if (s == WW_OK && b->witness != end)
        s = wrong(b, kernel, end);
    *clocks = (double)b->clocks / steps;
    return s;
}

static Status latencies(Bench *b, Measured *m)
{
    static const unsigned kib[] = {32, 48, 64, 96, 112, 128, 160, 192, 208, 224, 240, 256};
    Timing               *t     = &m->timing;
    double                clocks;
    TRY(chase(b, "measure_l1", 16 * KIB, false, &t->l1));
    t->l1_kib = 16;
    for (size_t i = 0; i < sizeof kib / sizeof *kib; i++) {
        TRY(chase(b, "measure_l1", (size_t)kib[i] * KIB, false, &clocks));
        if (clocks > 1.2 * t->l1)
            break;
        t->l1_kib = kib[i];
    }
    TRY(chase(b, "measure_far", (size_t)KIB * KIB, false, &t->l2));
    TRY(chase(b, "measure_far", (size_t)FLUSH_MIB << 20, true, &t->dram));
    unsigned steps = CHAIN_MOST, rounds = ROUNDS;
    float    x = 1, a = 0.75f, c = 0.5f;
    void    *shared[] = {&b->out, &steps, NULL}, *near[] = {&b->out, &rounds, &x, NULL},
         *chain[] = {&b->out, &rounds, &x, &a, &c, NULL};
    TRY(launch(b, "measure_shared", (WwDim3){1, 1, 1}, 32, false, shared));
    if (b->witness != steps * 17 % 256)
        return wrong(b, "measure_shared", steps * 17 % 256);
    t->shared = (double)b->clocks / steps;
    TRY(launch(b, "measure_near", (WwDim3){1, 1, 1}, 32, false, near));
    t->near = (double)b->clocks / (rounds * CHAIN);
    TRY(launch(b, "measure_chain", (WwDim3){1, 1, 1}, 32, false, chain));
    t->dependent = (double)b->clocks / (rounds * CHAIN);
    return WW_OK;
}

/* ---- a multiprocessor ---- */

static Status read_block(Bench *b, const char *kernel, size_t bytes, double *rate)
{
    unsigned vectors = (unsigned)(bytes / 16), rounds = ROUNDS;
    WwPtr    in              = 0;
    void    *args[MOST_ARGS] = {&b->out, &in, &vectors, &rounds};
    Status   s               = ww_alloc(b->d, bytes, &in);
    s                        = s == WW_OK ? ww_fill(b->d, in, 0, bytes) : s;
    s = s == WW_OK ? launch(b, kernel, (WwDim3){1, 1, 1}, THREADS, false, args) : failed(b, kernel, s);
    ww_free(b->d, in);
    *rate = b->clocks ? (double)bytes * rounds / (double)b->clocks : 0;
    return s;
}

static Status multiprocessor(Bench *b, Timing *t)
{
    double   l1, free_clocks;
    unsigned rounds = ROUNDS, one = 1, wide = WIDE;
    float    a = 0.75f, c = 0.5f;
    void    *issue[] = {&b->out, &rounds, &a, &c, NULL}, *passes[] = {&b->out, &rounds, &one, NULL},
         *conflicts[] = {&b->out, &rounds, &wide, NULL};
    TRY(read_block(b, "measure_l1_rate", 64 * KIB, &l1));
    TRY(read_block(b, "measure_port", (size_t)KIB * KIB, &t->port_bytes));
    t->l1_sectors = l1 / 32;
    TRY(launch(b, "measure_issue", (WwDim3){1, 1, 1}, THREADS, false, issue));
    t->issue = (double)rounds * CHAIN * WARPS / (double)b->clocks;
    TRY(launch(b, "measure_passes", (WwDim3){1, 1, 1}, THREADS, false, passes));
    if (b->witness != rounds)
        return wrong(b, "measure_passes", rounds);
    free_clocks = (double)b->clocks;
    TRY(launch(b, "measure_passes", (WwDim3){1, 1, 1}, THREADS, false, conflicts));
    t->pass_clocks = ((double)b->clocks - free_clocks) / ((double)rounds * (WIDE - 1) * WARPS);
    return WW_OK;
}

/* ---- the card ---- */

/* Blocks that fill the card, for kernels of THREADS threads and few registers. */
static WwDim3 whole(const Bench *b)
{
    return (WwDim3){b->d->sms, 1, 1};
}

/* What all threads read at once, four vectors each, goes into the bytes a whole number of times. */
static size_t fitting(const Bench *b, size_t bytes)
{
    size_t once = (size_t)b->d->sms * THREADS * 4 * 16;
    return bytes < once ? once : bytes / once * once;
}

static Status read_card(Bench *b, size_t bytes, unsigned rounds, double *gbs)
{
    bytes                    = fitting(b, bytes);
    unsigned vectors         = (unsigned)(bytes / 16);
    WwPtr    in              = 0;
    void    *args[MOST_ARGS] = {&b->out, &in, &vectors, &rounds};
    Status   s               = ww_alloc(b->d, bytes, &in);
    s                        = s == WW_OK ? ww_fill(b->d, in, 0, bytes) : s;
    s    = s == WW_OK ? launch(b, "measure_read", whole(b), THREADS, true, args) : failed(b, "measure_read", s);
    *gbs = b->ms > 0 ? (double)bytes * rounds / b->ms / 1e6 : 0;
    ww_free(b->d, in);
    return s;
}

static Status write_card(Bench *b, double *gbs)
{
    size_t   bytes   = (size_t)STREAM_MIB << 20;
    unsigned vectors = (unsigned)(bytes / 16), value = 7;
    WwPtr    to              = 0;
    void    *args[MOST_ARGS] = {&to, &vectors, &value};
    WwDim3   grid            = {b->d->sms * WAVES, 1, 1};
    Status   s               = ww_alloc(b->d, bytes, &to);
    s    = s == WW_OK ? launch(b, "measure_write", grid, THREADS, true, args) : failed(b, "measure_write", s);
    *gbs = b->ms > 0 ? (double)bytes / b->ms / 1e6 : 0;
    ww_free(b->d, to);
    return s;
}

static Status update_word(Bench *b, double clock_mhz, double *clocks)
{
    unsigned rounds = ROUNDS, got = 0;
    uint32_t updates         = b->d->sms * WARPS * ROUNDS;
    WwPtr    word            = 0;
    void    *args[MOST_ARGS] = {&word, &rounds};
    Status   s               = ww_alloc(b->d, 4, &word);
    s                        = s == WW_OK ? ww_fill(b->d, word, 0, 4) : s;
    s = s == WW_OK ? launch(b, "measure_updates", whole(b), THREADS, false, args) : failed(b, "measure_updates", s);
    if (s == WW_OK && (s = ww_copy_out(b->d, &got, word, 4)) == WW_OK && got != updates) {
        b->witness = got;
        s          = wrong(b, "measure_updates", updates);
    }
    s       = s == WW_OK ? launch(b, "measure_updates", whole(b), THREADS, true, args) : s;
    *clocks = b->ms * 1e3 * clock_mhz / updates;
    ww_free(b->d, word);
    return s;
}

static Status card(Bench *b, Measured *m)
{
    enum { MANY = 4096, SPIN = 40000 };
    Timing  *t    = &m->timing;
    uint64_t spin = 50000000, few = SPIN;
    double   l2, pace;
    size_t   resident  = (size_t)m->card.l2_kib * KIB / 4;
    void    *nothing[] = {NULL}, *wait[] = {&b->out, &spin, NULL}, *brief[] = {&b->out, &few, NULL};
    WwDim3   one = {1, 1, 1};
    TRY(launch(b, "measure_clock", one, 1, false, wait));
    m->clock_mhz = b->witness ? (double)b->clocks * 1e3 / (double)b->witness : m->card.clock_mhz;
    TRY(launch(b, "measure_nothing", one, 32, true, nothing));
    t->host_ns = b->ms * 1e6;
    /* kernels that take longer than the host needs to launch one: what each takes beyond its wait is the launch */
    TRY(launch(b, "measure_clock", one, 1, true, brief));
    t->launch_ns = fmax(1, b->ms * 1e6 - SPIN * 1e3 / m->clock_mhz);
    TRY(launch(b, "measure_nothing", (WwDim3){b->d->sms * MANY, 1, 1}, 32, true, nothing));
    pace            = b->ms * 1e6 - t->launch_ns;
    t->block_clocks = fmax(0, pace * m->clock_mhz / 1e3 / MANY);
    TRY(read_card(b, (size_t)STREAM_MIB << 20, 1, &t->read_gbs));
    TRY(write_card(b, &t->write_gbs));
    TRY(read_card(b, resident ? resident : (size_t)KIB * KIB, 64, &l2));
    t->l2_bytes = l2 * 1e3 / m->clock_mhz;
    return update_word(b, m->clock_mhz, &t->update_clocks);
}

static Status open_kernels(Bench *b)
{
    const KernelText *text = kernel_text(kernel_find("measure_nothing"), NULL);
    if (!text || !text->data) {
        str_printf(b->why, "the kernels were not built: %s", text ? text->reason : "they are not in this build");
        return WW_ERR_UNAVAILABLE;
    }
    char  *ptx = kernel_ptx(text);
    Status s   = ww_module_load(b->d, text->file, ptx, text->len, &b->module);
    free(ptx);
    if (s == WW_OK)
        s = ww_alloc(b->d, 16, &b->out);
    if (s == WW_OK)
        s = ww_fill(b->d, b->out, 0, 16);
    return s == WW_OK ? s : failed(b, text->file, s);
}

Status profile_measure(WwDevice *d, Measured *m, Str *why)
{
    Bench  b = {.d = d, .why = why};
    Status s = open_kernels(&b);
    if (s == WW_OK)
        s = card(&b, m);
    if (s == WW_OK)
        s = latencies(&b, m);
    if (s == WW_OK)
        s = multiprocessor(&b, &m->timing);
    ww_free(d, b.out);
    if (b.module)
        ww_module_unload(d, b.module);
    return s;
}

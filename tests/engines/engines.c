/* SPDX-License-Identifier: Apache-2.0
 *
 * random_kernels: kernels out of random numbers, each on several engines, which must all give the same bits, counters and findings.
 *
 *   random_kernels OPCODES [--engines LIST] [--from N] [--count N] [--seconds S] [--watch nothing|counters|all] [--portable] [--keep FOLDER]
 *                  [--batch]
 *   random_kernels OPCODES --show N [--portable] [--batch --count N]
 *
 * OPCODES: the list of the form sweep.  LIST: "interpreter:avx512,jit:avx2,cuda"; the first is what the others are compared with; without it
 * all SIMD levels of this machine on the interpreter.  "jit:best" is the best level.  --portable: kernels that a GPU must run alike.  --batch: small kernels,
 * as many as are in a batch for each launch (random.h); those that differ are named, and each does by itself.  A kernel that
 * shows a difference is made small and written to FOLDER.  Ends with exit code 1 when there was one; at a kernel that fails on a GPU, whose
 * process can go on with nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/simd.h"
#include "tests/engines/engine.h"

enum { MAX_ENGINES = 8 };

typedef struct Options {
    const char *opcodes, *engines, *keep;
    uint64_t    from, count;
    double      seconds;
    int         watch; /* -1: by the number */
    bool        portable, show, batch;
} Options;

typedef struct Run {
    Options  o;
    Engine  *engine[MAX_ENGINES];
    unsigned n;
    uint64_t ran, differ, failed;
    bool     broken; /* a GPU that a kernel failed on */
} Run;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one kernel ---- */

typedef struct Pair {
    const Kernel *kernel;
    Engine       *a, *b;
    Watch         watch;
} Pair;

static bool pair_differs(const Pair *p, const uint64_t *left_out, Str *how)
{
    Str     text = {0};
    Outcome a, b;
    kernel_text(p->kernel, left_out, &text);
    engine_run(p->a, p->kernel, &text, p->watch, &a);
    engine_run(p->b, p->kernel, &text, p->watch, &b);
    bool differs = outcome_differs(p->kernel, &a, &b, engine_is_gpu(p->b), how);
    outcome_free(&a);
    outcome_free(&b);
    str_free(&text);
    return differs;
}

static bool still_differs(void *user, const uint64_t *left_out)
{
    Str  how     = {0};
    bool differs = pair_differs(user, left_out, &how);
    str_free(&how);
    return differs;
}

static void keep(const Run *r, Pair *p)
{
    char      path[4096];
    Str       text = {0}, how = {0};
    uint64_t *left_out = ARENA_ARRAY(p->kernel->arena, uint64_t, p->kernel->nlines / 64 + 1);
    if (!still_differs(p, NULL)) {
        printf("  not a second time\n");
        return;
    }
    kernel_reduce(p->kernel, still_differs, p, left_out);
    pair_differs(p, left_out, &how);
    kernel_text(p->kernel, left_out, &text);
    snprintf(path, sizeof path, "%s/kernel_%llu.ptx", r->o.keep,
             (unsigned long long)(p->kernel->parts ? p->kernel->first : p->kernel->seed));
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "// %s, %s, watch %d: %s\n%s", engine_name(p->a), engine_name(p->b), (int)p->watch, str_text(&how),
                str_text(&text));
        fclose(f);
        printf("  reduced: %s (%s)\n", path, str_text(&how));
    } else {
        printf("  cannot write %s\n", path);
    }
    str_free(&how);
    str_free(&text);
}

/* How many seeds the launch of this one has, with so many to come. */
static uint32_t seeds_of(const Run *r, uint64_t seed, uint64_t left)
{
    uint64_t n = BATCH - seed % BATCH;
    return !r->o.batch ? 1 : n < left ? (uint32_t)n : (uint32_t)left;
}

static Kernel *grow(const Run *r, const Vocabulary *v, uint64_t seed, uint32_t n)
{
    return r->o.batch ? kernel_grow_batch(v, seed, n) : kernel_grow(v, seed, r->o.portable);
}

static Watch watch_of(const Run *r, uint64_t seed)
{
    return r->o.watch >= 0 ? (Watch)r->o.watch : (Watch)((r->o.batch ? seed / BATCH : seed) % WATCHES);
}

static void try_kernel(Run *r, const Vocabulary *v, uint64_t seed, uint32_t n);

/* Of a batch that differs: each by itself. */
static void try_each(Run *r, const Vocabulary *v, const Kernel *k)
{
    uint64_t before = r->differ, ran = r->ran;
    for (uint32_t i = 0; i < k->parts; i++)
        try_kernel(r, v, k->first + i, 1);
    r->ran = ran;
    if (r->differ == before) {
        printf("  none by itself\n");
        r->differ++;
    }
}

/* The n seeds from that one on. */
static void try_kernel(Run *r, const Vocabulary *v, uint64_t seed, uint32_t n)
{
    Kernel *k     = grow(r, v, seed, n);
    Watch   watch = watch_of(r, seed);
    Str     text = {0}, how = {0};
    Outcome first, other;
    kernel_text(k, NULL, &text);
    engine_run(r->engine[0], k, &text, watch, &first);
    if (first.status && r->failed++ < 10)
        printf("kernel %llu fails: %s", (unsigned long long)seed, str_text(&first.told));
    for (unsigned i = 1; i < r->n; i++) {
        engine_run(r->engine[i], k, &text, watch, &other);
        if (outcome_differs(k, &first, &other, engine_is_gpu(r->engine[i]), &how)) {
            Pair p = {k, r->engine[0], r->engine[i], watch};
            r->differ += n == 1;
            printf("kernel %llu, %s and %s: %s\n", (unsigned long long)seed, engine_name(p.a), engine_name(p.b),
                   str_text(&how));
            if (n > 1)
                try_each(r, v, k);
            else if (r->o.keep && other.status && engine_is_gpu(p.b)) /* it runs nothing any more */
                r->broken = true;
            else if (r->o.keep)
                keep(r, &p);
            fflush(stdout);
        }
        str_clear(&how);
        outcome_free(&other);
    }
    r->ran += n;
    outcome_free(&first);
    str_free(&how);
    str_free(&text);
    arena_free(k->arena);
}

/* ---- the program ---- */

static bool add_engine(Run *r, const char *name)
{
    const char *why = "there are too many";
    char        full[40];
    snprintf(full, sizeof full, "%s", name);
    if (strcmp(name, "jit:best") == 0 || strcmp(name, "interpreter:best") == 0)
        snprintf(strchr(full, ':'), 12, ":%s", simd_name(simd_best()));
    if (r->n == MAX_ENGINES || !(r->engine[r->n] = engine_open(full, &why))) {
        fprintf(stderr, "%s: %s\n", full, why);
        return false;
    }
    r->n++;
    return true;
}

static bool add_engines(Run *r)
{
    if (!r->o.engines) {
        for (int level = (int)simd_best(); level >= 0; level--) {
            char name[40];
            snprintf(name, sizeof name, "interpreter:%s", simd_name((Simd)level));
            if (!add_engine(r, name))
                return false;
        }
        return true;
    }
    char *list = strdup(r->o.engines), *rest = NULL;
    bool  ok = list != NULL;
    for (char *name = list ? strtok_r(list, ",", &rest) : NULL; ok && name; name = strtok_r(NULL, ",", &rest))
        ok = add_engine(r, name);
    free(list);
    return ok;
}

static bool read_options(int argc, char **argv, Options *o)
{
    static const char *const watches[WATCHES] = {"nothing", "counters", "all"};
    *o = (Options){.count = 1000, .seconds = 1e9, .watch = -1, .opcodes = argc > 1 ? argv[1] : NULL};
    for (int i = 2; i < argc; i++) {
        const char *name = argv[i];
        bool *flag = strcmp(name, "--portable") == 0 ? &o->portable : strcmp(name, "--batch") == 0 ? &o->batch : NULL;
        if (flag) {
            *flag = true;
            continue;
        }
        if (++i == argc)
            return false;
        char *end = NULL;
        if (strcmp(name, "--engines") == 0)
            o->engines = argv[i];
        else if (strcmp(name, "--keep") == 0)
            o->keep = argv[i];
        else if (strcmp(name, "--from") == 0)
            o->from = strtoull(argv[i], &end, 10);
        else if (strcmp(name, "--count") == 0)
            o->count = strtoull(argv[i], &end, 10);
        else if (strcmp(name, "--seconds") == 0)
            o->seconds = strtod(argv[i], &end);
        else if (strcmp(name, "--show") == 0)
            o->from = strtoull(argv[i], &end, 10), o->count = 1, o->show = true;
        else if (strcmp(name, "--watch") == 0)
            for (o->watch = 0; o->watch < WATCHES && strcmp(argv[i], watches[o->watch]) != 0;)
                o->watch++;
        else
            return false;
        if ((end && *end) || o->watch == WATCHES)
            return false;
    }
    return o->opcodes && !(o->batch && o->portable);
}

int main(int argc, char **argv)
{
    Run         r     = {0};
    Arena      *arena = arena_new();
    const char *why   = NULL;
    double      begin = now();
    if (!read_options(argc, argv, &r.o)) {
        fprintf(stderr, "usage: random_kernels OPCODES [--engines LIST] [--from N] [--count N] [--seconds S] [--watch "
                        "nothing|counters|all]\n"
                        "                              [--portable | --batch] [--keep FOLDER] | --show N\n");
        return 2;
    }
    setenv("WARPWRIGHT_CACHE", "off", 1); /* no kernel comes twice */
    const Vocabulary *v = vocabulary_read(arena, r.o.opcodes, &why);
    if (!v) {
        fprintf(stderr, "%s: %s\n", r.o.opcodes, why);
        return 2;
    }
    if (r.o.show) {
        Kernel *k    = grow(&r, v, r.o.from, seeds_of(&r, r.o.from, r.o.count));
        Str     text = {0};
        kernel_text(k, NULL, &text);
        fputs(str_text(&text), stdout);
        str_free(&text);
        arena_free(k->arena);
        arena_free(arena);
        return 0;
    }
    if (!add_engines(&r))
        return 2;
    for (uint64_t i = 0; i < r.o.count && !r.broken && now() - begin < r.o.seconds;) {
        uint32_t n = seeds_of(&r, r.o.from + i, r.o.count - i);
        try_kernel(&r, v, r.o.from + i, n);
        i += n;
    }
    printf("%llu kernels on %u engines, %llu differ, %llu fail; %.0f s\n", (unsigned long long)r.ran, r.n,
           (unsigned long long)r.differ, (unsigned long long)r.failed, now() - begin);
    for (unsigned i = 0; i < r.n; i++)
        engine_close(r.engine[i]);
    arena_free(arena);
    return r.differ || r.failed || !r.ran ? 1 : 0;
}

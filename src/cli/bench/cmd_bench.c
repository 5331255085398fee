/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright bench: the matrix library and the copies against the clock, next to what people use instead.
 *
 * Every row is verified (bench_verify.c; copies byte by byte) on random data with the output poisoned before, and a row that
 * is not carries no rate.  On a GPU times are medians between events; on the emulator nothing is timed and the sizes are
 * small.  Exit status 120: a row is not verified. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "lab/inputs.h"

enum { ENOUGH_BLOCKS = 800 };

/* Names of implementations. */
typedef struct Impls {
    Arena       *arena;
    const char **name;
    size_t       n;
} Impls;

static void add(Impls *l, const char *name)
{
    l->name         = xrealloc(l->name, (l->n + 1) * sizeof *l->name);
    l->name[l->n++] = arena_strdup(l->arena, name);
}

static void drop(Impls *l)
{
    arena_free(l->arena);
    free(l->name);
}

/* As separated by commas. */
static void add_list(Impls *l, const char *list)
{
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (n)
            add(l, arena_strndup(l->arena, list, n));
    }
}

static void add_ladder(Impls *l, const char *work, bool peer, WwType type)
{
    bool copy = strcmp(work, "copy") == 0;
    if (peer && copy)
        add(l, "memcpy");
    if (peer && type_row(type)->scalar == SCALAR_f32)
        add_list(l, copy ? "cublas" : "cublas,cublaslt");
    for (size_t i = 0; ww_blas_rung(work, i); i++)
        if (rung_takes(rung_find(work, ww_blas_rung(work, i)), type))
            add(l, ww_blas_rung(work, i));
    add(l, "auto");
}

/* A copy of a matrix instead of bytes. */
static void set_matrix(BenchWork *w, const CliArgs *a)
{
    w->element = cli_number(a, "element", 4);
    w->src_ld  = cli_number(a, "src-ld", w->n);
    w->dst_ld  = cli_number(a, "dst-ld", w->ta ? w->m : w->n);
    w->bytes   = w->m * w->n * w->element;
    w->k       = 0;
}

static BenchWork work_of(const CliArgs *a, const char *work, bool cuda)
{
    uint64_t    side = cuda ? 4096 : 160, bytes = cuda ? 256u << 20 : 10007;
    const char *trans = cli_text(a, "trans", "NN");
    BenchWork   w     = {.work = work, .type = (WwType)cli_choice(a, "type", 0)};
    w.precision       = (WwPrecision)cli_choice(a, "precision", WW_EXACT);
    if (strcmp(work, "gemm") == 0) {
        w.bias       = (BenchBias)cli_choice(a, "bias", BENCH_NO_BIAS);
        w.activation = (WwActivation)cli_choice(a, "activation", WW_NO_ACTIVATION);
    }
    w.m          = cli_number(a, "m", side);
    w.n          = strcmp(work, "aat") == 0 ? w.m : cli_number(a, "n", side);
    w.k          = cli_number(a, "k", cuda ? side : 40);
    w.ta         = trans[0] == 'T';
    w.tb         = trans[1] == 'T';
    w.src_offset = cli_number(a, "src-offset", 0);
    w.dst_offset = cli_number(a, "dst-offset", 0);
    w.bytes      = strcmp(work, "copy") == 0 ? cli_number(a, "bytes", bytes) : 0;
    if (strcmp(work, "copy") == 0 && (cli_has(a, "m") || cli_has(a, "n")))
        set_matrix(&w, a);
    return w;
}

/* An option that means nothing to this work is said: it may be a mistake. */
static void warn_of_unread(const CliArgs *a, const char *work)
{
    static const char *const only[][2] = {{"n", "gemm copy grid"},
                                          {"k", "gemm aat grid"},
                                          {"type", "gemm aat grid"},
                                          {"precision", "gemm aat grid"},
                                          {"bias", "gemm"},
                                          {"activation", "gemm"},
                                          {"devices", "grid"},
                                          {"tile", "grid"},
                                          {"panel", "grid"},
                                          {"verbose", "grid"},
                                          {"operands", "grid"},
                                          {"impl", "gemm aat copy grid"},
                                          {"counters", "gemm aat copy"},
                                          {"random", "gemm aat"},
                                          {"sampling", "gemm aat"},
                                          {"bytes", "copy"},
                                          {"src-offset", "copy"},
                                          {"dst-offset", "copy"},
                                          {"element", "copy"},
                                          {"src-ld", "copy"},
                                          {"dst-ld", "copy"},
                                          {"sweep", "copy"}};
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (cli_has(a, only[i][0]) && !strstr(only[i][1], work))
            fprintf(stderr, "warpwright bench: warning: --%s changes nothing in %s\n", only[i][0], work);
}

static WwDevice *open_device(int which, bool *cuda)
{
    WwDevice   *d   = NULL;
    const char *why = "";
    *cuda           = which != 0 && ww_device_open("cuda", NULL, &d, &why) == WW_OK;
    if (!d && which != 1)
        ww_device_open("emulator", NULL, &d, &why);
    if (!d)
        fprintf(stderr, "warpwright bench: error: %s\n", why);
    return d;
}

/* The stream, cuBLAS, the sensors and the ceiling. */
static void open_gpu(Bench *x, const CliArgs *a, const BenchWork *w)
{
    char why[256] = "";
    x->cublas     = cli_text(a, "cublas", NULL);
    if (ww_stream_open(x->device, NULL, &x->stream) != WW_OK)
        snprintf(why, sizeof why, "%s", ww_device_error(x->device));
    else
        x->peer = bench_peer_open(x->device, x->stream, x->cublas, why, sizeof why);
    if (*why)
        fprintf(stderr, "warpwright bench: cuBLAS or cublasLt is left out: %s\n", why);
    x->sensors = bench_sensors_open(0);
    if (strcmp(w->work, "copy") != 0) {
        x->blas->time = true;
        x->ceiling    = bench_peak(x->blas, w->type);
        x->blas->time = false;
        printf("ceiling, multiplications alone: %.2f %s\n", x->ceiling, bench_unit(w));
    }
}

/* Whether the model puts a rung and its blocks near the one that it would choose. */
static bool could_win(WwBlas *b, const BenchWork *w, const Rung *r, unsigned split)
{
    enum { A = 1 << 20, B = 2 << 20, C = 3 << 20 }; /* addresses that nobody reads */
    static const double NEAR = 1.8;
    Problem             p, best;
    WwGemm              g = bench_gemm(w, NULL, A, B, C);
    WwSyrk              s = bench_syrk(w, NULL, A, C);
    if ((strcmp(w->work, "gemm") == 0 ? problem_of_gemm(b, &g, false, &p) : problem_of_syrk(b, &s, false, &p)) != WW_OK)
        return true;
    best       = p;
    best.rung  = predict_rung(b, &p, &best.split);
    p.rung     = r;
    p.split    = split;
    double one = predict_us(b, &p);
    return one > 0 && predict_takes(r, &p.args) && one < NEAR * predict_us(b, &best);
}

/* The same of 16-bit operands, as they are or turned; by a smaller factor, since they have many rungs that are alike. */
static bool half_could_win(WwBlas *b, const BenchWork *w, const Rung *r, unsigned split, bool turned)
{
    enum { A = 1 << 20, B = 2 << 20, C = 3 << 20 };
    static const double NEAR = 1.2;
    Problem             p, best;
    WwGemm              g = bench_gemm(w, NULL, A, B, C);
    if (problem_of_gemm(b, &g, false, &p) != WW_OK)
        return true;
    if (turned && !half_turns(&p))
        return false;
    best               = p;
    const Rung *choice = half_choose(b, &best);
    unsigned    each   = best.split;
    bool        turns  = best.turned;
    best               = p;
    if (turns)
        half_turn(&best);
    if (turned)
        half_turn(&p);
    return half_us(b, &p, r, split) < NEAR * half_us(b, &best, choice, each);
}

static const char *impl_name(Impls *l, const Rung *r, unsigned split, bool turned)
{
    const char *blocks = split == 1 ? "" : arena_printf(l->arena, ":%u", split);
    return arena_printf(l->arena, "%s%s%s", r->name, blocks, turned ? ":turned" : "");
}

/* "every": the rungs that could be the fastest, and each number of blocks that may share out a tile's k; "near": those of them that the
 * model knows and does not put far behind. */
static void add_every(Impls *l, WwBlas *b, const BenchWork *w, bool near)
{
    for (size_t i = 0; ww_blas_rung(w->work, i); i++) {
        const Rung *r    = rung_find(w->work, ww_blas_rung(w->work, i));
        bool        skip = !rung_takes(r, w->type) || r->use & CLIMB;
        bool half = near && rung_half(r) && strcmp(w->work, "gemm") == 0 && (w->type == WW_F16 || w->type == WW_BF16);
        uint64_t down  = (w->m + (size_t)r->rows - 1) / (size_t)r->rows,
                 tiles = strcmp(w->work, "aat") == 0 ? down * (down + 1) / 2
                                                     : down * ((w->n + (size_t)r->columns - 1) / (size_t)r->columns);
        for (unsigned s = 1; s <= rung_splits(r) && !skip; s = rung_more_splits(s))
            if (s == 1 || (tiles * s <= ENOUGH_BLOCKS && (uint64_t)s * (unsigned)r->slice <= w->k))
                for (int turned = 0; turned <= half; turned++)
                    if (!near || (half ? half_could_win(b, w, r, s, turned) : could_win(b, w, r, s)))
                        add(l, impl_name(l, r, s, turned));
    }
}

/* The list of one shape: "every" and "near" stand for many. */
static int run_shape(Bench *x, const BenchWork *w, const Impls *asked)
{
    Impls all = {.arena = arena_new()};
    for (size_t i = 0; i < asked->n; i++) {
        bool near = strcmp(asked->name[i], "near") == 0;
        if (near || strcmp(asked->name[i], "every") == 0)
            add_every(&all, x->blas, w, near);
        else
            add(&all, asked->name[i]);
    }
    int code = bench_work(x, w, all.name, all.n);
    drop(&all);
    return code;
}

/* As the option says. */
typedef enum Sampling { SAMPLING_LOG, SAMPLING_EVEN, SAMPLING_EIGHTS } Sampling;

/* Shape i of the random ones: half of the sides multiples of 64, half anything, of eights multiples of 8; these and even: as likely as one another, else
 * their logarithms are, from 16 up. */
static BenchWork random_shape(const Bench *x, const BenchWork *most, Sampling how, uint64_t i)
{
    BenchWork w      = *most;
    size_t   *size[] = {&w.m, &w.n, &w.k};
    for (uint64_t d = 0; d < 3; d++) {
        uint64_t bits  = inputs_at(x->seed, 3 + d, i);
        double   share = (double)(bits >> 11) * 0x1p-53, all = (double)*size[d];
        double   one = how == SAMPLING_LOG ? pow(all / 16, share) * 16 : 1 + share * all;
        size_t   v   = how == SAMPLING_EIGHTS ? ((size_t)one + 7) / 8 * 8
                       : bits & 1             ? ((size_t)one + 63) / 64 * 64
                                              : (size_t)one;
        *size[d]     = v < 1 ? 1 : v > *size[d] ? *size[d] : v;
    }
    w.n  = strcmp(w.work, "aat") == 0 ? w.m : w.n;
    w.ta = inputs_at(x->seed, 6, i) & 1;
    w.tb = inputs_at(x->seed, 6, i) & 2;
    return w;
}

/* Random shapes, and at the end how the last implementation compares with cuBLAS. */
static int run_random(Bench *x, const BenchWork *most, const Impls *asked, uint64_t count, Sampling how)
{
    int      code = CLI_OK;
    double   sum = 0, lowest = 0;
    unsigned compared = 0, below = 0;
    for (uint64_t i = 0; i < count; i++) {
        BenchWork w    = random_shape(x, most, how, i);
        size_t    rows = x->nrows;
        code |= run_shape(x, &w, asked);
        if (x->nrows == rows)
            continue;
        const BenchRow *last = &x->row[x->nrows - 1];
        if (!last->verified || last->cublas_ms <= 0 || last->median_ms <= 0)
            continue;
        double ratio = last->cublas_ms / last->median_ms;
        sum += log(ratio);
        below += ratio < 0.95;
        lowest = compared++ == 0 || ratio < lowest ? ratio : lowest;
    }
    if (compared)
        printf("%u shapes: %s is %.3f of cuBLAS in the geometric mean, %.3f at the lowest, %u below 0.95\n", compared,
               asked->name[asked->n - 1], exp(sum / compared), lowest, below);
    return code;
}

/* What --impl names; false after a message. */
static bool is_impl(const Bench *x, const BenchWork *w, const char *impl)
{
    Problem p    = {.type = w->type};
    bool    copy = strcmp(w->work, "copy") == 0;
    if (strcmp(impl, "auto") == 0 || bench_peer_is(impl))
        return true;
    if (copy)
        cli_error("bench", "--impl: '%s': a copy has auto, memcpy and cublas", impl);
    else if (strcmp(impl, "every") == 0 || strcmp(impl, "near") == 0 ||
             problem_choose(x->blas, &p, w->work, impl) != WW_ERR_NOT_FOUND)
        return true;
    else
        cli_error("bench", "--impl: %s", ww_device_error(x->device));
    return false;
}

/* What is to run; false after a message.  What others offer is left out where they cannot, with a word if it was asked for. */
static bool list_impls(Bench *x, const CliArgs *a, bool ladder, const BenchWork *w, Impls *out)
{
    const char *list = cli_text(a, "impl", NULL);
    Impls       l    = {.arena = out->arena};
    if (list)
        add_list(&l, list);
    else if (ladder || strcmp(w->work, "copy") == 0)
        add_ladder(&l, w->work, x->peer != NULL, w->type);
    else
        add_list(&l, x->cuda && type_row(w->type)->scalar == SCALAR_f32 ? "cublas,cublaslt,auto" : "auto");
    bool good = true;
    for (size_t i = 0; i < l.n && good; i++) {
        bool peer = bench_peer_is(l.name[i]), can = !peer || bench_peer_takes(x->peer, l.name[i], w);
        good = is_impl(x, w, l.name[i]);
        if (good && can)
            add(out, l.name[i]);
        else if (good && list)
            fprintf(stderr, "warpwright bench: %s is left out: %s\n", l.name[i],
                    x->cuda ? "it is not there, or does not compute this" : "it needs a GPU");
    }
    free(l.name);
    if (good && out->n == 0)
        cli_error("bench", "--impl: nothing is left to run");
    return good && out->n;
}

/* The exit status, and the rows as JSON. */
static int report(const Bench *x, const CliArgs *a, int code)
{
    for (size_t i = 0; i < x->nrows; i++)
        if (!x->row[i].verified)
            code = CLI_KERNEL;
    const char *file = cli_text(a, "json", NULL);
    if (file && !bench_json(file, x->row, x->nrows, ww_device_name(x->device)))
        code = cli_error("bench", "cannot write %s: %s", file, strerror(errno));
    return code;
}

static int run_grid(Bench *x, const CliArgs *a, const BenchWork *w)
{
    x->table         = cli_table(a);
    const char *impl = cli_text(a, "impl", "auto,cublas");
    x->alone         = !strstr(impl, "cublas");
    x->verbose       = cli_has(a, "verbose");
    x->tile          = cli_number(a, "tile", 0);
    x->panel         = cli_number(a, "panel", 0);
    x->where         = (BenchWhere)cli_choice(a, "operands", BENCH_HOST);
    x->devices       = cli_number(a, "devices", x->where == BENCH_RANKS ? 1 : 2);
    return report(x, a, x->where == BENCH_RANKS ? bench_ranks(x, w) : bench_grid(x, w));
}

static int run(Bench *x, const CliArgs *a, bool ladder, const char *work)
{
    BenchWork w = work_of(a, work, x->cuda);
    x->counted  = cli_has(a, "counters");
    if (x->counted && x->cuda)
        return cli_error("bench", "counters are read on the emulator: --device emulator");
    if (!cli_can_report(a))
        return CLI_USAGE;
    if (x->cuda && strcmp(work, "grid") != 0)
        open_gpu(x, a, &w);
    warn_of_unread(a, work);
    if (strcmp(work, "grid") == 0)
        return run_grid(x, a, &w);
    Impls impls = {.arena = arena_new()};
    if (!list_impls(x, a, ladder, &w, &impls)) {
        drop(&impls);
        return CLI_USAGE;
    }
    bench_table_head(x->table = cli_table(a), x->counted);
    uint64_t random = cli_number(a, "random", 0);
    bool     copy   = strcmp(work, "copy") == 0;
    Sampling how    = (Sampling)cli_choice(a, "sampling", SAMPLING_LOG);
    int      code   = random && !copy                             ? run_random(x, &w, &impls, random, how)
                      : cli_has(a, "sweep") && copy && !w.element ? bench_sweep(x, &w, impls.name[impls.n - 1])
                                                                  : run_shape(x, &w, &impls);
    code            = report(x, a, code);
    drop(&impls);
    return code;
}

int cmd_bench(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    bool        ladder = strcmp(a.operand[0], "ladder") == 0;
    const char *work   = a.operand[a.noperands - 1];
    bool        grid   = strcmp(work, "grid") == 0 && !ladder;
    bool        known  = grid || strcmp(work, "gemm") == 0 || strcmp(work, "aat") == 0 || strcmp(work, "copy") == 0;
    if (!known || a.noperands != (ladder ? 2u : 1u)) {
        code = cli_error("bench", "expected gemm, aat, copy or grid, or ladder and one of the first three");
    } else {
        Bench *x  = xcalloc(1, sizeof *x);
        x->seed   = cli_number(&a, "seed", 1);
        x->runs   = (unsigned)cli_number(&a, "runs", BENCH_RUNS);
        x->device = open_device(cli_choice(&a, "device", 2), &x->cuda);
        code      = x->device && ww_blas_open(x->device, &x->blas) == WW_OK ? run(x, &a, ladder, work) : CLI_KERNEL;
        bench_peer_close(x->peer);
        bench_sensors_close(x->sensors);
        ww_blas_close(x->blas);
        ww_stream_close(x->stream);
        ww_device_close(x->device);
        free(x->row);
        free(x);
    }
    cli_free(&a);
    return code;
}

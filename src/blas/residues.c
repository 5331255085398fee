/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of doubles by products of bytes (kernels/long/5_residues.cu): when they pay, and their launches.
 *
 *   copy_transposed_8   of an operand that does not lie along k
 *   residues_split      both operands as 14 planes of bytes
 *   residues_judge      whether what rounding loses can be seen in a result
 *   gemm_residues       the residues of a panel of C, unless it can
 *   residues_join       the panel's doubles, from its residues
 *   gemm_double         the product in double arithmetic, if it can
 *
 * Nothing of it waits for an answer on the host: the last three ask the judge's word.  The planes lie in the workspace, C's a panel of rows at a time. */
#include <math.h>
#include <string.h>

#include "blas/blas.h"
#include "long/residues.h"

enum { SM_90A = 90, PAIR = 2, ALIGN = 16, LINES = 64, PANEL = 256 /* rows: of a pair of tiles */ };

static const unsigned modulus[RESIDUES] = {RESIDUE_MODULI};

static size_t padded(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t plane_bytes(const Source *s, int k)
{
    return padded((size_t)k) * (size_t)s->length;
}

static size_t turned_bytes(const Source *s, int k)
{
    return s->along_k == 1 ? 0 : padded((size_t)k) * (size_t)s->length * sizeof(double);
}

/* Rows of C whose residues are computed at once: a gigabyte of them. */
static int panel_rows(const GemmArgs *g)
{
    size_t rows = ((size_t)1 << 30) / RESIDUES / padded((size_t)g->n) / PANEL * PANEL;
    return rows < PANEL ? PANEL : rows < (size_t)g->m ? (int)rows : g->m;
}

/* Where the parts of Work.turned begin. */
typedef struct Parts {
    size_t planes, shifts, seen, turned, end;
} Parts;

static Parts parts_at(const GemmArgs *g)
{
    Source x = source_x(g), y = source_y(g);
    size_t tx = turned_bytes(&x, g->k), ty = turned_bytes(&y, g->k);
    Parts  p = {.shifts = RESIDUES * padded((size_t)g->n) * (size_t)panel_rows(g)};
    p.seen   = p.shifts + padded(((size_t)g->m + (size_t)g->n) * sizeof(int32_t));
    p.turned = p.seen + padded(RESIDUE_SEEN * sizeof(uint32_t));
    p.end    = p.turned + (tx > ty ? tx : ty);
    return p;
}

static bool can_run(WwBlas *b)
{
    enum { NO = 1, YES = 2 };
    if (!b->residues)
        b->residues = b->capability == SM_90A && b->sms >= 2 * PAIR && blas_built("gemm_residues_f64") ? YES : NO;
    return b->residues == YES;
}

/* Microseconds by readings on an H100 (docs/double.md). */
bool residues_pays(WwBlas *b, const Problem *p)
{
    const GemmArgs *g    = &p->args;
    double          work = 2.0 * g->m * g->n * g->k, results = (double)g->m * g->n;
    double          operands = ((double)g->m + g->n) * g->k,
           turned            = (g->x_col == 1 ? 0 : (double)g->m * g->k) + (g->y_row == 1 ? 0 : (double)g->n * g->k);
    double by_residues       = 40 + RESIDUES * work / 1570e6 + operands * 8.4e-6 + turned * 7.5e-6 + results * 9e-6;
    return can_run(b) && !p->symmetric && p->batch == 1 && g->k && g->k <= RESIDUE_MOST_K && by_residues < work / 52e6;
}

void residues_work(const Problem *p, Work *w)
{
    Source x = source_x(&p->args), y = source_y(&p->args);
    w->x      = RESIDUES * plane_bytes(&x, p->args.k);
    w->y      = RESIDUES * plane_bytes(&y, p->args.k);
    w->turned = parts_at(&p->args).end;
}

/* An operand's planes at `to`. */
static Status split(WwBlas *b, Source s, ResidueSplit a, WwPtr turned)
{
    enum { BLOCKS = 1 << 20 };
    if (s.along_k != 1) {
        WwCopy copy = {sizeof(double), true,   (size_t)a.k, (size_t)s.length,
                       s.at,           turned, s.along_k,   padded((size_t)a.k)};
        TRY(ww_blas_copy_matrix(b, &copy));
        s = (Source){turned, padded((size_t)a.k), 1, s.length};
    }
    a.from    = s.at;
    a.ld      = s.along;
    a.pitch   = padded((size_t)a.k);
    a.lines   = s.length;
    a.aligned = s.at % ALIGN == 0 && s.along * sizeof(double) % ALIGN == 0;
    return blas_launch(b, "residues_split",
                       &(WwLaunch){.grid      = {(uint32_t)(s.length < BLOCKS ? s.length : BLOCKS), 1, 1},
                                   .block     = {RESIDUE_THREADS, 1, 1},
                                   .args      = (void *[]){&a},
                                   .arg_count = 1});
}

/* Of planes of `lines` lines of `bytes`, each `pitch` apart, all 14 one behind the other every `apart` bytes. */
static Status map_of(WwBlas *b, WwPtr at, size_t bytes, size_t pitch, size_t lines, size_t apart, uint32_t box,
                     GemmMap *map)
{
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = "u8",
                                        .address = at,
                                        .rank    = 3,
                                        .dim     = {bytes, lines, RESIDUES},
                                        .stride  = {pitch, apart},
                                        .box     = {RESIDUE_SLICE, box, 1},
                                        .swizzle = RESIDUE_SLICE},
                         map);
}

/* The moduli's product, rounded once. */
static double moduli(void)
{
    long double all = 1;
    for (int i = 0; i < RESIDUES; i++)
        all *= (long double)modulus[i];
    return (double)all;
}

/* The numbers of ResidueProduct and ResidueJoin: of each modulus p, the inverse v of the others' product modulo p, and the words of 2^96 v / p. */
static void numbers(ResidueProduct *s, ResidueJoin *j)
{
    enum { WORDS = 3, WORD = 32 };
    for (int i = 0; i < RESIDUES; i++) {
        unsigned p = modulus[i], others = 1, inverse = 1;
        for (int k = 0; k < RESIDUES; k++)
            others = k == i ? others : others * modulus[k] % p;
        while (others * inverse % p != 1)
            inverse++;
        uint64_t rest = inverse;
        for (int w = WORDS - 1; w >= 0; w--) {
            rest            = rest << WORD;
            j->weight[i][w] = (unsigned)(rest / p);
            rest %= p;
        }
        s->modulus[i] = p;
        s->inverse[i] = (unsigned)(((uint64_t)1 << 39) / p);
        s->offset[i]  = ((1u << 30) + p - 1) / p * p;
    }
}

/* Rows `row` and on of C. */
static Status panel(WwBlas *b, const Problem *p, const Work *work, WwPtr at, ResidueProduct *s, ResidueJoin *j, int row,
                    int rows)
{
    enum { GROUP = 8, BLOCKS_Y = 65535 };
    const GemmArgs *g = &p->args;
    Source          x = source_x(g), y = source_y(g);
    size_t          pitch    = padded((size_t)g->k);
    WwLaunch        w        = {.block     = {(unsigned)p->rung->threads, 1, 1},
                                .cluster   = {PAIR, 1, 1},
                                .shared    = p->rung->shared,
                                .args      = (void *[]){s},
                                .arg_count = 1};
    uint64_t        pairs    = half_pairs(p->rung, rows, g->n);
    uint64_t        clusters = b->sms / PAIR;
    s->h.g.m                 = rows;
    s->h.group               = GROUP;
    if (pairs > INT32_MAX / RESIDUES)
        return device_fail(b->device, WW_ERR_INVALID,
                           "ww_gemm: %llu pairs of tiles are more than the rung residues can count",
                           (unsigned long long)pairs);
    s->h.pairs = (int)pairs;
    TRY(map_of(b, at + (size_t)row * pitch, (size_t)g->k, pitch, (size_t)rows, plane_bytes(&x, g->k),
               (uint32_t)p->rung->rows, &s->h.x));
    TRY(map_of(b, at + work->x, (size_t)g->k, pitch, (size_t)g->n, plane_bytes(&y, g->k),
               (uint32_t)p->rung->columns / PAIR, &s->h.y));
    TRY(map_of(b, j->planes, j->pitch, j->pitch, (size_t)rows, j->plane, LINES, &s->h.c));
    w.grid = (WwDim3){PAIR * (uint32_t)(pairs * RESIDUES < clusters ? pairs * RESIDUES : clusters), 1, 1};
    TRY(blas_launch(b, "gemm_residues_f64", &w));
    ResidueJoin a = *j;
    a.m           = rows;
    a.c           = g->c + (size_t)row * (size_t)g->ldc * sizeof(double);
    a.x_shift     = j->x_shift + (size_t)row * sizeof(int32_t);
    return blas_launch(b, "residues_join",
                       &(WwLaunch){.grid      = {rung_cover(g->n, RESIDUE_EACH * RESIDUE_JOINERS),
                                                 (uint32_t)(rows < BLOCKS_Y ? rows : BLOCKS_Y), 1},
                                   .block     = {RESIDUE_JOINERS, 1, 1},
                                   .args      = (void *[]){&a},
                                   .arg_count = 1});
}

Status residues_run(WwBlas *b, const Problem *p, const GemmArgs *g, Work work, WwPtr at)
{
    Problem        q     = *p;
    Parts          parts = parts_at(g);
    WwPtr          rest = at + work.x + work.y, seen = rest + parts.seen, shift = rest + parts.shifts;
    WwPtr          bad   = seen + RESIDUE_BAD * sizeof(uint32_t);
    double         all   = moduli();
    ResidueSplit   a     = {.to = at, .shift = shift, .seen = seen, .limit = sqrt(all / 2) * (1 - 0x1p-20), .k = g->k};
    ResidueJudge   judge = {seen, p->told, g->k};
    ResidueProduct s     = {.h = {.g = *g}, .bad = bad};
    ResidueJoin    j     = {.planes  = rest + parts.planes,
                            .x_shift = shift,
                            .y_shift = shift + (size_t)g->m * sizeof(int32_t),
                            .bad     = bad,
                            .pitch   = padded((size_t)g->n),
                            .ldc     = g->ldc,
                            .unit    = ldexp(all, -64),
                            .n       = g->n,
                            .aligned = (g->vector & 4) != 0};
    if (g->k > RESIDUE_MOST_K)
        return device_fail(b->device, WW_ERR_INVALID, "ww_gemm: the rung residues takes up to k = %d, asked is %d",
                           (int)RESIDUE_MOST_K, g->k);
    memcpy(&j.alpha, &p->alpha, sizeof j.alpha);
    memcpy(&j.beta, &p->beta, sizeof j.beta);
    int rows = panel_rows(g);
    j.plane  = j.pitch * (unsigned)rows;
    numbers(&s, &j);
    q.args = *g;
    TRY(device_fill(b->device, seen, 0, RESIDUE_SEEN * sizeof(uint32_t), b->stream));
    TRY(split(b, source_x(g), a, rest + parts.turned));
    a.to += work.x;
    a.shift = j.y_shift;
    a.side  = 1;
    TRY(split(b, source_y(g), a, rest + parts.turned));
    TRY(blas_launch(b, "residues_judge",
                    &(WwLaunch){.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = (void *[]){&judge}, .arg_count = 1}));
    for (int row = 0; row < g->m; row += rows)
        TRY(panel(b, &q, &work, at, &s, &j, row, g->m - row < rows ? g->m - row : rows));
    return double_run(b, &q, double_choose(b, &q), g, bad, 1);
}

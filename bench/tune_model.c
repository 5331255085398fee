/* SPDX-License-Identifier: Apache-2.0
 *
 * The model of src/blas/predict.c for tools/tune, which loads this as a module: the columns and rows of rates.def, and the times of many
 * readings by numbers that the caller tries.  The card is the one that rates.def is of; addresses are such that nobody reads them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"

/* One column of rates.def, as numbers.def has it. */
typedef struct Column {
    const char *name;
    int         common; /* one number for all rungs */
    double      begin, easy, least, most;
} Column;

static const Column columns[] = {
#define NUMBER(name, begin, easy, least, most) {#name, 0, begin, easy, least, most},
#define COMMON(name, begin, easy, least, most) {#name, 1, begin, easy, least, most},
#include "blas/numbers.def"
#undef COMMON
#undef NUMBER
};

/* The readings of one row. */
typedef struct Cases {
    const WwBlas *blas;
    const Rate   *rate;
    const Rung   *rung;
    Problem      *p;
    size_t        n;
} Cases;

/* What a caller may want to know of a reading. */
typedef struct Kind {
    unsigned room, copies, parts; /* blocks a multiprocessor; are operands copied before; are parts of k added up */
} Kind;

const Column *tune_column(size_t i);
WwBlas       *tune_open(void);
const char   *tune_rate(size_t i, const char **ladder, unsigned *blocks, double *numbers);
Cases        *tune_cases(const WwBlas *b, size_t rate);
int           tune_add(Cases *c, const size_t *size, int ta, int tb, unsigned split, Kind *kind);
void          tune_times(const Cases *c, const double *numbers, double *us);

/* NULL past the last. */
const Column *tune_column(size_t i)
{
    return i < sizeof columns / sizeof *columns ? &columns[i] : NULL;
}

/* NULL: there is no device. */
WwBlas *tune_open(void)
{
    WwDevice   *d;
    WwBlas     *b;
    const char *why;
    if (ww_device_open("emulator", NULL, &d, &why) != WW_OK || ww_blas_open(d, &b) != WW_OK)
        return NULL;
    b->sms = CARD_SMS;
    return b;
}

/* The rung of a row and its numbers, in the order of the columns; NULL past the last. */
const char *tune_rate(size_t i, const char **ladder, unsigned *blocks, double *numbers)
{
    const Common *all;
    const Rate   *r = predict_rate(i, &all);
    if (!r)
        return NULL;
    *ladder = r->ladder;
    *blocks = (unsigned)r->blocks - 10000;
#define NUMBER(name, begin, easy, least, most) *numbers++ = r->name;
#define COMMON(name, begin, easy, least, most) *numbers++ = all->name;
#include "blas/numbers.def"
#undef COMMON
#undef NUMBER
    return r->rung;
}

Cases *tune_cases(const WwBlas *b, size_t rate)
{
    const Common *all;
    const Rate   *r = predict_rate(rate, &all);
    Cases        *c = xcalloc(1, sizeof *c);
    *c              = (Cases){.blas = b, .rate = r, .rung = rung_find(r->ladder, r->rung)};
    return c;
}

/* size: m, n, k.  0: the row is not for this shape. */
int tune_add(Cases *c, const size_t *size, int ta, int tb, unsigned split, Kind *kind)
{
    enum { A = 1 << 20, B = 2 << 20, C = 3 << 20 };
    size_t  m = size[0], n = size[1], k = size[2];
    WwGemm  g = {.trans_a   = ta,
                 .trans_b   = tb,
                 .m         = m,
                 .n         = n,
                 .k         = k,
                 .alpha.f32 = 1,
                 .a         = A,
                 .b         = B,
                 .c         = C,
                 .lda       = ta ? m : k,
                 .ldb       = tb ? k : n,
                 .ldc       = n};
    WwSyrk  s = {.trans = ta, .n = m, .k = k, .alpha = g.alpha, .a = A, .c = C, .lda = g.lda, .ldc = m};
    Problem p;
    Work    w    = {0};
    WwBlas  b    = *c->blas;
    bool    twin = strcmp(c->rate->ladder, "aat") == 0;
    if ((twin ? problem_of_syrk(&b, &s, false, &p) : problem_of_gemm(&b, &g, false, &p)) != WW_OK)
        return 0;
    p.rung     = c->rung;
    p.split    = split;
    kind->room = predict_room(&p, c->rate);
    if (!kind->room || !predict_takes(p.rung, &p.args))
        return 0;
    if (tensor_rung(p.rung))
        tensor_work(&p, &w);
    kind->copies = w.x || w.y;
    kind->parts  = parts_of(&p) > 1;
    if ((c->n & (c->n - 1)) == 0)
        c->p = xrealloc(c->p, (c->n ? 2 * c->n : 1) * sizeof *c->p);
    c->p[c->n++] = p;
    return 1;
}

/* numbers: in the order of the columns. */
void tune_times(const Cases *c, const double *numbers, double *us)
{
    Rate   r = {.ladder = c->rate->ladder, .rung = c->rate->rung, .blocks = c->rate->blocks};
    Common all;
#define NUMBER(name, begin, easy, least, most) r.name = *numbers++;
#define COMMON(name, begin, easy, least, most) all.name = *numbers++;
#include "blas/numbers.def"
#undef COMMON
#undef NUMBER
    for (size_t i = 0; i < c->n; i++)
        us[i] = predict_by(c->blas, &c->p[i], &r, &all);
}

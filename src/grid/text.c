/* SPDX-License-Identifier: Apache-2.0
 *
 * What a product is, in words that are the same for all ranks of one and differ where anything does that decides which tiles there are, who has
 * them or which bits they get: the library's version, types, sizes, factors, the tiles that were asked for, how many devices a rank has.  Which rank it
 * is is left out, as is where in memory its matrices lie: that is its own affair. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "grid/grid.h"

static uint64_t bits_of(WwScalar s)
{
    uint64_t bits = 0;
    memcpy(&bits, &s, sizeof s < sizeof bits ? sizeof s : sizeof bits);
    return bits;
}

static void head(const WwGrid *g, const char *what, WwType type, WwLayout layout, Str *out)
{
    const TypeRow *row = type_row(type);
    str_printf(out, "warpwright %s, %s %s %s", ww_version(), what, row ? row->word : "of no type",
               layout == WW_COLUMN_MAJOR ? "by columns" : "by rows");
    str_printf(out, ", %zu device%s a rank", g->n, g->n == 1 ? "" : "s");
}

/* How a matrix is spread over the ranks' devices. */
static void spread(char name, const WwGridArray *a, Str *out)
{
    if (a && !a->down)
        str_printf(out, ", %c everywhere", name);
    else if (a)
        str_printf(out, ", %c in blocks of %zu x %zu over %zu x %zu", name, a->block_rows, a->block_columns, a->down,
                   a->across);
}

static size_t tail(Str *out, char *text, size_t bytes)
{
    size_t n = out->len;
    if (bytes)
        snprintf(text, bytes, "%s", str_text(out));
    str_free(out);
    return n;
}

size_t ww_grid_gemm_text(const WwGrid *g, const WwGridGemm *p, char *text, size_t bytes)
{
    Str s = {0};
    if (!g || !p)
        return tail(&s, text, text ? bytes : 0);
    head(g, "A*B", p->type, p->layout, &s);
    str_printf(&s,
               ", %zu x %zu x %zu, %c%c, factors %" PRIx64 " %" PRIx64 ", precision %d, tile %zu, panel %zu, %zu ranks",
               p->m, p->n, p->k, p->trans_a ? 'T' : 'N', p->trans_b ? 'T' : 'N', bits_of(p->alpha), bits_of(p->beta),
               (int)p->precision, p->tile, p->panel, p->ranks);
    spread('a', p->on_a, &s);
    spread('b', p->on_b, &s);
    spread('c', p->on_c, &s);
    return tail(&s, text, text ? bytes : 0);
}

size_t ww_grid_syrk_text(const WwGrid *g, const WwGridSyrk *p, char *text, size_t bytes)
{
    Str s = {0};
    if (!g || !p)
        return tail(&s, text, text ? bytes : 0);
    head(g, "A*At", p->type, p->layout, &s);
    str_printf(
        &s, ", %zu x %zu, %c, fill %d, factors %" PRIx64 " %" PRIx64 ", precision %d, tile %zu, panel %zu, %zu ranks",
        p->n, p->k, p->trans ? 'T' : 'N', (int)p->fill, bits_of(p->alpha), bits_of(p->beta), (int)p->precision, p->tile,
        p->panel, p->ranks);
    spread('a', p->on_a, &s);
    spread('c', p->on_c, &s);
    return tail(&s, text, text ? bytes : 0);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice among the rungs of rungs.def (rung_table.c).
 *
 * On a GPU that has tensor copies float products and A * A^T go where predict.c says, and large integer products to the tensor cores.
 * Else the choice knows three things: how many tiles of 128 x 128 the result has, how many of them run at once
 * (two a multiprocessor), and how long k is.  Full waves of tiles go to the wide kernel.  Where the last wave would leave
 * much of the card idle, k is shared out (stream), if it is long enough to pay for the partial tiles; small results with a
 * short k get small tiles.  Of A * A^T batches of large ones go to flow; one of few columns is bound by writing C: small tiles, so
 * that some blocks write while others multiply.  Where it errs, a caller names the rung. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas.h"

enum { SLOTS_PER_SM = 2, STREAM_MIN_K = 256, TENSOR_MIN_K = 512, TENSOR_TILES = 32, TENSOR_TRIANGLE = 4 };

/* "name", "name:blocks", which share out k or an operand, "name:turned" or "name:blocks:turned". */
static const Rung *parse(const char *ladder, const char *text, Problem *p)
{
    char        name[32];
    const char *colon = strchr(text, ':');
    size_t      n     = colon ? (size_t)(colon - text) : strlen(text);
    if (n >= sizeof name)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    const Rung *r = rung_find(ladder, name);
    if (!r || !colon)
        return r;
    const char *last = strrchr(colon, ':');
    p->turned        = rung_turns(r) && strcmp(last + 1, TURNED) == 0;
    if (p->turned && last == colon)
        return r;
    char         *end  = NULL;
    unsigned long wish = colon[1] >= '1' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : 0;
    p->split           = (unsigned)wish;
    bool clusters = wish <= CLUSTER || wish % CLUSTER == 0, ends = end && (p->turned ? end == last : !*end);
    return ends && wish <= rung_splits(r) && clusters ? r : NULL;
}

/* Operands long enough along k to pay for a transposed copy, and enough tiles; the symmetric product does not share out k, so it needs
 * some rounds of them. */
static bool tensor_pays(const WwBlas *b, const Problem *p)
{
    const Rung *r     = rung_for(p->symmetric, FOR_COPIES);
    uint64_t    least = p->symmetric ? (uint64_t)b->sms * TENSOR_TRIANGLE : TENSOR_TILES;
    return rung_tiles(r, &p->args) >= least && p->args.k >= TENSOR_MIN_K && tensor_can(b, p);
}

/* Is there enough work to pay for splitting the operands, and what multiplies them?  NULL: there is not. */
static const Rung *byte_rung(const WwBlas *b, const Problem *p)
{
    enum { MIN_K = 256, MIN_TILES = 16 };
    const Rung *r = rung_for(false, FOR_BYTES);
    if (p->type != WW_I32 || p->args.k < MIN_K || rung_tiles(r, &p->args) < MIN_TILES)
        return NULL;
    return bytes_can(b) ? r : limbs_pay(b) ? rung_for(false, FOR_LIMBS) : NULL;
}

BlasChoice *choice_kept(WwBlas *b, const GemmArgs *g, int how)
{
    uint32_t    hash = ((uint32_t)g->m * 0x9e3779b1u) ^ ((uint32_t)g->n * 0x85ebca77u) ^ ((uint32_t)g->k * 0xc2b2ae3du);
    BlasChoice *c    = &b->choice[(hash >> 20 ^ (uint32_t)how) % BLAS_CHOICES];
    if (c->how != how || c->m != g->m || c->n != g->n || c->k != g->k)
        *c = (BlasChoice){g->m, g->n, g->k, how, NULL, 1, false};
    return c;
}

/* The model's choice; NULL: the device is not one that it knows. */
static const Rung *choose_model(WwBlas *b, Problem *p)
{
    const GemmArgs *g   = &p->args;
    int             how = 1 << 8 | p->symmetric << 6 | (g->x_col == 1) << 5 | (g->y_row == 1) << 4 | g->vector;
    BlasChoice     *c   = choice_kept(b, g, how);
    if (!c->rung) {
        if (!sm_90_can(b, p)) /* it takes kernels that are for sm_90 alone */
            return NULL;
        c->rung = predict_rung(b, p, &c->split);
    }
    p->split = c->split;
    return c->rung;
}

static const Rung *choose_gemm(const WwBlas *b, const Problem *p)
{
    const GemmArgs *g     = &p->args;
    uint64_t        slots = (uint64_t)b->sms * SLOTS_PER_SM;
    uint64_t        tiles = (uint64_t)rung_cover(g->m, 128) * rung_cover(g->n, 128) * p->batch;
    uint64_t        waves = (tiles + slots - 1) / slots;
    const Rung     *bytes = byte_rung(b, p);
    if (bytes)
        return bytes;
    if (tensor_pays(b, p))
        return rung_for(false, FOR_COPIES);
    bool full = tiles * 100 >= waves * slots * 92;
    if (full || p->batch > 1)
        return rung_for(false, tiles >= b->sms ? FOR_FULL : FOR_SMALL);
    if (g->k >= STREAM_MIN_K)
        return rung_for(false, FOR_LONG_K);
    return rung_for(false, tiles >= slots ? FOR_FULL : FOR_SMALL);
}

/* Of a batch; by readings of 256 to 8192 columns by 128 to 8192 (docs/kernels.md). */
static bool flow_pays(const WwBlas *b, const Problem *p)
{
    bool work = p->args.k >= FLOW_K || (p->args.k >= FLOW_LEAST_K && p->args.m >= FLOW_SIDE);
    return work && p->args.m >= FLOW_BATCH && sm_90_can(b, p);
}

static const Rung *choose_aat(const WwBlas *b, const Problem *p)
{
    if (flow_pays(b, p))
        return rung_for(true, FOR_SM_90);
    if (tensor_pays(b, p))
        return rung_for(true, FOR_COPIES);
    if (p->args.k <= SKINNY_K)
        return rung_for(true, FOR_FEW);
    uint64_t side = rung_cover(p->args.m, 128), tiles = side * (side + 1) / 2 * p->batch;
    return rung_for(true, tiles >= b->sms ? FOR_FULL : FOR_SMALL);
}

static Status no_rung(WwBlas *b, const char *ladder, const char *name)
{
    Str  names = {0};
    bool split = false;
    for (size_t i = 0; ww_blas_rung(ladder, i); i++) {
        const char *other = ww_blas_rung(ladder, i);
        const Rung *r     = rung_find(ladder, other);
        bool        some  = rung_splits(r) > 1;
        str_printf(&names, "%s %s%s%s", names.len ? "," : "", other, some ? "[:N]" : "",
                   rung_turns(r) ? "[:" TURNED "]" : "");
        split = split || some;
    }
    if (split)
        str_printf(&names,
                   "; N, the blocks that share out k (or share an operand), is 1 to %d or a multiple of %d up to %d",
                   CLUSTER, CLUSTER, MOST_SPLITS);
    Status s = device_fail(b->device, WW_ERR_NOT_FOUND, "no rung '%s' on the ladder %s; there are:%s", name, ladder,
                           str_text(&names));
    str_free(&names);
    return s;
}

Status problem_choose(WwBlas *b, Problem *p, const char *ladder, const char *name)
{
    bool wide = p->type == WW_I32_I64;
    bool half = type_row(p->type)->kind == TYPE_HALF, eight = type_row(p->type)->kind == TYPE_EIGHT;
    bool known =
        p->type == WW_F32 || (p->symmetric && p->type == WW_I32); /* integers take twice as long, by any of its rungs */
    bool model = !name && known && p->batch == 1 && p->args.k;
    if (model && p->precision == WW_TENSOR && split_pays(b, p)) {
        p->rung = rung_for(p->symmetric, FOR_SPLIT);
        return WW_OK;
    }
    p->rung = model ? choose_model(b, p) : NULL;
    if (p->rung)
        return WW_OK;
    bool doubles = type_row(p->type)->kind == TYPE_DOUBLE;
    if (name)
        p->rung = parse(ladder, name, p);
    else if (doubles && p->precision == WW_TENSOR && residues_pays(b, p))
        p->rung = rung_for(false, FOR_RESIDUES);
    else if (doubles)
        p->rung = double_choose(b, p);
    else if (half)
        p->rung = half_choose(b, p);
    else if (eight)
        p->rung = eight_choose(b, p);
    else if (wide)
        p->rung = rung_for(p->symmetric, FOR_I64);
    else
        p->rung = p->symmetric ? choose_aat(b, p) : choose_gemm(b, p);
    if (!p->rung)
        return no_rung(b, ladder, name);
    if (!rung_takes(p->rung, p->type))
        return device_fail(b->device, WW_ERR_UNAVAILABLE, "%s: the rung %s has no kernel for %s", ladder,
                           name ? name : p->rung->name, type_row(p->type)->text);
    if (p->turned && !half_turns(p))
        return device_fail(b->device, WW_ERR_UNAVAILABLE,
                           "%s: %s writes 16-bit results without beta, biases and activations alone", ladder, name);
    bool copies = !rung_batch(p->rung) || half || eight;
    if (p->args.k == 0 && doubles)
        p->rung = rung_for(p->rung->symmetric, FOR_ANY_64);
    else if (p->args.k == 0 && (copies || p->rung->stream)) /* nothing to copy or share out */
        p->rung = rung_for(p->rung->symmetric, half ? FOR_ANY_16 : eight ? FOR_ANY_8 : FOR_FULL);
    if (p->args.k == 0)
        p->split = 1;
    p->turned = p->turned && p->args.k;
    if (p->turned)
        half_turn(p);
    return WW_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The access patterns of a launch that cost most, for pictures: of each source line the two dearest, at most MOST_PATTERNS together. */
#include <stdlib.h>
#include <string.h>

#include "check/count/hits.h"
#include "check/picture.h"
#include "device/emulator_own.h"
#include "model/model.h"

enum { MOST_PATTERNS = 32, OF_A_LINE = 2 };

typedef struct Dear {
    const Pattern *t;
    Place          place;
    ModelCost      cost;
    uint32_t       at;    /* index of the commonest place */
    size_t         order; /* in the sorted list of patterns */
    uint64_t       extra;
} Dear;

static uint32_t commonest(const Pattern *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; (i = hits_next(t->hits, i, t->places)) < t->places; i++)
        if (t->hits[i] > t->hits[best])
            best = i;
    return best;
}

static Dear dear_of(const Profile *p, const Module *m, const EmuResult *e, const Pattern *t)
{
    Dear        d = {.t = t, .place = instr_user_place(m, e->instr[t->instr].in), .at = commonest(t)};
    uint64_t    addr[LANES];
    ModelOp     op = t->op != ACCESS_COPY ? (ModelOp)t->op : t->space == ACCESS_SHARED ? MODEL_ST : MODEL_LD;
    ModelAccess a  = {(ModelSpace)t->space, op, MODEL_L1_AUTO, t->bytes, t->mask, addr};
    pattern_addresses(t, d.at, addr);
    model_access(p, &a, &d.cost);
    d.extra = t->total * (d.cost.conflicts + (d.cost.touched > d.cost.ideal ? d.cost.touched - d.cost.ideal : 0));
    return d;
}

static int dearest_first(const void *pa, const void *pb)
{
    const Dear *a = pa, *b = pb;
    if (a->extra != b->extra)
        return a->extra > b->extra ? -1 : 1;
    if (a->t->total != b->t->total)
        return a->t->total > b->t->total ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Is the pattern shown already, of this line and at another place perhaps? */
static bool same_shape(const WwPattern *w, const Pattern *t)
{
    unsigned first = (unsigned)__builtin_ctz(t->mask);
    if (w->mask != t->mask || w->bytes != t->bytes)
        return false;
    for (uint32_t m = t->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if ((int64_t)(w->offset[i] - w->offset[first]) != t->delta[i])
            return false;
    }
    return true;
}

static bool wanted(const WwResult *r, const Dear *d)
{
    unsigned n = 0;
    for (size_t i = 0; i < r->npatterns; i++) {
        const WwPattern *w = &r->patterns[i];
        if (w->line != d->place.line || strcmp(w->file, d->place.file) != 0)
            continue;
        if (same_shape(w, d->t) && !strcmp(w->space, picture_space(d->t->space)))
            return false;
        n++;
    }
    return n < OF_A_LINE && !d->place.from_ptx;
}

static void add(const Dear *d, WwResult *r)
{
    uint64_t addr[LANES], *offset = ARENA_ARRAY(r->arena, uint64_t, LANES), low = UINT64_MAX;
    pattern_addresses(d->t, d->at, addr);
    for (uint32_t m = d->t->mask; m; m &= m - 1)
        low = addr[__builtin_ctz(m)] < low ? addr[__builtin_ctz(m)] : low;
    low = d->t->space == ACCESS_SHARED ? 0 : low / 128 * 128; /* elsewhere from the first line on */
    for (unsigned i = 0; i < LANES; i++)
        offset[i] = d->t->mask >> i & 1 ? addr[i] - low : 0;
    r->patterns[r->npatterns++] = (WwPattern){.file       = arena_strdup(r->arena, d->place.file),
                                              .line       = d->place.line,
                                              .space      = picture_space(d->t->space),
                                              .op         = picture_op(d->t->op),
                                              .bytes      = d->t->bytes,
                                              .mask       = d->t->mask,
                                              .count      = d->t->total,
                                              .offset     = offset,
                                              .wavefronts = d->cost.wavefronts,
                                              .conflicts  = d->cost.conflicts,
                                              .sectors    = d->cost.touched,
                                              .ideal      = d->cost.ideal};
}

void emulator_patterns(const Profile *p, const Module *m, const EmuResult *e, Patterns *kept, WwResult *r)
{
    size_t n = patterns_count(kept), k = 0;
    Dear  *list = xcalloc(n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        const Pattern *t = patterns_at(kept, i);
        if (e->instr && t->instr < e->ninstr && e->instr[t->instr].in)
            list[k++] = dear_of(p, m, e, t), list[k - 1].order = i;
    }
    qsort(list, k, sizeof *list, dearest_first);
    r->patterns = ARENA_ARRAY(r->arena, WwPattern, MOST_PATTERNS);
    for (size_t i = 0; i < k && r->npatterns < MOST_PATTERNS; i++)
        if (wanted(r, &list[i]))
            add(&list[i], r);
    free(list);
}

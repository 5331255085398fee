/* SPDX-License-Identifier: Apache-2.0
 *
 * shfl: which lane each takes its value from, and what becomes of values that are followed (poison.h).  What a lane takes from one that takes no
 * part is undefined: an observer that follows values says which those are. */
#include "emu/access/shuffle.h"

#include <string.h>

#include "emu/access/poison.h"
#include "emu/core/ctl.h"
#include "emu/core/notify.h"
#include "emu/sync/sync.h"

/* Source lane of lane i, and whether it lies in the segment (PTX manual, shfl.sync).  From a lane that does not take part comes 0: the
 * manual leaves it open, an H200 does so in all modes, and programs rely on it. */
static inline unsigned shfl_source(ShflMode mode, unsigned i, uint32_t b, uint32_t c, bool *in)
{
    int bval = (int)(b & 31), cval = (int)(c & 31), seg = (int)(c >> 8 & 31), lane = (int)i;
    int max = (lane & seg) | (cval & ~seg), min = lane & seg, j;
    switch (mode) {
    case SHFL_UP:
        j   = lane - bval;
        *in = j >= max;
        break;
    case SHFL_DOWN:
        j   = lane + bval;
        *in = j <= max;
        break;
    case SHFL_BFLY:
        j   = lane ^ bval;
        *in = j <= max;
        break;
    default:
        j   = min | (bval & ~seg);
        *in = j <= max;
        break;
    }
    return *in ? (unsigned)j : i;
}

/* undefined: as in SyncEvent. */
static void notify_shuffle(Warp *w, const Uop *u, const uint32_t *b, const uint32_t *c, uint32_t *undefined)
{
    const uint32_t *a = SLOT(w, uint32_t, u->a);
    uint8_t         source[LANES];
    uint64_t        values[LANES];
    bool            in;
    for (unsigned i = 0; i < LANES; i++) {
        source[i] = (uint8_t)shfl_source((ShflMode)u->x, i, b[i], c[i], &in);
        values[i] = w->mask >> source[i] & 1 ? a[source[i]] : 0;
    }
    NOTIFY_SYNC(w, u, .kind = SYNC_EXCHANGE, .mask = w->mask,
                .members = u->e == NO_SLOT ? NULL : SLOT(w, uint32_t, u->e), .source = source, .values = values,
                .undefined = undefined);
}

static void follow_undefined(Warp *w, Slot d, const uint32_t origin[LANES])
{
    uint32_t lanes = 0;
    for (uint32_t m = w->mask; m; m &= m - 1)
        lanes |= origin[(unsigned)__builtin_ctz(m)] ? m & -m : 0;
    if (lanes)
        poison_result(w, d, 4, lanes, origin);
}

unsigned shuffle_source(unsigned mode, unsigned lane, uint32_t b, uint32_t c, bool *inside)
{
    return shfl_source((ShflMode)mode, lane, b, c, inside);
}

static bool is_one_value(const uint32_t *x)
{
    uint32_t odd = 0;
    for (unsigned i = 0; i < LANES; i++)
        odd |= x[i] ^ x[0];
    return odd == 0;
}

/* Where every lane takes its value from, where all have one b and one c; the lanes whose source lies in the segment. */
static inline __attribute__((always_inline)) uint32_t sources_of(ShflMode mode, uint32_t b, uint32_t c,
                                                                 uint32_t from[LANES])
{
    uint32_t p = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bool     in;
        uint32_t j = shfl_source(mode, i, b, c, &in), inside = 0 - (uint32_t)in;
        from[i] = j;
        p |= inside & lane_bit[i];
    }
    return p;
}

static uint32_t sources(ShflMode mode, uint32_t b, uint32_t c, uint32_t from[LANES])
{
    switch (mode) { /* a loop for each, without branches */
    case SHFL_UP: return sources_of(SHFL_UP, b, c, from);
    case SHFL_DOWN: return sources_of(SHFL_DOWN, b, c, from);
    case SHFL_BFLY: return sources_of(SHFL_BFLY, b, c, from);
    default: return sources_of(SHFL_IDX, b, c, from);
    }
}

/* What each lane is given; p: as sources. */
static uint32_t exchange(const Warp *w, const Uop *u, const uint32_t *b, const uint32_t *c, uint32_t t[LANES])
{
    const uint32_t *a = SLOT(w, uint32_t, u->a);
    uint32_t        from[LANES], p = 0;
    if (w->mask == UINT32_MAX && is_one_value(b) && is_one_value(c)) {
        p = sources((ShflMode)u->x, b[0], c[0], from);
        for (unsigned i = 0; i < LANES; i++)
            t[i] = a[from[i]];
        return p;
    }
    for (unsigned i = 0; i < LANES; i++) {
        bool in;
        from[i] = shfl_source((ShflMode)u->x, i, b[i], c[i], &in);
        t[i]    = w->mask >> from[i] & 1 ? a[from[i]] : 0;
        p |= (uint32_t)in << i;
    }
    return p;
}

const Uop *ctl_shfl(Warp *w, const Uop *u)
{
    if (!sync_members_ready(w, u, u->e))
        return STOP;
    const uint32_t *b = SLOT(w, uint32_t, u->b), *c = SLOT(w, uint32_t, u->c);
    uint32_t       *d = SLOT(w, uint32_t, u->d), t[LANES], undefined[LANES];
    if (w->worker->poison)
        memset(undefined, 0, sizeof undefined);
    if (w->block->launch->watches_sync)
        notify_shuffle(w, u, b, c, w->worker->poison ? undefined : NULL);
    uint32_t p = exchange(w, u, b, c, t);
    if (w->mask == UINT32_MAX)
        memcpy(d, t, sizeof t);
    else
        for (unsigned i = 0; i < LANES; i++)
            d[i] = w->mask >> i & 1 ? t[i] : d[i];
    if (u->n != NO_SLOT)
        pred_set(w, u->n, p);
    if (w->worker->poison)
        follow_undefined(w, u->d, undefined);
    return u + 1;
}

static uint32_t operand_now(const Warp *w, const Operand *o, unsigned lane)
{
    uint32_t v = (uint32_t)o->ival;
    if (o->kind == OPD_REG)
        memcpy(&v, w->r + w->frame->code->reg_slot[o->reg->index] + lane * 4, 4);
    return v;
}

void shuffle_poison(const Warp *w, const Instr *in, uint16_t bad[LANES])
{
    ShflMode mode = opcode_has(in->op, WORD_up)     ? SHFL_UP
                    : opcode_has(in->op, WORD_down) ? SHFL_DOWN
                    : opcode_has(in->op, WORD_bfly) ? SHFL_BFLY
                                                    : SHFL_IDX;
    uint16_t from[LANES];
    bool     inside;
    memcpy(from, bad, sizeof from);
    for (unsigned i = 0; i < LANES; i++)
        bad[i] = from[shfl_source(mode, i, operand_now(w, &in->opd[2], i), operand_now(w, &in->opd[3], i), &inside)];
}

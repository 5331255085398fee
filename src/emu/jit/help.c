/* SPDX-License-Identifier: Apache-2.0
 *
 * The lanes of linear values: looked at, and written out.  A value that is known is not kept in the frame at all while native code runs, so
 * it is written out whole. */
#include "emu/jit/help.h"

#include <string.h>

#include "emu/access/access.h"
#include "emu/core/ctl.h"
#include "emu/core/group.h"
#include "emu/jit/rest.h"

static uint64_t lane_get(const uint8_t *at, unsigned bytes, unsigned lane)
{
    uint64_t x = 0;
    memcpy(&x, at + lane * bytes, bytes);
    return x;
}

static uint64_t cut(uint64_t x, unsigned bytes)
{
    return bytes >= 8 ? x : x & ((UINT64_C(1) << 8 * bytes) - 1);
}

static bool mask_holds(const uint8_t *at, const NativeSlot *s)
{
    uint32_t m;
    memcpy(&m, at, sizeof m);
    return s->known ? m == (uint32_t)s->value : m == 0 || m == UINT32_MAX;
}

static bool lanes_hold(const uint8_t *at, const NativeSlot *s, const int64_t pattern[LANES])
{
    uint64_t first = lane_get(at, s->bytes, 0), odd = s->known ? first ^ s->value : 0;
    for (unsigned i = 1; i < LANES; i++)
        odd |= lane_get(at, s->bytes, i) ^ cut(first + (uint64_t)pattern[i], s->bytes);
    return odd == 0;
}

/* The two widths that most values have. */
#define HOLDS(T)                                                                                                       \
    static bool lanes_hold_##T(const uint8_t *at, const NativeSlot *s, const int64_t pattern[LANES])                   \
    {                                                                                                                  \
        const T *x   = (const T *)__builtin_assume_aligned(at, 64);                                                    \
        T        odd = s->known ? (T)(x[0] ^ (T)s->value) : 0;                                                         \
        for (unsigned i = 0; i < LANES; i++)                                                                           \
            odd |= x[i] ^ (T)(x[0] + (T)pattern[i]);                                                                   \
        return odd == 0;                                                                                               \
    }
HOLDS(uint32_t)
HOLDS(uint64_t)

static bool check(const Warp *w, const NativeSlot *s, uint32_t n, const int64_t (*pattern)[LANES])
{
    for (uint32_t i = 0; i < n; i++, s++) {
        const uint8_t *at = w->r + s->slot;
        bool           ok = s->bytes == 0   ? mask_holds(at, s)
                            : s->bytes == 4 ? lanes_hold_uint32_t(at, s, pattern[s->pattern])
                            : s->bytes == 8 ? lanes_hold_uint64_t(at, s, pattern[s->pattern])
                                            : lanes_hold(at, s, pattern[s->pattern]);
        if (!ok)
            return false;
    }
    return true;
}

#define FILL(T)                                                                                                        \
    static void fill_##T(uint8_t *at, const NativeSlot *s, const int64_t pattern[restrict LANES])                      \
    {                                                                                                                  \
        T *restrict x = (T *)__builtin_assume_aligned(at, 64);                                                         \
        T first       = s->known ? (T)s->value : x[0];                                                                 \
        for (unsigned i = 0; i < LANES; i++)                                                                           \
            x[i] = (T)(first + (T)pattern[i]);                                                                         \
    }
FILL(uint32_t)
FILL(uint64_t)

static void fill(const Warp *w, const NativeSlot *s, uint32_t n, const int64_t (*pattern)[LANES])
{
    for (uint32_t i = 0; i < n; i++, s++) {
        uint8_t *at = w->r + s->slot;
        if (!s->bytes) {
            if (s->known)
                memcpy(at, &s->value, sizeof(uint32_t));
            continue;
        }
        if (s->bytes == 4 || s->bytes == 8) {
            (s->bytes == 4 ? fill_uint32_t : fill_uint64_t)(at, s, pattern[s->pattern]);
            continue;
        }
        uint64_t first = s->known ? s->value : lane_get(at, s->bytes, 0);
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t x = first + (uint64_t)pattern[s->pattern][lane];
            memcpy(at + lane * s->bytes, &x, s->bytes);
        }
    }
}

static void put(Warp *w, uint32_t uop, uint32_t mask)
{
    warp_put(w, w->frame->code->uops + uop, w->frame, mask);
}

static void merge(Warp *w)
{
    warp_set_merge(w);
    if (w->frame->shadow) /* poison_run goes on */
        w->merge = NULL;
}

/* In the interpreter's order: of groups that have spent as many turns the one at the smallest pc goes first. */
static bool parted(const Warp *w, const uint32_t *head, uint32_t n, uint32_t *d)
{
    memset(d, 0, n * sizeof *d);
    for (uint32_t i = 0; i <= w->ngroups; i++) {
        bool         others = i < w->ngroups;
        const Group *g      = &w->group[others ? i : 0];
        uint32_t     at = (uint32_t)((others ? g->pc : w->pc) - w->frame->code->uops), k = 0;
        if (others && (g->frame != w->frame || g->state != GROUP_READY || g->nap || g->still || g->turn != w->turn))
            return false;
        while (k < n && head[k] != at)
            k++;
        if (k == n)
            return false;
        d[k] |= others ? g->mask : w->mask;
    }
    return true;
}

static void gather(Warp *w)
{
    w->ngroups = 0;
    merge(w);
}

static bool sweep(Warp *w, uint32_t number, const uint8_t *const *at)
{
    const Worker    *k   = w->worker;
    const EmuLaunch *ask = k->launch->ask;
    uint64_t         place[SWEEP_PARTIES];
    SweepCall        s = {.of     = k->sweep[number],
                          .warp   = w->index,
                          .block  = w->block->index,
                          .at     = place,
                          .memory = w->shared,
                          .regs   = w->r};
    for (uint32_t i = 0; i < s.of->nparties; i++)
        place[i] = s.of->party[i].space == ACCESS_SHARED ? (uint64_t)(at[i] - w->shared) : (uint64_t)(uintptr_t)at[i];
    uint64_t stirs = __atomic_load_n(&k->launch->stirs, __ATOMIC_ACQUIRE);
    uint32_t awake = rest_awake(&k->rest[number], &s, stirs);
    if (!awake)
        return true;
    s.rests = ~awake & ((UINT32_C(1) << s.of->nparties) - 1);
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->takes && !ask->observers[o]->takes(k->observer[o], &s))
            return false;
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->sweep)
            ask->observers[o]->sweep(k->observer[o], &s);
    rest_ask(&k->rest[number], &s, stirs, awake, ask->observers, ask->nobservers, k->observer);
    return true;
}

static void tell(Warp *w, const Uop *u, uint32_t mask, const uint32_t *off, const uint64_t *addr)
{
    const MemInfo *info = u->ptr;
    access_notify(w, info,
                  info->space == SPACE_SHARED  ? ACCESS_SHARED
                  : info->space == SPACE_LOCAL ? ACCESS_LOCAL
                                               : ACCESS_GLOBAL,
                  mask, off, addr);
}

static const Uop *spent(Warp *w, const Uop *u, uint32_t instr, uint32_t n)
{
    if (w->quantum >= 0 && !w->worker->sync_ops && !w->worker->look.on) { /* it does not poll: as poll_waits says */
        w->polls = false;
        look_later(w);
        if (block_enter(w, instr, n))
            return NULL;
    }
    return block_spent(w, u);
}

const NativeHelp native_help = {.check  = check,
                                .fill   = fill,
                                .put    = put,
                                .sweep  = sweep,
                                .tell   = tell,
                                .spent  = spent,
                                .merge  = merge,
                                .parted = parted,
                                .gather = gather};

/* SPDX-License-Identifier: Apache-2.0
 *
 * multimem.ld_reduce, .st and .red: one address, the memory of every device of a multicast object's team.
 *
 * Every lane's address is checked on every device before any data moves: a faulting instruction changes nothing.  A load reads and
 * reduces the copies in the order in which the devices were added to the team: sums round after each addition to the type, with .acc::f32
 * to single precision and to the type at the end.  Stores and updates go through the copies in the same order, each update a host atomic as
 * red's; f32 sums flush subnormal numbers there, as red.global does, and keep them in a load.  The manual leaves order and flushing open
 * (docs/conformance.md).  Observers see one access, at the multicast address. */
#include <string.h>

#include "base/half.h"
#include "emu/access/access.h"
#include "emu/access/atom.h"
#include "emu/core/fault.h"
#include "emu/memory/multicast.h"

typedef struct Targets { /* host addresses, by lane and device */
    unsigned team[LANES];
    uint8_t *p[LANES][MULTICAST_TEAM];
} Targets;

static const char *const verbs[] = {[ACCESS_LD] = "ld_reduce", [ACCESS_ST] = "st", [ACCESS_RED] = "red"};

static bool find_copies(Warp *w, const Uop *u, const MemInfo *info, uint64_t at, uint32_t left, Targets *t)
{
    Memory                *m     = &w->block->launch->dev->mem;
    unsigned               bytes = (unsigned)info->bytes * info->nvec, lane = (unsigned)__builtin_ctz(left);
    const MulticastWindow *x = at & (bytes - 1) ? NULL : memory_window(m, at);
    Alloc                  tmp;
    if (!x && !(at & (bytes - 1)) && memory_find(m, at, &tmp)) {
        fault_at(w, u, FAULT_WRONG_SPACE, lane, left, at, bytes,
                 "%u-byte multimem.%s of ordinary memory: no multicast object is mapped at that address", bytes,
                 verbs[info->op]);
        return false;
    }
    if (!x) {
        fault_access(w, u, SPACE_GLOBAL, lane, left, at, bytes, (AccessOp)info->op);
        return false;
    }
    uint64_t offset = at - x->base + x->offset;
    t->team[lane]   = x->object->team;
    for (unsigned d = 0; d < x->object->team; d++) {
        uint8_t *granule = x->object->granule[d][offset / MULTICAST_GRANULE];
        if (!granule) {
            fault_at(w, u, FAULT_OUT_OF_BOUNDS, lane, left, at, bytes,
                     "%u-byte multimem.%s at byte %llu of a multicast object, where device %d of its team has bound "
                     "no memory",
                     bytes, verbs[info->op], (unsigned long long)offset, x->object->device[d]);
            return false;
        }
        t->p[lane][d] = granule + offset % MULTICAST_GRANULE;
    }
    return true;
}

static bool resolve(Warp *w, const Uop *u, const MemInfo *info, bool observed, Targets *t)
{
    uint64_t at[LANES];
    for (unsigned i = 0; i < LANES; i++)
        at[i] = SLOT(w, uint64_t, u->a)[i] + (uint64_t)info->offset;
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!find_copies(w, u, info, at[__builtin_ctz(m)], m, t))
            return false;
    if (observed)
        access_notify(w, info, ACCESS_GLOBAL, w->mask, NULL, at);
    return true;
}

static uint64_t load(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

/* The sum of one 16-bit half, `shift` bits up, of every copy. */
static uint64_t sum_half(uint8_t *const *copy, unsigned team, unsigned at, unsigned bytes, unsigned shift, bool bf)
{
    float sum = 0;
    for (unsigned d = 0; d < team; d++) {
        uint16_t h = (uint16_t)(load(copy[d] + at, bytes) >> shift);
        float    x = (float)(bf ? bf16_to_double(h) : half_to_double(h));
        sum        = d ? sum + x : x;
    }
    return (uint64_t)(bf ? bf16_from_double(sum) : half_from_double(sum)) << shift;
}

static uint64_t reduce(const MemInfo *info, uint8_t *const *copy, unsigned team, unsigned at)
{
    Type     t = (Type)info->atom_type;
    unsigned n = info->bytes;
    if (info->acc_f32 && info->atom == ATOM_ADD) {
        bool     bf = t == TY_BF16 || t == TY_BF16X2;
        uint64_t lo = sum_half(copy, team, at, n, 0, bf);
        return n == 2 ? lo : lo | sum_half(copy, team, at, n, 16, bf);
    }
    uint64_t v = load(copy[0] + at, n);
    for (unsigned d = 1; d < team; d++)
        v = atom_combine((AtomOp)info->atom, t, v, load(copy[d] + at, n));
    return v;
}

static const Uop *ld_reduce(Warp *w, const Uop *u, bool observed)
{
    const MemInfo *info = u->ptr;
    Targets        t;
    if (!resolve(w, u, info, observed, &t))
        return fault_others(w, u);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned v = 0; v < info->nvec; v++) {
            uint64_t x = reduce(info, t.p[i], t.team[i], v * info->bytes);
            if (info->v[v] != NO_SLOT)
                memcpy(w->r + info->v[v] + (size_t)i * info->bytes, &x, info->bytes);
        }
    }
    return u + 1;
}

static const Uop *st(Warp *w, const Uop *u, bool observed)
{
    const MemInfo *info = u->ptr;
    Targets        t;
    if (!resolve(w, u, info, observed, &t))
        return fault_others(w, u);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned d = 0; d < t.team[i]; d++)
            for (unsigned v = 0; v < info->nvec; v++)
                memcpy(t.p[i][d] + v * info->bytes, w->r + info->v[v] + (size_t)i * info->bytes, info->bytes);
    }
    return u + 1;
}

static const Uop *red(Warp *w, const Uop *u, bool observed)
{
    const MemInfo *info = u->ptr;
    Type           type = (Type)info->atom_type;
    AtomOp         op   = info->atom == ATOM_ADD && type == TY_F32 ? ATOM_ADD_FTZ : (AtomOp)info->atom;
    Targets        t;
    if (!resolve(w, u, info, observed, &t))
        return fault_others(w, u);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned d = 0; d < t.team[i]; d++)
            for (unsigned v = 0; v < info->nvec; v++)
                atom_update(t.p[i][d] + v * info->bytes, info->bytes, op, type,
                            load(w->r + info->v[v] + (size_t)i * info->bytes, info->bytes));
    }
    return u + 1;
}

const Uop *multimem_ld_reduce_plain(Warp *w, const Uop *u)
{
    return ld_reduce(w, u, false);
}
const Uop *multimem_ld_reduce_seen(Warp *w, const Uop *u)
{
    return ld_reduce(w, u, true);
}
const Uop *multimem_st_plain(Warp *w, const Uop *u)
{
    return st(w, u, false);
}
const Uop *multimem_st_seen(Warp *w, const Uop *u)
{
    return st(w, u, true);
}
const Uop *multimem_red_plain(Warp *w, const Uop *u)
{
    return red(w, u, false);
}
const Uop *multimem_red_seen(Warp *w, const Uop *u)
{
    return red(w, u, true);
}

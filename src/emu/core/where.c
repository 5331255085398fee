/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the threads of a cluster are, for faults that end a launch which does not end by itself: source lines with the number of threads
 * there, and what they wait for.  Lines that could complete an mbarrier. */
#include "emu/core/where.h"

#include <string.h>

#include "emu/emu.h"
#include "ptx/place.h"
#include "ptx/traits.h"

enum { SHOWN = 6 };

typedef struct Spot {
    Place      place;
    GroupState state;
    uint32_t   threads;
} Spot;

static Place place_of(const Launch *l, uint32_t instr)
{
    return instr_user_place(l->em->ptx, l->prog->instr[instr].in);
}

static bool same_line(const Place *a, const Place *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Where the group stands: waiting groups of barriers and mbarriers go on behind what they wait at. */
static const Uop *standing(const Group *g)
{
    return g->state == GROUP_BARRIER || g->state == GROUP_MBARRIER ? g->pc - 1 : g->pc;
}

static void add(Spot *spot, unsigned *n, Spot s)
{
    unsigned i = 0;
    while (i < *n && (!same_line(&spot[i].place, &s.place) || spot[i].state != s.state))
        i++;
    if (i == *n && i < SHOWN)
        spot[(*n)++] = s;
    else if (i < *n)
        spot[i].threads += s.threads;
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static const char *waiting_at(GroupState s)
{
    switch (s) {
    case GROUP_BARRIER: return " (barrier)";
    case GROUP_MBARRIER: return " (mbarrier)";
    case GROUP_CLUSTER: return " (barrier.cluster)";
    case GROUP_SYNC: return " (member mask)";
    case GROUP_WGMMA: return " (warpgroup)";
    case GROUP_REGISTERS: return " (setmaxnreg)";
    case GROUP_GRID: return " (griddepcontrol.wait)";
    default: return "";
    }
}

void where_threads(const Cluster *c, Str *out)
{
    Spot     spot[SHOWN];
    unsigned n = 0;
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++) {
            const Warp *w = &c->block[b]->warp[i];
            for (uint32_t j = 0; j < w->ngroups; j++)
                add(spot, &n,
                    (Spot){place_of(c->launch, standing(&w->group[j])->instr), (GroupState)w->group[j].state,
                           (uint32_t)__builtin_popcount(w->group[j].mask)});
        }
    for (unsigned i = 0; i < n; i++)
        str_printf(out, "%s%u thread%s at %s:%u%s", i ? ", " : "", spot[i].threads, spot[i].threads == 1 ? "" : "s",
                   base_name(spot[i].place.file), spot[i].place.line, waiting_at(spot[i].state));
}

uint32_t where_instr(const Cluster *c, uint32_t block[3], uint32_t *thread)
{
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++) {
            const Warp *w = &c->block[b]->warp[i];
            for (uint32_t j = 0; j < w->ngroups; j++)
                if (w->group[j].state == GROUP_READY) {
                    memcpy(block, c->block[b]->id, sizeof c->block[b]->id);
                    *thread = i * LANES + (uint32_t)__builtin_ctz(w->group[j].mask);
                    return w->group[j].pc->instr;
                }
        }
    return UINT32_MAX;
}

/* ---- who could complete an mbarrier ---- */

void where_completing(const Launch *l, bool bytes, Str *out)
{
    Spot     spot[SHOWN];
    unsigned n = 0;
    for (uint32_t i = 0; i < l->prog->ninstr; i++) {
        const Instr *in = l->prog->instr[i].in;
        if (in && op_is(in, bytes ? TRAIT_COMPLETES : TRAIT_ARRIVES))
            add(spot, &n, (Spot){place_of(l, i), GROUP_READY, 1});
    }
    str_printf(out, bytes ? "copies that complete bytes" : "arrivals");
    if (n == 0)
        str_printf(out, " are nowhere in the kernel");
    for (unsigned i = 0; i < n; i++)
        str_printf(out, "%s%s:%u", i ? ", " : " stand at ", base_name(spot[i].place.file), spot[i].place.line);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Sectors of one global atomic access (measured on cc 9.0, docs/model.md; older devices are taken to do the same).
 *
 * The lanes are served in rounds until none is left.  There are four sets of 32 banks; a lane's set follows from its 128-byte line
 * (set_of), its place in the set from its place in the line.  In a round, among the lanes that are left:
 *
 *   - each set works on one line: that of its lowest lane;
 *   - a lane waits if a lower lane wants the same place of the same set, be it the same address or another line's;
 *   - a lane of its set's line that need not wait is served.
 *
 * A round costs the distinct 32-byte sectors of the lanes it serves.  So lanes on one address take turns, different addresses of a
 * sector go together, and only a lane that waits for one of another line (which may itself not be served yet) tears its sector apart.
 *
 * Unless the last happens, the cost does not depend on which lines share a set, hence not on where in memory the access lies:
 * model_movable says so.
 * Not modelled: what happens at L2, the order in which values arrive. */
#include "model/rules.h"

#include <stdbool.h>

enum { SETS = 4 };

/* The address bits above the line's 7 whose parity is the low and the high bit of the set. */
static const uint64_t SET_LOW = 0xb5, SET_HIGH = 0xda;

static unsigned set_of(uint64_t line)
{
    return (unsigned)__builtin_parityll(line & SET_LOW) | (unsigned)__builtin_parityll(line & SET_HIGH) << 1;
}

typedef struct Round {
    uint64_t line[SETS];                    /* each set works on; valid if `lines` has the set's bit */
    uint64_t wanted[SETS][MODEL_LINE / 64]; /* places of the set, by byte */
    uint32_t lines, sectors;                /* sectors: four bits a set */
} Round;

/* Whether the lane is served, having been told in the order of lanes. */
static bool round_take(Round *r, unsigned set, uint64_t at)
{
    unsigned  place = (unsigned)(at % MODEL_LINE);
    uint64_t *want = &r->wanted[set][place / 64], bit = UINT64_C(1) << place % 64;
    if (!(r->lines >> set & 1)) {
        r->lines |= 1u << set;
        r->line[set] = at / MODEL_LINE;
    }
    bool taken = *want & bit;
    *want |= bit;
    if (taken || r->line[set] != at / MODEL_LINE)
        return false;
    r->sectors |= 1u << (4 * set + place / MODEL_SECTOR);
    return true;
}

uint32_t model_atomic_sectors(const ModelAccess *a)
{
    uint8_t  set[MODEL_LANES];
    uint32_t sum = 0, left = a->mask;
    for (uint32_t m = left; m; m &= m - 1)
        set[__builtin_ctz(m)] = (uint8_t)set_of(a->addr[__builtin_ctz(m)] / MODEL_LINE);
    while (left) {
        Round r = {0};
        for (uint32_t m = left; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            if (round_take(&r, set[i], a->addr[i]))
                left &= ~(1u << i);
        }
        sum += (uint32_t)__builtin_popcount(r.sectors);
    }
    return sum;
}

/* Whether lane z may have to wait for a lane of another line while its own line is served, and that may cost a sector.  It takes a
 * lane p below z at z's place in another line, a lane of z's line below p, and another address in z's sector.  Which lanes share a
 * line or sector depends on the first address; those that may are near enough, and so the answer is the same everywhere. */
static bool may_tear(const ModelAccess *a, unsigned z)
{
    uint64_t at     = a->addr[z];
    uint32_t rivals = 0;
    unsigned first  = z;
    bool     shared = false;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned i    = (unsigned)__builtin_ctz(m);
        uint64_t away = a->addr[i] > at ? a->addr[i] - at : at - a->addr[i];
        shared |= away < MODEL_SECTOR && away != 0;
        if (away < MODEL_LINE)
            first = i < first ? i : first;
        else if (away % MODEL_LINE == 0)
            rivals |= 1u << i;
    }
    uint32_t between = ((1u << z) - 1) & ~((1u << first) - 1);
    return shared && (rivals & between) != 0;
}

bool model_movable(const Profile *p, const ModelAccess *a)
{
    bool atomic = a->op == MODEL_ATOM || a->op == MODEL_RED;
    if (!atomic || a->space != MODEL_GLOBAL || p->arch->global_rule < GLOBAL_LINES)
        return true;
    for (uint32_t m = a->mask; m; m &= m - 1)
        if (may_tear(a, (unsigned)__builtin_ctz(m)))
            return false;
    return true;
}

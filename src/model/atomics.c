/* SPDX-License-Identifier: Apache-2.0
 *
 * Sectors of one global atomic access (measured on cc 9.0, docs/model.md; older devices are taken to do the same).
 *
 * The lanes are served in rounds until none is left.  A lane belongs to one of four sets by its 128-byte line (set_of),
 * and has a place in it, its address modulo 128.  In a round, among the lanes that are left:
 *
 *   - each set works on one line: that of its lowest lane;
 *   - a lane waits if a lower lane wants the same place of the same set, be it the same address or another line's;
 *   - a lane of its set's line that need not wait is served.
 *
 * A round costs the distinct 32-byte sectors of the lanes it serves.  So lanes on one address take turns, different
 * addresses of a sector go together, and only a lane that waits for one of another line (which may itself not be served
 * yet) tears its sector apart.  Unless that may happen, the cost does not depend on which lines share a set, hence not
 * on where in memory the access lies: model_movable says so.
 * Not modelled: what happens at L2, the order in which values arrive. */
#include "model/rules.h"

#include <string.h>

enum { SETS = 4 };

/* The bits of a line's number whose parity is the low and the high bit of its set; measured up to bit 20, taken to have no
 * part in it above. */
static const uint64_t SET_LOW = 0xf7ab5, SET_HIGH = 0x1ad5da;

static unsigned set_of(uint64_t line)
{
    return (unsigned)__builtin_parityll(line & SET_LOW) | (unsigned)__builtin_parityll(line & SET_HIGH) << 1;
}

/* The lanes of an access by line and by place. */
typedef struct Lanes {
    uint8_t  line[MODEL_LANES];    /* number of the lane's line among those of the access */
    uint8_t  place[MODEL_LANES];   /* address modulo 128 */
    uint32_t below[MODEL_LANES];   /* lower lanes at the same place, of whatever line */
    uint32_t of_line[MODEL_LANES]; /* by line */
    uint32_t of_set[SETS];
} Lanes;

static void lanes_sort(const ModelAccess *a, Lanes *l)
{
    enum { SLOTS = 64 };
    uint32_t at_place[MODEL_LINE] = {0};
    uint8_t  slot[SLOTS]          = {0}; /* line + 1; 0 = empty */
    uint64_t number[MODEL_LANES];
    unsigned lines = 0;
    memset(l->of_set, 0, sizeof l->of_set);
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned i    = (unsigned)__builtin_ctz(m);
        uint64_t line = a->addr[i] / MODEL_LINE;
        unsigned k    = (unsigned)((line * 0x9e3779b97f4a7c15u) >> 58);
        while (slot[k] && number[slot[k] - 1] != line)
            k = (k + 1) % SLOTS;
        if (!slot[k]) {
            number[lines]     = line;
            l->of_line[lines] = 0;
            slot[k]           = (uint8_t)++lines;
        }
        l->line[i]  = (uint8_t)(slot[k] - 1);
        l->place[i] = (uint8_t)(a->addr[i] % MODEL_LINE);
        l->below[i] = at_place[l->place[i]];
        at_place[l->place[i]] |= 1u << i;
        l->of_line[l->line[i]] |= 1u << i;
    }
    for (unsigned k = 0; k < lines; k++)
        l->of_set[set_of(number[k])] |= l->of_line[k];
}

/* One round of a set for the lanes left in it; returns those served and adds their sectors to sum. */
static uint32_t round_serve(const Lanes *l, uint32_t left, uint32_t *sum)
{
    uint32_t served = 0, sectors = 0;
    for (uint32_t m = left & l->of_line[l->line[__builtin_ctz(left)]]; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (l->below[i] & left)
            continue;
        served |= 1u << i;
        sectors |= 1u << l->place[i] / MODEL_SECTOR;
    }
    *sum += (uint32_t)__builtin_popcount(sectors);
    return served;
}

/* Where no two lines share a set, nobody waits for another line: a sector is asked for as often as the place in it that most lanes want.
 * Otherwise, or where an operand does not lie in one sector, as those of atomics do, it is not easily said. */
bool model_atomic_simple(const ModelAccess *a, Touched *t, uint32_t *sectors)
{
    uint8_t  wanted[SETS][MODEL_LINE] = {0}, most[SETS][MODEL_LINE / MODEL_SECTOR] = {0};
    uint64_t line[SETS], last = UINT64_MAX; /* no line has that number */
    unsigned set = 0, used = 0, odd = 0;
    *t       = (Touched){0};
    *sectors = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t at = a->addr[__builtin_ctz(m)], number = at / MODEL_LINE;
        if (number != last) {
            set = set_of(number);
            if (used >> set & 1 && line[set] != number)
                return false;
            t->lines += !(used >> set & 1);
            used |= 1u << set;
            line[set] = last = number;
        }
        uint8_t n = ++wanted[set][at % MODEL_LINE], *p = &most[set][at % MODEL_LINE / MODEL_SECTOR];
        odd |= at % a->bytes != 0;
        t->bytes += n == 1 ? a->bytes : 0;
        t->sectors += !*p;
        *sectors += n > *p;
        *p = n > *p ? n : *p;
    }
    return !odd && a->bytes <= MODEL_SECTOR;
}

uint32_t model_atomic_sectors(const ModelAccess *a)
{
    Lanes    l;
    uint32_t sum = 0;
    lanes_sort(a, &l);
    for (unsigned s = 0; s < SETS; s++)
        for (uint32_t left = l.of_set[s]; left;)
            left &= ~round_serve(&l, left, &sum);
    return sum;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Whether lane z, some of whose lower neighbours at its place are of other lines (rivals), may have to wait for one of
 * them while its own line is served, and that may cost a sector.  It takes a lane of z's line below a rival, and another
 * address in z's sector.  Which lanes share a line or sector depends on the first address; those that may are near
 * enough, and so the answer is the same everywhere. */
static bool may_tear(const ModelAccess *a, unsigned z, uint32_t rivals)
{
    uint64_t at    = a->addr[z];
    uint32_t below = a->mask & (UINT32_MAX >> __builtin_clz(rivals));
    while (below && distance(a->addr[__builtin_ctz(below)], at) >= MODEL_LINE)
        below &= below - 1;
    if (!below)
        return false;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t away = distance(a->addr[__builtin_ctz(m)], at);
        if (away != 0 && away < MODEL_SECTOR)
            return true;
    }
    return false;
}

bool model_movable(const Profile *p, const ModelAccess *a)
{
    bool atomic = a->op == MODEL_ATOM || a->op == MODEL_RED;
    if (!atomic || a->space != MODEL_GLOBAL || p->arch->global_rule < GLOBAL_LINES)
        return true;
    Lanes l;
    lanes_sort(a, &l);
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned z      = (unsigned)__builtin_ctz(m);
        uint32_t rivals = l.below[z] & ~l.of_line[l.line[z]];
        if (rivals && may_tear(a, z, rivals))
            return false;
    }
    return true;
}

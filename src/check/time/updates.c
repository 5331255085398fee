/* SPDX-License-Identifier: Apache-2.0
 *
 * L2 is made of slices, each with a unit that updates sectors, one after the other.  Read on an H100 (docs/time-model.md has the figures):
 *   A turn updates one sector.  Lanes that update different words of it share the turn, lanes that update the same word take one each.
 *   A sector of which all words are updated takes one turn, one of which some are takes 5/4.  Doubles go two to a turn.
 *   Words that are updated in floating point also wait for themselves, longer than integers do; so the hottest word is counted by itself.
 *   Neighbouring lines share a slice, and 4 KiB lie in eight: slices change with address bits 8, 10 and 11.  Pages are spread by a hash that is
 *   published nowhere; here they are multiplied by the golden ratio, which spreads neighbours evenly, as read.
 * Left out: which lines of one slice get into each other's way (up to a seventh more, read of lines 128 bytes apart); compare-and-swap, which
 * takes 1.6 turns where each lane has a sector of its own. */
#include "check/time/updates.h"

#include "ptx/ptx.h"

enum { LINE = 7, SECTOR = 5, SECTOR_WORDS = 8, PAGE = 12, PAGE_SLICES = 8, QUARTERS = 4, QUARTERS_IN_PART = 5 };

static const uint64_t golden = 0x9e3779b97f4a7c15ull;

static unsigned slice_of(uint64_t addr, unsigned slices)
{
    uint64_t page = (addr >> PAGE) * golden >> 32, in = (addr >> 8 & 1) | (addr >> 9 & 6);
    return (unsigned)(((page * slices >> 32) + in * slices / PAGE_SLICES) % slices);
}

/* Can ptxas have a warp reduce what its lanes add to one word (REDUX)? */
static bool reduces(const Opcode *op)
{
    return op && !opcode_has(op, WORD_inc) && !opcode_has(op, WORD_dec) && !opcode_has(op, WORD_exch) &&
           !opcode_has(op, WORD_cas);
}

typedef struct Sector {
    uint64_t number;
    uint8_t  times[SECTOR_WORDS];
} Sector;

/* Neighbours mostly lie in one sector, so that is tried first. */
static Sector *sector_at(Sector *s, unsigned *n, unsigned *at, uint64_t number)
{
    if (!*n || s[*at].number != number)
        for (*at = 0; *at < *n && s[*at].number != number;)
            ++*at;
    if (*at == *n)
        s[(*n)++] = (Sector){.number = number};
    return &s[*at];
}

static void take_turns(Updates *u, const Sector *s, bool doubles, unsigned slices)
{
    unsigned most = 0, least = UINT8_MAX;
    for (unsigned i = 0; i < SECTOR_WORDS; i++) {
        most  = s->times[i] > most ? s->times[i] : most;
        least = s->times[i] < least ? s->times[i] : least;
    }
    u->passes += most;
    if (slices)
        u->quarters[slice_of(s->number << SECTOR, slices)] +=
            (uint64_t)least * (doubles ? 2 * QUARTERS : QUARTERS) + (uint64_t)(most - least) * QUARTERS_IN_PART;
}

void updates_add(Updates *u, const Access *a, const EmuInstr *instr, bool joins, unsigned slices)
{
    const Instr  *in     = instr ? instr[a->instr].in : NULL;
    const Opcode *op     = in ? in->op : NULL;
    bool          floats = op && op->ntypes && type_kind(op->types[op->ntypes - 1]) == 'f';
    bool          once   = joins && !floats && a->bytes == 4 && reduces(op);
    uint64_t     *places = floats ? u->floats : u->integers;
    uint64_t      before = UINT64_MAX;
    unsigned      n = 0, at = 0;
    Sector        sector[LANES];
    for (uint32_t mask = a->mask; mask; mask &= mask - 1) {
        uint64_t addr = a->addr[__builtin_ctz(mask)];
        if (once && addr == before)
            continue;
        before    = addr;
        Sector *s = sector_at(sector, &n, &at, addr >> SECTOR);
        for (unsigned i = (unsigned)(addr >> 2) % SECTOR_WORDS, k = 0; i < SECTOR_WORDS && 4 * k < a->bytes; i++, k++)
            s->times[i]++;
        places[((addr >> 2) + 1) * golden >> (64 - 12)]++;
    }
    for (unsigned i = 0; i < n; i++)
        take_turns(u, &sector[i], floats && a->bytes == 8, slices);
}

void updates_join(Updates *to, const Updates *from)
{
    for (unsigned i = 0; i < UPDATE_PLACES; i++) {
        to->integers[i] += from->integers[i];
        to->floats[i] += from->floats[i];
    }
    for (unsigned i = 0; i < UPDATE_SLICES; i++)
        to->quarters[i] += from->quarters[i];
    to->passes += from->passes;
}

/* Of the hottest word, less what others that share its place have by chance. */
static uint64_t hottest(const uint64_t *places)
{
    uint64_t all = 0, most = 0;
    for (unsigned i = 0; i < UPDATE_PLACES; i++) {
        all += places[i];
        most = places[i] > most ? places[i] : most;
    }
    return most - all / UPDATE_PLACES;
}

void updates_sum(const Updates *u, UpdatesSum *out)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < UPDATE_SLICES; i++)
        most = u->quarters[i] > most ? u->quarters[i] : most;
    *out = (UpdatesSum){hottest(u->integers), hottest(u->floats), (double)most / QUARTERS, u->passes};
}

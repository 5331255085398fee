/* SPDX-License-Identifier: Apache-2.0
 *
 * Warps of a block come to an instruction together, each for the n-th time: of those that come to one word the k-th loses k - 1 rounds, but no more
 * than OTHERS.  So it was read on an H200 (tests/data/time/rounds_h200.tsv) of one addition behind a barrier, by warps of which each lane has a word:
 * exactly up to 8 warps of a word, and of 32; 2 % more passes of 16, and 27 % of 32 that come to two sets of words.  It was so with 200 clocks between
 * two warps too, as counters by instruction are read in a launch that is slowed down.  Behind a barrier, from the kernel's beginning and behind
 * a load of global memory it is the same (MERGE_AT_ONCE; tests/data/golden/swaps_h200.tsv; at the beginning the instructions that
 * WarpRangeAtomicOnSharedMem of atomicPerf executes say 2.4 rounds of 8 warps, and this 3.5).
 *
 * Who is the k-th is said by the warps' numbers, so that counts do not depend on the order in which they run.  What a warp does more than TIMES times
 * in a block is taken to lose as much each time as before.
 * Where each of n warps has c lanes on the word, a round lets one lane of all win, in turn: all but the last go round n (c - 1) times and then as
 * above, so that the k-th loses (n - 1) (c - 1) + k - 1.  That is exact of two and three warps; of more, four go on at once, or half of them if
 * that is more (25 % off at most; in the readings of swaps_h200.tsv, whose launches are slowed down otherwise, up to 55 %, and
 * the hardware's own count of loads, which is not slowed down, agrees with this).
 * A lost round takes the passes of the access's own round; of 8 bytes and several rounds, of which the first take more than the last, three:
 * which of them are lost is not known.
 * Not modelled: warps that have different numbers of lanes on the word, additions of 0, which nobody notices. */
#include "check/count/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "check/count/atomic.h"

enum { OTHERS = 8, SUBCORES = 4, WARPS = 64, TIMES = 64, FIRST = 256, NARROW = 4 };
enum { SWAP_PASSES = 3 }; /* of a round of one lane on each bank: of the load and of the swap */
enum { KNOWN = 16 };      /* patterns of lanes whose passes are remembered, a power of two */
enum { ROW = 256 };       /* bytes of one row of all banks, of the widest ones */

/* Passes depend on the mask and on the offsets modulo the banks' width, and on which of them are equal. */
typedef struct Known {
    uint32_t mask, passes; /* mask 0: empty */
    uint32_t off[LANES];   /* less the multiple of ROW below the first lane's; 0 of inactive lanes */
} Known;

typedef struct Word {
    uint64_t key; /* the time and the offset, plus 1; 0: empty */
    uint64_t warps;
    unsigned run, lanes; /* of the last warp that came; of the warp that has most */
} Word;

struct Rounds {
    const Profile *profile;
    unsigned       role;
    uint64_t       block, accesses, noted; /* block: plus 1 */
    uint32_t       times[WARPS];
    uint8_t        passes[TIMES][WARPS]; /* of a round */
    Word          *word;
    size_t         cap, n;
    Known          known[KNOWN];
};

Rounds *rounds_new(Arena *a, const Profile *p, unsigned role)
{
    Rounds *r  = ARENA_NEW(a, Rounds);
    r->profile = p;
    r->role    = role;
    return r;
}

static unsigned passes_asked(const Rounds *r, unsigned bytes, const Known *k)
{
    uint64_t    addr[LANES];
    ModelAccess m = {MODEL_SHARED, MODEL_ATOM, MODEL_L1_AUTO, bytes, k->mask, addr};
    ModelCost   c = {0};
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = (UINT64_C(1) << 32) + (uint64_t)(int32_t)k->off[i]; /* lanes may lie below the first */
    c = atomic_cost(r->profile, r->role, &m, &c);
    return c.rounds == 1 ? (unsigned)c.wavefronts : SWAP_PASSES;
}

/* Passes of a round that an access loses. */
static unsigned passes_of(Rounds *r, const Access *a)
{
    if (a->bytes <= NARROW || !a->mask)
        return SWAP_PASSES;
    Known    now  = {.mask = a->mask};
    uint32_t base = a->off[__builtin_ctz(a->mask)] / ROW * ROW, hash = a->mask;
    for (unsigned i = 0; i < LANES; i++) {
        now.off[i] = a->mask >> i & 1 ? a->off[i] - base : 0;
        hash       = (hash ^ now.off[i]) * 0x9e3779b1u;
    }
    Known *k = &r->known[hash >> 16 & (KNOWN - 1)];
    if (k->mask != now.mask || memcmp(k->off, now.off, sizeof now.off) != 0) {
        now.passes = passes_asked(r, a->bytes, &now);
        *k         = now;
    }
    return k->passes;
}

static Word *find(Word *word, size_t cap, uint64_t key)
{
    size_t at = (key * 0x9e3779b97f4a7c15ull) >> 32 & (cap - 1);
    while (word[at].key && word[at].key != key)
        at = (at + 1) & (cap - 1);
    return &word[at];
}

static void grow(Rounds *r)
{
    size_t cap  = r->cap ? 2 * r->cap : FIRST;
    Word  *word = xcalloc(cap, sizeof *word);
    for (size_t i = 0; i < r->cap; i++)
        if (r->word[i].key)
            *find(word, cap, r->word[i].key) = r->word[i];
    free(r->word);
    r->word = word;
    r->cap  = cap;
}

static Word *word_of(Rounds *r, uint64_t key)
{
    if (2 * (r->n + 1) > r->cap)
        grow(r);
    Word *w = find(r->word, r->cap, key);
    r->n += !w->key;
    w->key = key;
    return w;
}

/* Rounds that one of a word's warps loses: below of them have lower numbers. */
static unsigned lost_on(const Word *w, unsigned below)
{
    unsigned warps = (unsigned)__builtin_popcountll(w->warps), most = warps / 2 > SUBCORES ? warps / 2 : SUBCORES;
    unsigned at_once = warps < most ? warps : most;
    return (w->lanes - 1) * (at_once - 1) + (below < OTHERS ? below : OTHERS);
}

/* Of the block that was noted, which is forgotten. */
static Lost lost(Rounds *r)
{
    uint16_t most[TIMES][WARPS] = {0};
    Lost     sum                = {0, 0};
    for (size_t i = 0; i < r->cap; i++)
        for (uint64_t of = r->word[i].warps, m = of; m; m &= m - 1) {
            uint16_t *at   = &most[(r->word[i].key - 1) >> 32][__builtin_ctzll(m)];
            unsigned  here = lost_on(&r->word[i], (unsigned)__builtin_popcountll(of & ((m & -m) - 1)));
            *at            = here > *at ? (uint16_t)here : *at;
        }
    for (size_t t = 0; t < TIMES; t++)
        for (size_t w = 0; w < WARPS; w++) {
            sum.rounds += most[t][w];
            sum.passes += (uint64_t)most[t][w] * r->passes[t][w];
        }
    sum.rounds = r->noted ? sum.rounds * r->accesses / r->noted : 0;
    sum.passes = r->noted ? sum.passes * r->accesses / r->noted : 0;
    memset(r->times, 0, sizeof r->times);
    if (r->cap)
        memset(r->word, 0, r->cap * sizeof *r->word);
    r->n = r->accesses = r->noted = 0;
    return sum;
}

Lost rounds_add(Rounds *r, const Access *a)
{
    Lost before = r->block != a->block + 1 ? lost(r) : (Lost){0, 0};
    r->block    = a->block + 1;
    if (!a->off || a->warp >= WARPS)
        return before;
    r->accesses++;
    uint64_t time = r->times[a->warp]++;
    if (time < TIMES)
        r->passes[time][a->warp] = (uint8_t)passes_of(r, a);
    for (uint32_t m = time < TIMES ? a->mask : 0; m; m &= m - 1) {
        Word *w  = word_of(r, (time << 32 | a->off[__builtin_ctz(m)]) + 1);
        w->run   = w->warps >> a->warp & 1 ? w->run + 1 : 1;
        w->lanes = w->run > w->lanes ? w->run : w->lanes;
        w->warps |= UINT64_C(1) << a->warp;
    }
    r->noted += time < TIMES;
    return before;
}

Lost rounds_end(Rounds *r)
{
    Lost last = r ? lost(r) : (Lost){0, 0};
    if (r)
        free(r->word);
    return last;
}

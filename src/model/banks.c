/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes over the banks of shared memory for one warp access.
 *
 * An access is divided into parts (all 32 lanes, half-warps, quarter-warps, ...) that are served one after the other; a part takes
 * as many passes as the most distinct words that fall on one bank.  Conflicts are the passes beyond one a part.
 * What differs between architectures is the division and what counts as a word:
 *
 *   bytes a lane        1, 2, 4      8                16                 32
 *   SPLIT, PAIRED       32 lanes     16               8                  4
 *   PAIRED, loads       32 lanes     32 if paired     16 if paired       8 if paired      paired: see below
 *   WIDE                32           32               16                 8
 *   BROADCAST           16           16, each lane's 4-byte words one after the other as requests of their own
 *
 * Paired (measured, docs/model.md): two neighbouring parts of a load of 8 bytes or more become one when, over the whole warp,
 * every active lane's neighbour at distance 1 (lane ^ 1) is inactive or has the same address; or the same at distance 2.
 * Atomics: lanes on one bank are served one by one, the same word or not.
 * ldmatrix and stmatrix: quarters, like stores (8 rows of 16 bytes a part).
 * Not modelled: whatever other warps do to the same banks meanwhile. */
#include "model/rules.h"

#include <stdbool.h>
#include <string.h>

/* Distinct words by bank: a chain of words for each bank that has any.  MAX_WORDS: 32 lanes x 32 bytes, misaligned. */
enum { MAX_WORDS = MODEL_LANES * (MODEL_MAX_BYTES / 4 + 1) };

typedef struct BankSet {
    uint32_t count[32];
    int16_t  head[32];
    int16_t  next[MAX_WORDS];
    uint64_t word[MAX_WORDS];
    unsigned used, deepest;
} BankSet;

static void bankset_init(BankSet *s)
{
    memset(s->count, 0, sizeof s->count);
    memset(s->head, 0xff, sizeof s->head);
    s->used = s->deepest = 0;
}

/* Adds word to its bank, unless it has it. */
static void bankset_add(BankSet *s, unsigned bank, uint64_t word)
{
    for (int i = s->head[bank]; i >= 0; i = s->next[i])
        if (s->word[i] == word)
            return;
    s->word[s->used] = word;
    s->next[s->used] = s->head[bank];
    s->head[bank]    = (int16_t)s->used++;
    if (++s->count[bank] > s->deepest)
        s->deepest = s->count[bank];
}

enum { BANKS = 32 };

/* Distinct words among the n that one bank was asked for, column `bank` of list. */
static unsigned distinct_words(uint64_t list[MODEL_LANES + 1][BANKS], unsigned bank, unsigned n)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned k = 0;
        while (k < kept && list[k][bank] != list[i][bank])
            k++;
        if (k == kept)
            list[kept++][bank] = list[i][bank];
    }
    return kept;
}

/* The common case, aligned words of 32 banks, without branches on the addresses: a word is compared with the last one of its bank
 * only, so a bank of three words or more is looked at again.  At most 32 words.  0: an address was not aligned. */
static uint32_t word_passes(const uint64_t *addr, uint32_t lanes, unsigned bytes)
{
    uint64_t list[MODEL_LANES + 1][BANKS], off = 0;
    uint8_t  count[BANKS] = {0};
    unsigned most = 0, words = (bytes + 3) / 4;
    memset(list[0], 0xff, sizeof list[0]); /* no word */
    for (; lanes; lanes &= lanes - 1) {
        uint64_t at = addr[__builtin_ctz(lanes)];
        off |= at & (bytes - 1);
        for (unsigned k = 0; k < words; k++) {
            uint64_t w    = (at >> 2) + k;
            unsigned bank = (unsigned)w & (BANKS - 1), n = count[bank];
            bool     same = list[n - (n > 0)][bank] == w;
            list[n][bank] = w;
            n += !same;
            count[bank] = (uint8_t)n;
            most        = n > most ? n : most;
        }
    }
    if (off || most <= 2)
        return off ? 0 : most;
    most = 2;
    for (unsigned b = 0; b < BANKS; b++)
        if (count[b] > most) {
            unsigned n = distinct_words(list, b, count[b]);
            most       = n > most ? n : most;
        }
    return most;
}

/* Atomics: every lane changes its words, so equal ones do not share a pass. */
static uint32_t atomic_passes(const Arch *h, const ModelAccess *a, uint32_t lanes, unsigned width)
{
    uint8_t  depth[BANKS] = {0};
    uint32_t most         = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t at = a->addr[__builtin_ctz(lanes)], w = at >> width;
        unsigned words = (((unsigned)at & ((1u << width) - 1)) + a->bytes + (1u << width) - 1) >> width;
        for (; words; words--, w++) {
            uint32_t n = ++depth[w & (h->banks - 1)];
            most       = n > most ? n : most;
        }
    }
    return most;
}

/* Passes of one part.  BANKS_WIDE: two 4-byte words 32 apart in one 64-word row share a bank's 8 bytes, so what must differ is the row. */
static uint32_t part_passes(const Arch *h, const ModelAccess *a, uint32_t lanes)
{
    bool     atomic = a->op == MODEL_ATOM || a->op == MODEL_RED;
    unsigned width  = h->bank_bytes == 8 ? 3 : 2; /* log2; a division would be most of the work */
    unsigned row    = h->bank_rule == BANKS_WIDE && h->bank_bytes == 4 ? 6 : 0;
    BankSet  s;
    if (atomic)
        return atomic_passes(h, a, lanes, width);
    if (width == 2 && row == 0 && h->banks == BANKS &&
        (unsigned)__builtin_popcount(lanes) * ((a->bytes + 3) / 4) <= MODEL_LANES) {
        uint32_t passes = word_passes(a->addr, lanes, a->bytes);
        if (passes)
            return passes;
    }
    bankset_init(&s);
    for (; lanes; lanes &= lanes - 1) {
        uint64_t at = a->addr[__builtin_ctz(lanes)], w = at >> width;
        unsigned words = (((unsigned)at & ((1u << width) - 1)) + a->bytes + (1u << width) - 1) >> width;
        for (; words; words--, w++)
            bankset_add(&s, (unsigned)(w & (h->banks - 1)), w >> row);
    }
    return s.deepest;
}

/* Every active lane's neighbour at that distance is inactive or asks for the same address. */
static bool neighbours_agree(const ModelAccess *a, unsigned distance)
{
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m), j = i ^ distance;
        if ((a->mask >> j & 1) && a->addr[i] != a->addr[j])
            return false;
    }
    return true;
}

/* Lanes of one part of an access of any rule but BROADCAST. */
static unsigned part_lanes(const Arch *h, const ModelAccess *a)
{
    unsigned whole = h->bank_rule == BANKS_WIDE ? 8 : 4; /* bytes a lane that all 32 lanes get at once */
    unsigned lanes = a->bytes <= whole ? 32 : 32 * whole / a->bytes;
    if (h->bank_rule == BANKS_PAIRED && a->op == MODEL_LD && lanes < 32 &&
        (neighbours_agree(a, 1) || neighbours_agree(a, 2)))
        lanes *= 2;
    return lanes;
}

static uint32_t lane_range(unsigned first, unsigned count)
{
    return count >= 32 ? UINT32_MAX : ((1u << count) - 1) << first;
}

/* cc 1.x, one 4-byte request of a half-warp: in each pass one word is broadcast to every lane that wants it and every other bank
 * serves one lane.  The manual leaves open which word; we take the one most remaining lanes want, the lowest lane's among
 * equals, which gives the fewest passes. */
static uint32_t broadcast_passes(const Arch *h, const uint64_t *word, uint32_t lanes)
{
    uint32_t passes = 0;
    for (; lanes; passes++) {
        uint32_t best = 0;
        for (uint32_t m = lanes; m; m &= m - 1) {
            uint32_t same = 0;
            for (uint32_t n = m; n; n &= n - 1)
                if (word[__builtin_ctz(n)] == word[__builtin_ctz(m)])
                    same |= n & -n;
            if (__builtin_popcount(same) > __builtin_popcount(best))
                best = same;
        }
        uint32_t served = best, busy = 1u << (word[__builtin_ctz(best)] & (h->banks - 1));
        for (uint32_t m = lanes & ~best; m; m &= m - 1) {
            uint32_t bank = 1u << (word[__builtin_ctz(m)] & (h->banks - 1));
            if (!(busy & bank)) {
                busy |= bank;
                served |= m & -m;
            }
        }
        lanes &= ~served;
    }
    return passes;
}

static void broadcast_access(const Arch *h, const ModelAccess *a, ModelCost *out)
{
    for (unsigned half = 0; half < 32; half += 16) {
        uint32_t lanes = a->mask & lane_range(half, 16);
        if (lanes &&
            (a->op == MODEL_ATOM || a->op == MODEL_RED)) { /* nothing to broadcast: every lane changes its word */
            out->wavefronts += part_passes(h, a, lanes);
            out->ideal_wavefronts++;
            continue;
        }
        for (unsigned part = 0; lanes && part < (a->bytes + 3) / 4; part++) {
            uint64_t word[MODEL_LANES];
            for (uint32_t m = lanes; m; m &= m - 1)
                word[__builtin_ctz(m)] = a->addr[__builtin_ctz(m)] / 4 + part;
            out->wavefronts += broadcast_passes(h, word, lanes);
            out->ideal_wavefronts++;
        }
    }
}

unsigned model_part_lanes(const Profile *p, const ModelAccess *a)
{
    return p->arch->bank_rule == BANKS_BROADCAST ? 16 : part_lanes(p->arch, a);
}

void model_banks(const Arch *h, const ModelAccess *a, ModelCost *out)
{
    if (h->bank_rule == BANKS_BROADCAST) {
        broadcast_access(h, a, out);
    } else {
        unsigned size = part_lanes(h, a);
        for (unsigned first = 0; first < 32; first += size) {
            uint32_t lanes = a->mask & lane_range(first, size);
            if (!lanes)
                continue;
            out->wavefronts += part_passes(h, a, lanes);
            if (h->bank_rule == BANKS_SPLIT && a->bytes == 16)
                out->wavefronts++; /* the manual: add one to the ways of a quarter's conflict */
            out->ideal_wavefronts++;
        }
    }
    out->conflicts = out->wavefronts - out->ideal_wavefronts;
    if (h->bank_rule == BANKS_PAIRED) { /* measured: as if the active lanes stood side by side */
        uint32_t packed = ((uint32_t)__builtin_popcount(a->mask) * a->bytes + MODEL_LINE - 1) / MODEL_LINE;
        if (packed < out->ideal_wavefronts)
            out->ideal_wavefronts = packed;
    }
}

unsigned model_pass(const Profile *p, const ModelAccess *a, unsigned lane, uint64_t word)
{
    const Arch *h = p->arch;
    uint64_t    seen[MODEL_LANES];
    unsigned    n = 0, row = h->bank_rule == BANKS_WIDE && h->bank_bytes == 4 ? 2 * h->banks : 1;
    unsigned    part   = model_part_lanes(p, a);
    bool        atomic = a->op == MODEL_ATOM || a->op == MODEL_RED;
    for (unsigned i = lane / part * part; i < lane; i++) {
        if (!(a->mask >> i & 1))
            continue;
        uint64_t from = a->addr[i] / h->bank_bytes, to = (a->addr[i] + a->bytes - 1) / h->bank_bytes;
        uint64_t w = from + ((word - from) & (h->banks - 1)); /* the lane's word on this bank, if it has one */
        if (w > to)
            continue;
        if (!atomic && w / row == word / row)
            break;
        bool known = false;
        for (unsigned k = 0; !atomic && k < n; k++)
            known |= seen[k] == w / row;
        if (!known)
            seen[n++] = w / row;
    }
    return n;
}

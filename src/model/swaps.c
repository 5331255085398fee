/* SPDX-License-Identifier: Apache-2.0
 *
 * What shared memory cannot do at once (sums in floating point; all on 8 bytes but exchanges) is a loop over the lanes that are left: a load, and a
 * compare-and-swap of what it got.  Read on an H200 (tests/data/golden/shared_atomics_h200.tsv):
 *
 *   - a round lets one lane try on each bank, the lowest that is left: of 8 bytes, by half-warps, on each pair of banks.  A lane whose word another
 *     half's lane has just changed fails; the others that did not try go round again;
 *   - the load of a round costs what a load of the lanes left costs; the swap two passes for each part that has a lane left, whatever the banks, since
 *     it brings two words a lane.
 *
 * That explains all rounds and all passes of swaps that were read; of 20 patterns of 8 bytes, 5 have one pass of loads more on the card.
 * Not modelled: values that stay as they are (additions of 0, a minimum that is there already), of which the card sees no change. */
#include <string.h>

#include "model/rules.h"

enum { WORDS_A_LANE = 2, NARROW = 4 };

typedef struct Round {
    uint64_t tried[MODEL_LANES]; /* addresses */
    unsigned tries, parts;
    uint32_t done; /* lanes */
} Round;

/* The lanes of one part of a round. */
static void part(const Arch *h, const ModelAccess *a, uint32_t lanes, Round *r)
{
    unsigned before = r->tries, bytes = a->bytes < NARROW ? NARROW : a->bytes;
    uint64_t busy = 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned i    = (unsigned)__builtin_ctz(lanes);
        uint64_t bank = UINT64_C(1) << (a->addr[i] / bytes & (h->banks * NARROW / bytes - 1));
        bool     lost = false;
        if (busy & bank)
            continue;
        busy |= bank;
        for (unsigned k = 0; k < before; k++)
            lost |= r->tried[k] == a->addr[i];
        if (!lost)
            r->done |= 1u << i;
        r->tried[r->tries++] = a->addr[i];
    }
    r->parts++;
}

void model_swaps(const Profile *p, const ModelAccess *a, ModelCost *out)
{
    ModelAccess load = *a, swap = *a;
    unsigned    lanes = a->bytes <= NARROW ? MODEL_LANES : MODEL_LANES / 2;
    memset(out, 0, sizeof *out);
    load.op = MODEL_LD;
    swap.op = MODEL_ATOM;
    while (load.mask) {
        Round     r = {.tries = 0};
        ModelCost l, s;
        swap.mask = load.mask;
        model_access(p, &load, &l);
        model_access(p, &swap, &s);
        for (unsigned first = 0; first < MODEL_LANES; first += lanes) {
            uint32_t of = load.mask & (UINT32_MAX >> (MODEL_LANES - lanes)) << first;
            if (of)
                part(p->arch, a, of, &r);
        }
        out->wavefronts += l.wavefronts + WORDS_A_LANE * r.parts;
        out->ideal_wavefronts += l.ideal_wavefronts + WORDS_A_LANE * s.ideal_wavefronts;
        out->rounds++;
        load.mask &= ~r.done;
    }
    out->conflicts = out->wavefronts - out->ideal_wavefronts;
}

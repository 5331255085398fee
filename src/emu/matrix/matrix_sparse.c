/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse factors: of four terms a row of A has two elements (tf32: of two one; 4 bits: of four pairs two), and a nibble of metadata
 * says which, the first element's index in its lower two bits (PTX manual, "Sparse matrix storage"; tf32: 0100 the first, 1110 the
 * second).  A row has k / 4 nibbles (tf32: k / 2; 4 bits: k / 8).
 *
 * The lanes of the row's quad that the selector names hold them.  Elements of 16 bits and more: four each, the lower half of a lane's
 * word for row group, the upper half for row group + 8.  Smaller ones: eight each, even lanes for row group, odd ones for row
 * group + 8. */
#include <string.h>

#include "emu/core/fault.h"
#include "emu/matrix/matrix_fragment.h"

static unsigned terms_per_nibble(Type t)
{
    return t == TY_TF32 ? 2 : matrix_bits(t) == 4 ? 8 : 4;
}

typedef struct Spread { /* elements of a row's group: from which packed places to which terms */
    unsigned n, to[4];
} Spread;

static Spread spread_of(Type t, unsigned nibble)
{
    unsigned first = nibble & 3, second = nibble >> 2;
    if (t == TY_TF32)
        return (Spread){1, {first / 2}};
    if (matrix_bits(t) == 4)
        return (Spread){4, {2 * first, 2 * first + 1, 2 * second, 2 * second + 1}};
    return (Spread){2, {first, second}};
}

typedef struct Holder { /* of a nibble: which of the lanes, and where in its word */
    unsigned lane, shift;
} Holder;

static Holder holder_of(Type t, unsigned row, unsigned g)
{
    if (matrix_bits(t) <= 8)
        return (Holder){g / 8 * 2 + row / 8, g % 8 * 4};
    return (Holder){g / 4, row / 8 * 16 + g % 4 * 4};
}

static bool valid(Type t, unsigned nibble)
{
    return t == TY_TF32 ? nibble == 4 || nibble == 14 : (nibble & 3) != nibble >> 2;
}

bool sparse_spread(const MatrixForm *f, const uint32_t *words, unsigned selector, MatrixTile *a, unsigned *lane)
{
    MatrixTile packed;
    unsigned   group = terms_per_nibble(f->a), nibbles = f->k / group, holders = nibbles <= 4 ? 1 : nibbles / 4;
    memcpy(packed.a, a->a, f->k / 2 * sizeof a->a[0]);
    memset(a->a, 0, f->k * sizeof a->a[0]);
    memset(a->absent, 0xff, sizeof a->absent);
    for (unsigned row = 0; row < MATRIX_ROWS; row++)
        for (unsigned g = 0; g < nibbles; g++) {
            Holder h        = holder_of(f->a, row, g);
            *lane           = row % 8 * 4 + selector * holders + h.lane;
            unsigned nibble = words[*lane] >> h.shift & 15;
            Spread   s      = spread_of(f->a, nibble);
            if (!valid(f->a, nibble))
                return false;
            for (unsigned i = 0; i < s.n; i++) {
                unsigned to   = matrix_place(f, g * group + s.to[i]);
                a->a[to][row] = packed.a[g * s.n + i][row];
                a->absent[to] = (uint16_t)(a->absent[to] & ~(1u << row));
            }
        }
    return true;
}

const Uop *sparse_fault(Warp *w, const Uop *u, unsigned lane)
{
    return fault_raise(
        w, u, FAULT_SPARSE_METADATA, lane, UINT32_C(1) << lane,
        "the metadata word of this thread has a group of four bits that does not name two different elements");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The copies of `warpwright bench`: of bytes, or of a matrix between leading dimensions, transposed or not.
 *
 * Right is a result whose every byte is the source's where the copy goes, and poison everywhere else: before it, behind it and between
 * its rows. */
#include <string.h>

#include "cli/bench/bench.h"

enum { TILE = 32 }; /* of a transposed comparison, so that both sides stay in a cache */

/* Rows and columns of the destination. */
static size_t rows_of(const BenchWork *w)
{
    return w->ta ? w->n : w->m;
}

static size_t columns_of(const BenchWork *w)
{
    return w->ta ? w->m : w->n;
}

size_t bench_copy_room(const BenchWork *w, bool source)
{
    size_t bytes = w->bytes;
    if (w->element)
        bytes = (source ? w->m * w->src_ld : rows_of(w) * w->dst_ld) * w->element;
    return (bytes + BENCH_OFFSETS + 3) / 4 * 4;
}

WwStatus bench_copy(WwBlas *b, const BenchWork *w, WwPtr from, WwPtr to)
{
    if (!w->element)
        return ww_blas_copy(b, to, from, w->bytes);
    return ww_blas_copy_matrix(b, &(WwCopy){.element = w->element,
                                            .trans   = w->ta,
                                            .rows    = w->m,
                                            .columns = w->n,
                                            .src     = from,
                                            .dst     = to,
                                            .ld_src  = w->src_ld,
                                            .ld_dst  = w->dst_ld});
}

bool bench_copy_bytes_right(const BenchWork *w, const uint8_t *from, const uint8_t *to, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = first + i;
        bool   in = at >= w->dst_offset && at < w->dst_offset + w->bytes;
        if (to[i] != (in ? from[at - w->dst_offset + w->src_offset] : BENCH_POISON))
            return false;
    }
    return true;
}

static bool poisoned(const uint8_t *from, const uint8_t *end)
{
    while (from < end)
        if (*from++ != BENCH_POISON)
            return false;
    return true;
}

bool bench_copy_matrix_right(const BenchWork *w, const uint8_t *from, const uint8_t *to)
{
    size_t         rows = rows_of(w), columns = columns_of(w), e = w->element;
    const uint8_t *gap = to, *end = to + bench_copy_room(w, false);
    from += w->src_offset;
    to += w->dst_offset;
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *row = to + r * w->dst_ld * e;
        if (!poisoned(gap, row) || (!w->ta && memcmp(row, from + r * w->src_ld * e, columns * e) != 0))
            return false;
        gap = row + columns * e;
    }
    for (size_t r0 = 0; w->ta && r0 < rows; r0 += TILE)
        for (size_t c = 0; c < columns; c++)
            for (size_t r = r0; r < rows && r < r0 + TILE; r++)
                if (memcmp(to + (r * w->dst_ld + c) * e, from + (c * w->src_ld + r) * e, e) != 0)
                    return false;
    return poisoned(gap, end);
}

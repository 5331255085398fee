/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of matrices: which kernel, and its grid.
 *
 *   untransposed   copy_lines where rows are whole aligned vectors, else copy_rows, which realigns each row
 *   transposed     copy_words for words, copy_transposed_<bytes> for the other elements
 *
 * Refused: sizes whose addresses do not fit 64 bits, leading dimensions below a row's length, null or misaligned addresses, a destination
 * that begins where its source does.  Not checked: whether they overlap elsewhere; the rows of one may lie between those of the other. */
#include <inttypes.h>
#include <stdio.h>

#include "blas/blas.h"

enum { SIDE = 64, EDGE = 32, TILE_OF_SMALL = 128, THREADS = 256, THREADS_OF_BYTES = 64, WORD = 4, VECTOR = 16 };
enum { MAX_Y = 65535, MAX_X = 1 << 20, LINES = 4 /* of a thread */, LEAST = 8 /* of them side by side */ };

static uint32_t cover(uint64_t n, uint64_t tile, uint64_t most)
{
    uint64_t tiles = (n + tile - 1) / tile;
    return (uint32_t)(tiles < most ? tiles : most);
}

CopyPart copy_part(bool trans, WwPtr from, uint64_t from_ld, size_t rows, size_t columns, WwPtr to, uint64_t to_ld)
{
    enum { MOST = 1 << 30 }; /* blocks of a part: a grid has room for two */
    uint32_t across = cover(columns, SIDE, MOST), down = cover(rows, SIDE, MOST / across);
    bool     from_aligned = from % VECTOR == 0 && from_ld % 4 == 0, to_aligned = to % VECTOR == 0 && to_ld % 4 == 0;
    return (CopyPart){.from    = from,
                      .to      = to,
                      .from_ld = from_ld,
                      .to_ld   = to_ld,
                      .rows    = (unsigned)rows,
                      .columns = (unsigned)columns,
                      .how     = (from_aligned ? COPY_FROM_ALIGNED : 0u) | (to_aligned ? COPY_TO_ALIGNED : 0u) |
                             (trans ? COPY_TRANSPOSED : 0u),
                      .blocks = across * down};
}

Status copy_parts(WwBlas *b, const char *entry, const CopyPart *parts, size_t n)
{
    CopyArgs a = {{parts[0], n > 1 ? parts[1] : (CopyPart){0}}};
    return blas_launch(b, entry,
                       &(WwLaunch){.grid      = {a.part[0].blocks + a.part[1].blocks, 1, 1},
                                   .block     = {THREADS, 1, 1},
                                   .args      = (void *[]){&a},
                                   .arg_count = 1});
}

static Status copy_elements(WwBlas *b, const WwCopy *p)
{
    char     entry[40];
    WwPtr    from = p->src, to = p->dst;
    uint64_t from_ld = p->ld_src, to_ld = p->ld_dst;
    uint64_t rest = from | to | from_ld * p->element | to_ld * p->element;
    int      rows = (int)p->rows, columns = (int)p->columns, aligned = rest % VECTOR == 0;
    bool     bytes = p->element == 1;
    uint64_t side  = p->element < WORD ? TILE_OF_SMALL : EDGE;
    WwDim3   grid  = {cover(p->columns, side, INT32_MAX), cover(p->rows, side, MAX_Y), 1};
    snprintf(entry, sizeof entry, "copy_transposed_%u", (unsigned)p->element);
    return blas_launch(b, entry,
                       &(WwLaunch){.grid      = grid,
                                   .block     = {bytes ? THREADS_OF_BYTES : THREADS, 1, 1},
                                   .args      = (void *[]){&to, &to_ld, &from, &from_ld, &rows, &columns, &aligned},
                                   .arg_count = 7});
}

/* Rows of whole aligned vectors. */
static Status copy_lines(WwBlas *b, const WwCopy *p)
{
    WwPtr    from = p->src, to = p->dst;
    uint64_t from_pitch = p->ld_src * p->element / VECTOR, to_pitch = p->ld_dst * p->element / VECTOR;
    uint32_t vectors = (uint32_t)(p->columns * p->element / VECTOR), rows = (uint32_t)p->rows, across = LEAST;
    while (across < THREADS && across < vectors)
        across *= 2;
    WwDim3 grid = {cover(vectors, across, MAX_X), cover(rows, THREADS / across * LINES, MAX_Y), 1};
    return blas_launch(b, b->early ? "copy_lines_early" : "copy_lines",
                       &(WwLaunch){.grid  = grid,
                                   .block = {THREADS, 1, 1},
                                   .args  = (void *[]){&to, &to_pitch, &from, &from_pitch, &vectors, &rows, &across},
                                   .arg_count = 7});
}

/* Whether they are, and one grid has room for them. */
static bool whole_lines(const WwCopy *p)
{
    size_t e = p->element;
    return (p->src | p->dst | p->ld_src * e | p->ld_dst * e | p->columns * e) % VECTOR == 0 &&
           p->columns * e / VECTOR <= (size_t)MAX_X * LEAST && p->rows <= (size_t)MAX_Y * LINES;
}

static Status copy_bytes(WwBlas *b, const WwCopy *p)
{
    WwPtr    from = p->src, to = p->dst;
    uint64_t bytes = p->columns * p->element, from_pitch = p->ld_src * p->element, to_pitch = p->ld_dst * p->element;
    uint64_t rows   = p->rows;
    uint32_t across = 32;
    while (across < THREADS && across * VECTOR < bytes)
        across *= 2;
    WwDim3 grid = {cover(bytes, (uint64_t)across * VECTOR, MAX_X), cover(rows, THREADS / across, MAX_Y), 1};
    return blas_launch(b, b->early ? "copy_rows_early" : "copy_rows",
                       &(WwLaunch){.grid      = grid,
                                   .block     = {THREADS, 1, 1},
                                   .args      = (void *[]){&to, &to_pitch, &from, &from_pitch, &bytes, &rows, &across},
                                   .arg_count = 7});
}

/* One side: `lines` rows of `length` elements. */
static Status check_side(WwDevice *d, const WwCopy *p, const char *name, WwPtr at, size_t lines, size_t length,
                         size_t ld)
{
    uint64_t all, bytes, end;
    if (at == 0)
        return device_fail(d, WW_ERR_INVALID, "ww_blas_copy_matrix: %s is a null pointer", name);
    if (ld < length)
        return device_fail(d, WW_ERR_INVALID, "ww_blas_copy_matrix: ld_%s = %zu is less than the %zu elements of a row",
                           name, ld, length);
    if (p->trans && at % p->element)
        return device_fail(d, WW_ERR_INVALID,
                           "ww_blas_copy_matrix: %s = 0x%" PRIx64 " is not aligned to the %zu bytes of an element",
                           name, at, p->element);
    if (__builtin_mul_overflow((uint64_t)lines, (uint64_t)ld, &all) ||
        __builtin_mul_overflow(all, (uint64_t)p->element, &bytes) || __builtin_add_overflow(at, bytes, &end))
        return device_fail(d, WW_ERR_INVALID, "ww_blas_copy_matrix: %s with ld_%s = %zu ends past the last address",
                           name, name, ld);
    return WW_OK;
}

WwStatus ww_blas_copy_matrix(WwBlas *b, const WwCopy *p)
{
    if (!b)
        return WW_ERR_INVALID;
    WwDevice *d = b->device;
    if (!p || p->element == 0)
        return device_fail(d, WW_ERR_INVALID, "ww_blas_copy_matrix: %s",
                           p ? "an element has 0 bytes" : "there is no copy");
    if (p->rows == 0 || p->columns == 0)
        return WW_OK;
    bool width = p->element == 1 || p->element == 2 || p->element == 4 || p->element == 8 || p->element == 16;
    if (p->trans && !width)
        return device_fail(d, WW_ERR_INVALID,
                           "ww_blas_copy_matrix: elements of %zu bytes cannot be transposed, only 1, 2, 4, 8 or 16",
                           p->element);
    TRY(check_side(d, p, "src", p->src, p->rows, p->columns, p->ld_src));
    TRY(check_side(d, p, "dst", p->dst, p->trans ? p->columns : p->rows, p->trans ? p->rows : p->columns, p->ld_dst));
    if (p->src == p->dst)
        return device_fail(d, WW_ERR_INVALID, "ww_blas_copy_matrix: dst begins where src does, they must not overlap");
    if (p->trans && (p->rows > INT32_MAX / 2 || p->columns > INT32_MAX / 2))
        return device_fail(d, WW_ERR_INVALID, "ww_blas_copy_matrix: %zu x %zu is more than can be transposed at once",
                           p->rows, p->columns);
    if (!p->trans)
        return whole_lines(p) ? copy_lines(b, p) : copy_bytes(b, p);
    if (p->element != WORD)
        return copy_elements(b, p);
    CopyPart part = copy_part(true, p->src, p->ld_src, p->rows, p->columns, p->dst, p->ld_dst);
    return copy_parts(b, b->early ? "copy_operands" : "copy_words", &part, 1);
}

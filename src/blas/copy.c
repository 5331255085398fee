/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies by a kernel (kernels/copy/4_realign.cu): which bytes are whole vectors and which are left for both ends.
 *
 * The body begins at the first 16-byte boundary of the destination from which the source's enclosing vectors lie inside the
 * source, and ends before the last one from which they do: with a source off by `off` bytes against the destination,
 * off bytes in front of a vector and 16 - off bytes behind it are read too.  At most 31 bytes are left at either end. */
#include "blas/blas.h"

enum { VECTOR = 16, BLOCK_VECTORS = 256, BLOCK_THREADS = 256 };

static void split(WwPtr dst, WwPtr src, uint64_t bytes, uint64_t *before, uint64_t *body)
{
    uint64_t first = (0 - dst) % VECTOR, off = (src + first) % VECTOR;
    *body = 0;
    if (off > first) /* the vector that holds the source's first byte begins in front of it */
        first += VECTOR;
    uint64_t behind = off ? VECTOR - off : 0;
    if (bytes >= first + behind)
        *body = (bytes - first - behind) / VECTOR;
    *before = *body ? first : 0;
}

WwStatus ww_blas_copy(WwBlas *b, WwPtr dst, WwPtr src, size_t bytes)
{
    uint64_t before, body, count = bytes;
    if (!b)
        return WW_ERR_INVALID;
    if (bytes == 0)
        return WW_OK;
    if (dst == 0 || src == 0)
        return device_fail(b->device, WW_ERR_INVALID, "ww_blas_copy: %s is a null pointer", dst ? "src" : "dst");
    if (dst + bytes < dst || src + bytes < src)
        return device_fail(b->device, WW_ERR_INVALID, "ww_blas_copy: %zu bytes end past the last address", bytes);
    if (dst < src + bytes && src < dst + bytes)
        return device_fail(b->device, WW_ERR_INVALID, "ww_blas_copy: source and destination overlap");
    split(dst, src, bytes, &before, &body);
    uint64_t blocks = (body + BLOCK_VECTORS - 1) / BLOCK_VECTORS;
    if (blocks > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "ww_blas_copy: %zu bytes are more than one grid can copy", bytes);
    return blas_launch(b, b->early ? "copy_realign_early" : "copy_realign",
                       &(WwLaunch){.grid      = {blocks ? (uint32_t)blocks : 1, 1, 1},
                                   .block     = {BLOCK_THREADS, 1, 1},
                                   .args      = (void *[]){&dst, &src, &count, &before, &body},
                                   .arg_count = 5});
}

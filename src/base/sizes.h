/* SPDX-License-Identifier: Apache-2.0
 *
 * Products and sums of sizes that somebody else names.  They saturate: what does not fit is SIZE_MAX, which no memory holds, so the bounds
 * check that follows anyway refuses it.  Whoever has no such check asks size_fits. */
#ifndef WW_BASE_SIZES_H
#define WW_BASE_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Below it is all that a process may map: 2^47 or 2^56 bytes on x86-64, 2^52 on AArch64. */
#define HOST_ADDRESSES (UINT64_C(1) << 57)

static inline size_t size_mul(size_t a, size_t b)
{
    size_t r;
    return __builtin_mul_overflow(a, b, &r) ? SIZE_MAX : r;
}

static inline size_t size_add(size_t a, size_t b)
{
    size_t r;
    return __builtin_add_overflow(a, b, &r) ? SIZE_MAX : r;
}

/* n rounded up to a multiple of step. */
static inline size_t size_up(size_t n, size_t step)
{
    size_t up = size_add(n, step - 1);
    return up == SIZE_MAX ? up : up / step * step;
}

/* From the first byte of the first of `count` rows to the last of the last one; they are `width` bytes wide, `pitch` apart. */
static inline size_t size_rows(size_t pitch, size_t count, size_t width)
{
    return count ? size_add(size_mul(pitch, count - 1), width) : 0;
}

/* Can [at, at + bytes) be memory of a process at all? */
static inline bool size_fits(uint64_t at, size_t bytes)
{
    return at < HOST_ADDRESSES && bytes <= HOST_ADDRESSES - at;
}

/* Offsets of addresses, which go on at 0 behind the last one. */
static inline int64_t offset_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of a small memory (a block's shared window, a warp's local frames) were never written.  Belongs to one worker. */
#ifndef WW_CHECK_BITS_H
#define WW_CHECK_BITS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Bits {
    uint32_t  bytes, left; /* left: how many were never written */
    uint64_t *bad;
    uint32_t *copied;      /* by four bytes: origin of a copy of such bytes, 0: none; NULL until there is one */
} Bits;

void     bits_make(Bits *b, uint32_t bytes); /* all written */
void     bits_free(Bits *b);
/* As written_read, written_write and written_copy_in; n <= 32. */
uint32_t bits_read(const Bits *b, uint32_t at, unsigned n, uint32_t *origin);
/* Are all n bytes written? */
bool     bits_good(const Bits *b, uint32_t at, uint32_t n);
/* Is one of the `bytes` (a power of two, aligned, at most 64) at the offsets of the lanes in mask unwritten? */
bool     bits_any(const Bits *b, const uint32_t *off, uint32_t mask, unsigned bytes);
void     bits_write(Bits *b, uint32_t at, uint32_t n);
void     bits_spoil(Bits *b, uint32_t at, uint32_t n); /* never written, all of it */
void     bits_copy_in(Bits *b, uint32_t at, unsigned n, uint32_t bad, uint32_t origin);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of global memory were never written: one bit a byte, in pages of 64 KiB that exist only where part of a page is written
 * and part is not, and for bytes that hold a copy of such bytes a number of four bytes for every four.
 *
 *   Region: one allocation.  page[i] is ALL_GOOD, ALL_BAD, or a Page.   At most 1/8 byte a byte, and 1 more where copies lie.
 *
 * Loads and stores of different workers may meet in a word: bits change atomically.  Regions are made and ended by the host only. */
#ifndef WW_CHECK_WRITTEN_H
#define WW_CHECK_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WRITTEN_PAGE = 1 << 16 };

/* How wide stores of kernels to a memory were, in bytes: a sum of powers of two.  Padding stands beside members that are wider than it. */
typedef struct Widths {
    uint32_t       seen;
    struct Widths *next;
} Widths;

static inline void widths_add(Widths *w, uint32_t bytes)
{
    if (~__atomic_load_n(&w->seen, __ATOMIC_RELAXED) & bytes)
        __atomic_fetch_or(&w->seen, bytes, __ATOMIC_RELAXED);
}

typedef struct Page {
    uint64_t  bad[WRITTEN_PAGE / 64]; /* bit = byte */
    uint32_t *copied;                /* by four bytes: origin of a copy, 0: never written; NULL until there is one */
} Page;

typedef struct Region {
    uint64_t base, bytes;
    uint64_t pages, left; /* pages; those that are not ALL_GOOD */
    Page   **page;
    Widths  *widths; /* outlives it */
    bool     host;   /* the host reads it by itself: pinned, managed */
    bool     filled; /* what nobody wrote is seen by what it holds (filled.h) */
    uint32_t *cleared; /* a bit a word; NULL: none */
    int      rest;   /* launches until it is looked at again */
    unsigned rests;  /* after the next look that finds nothing new */
    uint64_t pitch, width; /* rows and what of them is the program's; 0: it is not made in rows */
    bool     told[2]; /* that the host read what nobody wrote: a fault; padding */
} Region;

typedef struct Written {
    Region **region; /* sorted by base */
    size_t   n, cap;
    Widths  *widths; /* of all there ever were */
} Written;

/* Bytes in a row that nobody wrote, of one origin. */
typedef struct Hole {
    uint64_t at, bytes;
    uint32_t origin;
} Hole;

void    written_free(Written *s);
void    written_alloc(Written *s, uint64_t base, uint64_t bytes); /* nothing in it is written */
/* The bytes, which somebody may have written, are as nobody wrote them: new memory of the device-side heap.  Thread-safe. */
void    written_forget(Region *r, uint64_t address, uint64_t n);
void    written_release(Written *s, uint64_t base);
/* The region that holds the address, or NULL: memory that counts as written. */
Region *written_find(const Written *s, uint64_t address);
/* Bits of the n <= 32 bytes at the address that were never written; *origin: of one of them, 0: never written at all. */
uint32_t written_read(const Region *r, uint64_t address, unsigned n, uint32_t *origin);
/* Was none of the n bytes written, and do all come from one origin (0: from none)? */
bool written_bad_row(const Region *r, uint64_t address, unsigned n, uint32_t *origin);
/* written_copy_in of such a row. */
void written_copy_row(Region *r, uint64_t address, unsigned n, uint32_t origin);
/* Are all of [address, address + n) written?  Quick for long ranges. */
bool    written_good(const Region *r, uint64_t address, uint64_t n);
/* Now written. */
void    written_write(Region *r, uint64_t address, uint64_t n);
/* The same by the host, while workers are at rest: pages that it has filled piece by piece need no bits any more. */
void    written_by_host(Region *r, uint64_t address, uint64_t n);
/* Bytes of `bad` become copies of unwritten ones with that origin, the others written. */
void    written_copy_in(Region *r, uint64_t address, unsigned n, uint32_t bad, uint32_t origin);
/* What a copy between allocations does; regions may be NULL. */
void    written_copy(const Written *s, uint64_t to, uint64_t from, uint64_t n);
/* The first hole in the range, cut at the range's end; false: there is none. */
bool    written_hole(const Region *r, uint64_t address, uint64_t n, Hole *h);
Widths *written_widths(Written *s); /* new ones, which live as long as s */

#endif

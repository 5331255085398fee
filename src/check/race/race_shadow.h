/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadow memory of the race checker: for each cell who wrote it and who read it last.
 *
 * A page shadows 4 KiB.  Its cells are words until an access of one or two bytes makes them bytes.  Each page has up to four planes, made
 * when the first stamp is kept in them:
 *
 *     write, write2   the last writer; a second one where both are atomic and nothing orders them
 *     read, read2     a reader since that write; a second one, as far from the first as there is
 *
 * A word page takes 2 bytes a byte for each plane, a byte page 8: memory that is only read or only written stays at 2 (4 with two
 * readers). */
#ifndef WW_CHECK_RACE_SHADOW_H
#define WW_CHECK_RACE_SHADOW_H

#include <pthread.h>
#include <stddef.h>

#include "check/race/race_stamp.h"

enum { PAGE_BITS = 12, PAGE_BYTES = 1 << PAGE_BITS, WORD_BITS = 2 };

typedef enum Plane { PLANE_WRITE, PLANE_WRITE2, PLANE_READ, PLANE_READ2, PLANES } Plane;

typedef struct Page {
    Stamp *plane[PLANES];
    uint8_t shift;  /* log2 of a cell's bytes: WORD_BITS or 0 */
    uint8_t tries;  /* race_quiet.h, as are the next two */
    uint64_t quiet;
    Stamp   quiet_since;
    Stamp   newest; /* no stamp of the page is later */
    int     lock;
} Page;

typedef struct Shadow Shadow; /* pages by address, shared by the workers */

Shadow *shadow_new(void);
void    shadow_free(Shadow *s);
/* The page of an address; made when there is none.  Thread-safe; the page stays where it is until shadow_forget. */
Page   *shadow_page(Shadow *s, uint64_t address);
/* The page of an address, or NULL. */
const Page *shadow_find(Shadow *s, uint64_t address);
/* Forgets [address, address + bytes): whole pages go, of the others the cells are cleared.  No launch may run but its own worker. */
void    shadow_forget(Shadow *s, uint64_t address, uint64_t bytes);
/* Everything. */
void    shadow_clear(Shadow *s);

/* A plane of a page, made when it is not there. */
Stamp  *page_plane(Page *p, Plane which);
/* Makes cells bytes. */
void    page_split(Page *p);
void    page_clear(Page *p, unsigned from, unsigned bytes);
void    page_free(Page *p); /* its planes */

static inline void page_is_newer(Page *p, Stamp s)
{
    s |= (UINT64_C(1) << TIME_SHIFT) - 1;
    if (p->newest < s)
        p->newest = s;
}

static inline void page_lock(Page *p)
{
    while (__atomic_exchange_n(&p->lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&p->lock, __ATOMIC_RELAXED))
            ;
}
static inline void page_unlock(Page *p) { __atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE); }

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Bump allocation in chunks that double from 4 KiB to 1 MiB; larger requests get a chunk of their own.
 * Chunks come from calloc, so fresh memory is zero and nothing is cleared twice. */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stress.h"

typedef struct Chunk Chunk;
struct Chunk {
    Chunk        *next;
    size_t        size, used; /* bytes of data[] */
    unsigned char data[];
};

struct Arena {
    Chunk *head;
    size_t next_size, total;
};

static void die_oom(size_t bytes)
{
    fprintf(stderr, "warpwright: out of host memory (asked for %zu bytes)\n", bytes);
    abort();
}

uint64_t host_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
}

void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        die_oom(bytes);
    return p;
}

void *xcalloc(size_t n, size_t bytes)
{
    void *p = calloc(n ? n : 1, bytes ? bytes : 1);
    if (!p)
        die_oom(n * bytes);
    return p;
}

void *xaligned(size_t align, size_t bytes)
{
    void  *p    = NULL;
    size_t size = bytes ? bytes : 1;
    if (posix_memalign(&p, align, size) != 0)
        die_oom(bytes);
    return memset(p, 0, size);
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}

void *xrealloc(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        die_oom(bytes);
    return p;
}

Arena *arena_new(void)
{
    Arena *a     = xcalloc(1, sizeof *a);
    a->next_size = STRESSED(4096, 1);
    return a;
}

void arena_free(Arena *a)
{
    if (!a)
        return;
    for (Chunk *c = a->head, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}

/* Offset of the first free byte of c that is aligned, by address. */
static size_t aligned_offset(const Chunk *c, size_t align)
{
    uintptr_t at = (uintptr_t)c->data + c->used;
    return c->used + (size_t)(-at & (align - 1));
}

void *arena_alloc_aligned(Arena *a, size_t bytes, size_t align)
{
    Chunk *c = a->head;
    if (bytes == 0)
        bytes = 1;
    if (!c || aligned_offset(c, align) + bytes > c->size) {
        size_t need = bytes + align, size = a->next_size;
        if (a->next_size < STRESSED(1u << 20, 1))
            a->next_size *= 2;
        if (size < need)
            size = need;
        c       = xcalloc(1, sizeof *c + size);
        c->size = size;
        c->next = a->head;
        a->head = c;
    }
    size_t at = aligned_offset(c, align);
    c->used   = at + bytes;
    a->total += bytes;
    return c->data + at;
}

void *arena_alloc(Arena *a, size_t bytes)
{
    return arena_alloc_aligned(a, bytes, 16);
}

char *arena_strndup(Arena *a, const char *s, size_t n)
{
    char *p = arena_alloc_aligned(a, n + 1, 1);
    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *arena_strdup(Arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(Arena *a, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int   n = vsnprintf(NULL, 0, fmt, ap);
    char *p = arena_alloc_aligned(a, (size_t)n + 1, 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}

size_t arena_used(const Arena *a)
{
    return a->total;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Arena: memory that is freed all at once.  One arena per lifetime (module, launch, report).
 * Allocation never fails: when the host is out of memory the process aborts with a message.
 * Not thread-safe: one owner at a time. */
#ifndef WW_BASE_ARENA_H
#define WW_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void   arena_free(Arena *a); /* NULL is allowed */

/* Zeroed memory, aligned to 16 bytes; valid until arena_free. */
void *arena_alloc(Arena *a, size_t bytes);
/* Zeroed memory with a power-of-two alignment of at most 4096. */
void *arena_alloc_aligned(Arena *a, size_t bytes, size_t align);
/* A copy of n bytes with a terminating zero. */
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_strdup(Arena *a, const char *s);
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *a, const char *fmt, va_list ap);
/* Bytes handed out so far. */
size_t arena_used(const Arena *a);

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* malloc/realloc/calloc that abort with a message instead of returning NULL. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t n, size_t bytes);
char *xstrdup(const char *s);
void *xrealloc(void *p, size_t bytes);
/* Zeroed, aligned to a power of two; free() releases it. */
void *xaligned(size_t align, size_t bytes);
/* Bytes of this machine's memory, for those who refuse what cannot fit; the largest number: not known. */
uint64_t host_memory(void);

#endif

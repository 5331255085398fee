/* SPDX-License-Identifier: Apache-2.0
 *
 * 128 bits that stand for some bytes: MurmurHash3 for x64, seed 0.  Two contents that differ have the same bits by chance only once in 2^64
 * pairs.  It does not withstand somebody who looks for two texts with the same bits. */
#ifndef WW_BASE_CONTENT_H
#define WW_BASE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Content {
    uint64_t word[2];
} Content;

typedef struct ContentHash { /* zeroed: nothing was added yet */
    uint64_t      a, b, len;
    unsigned char rest[16]; /* len % 16 bytes that make no whole piece yet */
} ContentHash;

/* Adds n bytes.  How they are cut into calls makes no difference: put lengths or zeros between parts that must not run together. */
void    content_add(ContentHash *h, const void *bytes, size_t n);
/* Adds a text and its zero. */
void    content_text(ContentHash *h, const char *text);
/* Of all that was added; h may be added to further. */
Content content_end(const ContentHash *h);
Content content_of(const void *bytes, size_t n);

static inline bool content_same(Content x, Content y)
{
    return x.word[0] == y.word[0] && x.word[1] == y.word[1];
}

#endif

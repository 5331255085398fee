/* SPDX-License-Identifier: Apache-2.0
 *
 * MurmurHash3_x64_128 with seed 0, fed in parts.  It is chosen because it is short, has published results to be tested against, and reads some
 * gigabytes a second: a module's text of a megabyte costs less than a page of its parsing. */
#include "base/content.h"

#include <string.h>

enum { PIECE = sizeof((ContentHash *)0)->rest };

static const uint64_t C1 = 0x87c37b91114253d5u, C2 = 0x4cf5ad432745937fu;

static uint64_t turn(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static uint64_t stir_low(uint64_t k)
{
    return turn(k * C1, 31) * C2;
}

static uint64_t stir_high(uint64_t k)
{
    return turn(k * C2, 33) * C1;
}

static void add_piece(ContentHash *h, const unsigned char *piece)
{
    uint64_t k[2];
    memcpy(k, piece, sizeof k);
    h->a ^= stir_low(k[0]);
    h->a = (turn(h->a, 27) + h->b) * 5 + 0x52dce729;
    h->b ^= stir_high(k[1]);
    h->b = (turn(h->b, 31) + h->a) * 5 + 0x38495ab5;
}

void content_add(ContentHash *h, const void *bytes, size_t n)
{
    const unsigned char *at   = bytes;
    size_t               have = h->len % PIECE, fits = PIECE - have < n ? PIECE - have : n;
    h->len += n;
    if (have) {
        memcpy(h->rest + have, at, fits);
        if (have + fits < PIECE)
            return;
        add_piece(h, h->rest);
        at += fits;
        n -= fits;
    }
    for (; n >= PIECE; n -= PIECE, at += PIECE)
        add_piece(h, at);
    if (n)
        memcpy(h->rest, at, n);
}

void content_text(ContentHash *h, const char *text)
{
    content_add(h, text, strlen(text) + 1);
}

static uint64_t finish(uint64_t k)
{
    k = (k ^ k >> 33) * 0xff51afd7ed558ccdu;
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53u;
    return k ^ k >> 33;
}

Content content_end(const ContentHash *h)
{
    uint64_t k[2] = {0, 0};
    memcpy(k, h->rest, h->len % PIECE);
    uint64_t a = (h->a ^ stir_low(k[0])) ^ h->len, b = (h->b ^ stir_high(k[1])) ^ h->len;
    a += b;
    b += a;
    a = finish(a);
    b = finish(b);
    a += b;
    return (Content){{a, b + a}};
}

Content content_of(const void *bytes, size_t n)
{
    ContentHash h = {0};
    content_add(&h, bytes, n);
    return content_end(&h);
}

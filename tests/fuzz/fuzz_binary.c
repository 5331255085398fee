/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what a program embeds or loads.  The first byte says what is made of the rest:
 *     'f'  a fat binary               'e'  an object file or library with fat binaries      'c'  machine code
 *     'z', 'l', 't'  the payload of a fat binary's entry, compressed here with zstd or LZ4, or plain: so that mutations get behind the
 *          decompressor; the second byte is its kind (PTX or machine code)
 * What is refused is refused with a message; text that comes out has no zero in it. */
#include <stdlib.h>
#include <string.h>

#ifdef WW_HAVE_LZ4
#include <lz4.h>
#endif
#ifdef WW_HAVE_ZSTD
#include <zstd.h>
#endif

#include "cuda/image/relfatbin.h"
#include "sass/cubin.h"
#include "sass/fatbin.h"
#include "tests/fuzz/fuzz.h"

enum { ROOM = 1 << 16, HEAD = 16, ENTRY = 64 };

static void read_code(const uint8_t *data, size_t size)
{
    Str    why = {0};
    Cubin *c   = NULL;
    if (cubin_open(data, size, &c, &why) != WW_OK && why.len == 0)
        fuzz_fail("refused without a message", "");
    cubin_free(c);
    str_free(&why);
}

static void judge(Status s, const Str *text, const Str *why)
{
    if (s != WW_OK && why->len == 0)
        fuzz_fail("refused without a message", "");
    if (s == WW_OK && strlen(str_text(text)) != text->len)
        fuzz_fail("a zero in the text", str_text(text));
}

static void read_fat(const uint8_t *data, size_t size)
{
    static const unsigned archs[] = {10, 75, 90, 120};
    size_t                bytes   = fatbin_bytes(data, size);
    if ((bytes != 0) > fatbin_is(data, size))
        fuzz_fail("a length of what is no fat binary", "");
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        Str text = {0}, why = {0}, code = {0};
        judge(fatbin_ptx(data, size, archs[i], &text, &why), &text, &why);
        if (fatbin_code(data, size, archs[i], &code))
            read_code((const uint8_t *)str_text(&code), code.len);
        str_free(&text);
        str_free(&why);
        str_free(&code);
    }
}

static void read_object(const uint8_t *data, size_t size)
{
    Str    text = {0}, why = {0};
    Status s = relfatbin_memory(data, size, 90, &text, &why);
    if (s != WW_ERR_NOT_FOUND) /* "there is none" needs no words */
        judge(s, &text, &why);
    str_free(&text);
    str_free(&why);
}

static size_t compress(char how, const uint8_t *data, size_t size, uint8_t *out)
{
#ifdef WW_HAVE_ZSTD
    if (how == 'z') {
        size_t n = ZSTD_compress(out, ROOM, data, size, 1);
        return ZSTD_isError(n) ? 0 : n;
    }
#endif
#ifdef WW_HAVE_LZ4
    if (how == 'l') {
        int n = LZ4_compress_default((const char *)data, (char *)out, (int)size, ROOM);
        return n > 0 ? (size_t)n : 0;
    }
#endif
    (void)how;
    memcpy(out, data, size);
    return size;
}

static void put(uint8_t *at, uint64_t v, size_t bytes)
{
    memcpy(at, &v, bytes);
}

/* A fat binary with one entry (fatbin.h has the picture). */
static void read_packed(char how, const uint8_t *data, size_t size)
{
    static uint8_t made[HEAD + ENTRY + ROOM];
    uint8_t       *entry = made + HEAD;
    size_t         plain = size - 1, packed = compress(how, data + 1, plain, entry + ENTRY);
    memset(made, 0, HEAD + ENTRY);
    put(made, 0xba55ed50, 4);
    put(made + 4, 1, 2);
    put(made + 6, HEAD, 2);
    put(made + 8, ENTRY + packed, 8);
    put(entry, data[0] & 1 ? 1 : 2, 2);
    put(entry + 4, ENTRY, 4);
    put(entry + 8, packed, 8);
    put(entry + 16, packed, 4);
    put(entry + 28, 75, 4);
    put(entry + 40, how == 'z' ? 0x8000 : how == 'l' ? 0x2000 : 0, 8);
    put(entry + 56, plain, 8);
    read_fat(made, HEAD + ENTRY + packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > ROOM / 2)
        return 0;
    uint8_t *rest = fuzz_bytes(data + 1, size - 1);
    switch (data[0]) {
    case 'f': read_fat(rest, size - 1); break;
    case 'e': read_object(rest, size - 1); break;
    case 'c': read_code(rest, size - 1); break;
    case 'z':
    case 'l':
    case 't': read_packed((char)data[0], rest, size - 1); break;
    default: break;
    }
    free(rest);
    return 0;
}

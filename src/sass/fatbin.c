/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads fat binaries.  Every length is checked against the container before it is used, so damaged data is an error, not a crash.
 * Payloads are compressed with zstd (CUDA 13) or LZ4 (before); each library is optional, and its absence is named when it is needed.
 * Machine code is handed out as it is (cubin.h reads it). */
#include "sass/fatbin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#ifdef WW_HAVE_LZ4
#include <lz4.h>
#endif
#ifdef WW_HAVE_ZSTD
#include <zstd.h>
#endif

enum {
    HEADER        = 16,
    ENTRY         = 64,
    KIND_PTX      = 1,
    KIND_ELF      = 2,
    FLAG_LZ4      = 0x2000,
    FLAG_ZSTD     = 0x8000,
    FLAG_SPECIFIC = 0x100000
};
static const uint32_t FATBIN_MAGIC = 0xba55ed50;
static const uint64_t MAX_PTX      = UINT64_C(1) << 30; /* what a damaged length may make us allocate */

typedef struct Entry {
    uint16_t       kind;
    uint32_t       arch, packed; /* packed: compressed bytes */
    uint64_t       flags, payload, plain;
    const uint8_t *data;
} Entry;

static uint64_t get(const uint8_t *p, size_t at, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p + at, bytes);
    return v;
}

bool fatbin_is(const void *data, size_t limit)
{
    return data && limit >= HEADER && get(data, 0, 4) == FATBIN_MAGIC;
}

size_t fatbin_bytes(const void *data, size_t limit)
{
    if (!fatbin_is(data, limit))
        return 0;
    uint64_t head = get(data, 6, 2), body = get(data, 8, 8);
    return body > SIZE_MAX / 2 || head != HEADER ? 0 : head + body;
}

/* The entry at `at` of `total` bytes; false when it does not fit. *next: where the following one begins. */
static bool read_entry(const uint8_t *p, uint64_t at, uint64_t total, Entry *e, uint64_t *next)
{
    if (total - at < ENTRY)
        return false;
    const uint8_t *h    = p + at;
    uint64_t       head = get(h, 4, 4);
    *e                  = (Entry){.kind    = (uint16_t)get(h, 0, 2),
                                  .arch    = (uint32_t)get(h, 28, 4),
                                  .packed  = (uint32_t)get(h, 16, 4),
                                  .flags   = get(h, 40, 8),
                                  .payload = get(h, 8, 8),
                                  .plain   = get(h, 56, 8)};
    if (head < ENTRY || head > total - at || e->payload > total - at - head)
        return false;
    e->data = h + head;
    *next   = at + head + e->payload;
    return true;
}

/* Does e run on `arch`, and better than best (data NULL: nothing yet)?  What was made for one architecture and no later one (sm_90a) runs on
 * that alone, and there before what runs on later ones too. */
static bool is_better(const Entry *e, const Entry *best, unsigned arch)
{
    bool specific = e->flags & FLAG_SPECIFIC;
    if (e->arch > arch || (specific && e->arch != arch))
        return false;
    return !best->data || e->arch > best->arch || (e->arch == best->arch && specific && !(best->flags & FLAG_SPECIFIC));
}

/* Text ends at its first zero byte. */
static size_t length_of(const Entry *e, const void *data, uint64_t bytes)
{
    return e->kind == KIND_PTX ? strnlen(data, bytes) : bytes;
}

/* No more than its bytes can expand to: LZ4 makes 255 of one, zstd a block of 128 KiB of four. */
static uint64_t most_plain(const Entry *e)
{
    uint64_t most = e->flags & FLAG_ZSTD ? (e->packed / 4 + UINT64_C(1)) << 17 : e->packed * UINT64_C(255);
    return most < MAX_PTX ? most : MAX_PTX;
}

static Status unpack(const Entry *e, Str *ptx, Str *why)
{
    if (!(e->flags & (FLAG_LZ4 | FLAG_ZSTD))) {
        str_addn(ptx, (const char *)e->data, length_of(e, e->data, e->payload));
        return WW_OK;
    }
    const char *method = e->flags & FLAG_ZSTD ? "zstd" : "LZ4";
    if (e->plain == 0 || e->plain > most_plain(e) || e->packed > e->payload) {
        str_printf(why, "the fat binary is damaged: %s entry of %u bytes that expand to %" PRIu64, method, e->packed,
                   e->plain);
        return WW_ERR_INVALID;
    }
    bool   done = false, known = false;
    size_t before = ptx->len;
    char  *out    = str_room(ptx, e->plain);
    if (e->flags & FLAG_ZSTD) {
#ifdef WW_HAVE_ZSTD
        known = true;
        done  = ZSTD_decompress(out, e->plain, e->data, e->packed) == e->plain;
#endif
    } else {
#ifdef WW_HAVE_LZ4
        known = true;
        done  = LZ4_decompress_safe((const char *)e->data, out, (int)e->packed, (int)e->plain) == (int)e->plain;
#endif
    }
    ptx->len         = before + (done ? length_of(e, out, e->plain) : 0);
    ptx->s[ptx->len] = 0;
    if (!known) {
        str_printf(
            why,
            "what the fat binary holds is compressed with %s, and this build of warpwright has no %s: install it and "
            "build again",
            method, method);
        return WW_ERR_UNAVAILABLE;
    }
    if (!done)
        str_printf(why, "the fat binary is damaged: its %s data do not expand to %" PRIu64 " bytes", method, e->plain);
    return done ? WW_OK : WW_ERR_INVALID;
}

Status fatbin_ptx(const void *data, size_t limit, unsigned arch, Str *ptx, Str *why)
{
    const uint8_t *p     = data;
    size_t         total = fatbin_bytes(data, limit);
    if (!total || total > limit) {
        str_add(why, total ? "the fat binary is cut short"
                     : fatbin_is(data, limit)
                         ? "the fat binary is damaged: its header names sizes that no fat binary has"
                         : "this is not a fat binary: its magic number is missing");
        return WW_ERR_INVALID;
    }
    Entry best = {0};
    Str   have = {0};
    for (uint64_t at = get(p, 6, 2); at < total;) {
        Entry e;
        if (!read_entry(p, at, total, &e, &at)) {
            str_free(&have);
            str_printf(why, "the fat binary is damaged: an entry reaches past its end");
            return WW_ERR_INVALID;
        }
        if (e.kind == KIND_PTX || e.kind == KIND_ELF)
            str_printf(&have, "%s%s_%u%s", have.len ? ", " : "", e.kind == KIND_PTX ? "compute" : "sm", e.arch,
                       e.flags & FLAG_SPECIFIC ? "a" : "");
        if (e.kind == KIND_PTX && is_better(&e, &best, arch))
            best = e;
    }
    Status s = best.data ? unpack(&best, ptx, why) : WW_ERR_NOT_FOUND;
    if (!best.data)
        str_printf(why,
                   "the program holds no PTX for sm_%u or older (it has: %s): compile it with "
                   "-gencode arch=compute_75,code=compute_75, or with plain nvcc",
                   arch, have.len ? have.s : "nothing");
    str_free(&have);
    return s;
}

bool fatbin_code(const void *data, size_t limit, unsigned arch, Str *elf)
{
    const uint8_t *p     = data;
    size_t         total = fatbin_bytes(data, limit);
    Entry          best  = {0};
    Str            why   = {0};
    for (uint64_t at = total && total <= limit ? get(p, 6, 2) : total; at < total;) {
        Entry e;
        if (!read_entry(p, at, total, &e, &at))
            break;
        if (e.kind == KIND_ELF && e.arch / 10 == arch / 10 && is_better(&e, &best, arch))
            best = e;
    }
    bool ok = best.data && unpack(&best, elf, &why) == WW_OK;
    str_free(&why);
    return ok;
}

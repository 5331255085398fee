/* SPDX-License-Identifier: Apache-2.0
 *
 * NVTX: how a program names what it does.  NVTX 3 is a header; a program that has it loads the library which NVTX_INJECTION64_PATH names, calls
 * InitializeInjectionNvtx2 there and is given functions by table and number.  NVTX 2 was a library, libnvToolsExt.so.1: ours (libraries/nvtx)
 * calls the same bodies.  What they do not say of ranges (marks, names of threads, colours) is not listened to. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/arena.h"
#include "base/str.h"
#include "cuda/process/ranges.h"

/* ---- texts ---- */

typedef struct Attributes { /* nvtxEventAttributes_v2 */
    uint16_t    version, size;
    uint32_t    category;
    int32_t     colour_type;
    uint32_t    colour;
    int32_t     payload_type, reserved;
    uint64_t    payload;
    int32_t     message_type;
    const void *message;
} Attributes;

enum { MESSAGE_ASCII = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

static void put_wide(const wchar_t *s, Str *out)
{
    for (; *s; s++) {
        uint32_t c = (uint32_t)*s;
        if (c < 0x80) {
            str_addc(out, (char)c);
        } else if (c < 0x800) {
            str_addc(out, (char)(0xc0 | c >> 6));
            str_addc(out, (char)(0x80 | (c & 0x3f)));
        } else if (c < 0x10000) {
            str_addc(out, (char)(0xe0 | c >> 12));
            str_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
            str_addc(out, (char)(0x80 | (c & 0x3f)));
        } else {
            str_addc(out, (char)(0xf0 | (c >> 18 & 7)));
            str_addc(out, (char)(0x80 | (c >> 12 & 0x3f)));
            str_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
            str_addc(out, (char)(0x80 | (c & 0x3f)));
        }
    }
}

static void put_message(const void *attributes, Str *out)
{
    const Attributes *a = attributes;
    if (!a || a->size < sizeof *a || !a->message)
        return;
    if (a->message_type == MESSAGE_ASCII || a->message_type == MESSAGE_REGISTERED) /* a handle of ours is its text */
        str_add(out, a->message);
    else if (a->message_type == MESSAGE_WIDE)
        put_wide(a->message, out);
}

static void put_ascii(const char *s, Str *out)
{
    str_add(out, s ? s : "");
}

static void put_wide_or_none(const wchar_t *s, Str *out)
{
    if (s)
        put_wide(s, out);
}

/* ---- the bodies ---- */

#define NVTX(table, number, result, name, parameters, arguments) result ww_cuda_nvtx_##name parameters;
#include "cuda/process/nvtx.def"
#undef NVTX

/* result of what `act` makes of the text that `put` takes from `from`. */
#define WITH_TEXT(result, put, from, act)                                                                              \
    do {                                                                                                               \
        Str text = {0};                                                                                                \
        put(from, &text);                                                                                              \
        result got = act(str_text(&text));                                                                             \
        str_free(&text);                                                                                               \
        return got;                                                                                                    \
    } while (0)
#define START(text)      ranges_start(NULL, text)
#define PUSH(text)       ranges_push(NULL, text)
#define START_IN(text)   ranges_start(domain, text)
#define PUSH_IN(text)    ranges_push(domain, text)
#define REGISTERED(text) xstrdup(text)

uint64_t ww_cuda_nvtx_RangeStartEx(const void *attributes)
{
    WITH_TEXT(uint64_t, put_message, attributes, START);
}

uint64_t ww_cuda_nvtx_RangeStartA(const char *name)
{
    WITH_TEXT(uint64_t, put_ascii, name, START);
}

uint64_t ww_cuda_nvtx_RangeStartW(const wchar_t *name)
{
    WITH_TEXT(uint64_t, put_wide_or_none, name, START);
}

void ww_cuda_nvtx_RangeEnd(uint64_t id)
{
    ranges_end(id);
}

int ww_cuda_nvtx_RangePushEx(const void *attributes)
{
    WITH_TEXT(int, put_message, attributes, PUSH);
}

int ww_cuda_nvtx_RangePushA(const char *name)
{
    WITH_TEXT(int, put_ascii, name, PUSH);
}

int ww_cuda_nvtx_RangePushW(const wchar_t *name)
{
    WITH_TEXT(int, put_wide_or_none, name, PUSH);
}

int ww_cuda_nvtx_RangePop(void)
{
    return ranges_pop(NULL);
}

uint64_t ww_cuda_nvtx_DomainRangeStartEx(void *domain, const void *attributes)
{
    WITH_TEXT(uint64_t, put_message, attributes, START_IN);
}

void ww_cuda_nvtx_DomainRangeEnd(void *domain, uint64_t id)
{
    (void)domain;
    ranges_end(id);
}

int ww_cuda_nvtx_DomainRangePushEx(void *domain, const void *attributes)
{
    WITH_TEXT(int, put_message, attributes, PUSH_IN);
}

int ww_cuda_nvtx_DomainRangePop(void *domain)
{
    return ranges_pop(domain);
}

/* A registered text lives as long as the process, as its handle does. */
void *ww_cuda_nvtx_DomainRegisterStringA(void *domain, const char *text)
{
    (void)domain;
    return xstrdup(text ? text : "");
}

void *ww_cuda_nvtx_DomainRegisterStringW(void *domain, const wchar_t *wide)
{
    (void)domain;
    WITH_TEXT(void *, put_wide_or_none, wide, REGISTERED);
}

void *ww_cuda_nvtx_DomainCreateA(const char *name)
{
    WITH_TEXT(void *, put_ascii, name, ranges_domain);
}

void *ww_cuda_nvtx_DomainCreateW(const wchar_t *name)
{
    WITH_TEXT(void *, put_wide_or_none, name, ranges_domain);
}

/* ---- the injection ---- */

enum { EXPORT_CALLBACKS = 1, CORE = 1, CORE2 = 5 };

typedef void (*Function)(void);

typedef struct Callbacks { /* NvtxExportTableCallbacks */
    size_t size;
    int (*table)(int module, Function ***out, unsigned *n);
} Callbacks;

static const struct Row {
    int      module;
    unsigned number;
    Function fn;
} rows[] = {
#define NVTX(table, number, result, name, parameters, arguments) {table, number, (Function)ww_cuda_nvtx_##name},
#include "cuda/process/nvtx.def"
#undef NVTX
};

int InitializeInjectionNvtx2(const void *(*get)(uint32_t));
int InitializeInjectionNvtx2(const void *(*get)(uint32_t))
{
    const Callbacks *c = get ? get(EXPORT_CALLBACKS) : NULL;
    if (!c || c->size < sizeof *c)
        return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Function **table = NULL;
        unsigned   n     = 0;
        if (c->table(rows[i].module, &table, &n) && rows[i].number < n && table[rows[i].number])
            *table[rows[i].number] = rows[i].fn;
    }
    return 1;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of `warpwright check`:
 *
 *     NAME:TYPE[COUNT]            a buffer that nobody wrote        NAME:TYPE=VALUE   a scalar
 *     NAME:TYPE[COUNT]=random     by the seed                       COUNT             an expression such as 1<<20
 *     NAME:TYPE[COUNT]=zero|iota  zeros; 0, 1, 2, ...
 *     NAME:TYPE[COUNT]=FILE       .npy, or raw bytes of exactly that many elements
 *
 * random: integers 0 to 99, floats in [-1, 1), from a generator of seed and position only: the same on every machine. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/expr.h"
#include "base/file.h"
#include "base/half.h"
#include "base/status.h"
#include "cli/check/check.h"

enum { RANDOM_INTEGERS = 100 };
static const uint64_t MAX_COUNT = UINT64_C(1) << 48;

static const ElementType types[] = {
    {"i8", 'i', 1, "|i1"},   {"i16", 'i', 2, "<i2"},   {"i32", 'i', 4, "<i4"},    {"i64", 'i', 8, "<i8"},
    {"u8", 'u', 1, "|u1"},   {"u16", 'u', 2, "<u2"},   {"u32", 'u', 4, "<u4"},    {"u64", 'u', 8, "<u8"},
    {"int", 'i', 4, "<i4"},  {"float", 'f', 4, "<f4"}, {"double", 'f', 8, "<f8"}, {"f16", 'h', 2, "<f2"},
    {"bf16", 'b', 2, "<u2"}, {"f32", 'f', 4, "<f4"},   {"f64", 'f', 8, "<f8"},
};

static Status wrong(Str *why, const char *text, const char *what)
{
    str_printf(why, "argument '%s': %s", text, what);
    return WW_ERR_INVALID;
}

static const ElementType *find_type(const char *s, size_t len)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == len && !memcmp(types[i].name, s, len))
            return &types[i];
    return NULL;
}

/* ---- values ---- */

static uint64_t bits_of(const ElementType *t, double f, int64_t i)
{
    switch (t->kind) {
    case 'h': return half_from_double(f);
    case 'b': return bf16_from_double(f);
    case 'f': return t->bytes == 8 ? f64_bits(f) : f32_bits((float)f);
    default: return (uint64_t)i;
    }
}

static bool is_float(const ElementType *t)
{
    return t->kind != 'i' && t->kind != 'u';
}

static Status float_value(const char *text, Argument *a, Str *why)
{
    char  *end;
    double f = strtod(a->value, &end);
    if (*end || end == a->value)
        return wrong(why, text, "a number is expected behind '='");
    if (a->type->kind == 'f' && a->type->bytes == 4 && isfinite(f) && !isfinite((float)f))
        return wrong(why, text, "the value does not fit the type");
    a->scalar = bits_of(a->type, f, 0);
    return WW_OK;
}

/* A number alone may use all 64 bits of u64 and i64; expressions have 63. */
static bool all_bits(const Argument *a, int64_t *i)
{
    char *end;
    errno  = 0;
    bool u = a->type->kind == 'u' && *a->value != '-';
    *i     = u ? (int64_t)strtoull(a->value, &end, 0) : strtoll(a->value, &end, 0);
    return a->type->bytes == 8 && end != a->value && !*end && !errno;
}

static Status integer_value(const char *text, Argument *a, Str *why)
{
    ExprError e;
    int64_t   i, top = a->type->bytes < 8 ? INT64_C(1) << (8 * a->type->bytes - (a->type->kind == 'i')) : INT64_MAX,
               low = a->type->kind == 'u' ? 0
                     : a->type->bytes < 8 ? -top
                                          : INT64_MIN;
    bool all       = all_bits(a, &i) && (a->type->kind == 'i' || *a->value != '-');
    if (!all && !expr_eval(a->value, EXPR_NO_LANE, &i, &e))
        return wrong(why, text, e.text);
    if (!all && (i < low || (i >= top && a->type->bytes < 8)))
        return wrong(why, text, "the value does not fit the type");
    a->scalar = bits_of(a->type, 0, i);
    return WW_OK;
}

static Status scalar_value(const char *text, Argument *a, Str *why)
{
    if (!a->value || !*a->value)
        return wrong(why, text, "a value is expected behind '=', or [COUNT] for a buffer");
    return is_float(a->type) ? float_value(text, a, why) : integer_value(text, a, why);
}

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t name_hash(const char *s)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    return h;
}

static void fill_random(Argument *a, uint64_t seed)
{
    uint64_t from = mix(seed ^ name_hash(a->name));
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t r    = mix(from + i);
        uint64_t bits = bits_of(a->type, (double)(int64_t)(r >> 11) * 0x1p-52 - 1, (int64_t)(r % RANDOM_INTEGERS));
        memcpy(a->data + i * a->type->bytes, &bits, a->type->bytes);
    }
}

static void fill_iota(Argument *a)
{
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t bits = bits_of(a->type, (double)i, (int64_t)i);
        memcpy(a->data + i * a->type->bytes, &bits, a->type->bytes);
    }
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && !strcmp(s + n - m, end);
}

static Status read_raw(const Argument *a, Str *why)
{
    FILE  *f    = file_read(a->value);
    size_t want = (size_t)(a->count * a->type->bytes);
    if (!f) {
        str_printf(why, "argument %s: '%s' is not random, zero or iota, nor a file: %s", a->name, a->value,
                   file_error(errno));
        return WW_ERR_IO;
    }
    size_t got   = fread(a->data, 1, want, f);
    bool   exact = got == want && fgetc(f) == EOF;
    fclose(f);
    if (exact)
        return WW_OK;
    str_printf(why, "argument %s: %s does not hold exactly %" PRIu64 " elements of %s (%zu bytes)", a->name, a->value,
               a->count, a->type->name, want);
    return WW_ERR_INVALID;
}

/* Contents are made on the host and then copied to the device, which is this machine's memory as well. */
static bool is_room(uint64_t bytes)
{
    return bytes < host_memory() / 2;
}

static Status contents(Argument *a, uint64_t seed, Str *why)
{
    uint64_t bytes = a->count * a->type->bytes;
    if (!a->value)
        return WW_OK;
    a->data = is_room(bytes) ? calloc(a->count + 1, a->type->bytes) : NULL;
    if (!a->data) {
        str_printf(why, "argument %s: %" PRIu64 " bytes of contents do not fit this machine's memory twice", a->name,
                   bytes);
        return WW_ERR_INVALID;
    }
    if (!strcmp(a->value, "random"))
        fill_random(a, seed);
    else if (!strcmp(a->value, "iota"))
        fill_iota(a);
    else if (ends_with(a->value, ".npy"))
        return npy_read(a->value, a->type, a->count, a->data, why);
    else if (strcmp(a->value, "zero") != 0)
        return read_raw(a, why);
    return WW_OK;
}

/* ---- the grammar ---- */

static Status argument_parse(const char *text, uint64_t seed, Arena *a, Argument *out, Str *why)
{
    const char *colon = strchr(text, ':'), *p = colon ? colon + 1 : NULL;
    ExprError   e;
    int64_t     count = 0;
    if (!colon || colon == text)
        return wrong(why, text, "NAME:TYPE[COUNT]=random|zero|iota|FILE or NAME:TYPE=VALUE is expected");
    size_t n = strcspn(p, "[=");
    *out     = (Argument){.name = arena_strndup(a, text, (size_t)(colon - text)), .type = find_type(p, n)};
    if (!out->type)
        return wrong(why, text,
                     "the type is not one of i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 int float double");
    p += n;
    if (*p == '[') {
        const char *close = strchr(p, ']');
        if (!close || (close[1] && close[1] != '='))
            return wrong(why, text, "']' is expected, then '=' or the end");
        if (!expr_eval(arena_strndup(a, p + 1, (size_t)(close - p) - 1), EXPR_NO_LANE, &count, &e))
            return wrong(why, text, e.text);
        if (count <= 0)
            return wrong(why, text, "the count must be at least 1");
        if ((uint64_t)count > MAX_COUNT)
            return wrong(why, text, "no device has that much memory");
        out->buffer = true;
        out->count  = (uint64_t)count;
        p           = close + 1;
    }
    if (*p == '=')
        out->value = arena_strdup(a, p + 1);
    return out->buffer ? contents(out, seed, why) : scalar_value(text, out, why);
}

static void argument_free(Argument *a)
{
    free(a->data);
}

Status argument_write(const Argument *a, const void *bytes, const char *file, Str *why)
{
    if (ends_with(file, ".npy"))
        return npy_write(file, a->type, a->count, bytes, why);
    FILE  *f  = file_create(file);
    size_t n  = (size_t)(a->count * a->type->bytes);
    bool   ok = f && fwrite(bytes, 1, n, f) == n;
    if (f)
        ok = fclose(f) == 0 && ok;
    if (!ok)
        str_printf(why, "cannot write %s: %s", file, file_error(errno));
    return ok ? WW_OK : WW_ERR_IO;
}

/* ---- plans ---- */

Status plan_argument(CheckPlan *p, const char *text, size_t *index, Str *why)
{
    Argument a = {0};
    if (!strchr(text, ':'))
        for (*index = 0; *index < p->nargs; ++*index)
            if (!strcmp(p->arg[*index].name, text))
                return WW_OK;
    Status s = argument_parse(text, p->seed, p->arena, &a, why);
    if (s != WW_OK) {
        argument_free(&a);
        return s;
    }
    for (size_t i = 0; a.buffer && i < p->nargs; i++)
        if (p->arg[i].buffer && !strcmp(p->arg[i].name, a.name)) {
            argument_free(&a);
            return wrong(why, text, "there is a buffer of that name already; its name alone passes it again");
        }
    p->arg             = xrealloc(p->arg, (p->nargs + 1) * sizeof *p->arg);
    *index             = p->nargs;
    p->arg[p->nargs++] = a;
    return WW_OK;
}

Status plan_out(CheckPlan *p, const char *text, Str *why)
{
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || !equal[1]) {
        str_printf(why, "--out '%s': NAME=FILE is expected", text);
        return WW_ERR_INVALID;
    }
    p->out = xrealloc(p->out, (p->nouts + 1) * sizeof *p->out);
    p->out[p->nouts++] =
        (OutFile){arena_strndup(p->arena, text, (size_t)(equal - text)), arena_strdup(p->arena, equal + 1)};
    return WW_OK;
}

bool plan_dim(const char *text, WwDim3 *out)
{
    uint32_t v[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        unsigned long long n = strtoull(text, &end, 0);
        if (n > UINT32_MAX)
            return false;
        v[i] = (uint32_t)n;
        text = end + 1;
        if (!*end)
            break;
        if (*end != ',' || i == 2)
            return false;
    }
    *out = (WwDim3){v[0], v[1], v[2]};
    return true;
}

void plan_free(CheckPlan *p)
{
    for (size_t i = 0; i < p->nargs; i++)
        argument_free(&p->arg[i]);
    free(p->arg);
    free(p->launch);
    free(p->out);
    arena_free(p->arena);
    *p = (CheckPlan){0};
}

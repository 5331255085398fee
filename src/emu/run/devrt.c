/* SPDX-License-Identifier: Apache-2.0
 *
 * What the CUDA runtime provides to device code: vprintf, __assertfail, malloc, free; cdp.c has the rest.  Arguments come from the call's
 * parameter buffers.
 *
 * printf follows the CUDA programming guide: lanes in ascending order, %s takes a generic pointer, the arguments lie in memory one after
 * the other, each aligned to its size; the result is the number of arguments.  Output is collected per block.  Arguments, and strings among
 * them, that do not lie in device memory are faults; a null string is "(null)". */
#include "emu/run/devrt.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emu/core/fault.h"
#include "emu/core/notify.h"

const uint8_t *devrt_arg_at(const Warp *w, const CallInfo *call, uint32_t i, unsigned lane)
{
    const Transfer *t    = &call->args[i];
    const Code     *code = w->frame->code;
    return t->from_reg ? w->r + t->from + (size_t)lane * t->bytes
                       : w->r + code->pbuf + (size_t)lane * code->pbuf_stride + t->from;
}

uint64_t devrt_arg(const Warp *w, const CallInfo *call, uint32_t i, unsigned lane)
{
    uint64_t v = 0;
    if (i < call->nargs)
        memcpy(&v, devrt_arg_at(w, call, i, lane), call->args[i].bytes < 8 ? call->args[i].bytes : 8);
    return v;
}

void devrt_result(Warp *w, const CallInfo *call, unsigned lane, uint64_t v)
{
    if (call->nrets == 0)
        return;
    const Transfer *t    = &call->rets[0];
    const Code     *code = w->frame->code;
    uint8_t        *at   = t->to_reg ? w->r + t->to + (size_t)lane * t->bytes
                                     : w->r + code->pbuf + (size_t)lane * code->pbuf_stride + t->to;
    memcpy(at, &v, t->bytes < 8 ? t->bytes : 8);
}

uint8_t *devrt_memory(const Warp *w, uint64_t address, unsigned lane, uint64_t *bytes)
{
    uint64_t shared = address - SHARED_WINDOW - w->shared_base;
    if (shared < w->shared_bytes) {
        *bytes = w->shared_bytes - shared;
        return w->shared + shared;
    }
    if (address - LOCAL_WINDOW < w->local_bytes) {
        *bytes = w->local_bytes - (address - LOCAL_WINDOW);
        return w->local + (size_t)lane * w->local_bytes + (address - LOCAL_WINDOW);
    }
    Alloc        tmp;
    const Alloc *a = memory_find(&w->block->launch->dev->mem, address, &tmp);
    if (!a)
        return NULL;
    *bytes = a->base + a->bytes - address;
    return (uint8_t *)(uintptr_t)address;
}

/* A zero-terminated string in device memory; "" with *ok = false when it is not one. */
static const char *string_at(const Warp *w, uint64_t address, unsigned lane, bool *ok)
{
    uint64_t       n;
    const uint8_t *p = devrt_memory(w, address, lane, &n);
    *ok              = p && memchr(p, 0, n);
    return *ok ? (const char *)p : "";
}

/* What one conversion may fill, and all that one block prints: it is kept until the blocks before it have ended. */
enum { LARGEST_PRINT = 1 << 16, MOST_PRINTED = 1 << 28 };

typedef struct ArgReader { /* of one lane */
    Warp          *w;
    const Uop     *u;
    unsigned       lane;
    const uint8_t *at;
    uint64_t       start, left, offset; /* start: where `at` is for the kernel */
    const char    *wild;                /* what does not lie where it may be read, and its address; NULL: all is well */
    FaultKind      kind;                /* of that */
    uint64_t       address;
} ArgReader;

static uint64_t next_arg(ArgReader *r, unsigned bytes)
{
    uint64_t v = 0, at = (r->offset + bytes - 1) & ~(uint64_t)(bytes - 1);
    if (r->at && at + bytes <= r->left) {
        memcpy(&v, r->at + at, bytes);
        read_notify(r->w, r->u, r->lane, r->start + at, bytes);
    } else {
        r->kind = FAULT_OUT_OF_BOUNDS;
        r->wild = "printf's arguments at 0x%llx do not lie in device memory";
    }
    r->offset = at + bytes;
    return v;
}

/* Formats one conversion.  spec is "%...X" without length modifiers; wide: the argument has 8 bytes. */
static void format_one(const Warp *w, unsigned lane, Str *out, Str *spec, char conv, bool wide, ArgReader *args)
{
    if (strchr("di", conv)) {
        uint64_t v = next_arg(args, wide ? 8 : 4);
        str_printf(spec, "ll%c", conv);
        str_printf(out, spec->s, wide ? (long long)v : (long long)(int32_t)v);
    } else if (strchr("ouxX", conv)) {
        str_printf(spec, "ll%c", conv);
        str_printf(out, spec->s, (unsigned long long)next_arg(args, wide ? 8 : 4));
    } else if (conv == 'c') {
        str_addc(spec, 'c');
        str_printf(out, spec->s, (int)next_arg(args, 4));
    } else if (strchr("aAeEfFgG", conv)) {
        str_addc(spec, conv);
        str_printf(out, spec->s, f64_of(next_arg(args, 8)));
    } else if (conv == 's') {
        bool        ok;
        uint64_t    where = next_arg(args, 8);
        const char *s     = string_at(w, where, lane, &ok);
        if (!ok && where) {
            bool host     = memory_of_host(where) && !devrt_memory(w, where, lane, &(uint64_t){0});
            args->wild    = host ? "printf's string (%%s) at 0x%llx is in the host's memory, which kernels cannot read"
                                 : "printf's string (%%s) at 0x%llx is not one in device memory";
            args->kind    = host ? FAULT_HOST_POINTER : FAULT_OUT_OF_BOUNDS;
            args->address = where;
        }
        size_t read = ok ? strlen(s) + 1 : 0;
        for (size_t i = 0; i < read; i++)
            read_notify(args->w, args->u, lane, where + i, 1);
        str_addc(spec, 's');
        str_printf(out, spec->s, ok ? s : "(null)");
    } else { /* p */
        str_addc(spec, 'p');
        str_printf(out, spec->s, (void *)(uintptr_t)next_arg(args, 8));
    }
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Digits or a star: appended to spec, *most becomes the larger of it and them.  Returns what follows. */
static const char *format_number(const char *f, ArgReader *args, Str *spec, uint64_t *most, bool precision)
{
    uint64_t v = 0;
    if (*f == '*') {
        int32_t n = (int32_t)next_arg(args, 4);
        if (n < 0 && precision) { /* as if neither it nor the point were there */
            spec->len--;
            spec->s[spec->len] = 0;
            n                  = 0;
        } else {
            str_printf(spec, "%d", n);
        }
        v = (uint64_t)llabs(n);
        f++;
    } else {
        for (; *f >= '0' && *f <= '9'; f++) {
            str_addc(spec, *f);
            v = v > LARGEST_PRINT ? v : v * 10 + (uint64_t)(*f - '0');
        }
    }
    *most = v > *most ? v : *most;
    return f;
}

/* A width and a precision. */
static const char *format_size(const char *f, ArgReader *args, Str *spec, uint64_t *most)
{
    f = format_number(f, args, spec, most, false);
    if (*f != '.')
        return f;
    str_addc(spec, '.');
    return format_number(f + 1, args, spec, most, true);
}

/* Returns the number of conversions; UINT_MAX: a width or precision is larger than LARGEST_PRINT. */
static unsigned format(const Warp *w, unsigned lane, const char *f, ArgReader *args, Str *out)
{
    unsigned n    = 0;
    uint64_t most = 0;
    Str      spec = {0};
    while (*f) {
        size_t plain = strcspn(f, "%");
        str_addn(out, f, plain);
        f += plain;
        if (!*f)
            break;
        const char *start = f++;
        size_t      flags = strspn(f, "-+ #0");
        str_clear(&spec);
        str_addn(&spec, start, flags + 1);
        f = format_size(f + flags, args, &spec, &most);
        if (most > LARGEST_PRINT)
            break;
        bool wide = false;
        for (; *f && strchr("hlLqjzt", *f); f++)
            wide |= *f != 'h';
        if (*f == '%') {
            str_addc(out, '%');
            f++;
        } else if (*f && strchr("diouxXcaAeEfFgGsp", *f)) {
            format_one(w, lane, out, &spec, *f++, wide, args);
            n++;
        } else { /* not a conversion: as it stands */
            str_addn(out, start, (size_t)(f - start));
        }
    }
    str_free(&spec);
    return most > LARGEST_PRINT ? UINT_MAX : n;
}

/* One lane's.  false: the block stops. */
static bool print_lane(Warp *w, const Uop *u, const CallInfo *call, unsigned lane, uint32_t left)
{
    bool        ok;
    Str        *out   = &w->block->printed;
    size_t      start = out->len;
    uint64_t    where = devrt_arg(w, call, 0, lane);
    const char *fmt   = string_at(w, where, lane, &ok);
    ArgReader   args  = {.w = w, .u = u, .lane = lane, .start = devrt_arg(w, call, 1, lane)};
    args.address      = args.start;
    args.at           = devrt_memory(w, args.start, lane, &args.left);
    if (!ok) {
        args.kind    = FAULT_OUT_OF_BOUNDS;
        args.wild    = "printf's format at 0x%llx is not a string in device memory";
        args.address = where;
    }
    unsigned n = format(w, lane, fmt, &args, out);
    if (n == UINT_MAX || out->len > MOST_PRINTED) {
        fault_raise(w, u, FAULT_UNSUPPORTED, lane, left,
                    "printf with a width or precision of more than %d, or more than %d MiB from one block; print less",
                    LARGEST_PRINT, MOST_PRINTED >> 20);
        return false;
    }
    devrt_result(w, call, lane, n);
    if (args.wild) /* it is left out as a whole */
        out->len = start;
    return !args.wild || fault_of_lane(w, u, args.kind, lane, left, args.wild, (unsigned long long)args.address);
}

static const Uop *run_vprintf(Warp *w, const Uop *u, const CallInfo *call)
{
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!print_lane(w, u, call, (unsigned)__builtin_ctz(m), m))
            return STOP;
    return u + 1;
}

static const Uop *run_assertfail(Warp *w, const Uop *u, const CallInfo *call)
{
    bool ok;
    char text[400] = "";
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned       lane = (unsigned)__builtin_ctz(m);
        const Launch  *l    = w->block->launch;
        const uint32_t t    = w->index * LANES + lane;
        const char    *msg  = string_at(w, devrt_arg(w, call, 0, lane), lane, &ok),
                   *file    = string_at(w, devrt_arg(w, call, 1, lane), lane, &ok),
                   *func    = string_at(w, devrt_arg(w, call, 3, lane), lane, &ok);
        unsigned line       = (unsigned)devrt_arg(w, call, 2, lane);
        str_printf(&w->block->printed, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                   file, line, func, w->block->id[0], w->block->id[1], w->block->id[2], t % l->block[0],
                   t / l->block[0] % l->block[1], t / (l->block[0] * l->block[1]), msg);
        if (!text[0])
            snprintf(text, sizeof text, "%s:%u: %s: assertion `%s` failed", file, line, func, msg);
    }
    return fault_raise(w, u, FAULT_ASSERT, (unsigned)__builtin_ctz(w->mask), w->mask, "%s", text);
}

static const Uop *run_malloc(Warp *w, const Uop *u, const CallInfo *call)
{
    uint64_t at[LANES], bytes[LANES];
    uint32_t got = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        bytes[lane]   = devrt_arg(w, call, 0, lane);
        at[lane]      = memory_heap_alloc(&w->block->launch->dev->mem, bytes[lane]);
        got |= (uint32_t)(at[lane] != 0) << lane;
        devrt_result(w, call, lane, at[lane]);
    }
    if (got)
        NOTIFY_SYNC(w, u, .kind = SYNC_MALLOC, .mask = got, .addr = at, .values = bytes);
    return u + 1;
}

static const Uop *run_free(Warp *w, const Uop *u, const CallInfo *call)
{
    uint64_t at[LANES];
    uint32_t freed = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        at[lane]      = devrt_arg(w, call, 0, lane);
        if (at[lane] && !memory_heap_free(&w->block->launch->dev->mem, at[lane])) {
            if (!fault_of_lane(w, u, FAULT_BAD_FREE, lane, m,
                               "free of 0x%llx, which malloc did not return or which was freed before",
                               (unsigned long long)at[lane]))
                return STOP;
            continue;
        }
        freed |= (uint32_t)(at[lane] != 0) << lane;
    }
    if (freed)
        NOTIFY_SYNC(w, u, .kind = SYNC_FREE, .mask = freed, .addr = at);
    return u + 1;
}

const Uop *builtin_run(Warp *w, const Uop *u, Builtin which)
{
    switch (which) {
    case BUILTIN_VPRINTF: return run_vprintf(w, u, u->ptr);
    case BUILTIN_ASSERTFAIL: return run_assertfail(w, u, u->ptr);
    case BUILTIN_MALLOC: return run_malloc(w, u, u->ptr);
    case BUILTIN_FREE: return run_free(w, u, u->ptr);
    default: return cdp_run(w, u, which);
    }
}

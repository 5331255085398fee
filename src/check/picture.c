/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of one access: words for its space and kind, and offsets that do not depend on where memory was allocated.  Their texts live as long
 * as the library. */
#include "check/picture.h"

#include <string.h>

static const char *const spaces[ACCESS_SPACES] = {"global", "shared", "local", "shared", "global", "global"};
static const char *const ops[ACCESS_OPS]       = {"ld", "st", "atom", "red", "ldsm", "stsm", "copy"};

const char *picture_space(AccessSpace space)
{
    return spaces[space];
}

const char *picture_op(AccessOp op)
{
    return ops[op];
}

WwPicture picture_of(AccessSpace space, AccessOp op, unsigned bytes, uint32_t mask, const uint64_t addr[LANES])
{
    WwPicture p    = {.space = picture_space(space), .op = picture_op(op), .bytes = bytes, .mask = mask};
    bool      own  = space == ACCESS_SHARED || space == ACCESS_LOCAL;
    uint64_t  base = UINT64_MAX;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addr[__builtin_ctz(m)];
        base        = at < base ? at : base;
    }
    base = own ? 0 : base / 128 * 128;
    for (uint32_t m = mask; m; m &= m - 1)
        p.offset[__builtin_ctz(m)] = (int64_t)(addr[__builtin_ctz(m)] - base);
    return p;
}

const WwPicture *picture_copy(Arena *a, const WwPicture *p)
{
    if (!p)
        return NULL;
    WwPicture *c = ARENA_NEW(a, WwPicture);
    *c           = *p;
    return c;
}

void picture_put(const WwPicture *p, Parcel *to)
{
    parcel_put_number(to, p != NULL);
    if (!p)
        return;
    parcel_put_text(to, p->space);
    parcel_put_text(to, p->op);
    parcel_put(to, p, sizeof *p);
}

/* The name of ours that reads so; the first where there is none. */
static const char *name_of(const char *const *names, size_t n, const char *text)
{
    for (size_t i = 0; text && i < n; i++)
        if (!strcmp(names[i], text))
            return names[i];
    return names[0];
}

const WwPicture *picture_take(Arena *a, Parcel *from)
{
    if (!parcel_number(from))
        return NULL;
    WwPicture  *p     = ARENA_NEW(a, WwPicture);
    const char *space = parcel_text(from), *op = parcel_text(from);
    parcel_take(from, p, sizeof *p);
    p->space = name_of(spaces, ACCESS_SPACES, space);
    p->op    = name_of(ops, ACCESS_OPS, op);
    return p;
}

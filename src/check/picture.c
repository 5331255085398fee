/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of one access: words for its space and kind, and offsets that do not depend on where memory was allocated.  Their texts live as long
 * as the library. */
#include "check/picture.h"

const char *picture_space(AccessSpace space)
{
    static const char *const names[ACCESS_SPACES] = {"global", "shared", "local", "shared", "global"};
    return names[space];
}

const char *picture_op(AccessOp op)
{
    static const char *const names[ACCESS_OPS] = {"ld", "st", "atom", "red", "ldsm", "stsm", "copy"};
    return names[op];
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * Which variable or pointer parameter an instruction's address was computed from.
 *
 * One pass over a function's registers, whatever their order of execution: a register that only ever holds "an address of v plus
 * something" has origin v.  mov, add, sub, mad, cvta, cvt, selp, and, or keep an origin; anything else that an address goes
 * into (a difference of addresses, a hash), two origins in one register, and what is read from memory give none.  Registers of
 * compiled code are assigned once or nearly so, which makes this precise; where it is not, nothing is said. */
#ifndef WW_CHECK_ORIGIN_H
#define WW_CHECK_ORIGIN_H

#include "base/arena.h"
#include "ptx/ptx.h"

typedef enum OriginKind { ORIGIN_NONE, ORIGIN_VAR, ORIGIN_PARAM, ORIGIN_MANY } OriginKind;

typedef struct Origin {
    OriginKind kind;
    const Var *var;    /* the variable, or the parameter */
    uint32_t   offset; /* PARAM: byte in the kernel's parameter block */
} Origin;

/* The origin of every memory instruction's address, by instruction index; in `a`.  is_pointer(user, offset): does the parameter
 * block hold a device address at that byte?  Only asked for kernels. */
const Origin *origins_of(Arena *a, const Func *f, bool (*is_pointer)(void *user, uint32_t offset), void *user);

#endif

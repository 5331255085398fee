/* SPDX-License-Identifier: Apache-2.0
 *
 * The special registers of the manual: one table (sregs.def) for the parser and the emulator. */
#ifndef WW_PTX_SREGS_H
#define WW_PTX_SREGS_H

#include "ptx/ptx.h"

typedef enum SReg {
#define SREG(name, type, parts, count, same) SREG_##name,
#include "ptx/sregs.def"
#undef SREG
    SREG_COUNT
} SReg;

typedef struct SregInfo {
    const char *name;
    SReg        id;
    Type        type;
    bool        parts; /* .x .y .z */
    bool        same;  /* in all lanes of a warp, for certain */
    uint8_t     count; /* %envreg<32>: how many, numbered behind the name; 0 = one, without a number */
} SregInfo;

/* A special register by its name without the '%' and without its part ("tid", "clock64", "envreg7"); NULL if there is none.
 * *number, unless NULL: the number behind a numbered one's name, otherwise 0. */
const SregInfo *sreg_find(const char *name, size_t len, unsigned *number);

#endif

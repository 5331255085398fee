/* SPDX-License-Identifier: Apache-2.0
 *
 * What a uop is: the row, control operation or memory operation that its handler belongs to, and of what width its operands are. */
#ifndef WW_EMU_JIT_WHAT_H
#define WW_EMU_JIT_WHAT_H

#include "emu/core/program.h"

typedef enum WhatKind { WHAT_OTHER, WHAT_ROW, WHAT_CTL, WHAT_MEM } WhatKind;

typedef struct What {
    uint8_t  kind;     /* WhatKind */
    bool     observed; /* MEM: the observed twin */
    uint8_t  lane;     /* ROW: LaneType */
    uint16_t id;       /* Op, Ctl or Mem */
} What;

enum { ROW_SOURCES = 4 }; /* Uop.a, b, c, e */

typedef struct RowShape {
    char        name[40]; /* <row>_<type>, as rows.c names its functions */
    uint8_t     sources;
    uint8_t     bytes[1 + ROW_SOURCES]; /* of a lane: the result's, then the sources'; 0: a predicate */
    const char *type[1 + ROW_SOURCES];  /* in C */
    bool        table;                  /* lop3: Uop.x is an operand, too */
    bool        steady; /* the same in every rounding mode, with and without flushing: of integers, or only moves bits */
    bool        checked; /* of doubles: where no lane's result is a NaN, that of x_ is right; there is one of it */
    bool
        canonical; /* a result that is no number is the canonical one, whichever its sources were: there is an x_ of it */
} RowShape;

typedef struct WhatMap WhatMap;

WhatMap *what_map(const ExecTable *exec, const UopFn *ctl);
void     what_free(WhatMap *m);
What     what_is(const WhatMap *m, const Uop *u);
/* false: rows.c has no function of that row. */
bool what_shape(What w, RowShape *out);

#endif

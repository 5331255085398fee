/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the CUDA runtime provides to device code (devrt.def). */
#ifndef WW_EMU_BUILTIN_H
#define WW_EMU_BUILTIN_H

typedef enum Builtin {
    BUILTIN_NONE,
#define BUILTIN(id, name) BUILTIN_##id,
#include "emu/core/devrt.def"
#undef BUILTIN
    BUILTIN_CDP /* and those behind it: the rows CDP, in their order */
} Builtin;

/* The function of that name; BUILTIN_NONE: the runtime has none. */
Builtin builtin_find(const char *name);

#endif

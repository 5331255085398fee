/* SPDX-License-Identifier: Apache-2.0
 *
 * The bitcode that was made of rows.c when the project was built. */
#ifndef WW_EMU_JIT_PIECES_H
#define WW_EMU_JIT_PIECES_H

#include <stdbool.h>

#include "base/str.h"

/* Behind *out: that of a SIMD level; out may be NULL.  False: there was no clang, or the level was not built. */
bool jit_rows(const char *level, Str *out);

#endif

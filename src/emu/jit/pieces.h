/* SPDX-License-Identifier: Apache-2.0
 *
 * The bitcode that was made of rows.c when the project was built. */
#ifndef WW_EMU_JIT_PIECES_H
#define WW_EMU_JIT_PIECES_H

#include <stddef.h>

/* Of a SIMD level; NULL: there was no clang, or the level was not built. */
const void *jit_rows(const char *level, size_t *bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * From C to code that runs: clang makes a shared object of it, with the rows' bitcode of a SIMD level.  Objects are kept in the cache on disk
 * ("code", base/cache.h) under what they were made of. */
#ifndef WW_EMU_JIT_NATIVE_H
#define WW_EMU_JIT_NATIVE_H

#include "emu/core/code.h"

typedef struct NativeLib NativeLib;

/* Loads what the text becomes on the SIMD level, from the cache or made by clang; native_unload.  NULL: *why says why not (static text). */
NativeLib *native_load(const char *text, size_t len, const char *level, const char **why);
/* From the cache alone. */
NativeLib *native_find(const char *text, size_t len, const char *level);
void       native_unload(NativeLib *lib);
/* The function of that number (emit_function); NULL: the text has none. */
UopFn native_function(NativeLib *lib, uint32_t index);

#endif

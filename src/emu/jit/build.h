/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts on their way to native code, here or in a thread of their own.  A build belongs to whoever asked and, while it runs, to its thread:
 * nobody waits for one that is not wanted any more. */
#ifndef WW_EMU_JIT_BUILD_H
#define WW_EMU_JIT_BUILD_H

#include "emu/jit/native.h"

typedef struct Build Build;

/* Takes the text over.  waits: it is done on return. */
Build *build_start(Str *text, const char *level, bool waits);
/* The same where the cache has it, at once; NULL, and the text stays the caller's: it has not. */
Build *build_find(Str *text, const char *level);
/* What it became; NULL: it is not done, or there is none.  The build's until build_drop. */
NativeLib *build_result(Build *b);
/* Why it is done and became nothing; NULL: it did, or it is not done. */
const char *build_failed(const Build *b);
/* NULL is fine.  Its native code must not run any more. */
void build_drop(Build *b);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the words that there are was probably meant. */
#ifndef WW_BASE_NEAREST_H
#define WW_BASE_NEAREST_H

#include <stddef.h>

#include "base/str.h"

/* The word of the list (it ends with NULL) that `given` was probably meant to be, whatever the case of its letters; NULL: none is near. */
const char *nearest_word(const char *given, const char *const *words);
/* Appends "; did you mean 'WORD'?" where one is near the `len` bytes of given. */
void nearest_hint(const char *given, size_t len, const char *const *words, Str *out);

#endif

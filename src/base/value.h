/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that a person writes, of options and of the environment alike.  false: *why says what is wrong with the text, without a name. */
#ifndef WW_BASE_VALUE_H
#define WW_BASE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Decimal or 0x...; range "MIN..MAX", or "" for any. */
bool value_number(const char *text, const char *range, uint64_t *out, Str *why);
/* Hexadecimal, with or without 0x. */
bool value_hex(const char *text, uint64_t *out, Str *why);
/* The index of the text among the words of "a|b|c". */
bool value_choice(const char *text, const char *words, int *out, Str *why);

/* "first:8,random:64", each word once and in any order, each number 1 to 65536; 0 of what is not said.  first: of a grid's blocks. */
bool value_blocks(const char *text, uint32_t *first, uint32_t *random, Str *why);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer expressions of `lane`, in C's notation and precedence: numbers (decimal, 0x, 0b), lane, ( ), unary + - ~ !,
 * * / %, + -, << >>, < <= > >=, == !=, &, ^, |, &&, ||, ?:.  Arithmetic is 64-bit signed; what does not fit is an error. */
#ifndef WW_BASE_EXPR_H
#define WW_BASE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ExprError {
    size_t at;        /* byte in the text, from 0 */
    char   text[160]; /* what is wrong and what was expected */
} ExprError;

enum { EXPR_NO_LANE = -1 }; /* as the lane: an expression of numbers alone, in which the name is an error */

/* False with *error filled in: malformed, division by zero, or a shift count outside 0..63 (in a branch that is taken). */
bool expr_eval(const char *text, int64_t lane, int64_t *out, ExprError *error);

#endif

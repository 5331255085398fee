/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix sweep's element formats and inputs. */
#ifndef WW_TESTS_MATRIX_H
#define WW_TESTS_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Format {
    const char *name;
    unsigned    bytes;        /* as stored; elements narrower than a byte are drawn as bytes */
    unsigned    ebits, mbits; /* 0: a whole number */
    unsigned    unused;       /* low bits that are stored and not read */
    bool        has_inf;
    unsigned    bits;         /* of one element */
} Format;

/* Fills `bytes` bytes with elements of the format. */
void inputs_fill(const Format *f, unsigned style, bool is_c, uint64_t seed, uint8_t *to, size_t bytes);

#endif

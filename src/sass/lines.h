/* SPDX-License-Identifier: Apache-2.0
 *
 * The line program of machine code: from which line of which file each instruction comes (DWARF 2, section 6.2). */
#ifndef WW_SASS_LINES_H
#define WW_SASS_LINES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

typedef struct LineRow { /* holds up to the next row of the same sequence */
    uint64_t    at;      /* address in the function */
    uint32_t    line;
    const char *file;    /* as the program names it; NULL: it does not */
    uint64_t    sequence; /* byte of the section at which the sequence's function is named: what a relocation applies to */
    bool        end;     /* the address behind the sequence */
} LineRow;

/* All rows of a section, in its order, in the arena; the names are in the arena or in the section.  WW_ERR_INVALID: it is not a line program that can
 * be read; the rows before that place are given all the same, and *why says what is wrong. */
Status lines_read(Arena *a, const uint8_t *p, size_t n, LineRow **out, size_t *rows, Str *why);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the assembler left in machine code (a cubin): its functions with their resources and instructions, the PTX that it was made from,
 * and from which line of it each instruction comes.  The last two are there where it was asked for them (ptxas --generate-line-info,
 * nvcc -lineinfo or -G). */
#ifndef WW_SASS_CUBIN_H
#define WW_SASS_CUBIN_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

enum { SASS_WORD = 16 }; /* bytes of a machine instruction (cc 7.0 and later) */

typedef struct CubinText { /* the PTX of one source file */
    const char *name; /* of its section */
    const char *ptx;  /* with its line numbers; comments, .loc and .file are blank.  Zero-terminated */
    size_t      len;
} CubinText;

typedef struct CubinFunc {
    const char    *name;
    bool           kernel;    /* else a function that kernels call */
    unsigned       registers; /* of a thread; 0: not said */
    unsigned       stack;     /* bytes of a thread's frame */
    size_t         arguments; /* bytes of the bank of constants that has them, with what lies before them */
    size_t         constants; /* bytes of the program's own constants, of all its functions */
    unsigned       shared;    /* static bytes of a block, with those that the system keeps */
    const uint8_t *code;      /* in the cubin's bytes */
    size_t         words;     /* instructions */
    /* By instruction: the line of the text that it comes from; 0: not known.  NULL: of none it is. */
    const uint32_t  *line;
    const CubinText *text;    /* that the lines are of; NULL: not known */
    /* The same of the program's source, each with its file; NULL where it is not known. */
    const uint32_t    *source_line;
    const char *const *source_file;
} CubinFunc;

typedef struct Cubin {
    Arena           *arena;
    unsigned         arch; /* 90 for sm_90; 0: not said in a way that is known */
    const CubinText *text;
    size_t           texts;
    const CubinFunc *func;
    size_t           funcs;
    const char      *note; /* what could not be read of the lines, and why; NULL: nothing is wrong */
} Cubin;

/* Reads machine code.  It points into `bytes`, which must stay as long as it does; free with cubin_free.
 * WW_ERR_INVALID: it is no machine code, or it is damaged; *why says where.  What is wrong with the lines alone is a note. */
Status cubin_open(const void *bytes, size_t n, Cubin **out, Str *why);
void   cubin_free(Cubin *c); /* NULL is allowed */
/* NULL: there is none of that name. */
const CubinFunc *cubin_func(const Cubin *c, const char *name);

/* Appends one of its texts with .loc and .file again, which the assembler had taken out: each line of the PTX has the place in the program's
 * source that an instruction made from it has.  A line that left no instruction has the place of the one before it.  Lines keep their numbers. */
void cubin_ptx(const Cubin *c, const CubinText *text, Str *out);

#endif

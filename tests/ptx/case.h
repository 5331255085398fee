/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file that carries its own launch and expectations, in comment lines at its head:
 *
 *   // launch: grid 2 block 32,2,1 shared 1024 cluster 2       default: one block of 32 threads
 *   // kernel: name                                  default: the module's first
 *   // arg: NAME TYPE = VALUE                        one scalar, by value
 *   // arg: NAME TYPE(COUNT) = VALUES                COUNT elements by value: a structure
 *   // arg: NAME TYPE[COUNT] = VALUES                a pointer to COUNT elements
 *   // arg: NAME TYPE[COUNT] freed                   a pointer to memory that was freed before the launch
 *   // map: NAME TYPE BUFFER FIELDS...              a tensor map by value: fields of WwTensorMap, "dim 64,32 stride 128 box 8,8 swizzle 32";
 *                                                  TYPE and BUFFER: of the tensor's elements and the pointer argument that holds it
 *   // out: NAME TYPE[COUNT] [= VALUES]              the same; without values it starts as zeros
 *   // expect: NAME = VALUES                         the elements after the launch
 *   // expect_sorted: NAME = VALUES                  the same after sorting: for results whose order is free
 *   // prints: TEXT                                  what printf printed, \n for a new line; several lines are one text
 *   // status: fault|unsupported|limit|launch|parse  the launch (or the load) ends with it; default: ok
 *   // fails: GLOB                                   its message
 *   // max_instructions: N                           emulator
 *   // device: emulator|cuda|all                     default: all; with a status: emulator, whose messages they are
 *   // async: eager|late|random                    emulator: only with copies that land so; default: each of them
 *   // threads: N                                    emulator's worker threads; default: one and several
 *
 * Arguments stand in the kernel's order.  TYPE: u8 ... u64, s8 ... s64, f32, f64.
 * VALUES: numbers, each `x` or `x*count`, as many as elements or a single one for all; `iota`; `random SEED`; or an expression
 * (expr.c) of i, the element's index, and of the arguments: `in[i ^ 1] + 3 * (i % 32 < n)`. */
#ifndef WW_TESTS_PTX_CASE_H
#define WW_TESTS_PTX_CASE_H

#include "base/arena.h"
#include "warpwright/warpwright.h"

enum { MAX_ARGS = 16, MAX_EXPECTS = 16 };

typedef struct ElementType { const char *name; unsigned bytes; char kind; } ElementType;

typedef struct Argument {
    const char        *name;
    const ElementType *type;
    size_t             count;
    bool               pointer, freed;
    uint8_t           *initial; /* count elements */
    uint8_t           *after;   /* what the launch left */
    WwPtr              address;
    const char        *holds;   /* a tensor map: the argument that it describes */
    WwTensorMap        map;
} Argument;

typedef struct Expect {
    Argument   *arg;
    const char *values;
    bool        sorted;
} Expect;

typedef struct PtxCase {
    Arena      *arena;
    const char *path, *text;
    size_t      len;
    WwDim3      grid, block, cluster;
    uint32_t    shared;
    const char *kernel, *prints, *fails, *async;
    WwStatus    status;
    uint64_t    max_instructions;
    unsigned    threads; /* 0: one and several */
    bool        emulator, cuda;
    Argument    arg[MAX_ARGS];
    size_t      nargs;
    Expect      expect[MAX_EXPECTS];
    size_t      nexpects;
} PtxCase;

/* On failure *why says what is wrong with the file's head. */
bool case_read(Arena *a, const char *path, PtxCase *c, const char **why);
/* The argument of that name (n characters); NULL: there is none. */
Argument *case_argument(PtxCase *c, const char *name, size_t n);
/* Fills count elements of type t; c: where names are looked up. */
bool values_fill(const PtxCase *c, const char *values, const ElementType *t, size_t count, uint8_t *out, const char **why);
/* One element as a number a person can read. */
const char *value_text(Arena *a, const ElementType *t, const uint8_t *at);

/* Evaluates a C expression of integers over i, argument names and name[index]; reads initial values. */
bool expr_value(const PtxCase *c, const char *text, int64_t i, int64_t *out, const char **why);
int64_t element_value(const Argument *a, size_t k);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry points of the API tables as data, and values for their arguments.  calls.c asks each alone, tests/fuzz/fuzz_api.c sequences. */
#ifndef WW_TESTS_CALLS_H
#define WW_TESTS_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/memory/ipc.h"

enum { CALLS_MOST = 16, CALLS_EXTREMES = 6, CALLS_NODES = 8, CALLS_BUFFER = 1 << 16 };

typedef void (*Function)(void);
typedef union Value {
    uint64_t   u;
    float      f;
    Extent     Extent;
    PitchedPtr PitchedPtr;
    WwDim3     WwDim3;
    IpcHandle  IpcHandle;
} Value;

typedef enum Kind {
    NO_KIND,
    FLOAT,
    STRUCT,
    FUNCTION,
    STREAM,
    EVENT,
    GRAPH,
    NODE,
    EXEC,
    POOL,
    MIPMAP,
    ARRAY,
    CONTEXT,
    OTHER,
    SYMBOL,
    STUB,
    MODULE,
    KERNEL,
    DEVICE,
    TEXT,
    BUFFER,
    INT,
    SIZE,
    COUNT,
    PLAIN,
    KINDS
} Kind;

typedef struct Call {
    const char *name, *symbol;
    void (*call)(Function f, const Value *v);
    int  rows, n; /* of the tables; parameters */
    Kind kind[CALLS_MOST];
    Kind made[CALLS_MOST]; /* what an out parameter receives a handle of */
} Call;

/* The table that signatures.py makes. */
const Call *calls_table(size_t *count);

/* Once in a process: one object of each kind, made by functions of the library, and memory for the arguments, behind which nothing lies. */
void calls_objects(void *library);
/* The good object of a kind; nodes: CALLS_NODES of them, each the first of its graph. */
extern uint64_t calls_good[KINDS], calls_node[CALLS_NODES];
/* CALLS_BUFFER bytes for the i-th argument. */
extern char *calls_buffer[CALLS_MOST];

/* Extreme e of the i-th argument, which is of kind k; 0 is the plain one.  Out pointers are NULL or good: nobody could tell a wild one. */
Value calls_value(Kind k, int i, int e);
/* Zeros the arguments' memory up to what any function reads or writes. */
void calls_clear(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The program's calls while anything is checked: one that fails, and whose error nobody asks for, is a finding.
 *
 *     ww_call (entry/watch.c)        calls_begin, the entry point, calls_end: once for each call of the program, not for our own
 *     calls_why("..."), calls_refuse what the entry point knows of its failure; valid until the call ends
 *
 * A failure is kept until the thread's next call: one of kind ASK drops it, one of kind WAIT, PROBE or NONE leaves it, any other tells it.
 * The kinds are a column of entry/api.def. */
#ifndef WW_CUDA_CALLS_H
#define WW_CUDA_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/process/types.h"

typedef enum CallFailure { CALL_NONE, CALL_ASK, CALL_PROBE, CALL_WAIT, CALL_LAUNCH, CALL_FAILS } CallFailure;

typedef struct CallRow { /* of an entry point; target is first: entry/watch.c jumps through it */
    void      (*target)(void);
    const char *name, *args; /* as entry/api.def has them */
    CallFailure failure;
    bool        driver;
} CallRow;

enum { CALL_REGISTERS = 8 };

/* Set while anything is checked. */
extern int calls_watched;

void calls_begin(const CallRow *row);
/* code: what the entry point returned; regs, stack: its arguments as the platform passes them.  Returns code. */
unsigned calls_end(const CallRow *row, unsigned code, const uint64_t *regs, const uint64_t *stack);

/* Why the current call fails, in words that stand behind the error's own. */
void calls_why(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The current call's launch is not accepted.  launch: the kernel and its geometry, as people read them.  false: no call of the program is
 * watched now, so that nothing will come of it. */
bool calls_refuse(const char *kernel, const char *launch, const char *why);
/* A finding of the current call says what is wrong with it. */
void calls_told(void);
/* Tells what is kept, of all threads; the state is locked. */
void calls_finish(void);
/* After fork: nothing is kept. */
void calls_forget(void);

#endif

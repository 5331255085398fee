/* SPDX-License-Identifier: Apache-2.0
 *
 * A function with a stack of its own that can pause, so that whoever called it goes on and anyone may let it go on later. */
#ifndef WW_CUDA_COROUTINE_H
#define WW_CUDA_COROUTINE_H

#include <stdbool.h>

typedef struct Coroutine Coroutine;

/* NULL: no memory for a stack. */
Coroutine *coroutine_new(void (*fn)(void *), void *arg);
/* Runs it until it pauses (false) or ends (true: it is freed). */
bool coroutine_run(Coroutine *c);
/* In it: gives control back to coroutine_run; returns when that is called again, perhaps in another thread. */
void coroutine_pause(Coroutine *c);

#endif

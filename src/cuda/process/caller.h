/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the program called us: findings of the host's side carry it.
 *
 *     Caller c = caller_now();                // addresses on the stack; quick enough for every allocation of a checked program
 *     frames   = caller_frames(&c, &n);       // functions, files and lines; for what is told */
#ifndef WW_CUDA_CALLER_H
#define WW_CUDA_CALLER_H

#include "cuda/process/types.h"

enum { CALLER_FRAMES = 12 };
typedef struct Caller { /* return addresses, innermost first, without our own */
    unsigned n;
    void    *at[CALLER_FRAMES];
} Caller;

/* n is 0 on threads of ours. */
Caller caller_now(void);
/* The code of the library that holds the address is ours: frames in it are passed over. */
void   caller_is_own(uintptr_t address);
/* Kept for as long as the process; NULL and 0 where nothing is known. */
const WwFrame *caller_frames(const Caller *c, size_t *n);
/* The same in two steps: what is kept of a caller for a question that may come later, one for equal callers; NULL: nothing is known. */
typedef struct Call Call;
Call          *caller_call(const Caller *c);
const WwFrame *call_frames(Call *call, size_t *n);
/* Gives the finding its host frames, and the place of the first that is the user's. */
void           caller_place(WwFinding *f, const WwFrame *frames, size_t n);

#endif

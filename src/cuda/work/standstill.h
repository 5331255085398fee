/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that wait in loops for memory which nobody is left to change. */
#ifndef WW_CUDA_STANDSTILL_H
#define WW_CUDA_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "warpwright/warpwright.h"

typedef struct Standstill {  /* of a launch */
    uint64_t        launch;  /* its number */
    unsigned        threads; /* of the host that it has besides the stream's */
    uint64_t        rest;    /* of the process when it went on last; 0: there was none */
    uint64_t        stands;  /* the rest in which it was found to go round for ever; 0: it was not */
    bool            waits, noted;
    struct timespec since; /* it waits */
} Standstill;

/* A launch pauses: p->end is set where it has to end. */
void standstill_pause(Standstill *s, const char *kernel, WwPause *p);
/* It goes on: sets p->still. */
void standstill_resume(Standstill *s, WwPause *p);
/* The calling thread, when it is one of the program's, begins or ends to wait for streams. */
void standstill_waits(bool begins);
/* Memory may have changed. */
void standstill_stirred(void);
/* The calling thread is ours, not the program's. */
void standstill_ours(void);
/* After fork: nobody waits. */
void standstill_forget(void);

/* The queues of streams say how it is with them: can nothing go on in any but kernels that have begun, and does `is` hold for those?  Set
 * when the library is loaded. */
typedef bool (*StandstillQueues)(bool (*is)(const Standstill *s, void *user), void *user);
extern StandstillQueues standstill_queues;
#define STANDSTILL_QUEUES(function)                                                                                    \
    __attribute__((constructor)) static void part_standstill(void)                                                     \
    {                                                                                                                  \
        standstill_queues = (function);                                                                                \
    }

#endif

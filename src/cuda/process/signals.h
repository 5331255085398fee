/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that end the process: the report comes first. */
#ifndef WW_CUDA_SIGNALS_H
#define WW_CUDA_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* The signals that only the program's own threads take: all but a thread's own faults. */
void signals_of_program(sigset_t *set);
/* Starts a thread of ours, which takes none of them and ends by itself; false when there is none to be had. */
bool signals_thread(void *(*fn)(void *), void *arg);
/* How many there are; one is about to end. */
unsigned signals_threads(void);
void     signals_thread_ends(void);
/* Does the program catch any signal? */
bool signals_of_the_program(void);

/* Takes the signals for which the program has no handler. */
void signals_catch(void);
/* Starts the thread that they wake, at the first call of the program. */
void signals_watch(void);
/* Does not return when a signal ends the process; gives up the lock. */
void signals_stay(void);
/* After fork: the child has no such thread. */
void signals_forget(void);

/* The handler is no sign that the program handles the signal. */
void signals_are_ours(int sig, void (*handler)(int, siginfo_t *, void *));

#endif

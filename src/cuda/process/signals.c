/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal that ends the process, after its report.  Where the program has no handler of its own, ours does what a
 * handler may do: it notes the signal and wakes a thread.  That thread waits for the state's lock (a kernel that runs
 * stops, because state.stop is set), ends what waits in streams, writes the report, and ends the process as the signal
 * would have.  Every other thread that comes for the lock stays there.
 *
 * SIGABRT and the faults of the program's own code come from a thread that cannot go on: it waits in the handler for the end, and when it
 * holds the lock itself, the report is written without it after a while.
 * Not covered: a program that leaves by _exit or is killed outright writes no report. */
#include "cuda/process/signals.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cuda/process/state.h"

enum { PATIENCE = 5 }; /* seconds for the lock */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { SIGNALS = sizeof signals / sizeof *signals };

static unsigned              threads; /* of ours; under the state's lock */
static sem_t                 noted;
static bool                  caught[SIGNALS], asked;
static volatile sig_atomic_t watching;
static _Thread_local bool    watcher;

static bool own_fault(int sig)
{
    return sig != SIGINT && sig != SIGTERM && sig != SIGHUP;
}

void signals_of_program(sigset_t *set)
{
    static const int faults[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigfillset(set);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(set, faults[i]);
}

bool signals_thread(void *(*fn)(void *), void *arg)
{
    pthread_t      t;
    pthread_attr_t a;
    sigset_t       program, old;
    signals_of_program(&program);
    pthread_sigmask(SIG_SETMASK, &program, &old);
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    bool ok = pthread_create(&t, &a, fn, arg) == 0;
    threads += ok;
    pthread_attr_destroy(&a);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

unsigned signals_threads(void)
{
    return threads;
}

void signals_thread_ends(void)
{
    threads--;
}

static void on_signal(int sig)
{
    if (!watching || watcher) { /* nothing was called yet, or the report itself fails */
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    int saved = errno; /* NOLINT(bugprone-signal-handler): this thread's own variable */
    if (!state.stop) {
        state.stop = sig;
        sem_post(&noted);
    }
    while (own_fault(sig))
        sleep(1); /* the other thread ends the process */
    errno = saved;
}

static void *watch(void *unused)
{
    (void)unused;
    watcher = true;
    while (sem_wait(&noted) != 0)
        ;
    int sig = state.stop;
    if (state_lock_for(PATIENCE))
        state_parts.work_end();
    state_finish(128 + sig);
    signal(sig, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, sig);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    kill(getpid(), sig);
    return NULL;
}

void signals_catch(void)
{
    asked = true;
    sem_init(&noted, 0, 0);
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            caught[i] = signal(signals[i], on_signal) != SIG_ERR;
    }
}

static void (*ours[NSIG])(int, siginfo_t *, void *);

void signals_are_ours(int sig, void (*handler)(int, siginfo_t *, void *))
{
    ours[sig] = handler;
}

bool signals_of_the_program(void)
{
    struct sigaction s;
    for (int i = 1; i < NSIG; i++)
        if (sigaction(i, NULL, &s) == 0 && s.sa_handler != SIG_DFL && s.sa_handler != SIG_IGN &&
            s.sa_handler != on_signal && !(s.sa_flags & SA_SIGINFO && s.sa_sigaction == ours[i]))
            return true;
    return false;
}

void signals_forget(void)
{
    watching = false;
    threads  = 0;
}

void signals_watch(void)
{
    if (!watching && asked)
        watching = signals_thread(watch, NULL);
}

void signals_stay(void)
{
    if (!state.stop || watcher || !watching)
        return;
    state_release();
    for (;;)
        pause();
}

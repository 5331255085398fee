/* SPDX-License-Identifier: Apache-2.0
 *
 * Coroutines over ucontext.  Ended ones keep their stacks for the next, because every launch takes one.  Called under the state's lock.
 * AddressSanitizer, which keeps notes of what lies where in a stack, and ThreadSanitizer, which keeps one of what each has done, are told of
 * every switch.
 * What runs on such a stack must not hold the address of a thread-local variable across a pause. */
#include "cuda/process/coroutine.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/arena.h"
#include "cuda/process/signals.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define SWITCHING(notes, to, bytes)  __sanitizer_start_switch_fiber(notes, to, bytes)
#define SWITCHED(notes, from, bytes) __sanitizer_finish_switch_fiber(notes, from, bytes)
#else
#define SWITCHING(notes, to, bytes)  ((void)(notes))
#define SWITCHED(notes, from, bytes) ((void)(notes))
#endif

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define FIBER_NEW()    __tsan_create_fiber(0)
#define FIBER_END(f)   __tsan_destroy_fiber(f)
#define FIBER_NOW()    __tsan_get_current_fiber()
#define FIBER_ENTER(f) __tsan_switch_to_fiber(f, 0)
#else
#define FIBER_NEW()    NULL
#define FIBER_END(f)   ((void)(f))
#define FIBER_NOW()    NULL
#define FIBER_ENTER(f) ((void)(f))
#endif

enum { STACK = 1 << 20, GUARD = 1 << 12, KEPT = 8 };

struct Coroutine {
    ucontext_t inside, outside;
    void (*fn)(void *);
    void       *arg;
    char       *stack; /* GUARD bytes that may not be touched, then STACK */
    const void *from;
    size_t      from_bytes;     /* the stack of who runs it; AddressSanitizer's */
    void       *fiber, *caller; /* this and who runs it; ThreadSanitizer's */
    bool        ended;
    Coroutine  *next;
};

static Coroutine *kept;
static unsigned   nkept;

void coroutine_pause(Coroutine *c)
{
    void *notes = NULL;
    SWITCHING(&notes, c->from, c->from_bytes);
    FIBER_ENTER(c->caller);
    swapcontext(&c->inside, &c->outside);
    SWITCHED(notes, &c->from, &c->from_bytes);
}

static void enter(unsigned high, unsigned low)
{
    Coroutine *c = (Coroutine *)((uintptr_t)high << 32 | low);
    SWITCHED(NULL, &c->from, &c->from_bytes);
    for (;;) { /* the next user of this stack goes on here */
        c->fn(c->arg);
        c->ended = true;
        coroutine_pause(c);
    }
}

static Coroutine *make(void)
{
    Coroutine *c = xcalloc(1, sizeof *c);
    c->stack = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c->stack == MAP_FAILED || mprotect(c->stack, GUARD, PROT_NONE) != 0 || getcontext(&c->inside) != 0) {
        if (c->stack != MAP_FAILED)
            munmap(c->stack, GUARD + STACK);
        free(c);
        return NULL;
    }
    c->fiber                   = FIBER_NEW();
    c->inside.uc_stack.ss_sp   = c->stack + GUARD;
    c->inside.uc_stack.ss_size = STACK;
    c->inside.uc_link          = NULL;
    signals_of_program(&c->inside.uc_sigmask); /* a switch changes the mask too, on whatever thread it is */
    makecontext(&c->inside, (void (*)(void))enter, 2, (unsigned)((uintptr_t)c >> 32), (unsigned)(uintptr_t)c);
    return c;
}

Coroutine *coroutine_new(void (*fn)(void *), void *arg)
{
    Coroutine *c = kept;
    if (c) {
        kept = c->next;
        nkept--;
    } else if (!(c = make())) {
        return NULL;
    }
    c->fn    = fn;
    c->arg   = arg;
    c->ended = false;
    return c;
}

bool coroutine_run(Coroutine *c)
{
    void *notes = NULL;
    SWITCHING(&notes, c->stack + GUARD, STACK);
    c->caller = FIBER_NOW();
    FIBER_ENTER(c->fiber);
    swapcontext(&c->outside, &c->inside);
    SWITCHED(notes, NULL, NULL);
    if (!c->ended)
        return false;
    if (nkept == KEPT) {
        FIBER_END(c->fiber);
        munmap(c->stack, GUARD + STACK);
        free(c);
        return true;
    }
    c->next = kept;
    kept    = c;
    nkept++;
    return true;
}

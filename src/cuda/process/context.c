/* SPDX-License-Identifier: Apache-2.0
 *
 * The contexts of the process and each thread's stack of current ones.
 * Every context of a device sees the same memory, as the runtime's primary one does.  A thread that has used the runtime finds the primary
 * context on its stack.  A destroyed context stays where it is current, and says so; its handle is never another's. */
#include "cuda/process/context.h"

#include "base/arena.h"

enum { STACK = 32 };

static Context                primary[MAX_DEVICES];
static Context               *contexts;
static _Thread_local Context *stack[STACK];
static _Thread_local int      top;
static bool                   initialised;

CuErr context_started(void)
{
    CuErr e = state_refusal();
    return e != cudaSuccess ? e : initialised || state.runtime_used ? cudaSuccess : cudaErrorInitializationError;
}

void context_initialise(void)
{
    initialised = true;
}

CuErr context_check_device(const void *out, int device)
{
    CuErr e = context_started();
    return e != cudaSuccess                      ? e
           : !out                                ? cudaErrorInvalidValue
           : device < 0 || device >= state.count ? cudaErrorInvalidDevice
                                                 : cudaSuccess;
}

CuErr context_ready(void)
{
    CuErr e = context_started();
    if (e != cudaSuccess)
        return e;
    const Context *c = context_now();
    return !c ? cudaErrorDeviceUninitialized : c->destroyed ? cudaErrorContextIsDestroyed : cudaSuccess;
}

/* ---- the contexts ---- */

Context *context_new(int device, unsigned flags, unsigned sms)
{
    Context *c = xcalloc(1, sizeof *c);
    *c         = (Context){.device = device, .flags = flags, .sms = sms, .next = contexts};
    contexts   = c;
    return c;
}

Context *context_primary(int device)
{
    return &primary[device];
}

Context *context_retain(int device)
{
    primary[device].device = device;
    primary[device].users++;
    return &primary[device];
}

bool context_known(const void *context)
{
    for (int i = 0; context && i < MAX_DEVICES; i++)
        if (context == &primary[i])
            return true;
    for (const Context *k = contexts; context && k; k = k->next)
        if (k == context)
            return !k->destroyed;
    return false;
}

bool context_ended(const void *context)
{
    const Context *k = contexts;
    while (k && k != context)
        k = k->next;
    return context_destroyed(k);
}

bool context_destroyed(const Context *c)
{
    return c && c->destroyed;
}

unsigned context_sms(const void *context)
{
    return context_known(context) ? ((const Context *)context)->sms : 0;
}

/* ---- the thread's ---- */

Context *context_now(void)
{
    if (!top && state_runtime_context) {
        int device = state_current();
        if (!primary[device].runtime)
            context_retain(device)->runtime = true;
        stack[top++] = &primary[device];
    }
    return top ? stack[top - 1] : NULL;
}

static void follow(void)
{
    if (top)
        state_set_current(stack[top - 1]->device);
}

bool context_push(Context *c)
{
    context_now();
    if (top == STACK)
        return false;
    stack[top++] = c;
    follow();
    return true;
}

Context *context_pop(void)
{
    Context *was = context_now();
    if (!was)
        return NULL;
    state_runtime_context = false; /* what the runtime made current is off the stack */
    top--;
    follow();
    return was;
}

void context_drop(const Context *c)
{
    if (top && stack[top - 1] == c)
        top--;
    follow();
}

void context_replace(Context *c)
{
    state_runtime_context = false;
    top -= top > 0;
    if (c)
        stack[top++] = c;
    follow();
}

void context_set_device(int device)
{
    if (top)
        top--;
    state_runtime_context = true;
    state_set_current(device);
    context_now();
}

void context_reset_device(int device)
{
    primary[device].users -= primary[device].runtime;
    primary[device].runtime = false;
    if (top == 1 && stack[0] == &primary[device])
        top = 0;
    state_runtime_context = false;
}

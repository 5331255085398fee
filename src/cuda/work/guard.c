/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's own code and the memory that it shares with kernels (race-host).  Pinned and managed memory lie where the host sees them, so a
 * load or store of the host makes no call.  While the program's code runs, pages that hold bytes of work which the host has not waited
 * for may not be touched: the first access to one faults, and the handler asks the race checker about that very byte.  Where it is no
 * race, the instruction is done alone (single step) and the page closed again.  Inside calls of the interface everything is open.
 *
 * Costs nothing where races are not checked, and nearly nothing while the host has waited for all work.  Other faults go to the handler that was
 * there before.  Kernels may tell the host through memory that they are done: pages with such words are closed too, so that its look there
 * is seen (check/race/race_host.c); that opens what the kernel used.  Nothing is closed while a kernel waits or runs in a stream, as the
 * host may be who it waits for.  Host functions of a stream are host code like any other, behind what their stream knows.
 * Of registered memory only whole pages of private memory without a file are closed: the rest of a page is the program's.
 * Not seen: what the kernel of the operating system does for the program (a read() into such a page fails with EFAULT), pages beyond
 * MOST_SPANS runs of them, and beyond MOST_STEPS accesses between two calls, others on their page. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "cuda/memory/devmem.h"
#include "cuda/process/signals.h"
#include "cuda/work/queue.h"
#include "cuda/work/sequence.h"

enum { PAGE = 4096, MOST_SPANS = 16384, MOST_STEPS = 20000, MOST_RETRIES = 100000 };

typedef struct Span {
    uint64_t from, to;
} Span;

static struct {
    Span             span[MOST_SPANS]; /* closed while `on` */
    volatile size_t  n;
    volatile bool    on;
    uint64_t         sequence, ranges; /* versions that the spans were made of */
    unsigned         steps;
    struct sigaction before[2]; /* SIGSEGV, SIGTRAP */
} guard;

static _Thread_local uint64_t stepping; /* the page that is open for one instruction */

/* ---- pages ---- */

static void close_span(const Span *s, bool closed)
{
    mprotect((void *)(uintptr_t)s->from, s->to - s->from, closed ? PROT_NONE : PROT_READ | PROT_WRITE);
}

static MemoryUse use_of(uint64_t from, uint64_t to, bool writes, const WorkOrder *host)
{
    MemoryUse most = USE_NONE;
    for (int i = 0; i < state.count && most < USE_RACES; i++) {
        MemoryUse u = state.device[i] ? emulator_uses(state.device[i], from, to, writes, host) : USE_NONE;
        most        = u > most ? u : most;
    }
    return most;
}

static void add_page(uint64_t page)
{
    Span *last = guard.n ? &guard.span[guard.n - 1] : NULL;
    if (last && last->to >= page)
        last->to = page + PAGE > last->to ? page + PAGE : last->to;
    else if (guard.n < MOST_SPANS)
        guard.span[guard.n++] = (Span){page, page + PAGE};
}

static void find_spans(void)
{
    const WorkOrder *host = sequence_host_order();
    guard.n               = 0;
    for (const Range *r = host ? devmem_next_shared(0) : NULL; r; r = devmem_next_shared(r->base + 1))
        for (int i = 0; i < state.count; i++)
            if (state.device[i])
                emulator_shown(state.device[i], r->base, r->base + r->bytes, host);
    for (const Range *r = host ? devmem_next_shared(0) : NULL; r; r = devmem_next_shared(r->base + 1)) {
        uint64_t end = r->base + r->bytes;
        for (uint64_t page = r->base & -(uint64_t)PAGE; page < end; page += PAGE) {
            uint64_t from = page < r->base ? r->base : page, to = page + PAGE < end ? page + PAGE : end;
            bool     ours = !r->registered || to - from == PAGE; /* else the program has something else there too */
            if (ours && use_of(from, to, true, host) != USE_NONE)
                add_page(page);
        }
    }
}

static void close_all(bool closed)
{
    for (size_t i = 0; i < guard.n; i++)
        close_span(&guard.span[i], closed);
}

/* ---- faults ---- */

static const Span *span_of(uint64_t address)
{
    for (size_t i = 0; i < guard.n; i++)
        if (address - guard.span[i].from < guard.span[i].to - guard.span[i].from)
            return &guard.span[i];
    return NULL;
}

/* What was there before ours.  A default action happens when the instruction is run again. */
static void hand_on(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *old = &guard.before[sig == SIGTRAP];
    if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(sig, info, context);
    else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(sig);
    else
        signal(sig, SIG_DFL);
}

/* The instruction that faulted stands for a call: return addresses lie behind calls. */
static Caller caller_at(uintptr_t pc)
{
    Caller   c = caller_now();
    unsigned i = 0;
    while (i < c.n && (uintptr_t)c.at[i] != pc)
        i++;
    if (i == c.n) {
        c.n = 1;
        i   = 0;
    }
    memmove(c.at, c.at + i, (c.n - i) * sizeof *c.at);
    c.n -= i;
    memset(c.at + c.n, 0, (CALLER_FRAMES - c.n) * sizeof *c.at);
    c.at[0] = (void *)(pc + 1);
    return c;
}

/* A race is told; so is a look at what a kernel has to say, after which less is closed. */
static MemoryUse judge(uint64_t address, bool writes, uintptr_t pc)
{
    const WorkOrder *host = sequence_host_order();
    MemoryUse        use  = host ? use_of(address, address + 1, writes, host) : USE_NONE;
    if (use == USE_NONE)
        return use;
    Caller c = caller_at(pc);
    state_caller_is(&c);
    for (int i = 0; i < state.count; i++)
        if (state.device[i])
            emulator_tell_work(state.device[i], writes ? MEMORY_CHANGED : MEMORY_LOOKED, address, 0, 1, host);
    state_caller_is(NULL);
    return use;
}

/* The access at pc may go on.  Then the page is closed again, but for one where a race was told. */
static void look(ucontext_t *u, uint64_t address, bool writes, uintptr_t pc)
{
    uint64_t  page = address & -(uint64_t)PAGE;
    MemoryUse use  = judge(address, writes, pc);
    if (use == USE_SPEAKS) {
        close_all(false);
        find_spans();
        close_all(true);
    }
    close_span(&(Span){page, page + PAGE}, false);
#if defined(__x86_64__)
    if (use != USE_RACES && guard.steps++ < MOST_STEPS) {
        stepping = page;
        u->uc_mcontext.gregs[REG_EFL] |= 0x100; /* the trap flag */
    }
#else
    (void)u;
#endif
}

static _Thread_local unsigned retries; /* of one instruction, while calls of other threads end */

static void on_fault(int sig, siginfo_t *info, void *context)
{
    ucontext_t *u       = context;
    uint64_t    address = (uint64_t)(uintptr_t)info->si_addr;
    if (!span_of(address)) {
        hand_on(sig, info, context);
        return;
    }
    if (!guard.on && ++retries > MOST_RETRIES) { /* it is not ours after all */
        hand_on(sig, info, context);
        return;
    }
    if (!state_try()) { /* another thread is in a call, and the page open or about to be: again */
        sched_yield();
        return;
    }
    if (guard.on) {
        retries = 0;
#if defined(__x86_64__)
        bool      writes = u->uc_mcontext.gregs[REG_ERR] & 2;
        uintptr_t pc     = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
        bool      writes = false; /* the cause is not told in a way that all versions of the system share */
        uintptr_t pc     = u->uc_mcontext.pc;
#endif
        look(u, address, writes, pc);
    }
    state_leave_try();
}

static void on_step(int sig, siginfo_t *info, void *context)
{
    uint64_t page = stepping;
    if (!page) {
        hand_on(sig, info, context);
        return;
    }
    stepping = 0;
#if defined(__x86_64__)
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100LL;
#endif
    if (!state_try())
        return;
    if (guard.on && span_of(page))
        close_span(&(Span){page, page + PAGE}, true);
    state_leave_try();
}

/* The program may have set handlers of its own since. */
static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction now, ours = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    if (sigaction(sig, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler))
        return;
    guard.before[sig == SIGTRAP] = now;
    signals_are_ours(sig, handler);
    sigaction(sig, &ours, NULL);
}

/* ---- calls of the interface begin and end ---- */

static void entered(void)
{
    if (!guard.on)
        return;
    guard.on = false;
    close_all(false);
}

static void left(void)
{
    if (!state.options.check || state.leaving || state.stop || queue_under_way())
        return;
    if (guard.sequence != sequence_version() || guard.ranges != devmem_version()) {
        guard.sequence = sequence_version();
        guard.ranges   = devmem_version();
        find_spans();
    }
    if (!guard.n)
        return;
    handle(SIGSEGV, on_fault);
    handle(SIGTRAP, on_step);
    guard.steps = 0;
    guard.on    = true;
    close_all(true);
}

STATE_PART(entered, entered)
STATE_PART(left, left)

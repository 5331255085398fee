/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch that is stopped: at a limit, or because it never ends.  The fault says where its threads are. */
#include "emu/run/stop.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/core/run.h"
#include "emu/core/where.h"

/* Where its threads are when the limit is reached, and one of those that run as the fault's place. */
static void name_threads(Fault *f, const Launch *l, const Cluster *c)
{
    Str      where = {0};
    size_t   n     = strlen(f->text);
    uint32_t t;
    if (!c)
        return;
    f->instr = where_instr(c, f->block, &t);
    if (f->instr != UINT32_MAX) {
        f->thread[0] = t % l->block[0];
        f->thread[1] = t / l->block[0] % l->block[1];
        f->thread[2] = t / (l->block[0] * l->block[1]);
    }
    where_threads(c, &where);
    snprintf(f->text + n, sizeof f->text - n, "; one %s that had not ended then: %s", c->n > 1 ? "cluster" : "block",
             str_text(&where));
    str_free(&where);
}

void launch_stop(Launch *l, const Cluster *c, FaultKind kind, const char *fmt, ...)
{
    va_list ap;
    pthread_mutex_lock(&l->lock);
    if (!__atomic_load_n(&l->aborted, __ATOMIC_RELAXED)) {
        l->fault = (Fault){.kind = kind, .instr = UINT32_MAX};
        va_start(ap, fmt);
        vsnprintf(l->fault.text, sizeof l->fault.text, fmt, ap);
        va_end(ap);
        name_threads(&l->fault, l, c);
        __atomic_store_n(&l->aborted, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&l->lock);
}

/* The first by order of start that a worker holds: so messages are the same with any number of workers. */
static const Cluster *first_held(const Launch *l)
{
    const Cluster *first = NULL;
    for (unsigned i = 0; i < l->nworkers; i++) {
        const Ring *r = &l->worker[i].ring;
        for (uint32_t s = 0; s < r->n; s++) {
            const Cluster *c = r->seat[s].cluster;
            first            = c && (!first || c->order < first->order) ? c : first;
        }
    }
    return first;
}

void emu_pause_where(const WwPause *p, Str *out)
{
    const Cluster *c = first_held(p->launch);
    if (c)
        where_threads(c, out);
}

/* A block has failed, for which others wait: its fault is the launch's. */
static bool stop_with_fault(Launch *l)
{
    bool failed = __atomic_load_n(&l->fault_order, __ATOMIC_ACQUIRE) != UINT64_MAX;
    if (failed)
        __atomic_store_n(&l->aborted, 1, __ATOMIC_RELEASE);
    return failed;
}

void launch_stop_endless(Launch *l)
{
    if (stop_with_fault(l))
        return;
    uint64_t rest = l->last - (l->next_cluster < l->last ? l->next_cluster : l->last);
    for (unsigned i = 0; i < l->nworkers; i++)
        rest += l->worker[i].claim.end - l->worker[i].claim.next;
    char room[160] = "", by[64] = "";
    if (l->thread_registers)
        snprintf(by, sizeof by, " (a thread has %u registers)", l->thread_registers);
    if (rest)
        snprintf(room, sizeof room,
                 "; %" PRIu64 " block%s cannot begin before others end, as the card holds %" PRIu64 " at once%s",
                 rest * l->cluster_blocks, rest * l->cluster_blocks == 1 ? "" : "s", l->resident * l->cluster_blocks,
                 by);
    launch_stop(l, first_held(l), FAULT_ENDLESS,
                "the launch never ends: every block that has begun waits in a loop, and nobody is left to change what "
                "it looks at%s",
                room);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * local-memory: arrays and spilled registers in local memory, which lies in device memory.  One finding a kernel, at the line that moves
 * most; arrays indexed by what the compiler does not know are seen as accesses, unless the assembler says that the kernel has no stack; spills only where
 * it says so (ptxas -v); of the program's own machine code only the stack is known, which holds both. */
#include <inttypes.h>

#include "check/perf/perf.h"

static uint64_t local_sectors(const WwCounters *c)
{
    return c->local_ld_sectors + c->local_st_sectors;
}

/* Bytes of local variables a thread has, in every function that ran. */
static uint64_t local_bytes(const CheckLaunch *l)
{
    const Func *last = NULL;
    uint64_t    sum  = 0;
    for (uint32_t id = 0; id < l->ninstr; id++) {
        const Func *f = l->instr[id].func;
        if (!f || f == last)
            continue;
        last = f;
        for (size_t i = 0; i < f->nvars; i++)
            sum += f->vars[i]->space == SPACE_LOCAL ? f->vars[i]->bytes : 0;
    }
    return sum;
}

void perf_local(Perf *p)
{
    uint64_t    sectors = 0, requests = 0, most = 0;
    uint32_t    id     = p->head;
    const char *spills = "";
    if (!perf_on(p, RULE_LOCAL_MEMORY))
        return;
    for (size_t i = 0; i < p->nspots; i++) {
        const WwCounters *c = &p->spot[i].sum;
        sectors += local_sectors(c);
        requests += c->local_ld_requests + c->local_st_requests;
        if (local_sectors(c) > most) {
            most = local_sectors(c);
            id   = p->spot[i].id[0];
        }
    }
    if (p->known && !p->resources.stack)
        return; /* small arrays stay in registers, and are chosen from by comparing */
    unsigned spilled = p->known && p->resources.spills ? p->resources.spill_stores + p->resources.spill_loads : 0;
    if (!spilled && (!sectors || !perf_reaches(p, RULE_LOCAL_MEMORY, "sectors", (double)sectors)))
        return;
    Finding *f = perf_note(p, RULE_LOCAL_MEMORY, id, requests);
    if (!f)
        return;
    if (p->known && p->resources.spills)
        spills = findings_text(p->found, "; registers: %u, spilled: %u bytes stored, %u loaded", p->resources.registers,
                               p->resources.spill_stores, p->resources.spill_loads);
    else if (p->known)
        spills = findings_text(p->found, "; registers: %u, stack: %u bytes with its spills", p->resources.registers,
                               p->resources.stack);
    f->message =
        findings_text(p->found, "local memory, %" PRIu64 " bytes a thread: %" PRIu64 " requests, %" PRIu64 " sectors%s",
                      local_bytes(p->launch), requests, sectors, p->known ? spills : "; spills unknown");
}

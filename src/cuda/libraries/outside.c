/* SPDX-License-Identifier: Apache-2.0
 *
 * What such a call does is done by the host, where it stands: behind the work that it has waited for, and beside all other.  So it is a read or write
 * of memory as a copy of the host's is (is what it reads written?), and, where work is left that the host has not waited for, a touch by the
 * host's own code (race-host). */
#include "cuda/libraries/outside.h"

#include "cuda/libraries/library.h"
#include "cuda/memory/devmem.h"
#include "cuda/work/sequence.h"

bool ww_cuda_outside_checked(void)
{
    return state.options.check != NULL && state.count > 0;
}

/* How much of the range lies in the allocation that it begins in; 0: it begins in none. */
static size_t part_of(const void *at, size_t bytes)
{
    uint64_t     address = (uint64_t)(uintptr_t)at;
    const Range *r       = bytes ? devmem_range(address) : NULL;
    if (!r)
        return 0;
    return bytes < r->base + r->bytes - address ? bytes : (size_t)(r->base + r->bytes - address);
}

/* call NULL: it is written. */
static void tell(const char *call, const void *at, size_t bytes)
{
    state_hold();
    uint64_t         address = (uint64_t)(uintptr_t)at;
    size_t           part    = part_of(at, bytes);
    const WorkOrder *host    = part ? sequence_host_order() : NULL;
    for (int i = 0; part && i < state.count; i++) {
        WwDevice *d = state.device[i];
        if (d && host)
            emulator_tell_work(d, call ? MEMORY_LOOKED : MEMORY_CHANGED, address, 0, part, host);
        if (d && call)
            emulator_tell_read(d, call, address, part, NULL);
        else if (d)
            emulator_tell(d, MEMORY_WRITE, address, 0, part);
    }
    state_let();
}

void ww_cuda_outside_reads(const char *call, const void *at, size_t bytes)
{
    if (ww_cuda_outside_checked())
        tell(call, at, bytes);
}

void ww_cuda_outside_writes(const void *at, size_t bytes)
{
    if (ww_cuda_outside_checked())
        tell(NULL, at, bytes);
}

void ww_cuda_outside_is(void (*code)(void))
{
    ww_cuda_library_is(code);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: multicast objects.  An object is a handle like that of memory; cuMemMap makes a window for multimem instructions of it
 * (emu/memory/multicast.h).  Devices of a machine with several have NVLink multicast here (attribute 132); a single one has not, as on a card
 * without a switch.  Calls that need the whole team wait until another thread has added the missing devices.
 * Not supported: memory of cudaMallocAsync, objects of other processes, fabric handles. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "cuda/memory/ipc.h"
#include "cuda/memory/vmm.h"
#include "cuda/process/context.h"

typedef struct MulticastProp { /* CUmulticastObjectProp */
    unsigned           devices;
    size_t             bytes;
    unsigned long long handle_types, flags;
} MulticastProp;
_Static_assert(sizeof(MulticastProp) == 32, "layout of CUmulticastObjectProp");

typedef struct Team {
    Multicast  object;                /* object.team: of devices added so far */
    unsigned   devices;               /* when complete */
    Physical **bound[MULTICAST_TEAM]; /* by device and granule */
} Team;

const Multicast *multicast_object(const Physical *p)
{
    return &p->team->object;
}

/* Its place in the team, -1: it is not in it. */
static int place(const Team *t, int device)
{
    for (unsigned i = 0; i < t->object.team; i++)
        if (t->object.device[i] == device)
            return (int)i;
    return -1;
}

bool multicast_has(const Physical *p, int device)
{
    return place(p->team, device) >= 0;
}

bool multicast_complete(Physical *p)
{
    enum { NAP_US = 1000, NAPS_UNTIL_SAID = 2000 };
    const Team *t = p->team;
    p->uses++;
    for (unsigned naps = 0; t->object.team < t->devices; naps++) {
        if (naps == NAPS_UNTIL_SAID)
            state_say("a call waits for cuMulticastAddDevice: a multicast object's team has %u of %u devices",
                      t->object.team, t->devices);
        unsigned held = state_release();
        usleep(NAP_US);
        state_retake(held);
    }
    bool there = p->handles > 0;
    vmm_unuse(p);
    return there;
}

static void let_go(Team *t, unsigned device, size_t granule)
{
    Physical *memory                   = t->bound[device][granule];
    t->bound[device][granule]          = NULL;
    t->object.granule[device][granule] = NULL;
    if (memory)
        vmm_unuse(memory);
}

void multicast_free(Physical *p)
{
    Team *t = p->team;
    for (unsigned i = 0; i < t->object.team; i++) {
        for (size_t g = 0; g < t->object.bytes / VMM_GRANULE; g++)
            let_go(t, i, g);
        free(t->bound[i]);
        free(t->object.granule[i]);
    }
    free(t);
}

/* ---- entry points ---- */

static CuErr check(const MulticastProp *p)
{
    if (!p || p->flags || !p->devices || !p->bytes)
        return cudaErrorInvalidValue;
    if (state.count < 2 || (p->handle_types & ~(unsigned long long)HANDLE_FD))
        return cudaErrorNotSupported;
    return p->devices <= (unsigned)state.count ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuMulticastGetGranularity(size_t *out, const MulticastProp *p, int option)
{
    ENTER_STARTED();
    if (!out || option < 0 || option > 1)
        return cudaErrorInvalidValue;
    CuErr e = check(p);
    if (e == cudaSuccess)
        *out = VMM_GRANULE;
    return e;
}

CuErr drv_cuMulticastCreate(uint64_t *out, const MulticastProp *p)
{
    ENTER_STARTED();
    CuErr e = out ? check(p) : cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return e;
    if (!vmm_whole(p->bytes))
        return cudaErrorInvalidValue;
    if (p->bytes > (uint64_t)state_limits().card->memory_mib << 20)
        return cudaErrorMemoryAllocation;
    int fd = ipc_file_new(IPC_FILE_TEAM);
    if (fd < 0)
        return cudaErrorMemoryAllocation;
    AllocationProp prop = {.type = ALLOCATION_PINNED, .handle_types = (int)p->handle_types};
    Physical      *x    = vmm_make(fd, p->bytes, &prop);
    x->team             = xcalloc(1, sizeof *x->team);
    *x->team            = (Team){.object = {.bytes = p->bytes}, .devices = p->devices};
    *out                = x->handle;
    return cudaSuccess;
}

static Physical *team_of(uint64_t handle)
{
    Physical *p = vmm_physical(handle);
    return p && p->team ? p : NULL;
}

CuErr drv_cuMulticastAddDevice(uint64_t handle, int device)
{
    ENTER_STARTED();
    Physical *p = team_of(handle);
    if (device < 0 || device >= state.count)
        return cudaErrorInvalidDevice;
    if (!p || p->team->object.team == p->team->devices || place(p->team, device) >= 0)
        return cudaErrorInvalidValue;
    Team    *t           = p->team;
    unsigned n           = t->object.team;
    size_t   granules    = t->object.bytes / VMM_GRANULE;
    t->bound[n]          = xcalloc(granules, sizeof *t->bound[n]);
    t->object.granule[n] = xcalloc(granules, sizeof *t->object.granule[n]);
    t->object.device[n]  = device;
    t->object.team++;
    return cudaSuccess;
}

static bool inside(size_t at, size_t bytes, size_t whole)
{
    return vmm_whole(bytes) && at % VMM_GRANULE == 0 && at <= whole && bytes <= whole - at;
}

/* The host's mapping of the memory, which stays until the memory goes. */
static uint8_t *view(Physical *memory)
{
    if (!memory->view) {
        void *p      = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
        memory->view = p == MAP_FAILED ? NULL : p;
    }
    return memory->view;
}

static CuErr bind(uint64_t handle, size_t at, Physical *memory, size_t from, size_t bytes, unsigned long long flags)
{
    Physical *p = team_of(handle);
    if (!p || !memory || memory->team || flags || !inside(at, bytes, p->bytes) || !inside(from, bytes, memory->bytes) ||
        (p->prop.handle_types & ~memory->prop.handle_types))
        return cudaErrorInvalidValue;
    memory->uses++; /* across the wait */
    CuErr e = multicast_complete(p) ? cudaSuccess : cudaErrorInvalidValue;
    int   n = e == cudaSuccess ? place(p->team, memory->prop.location_id) : -1;
    if (e == cudaSuccess && n < 0)
        e = cudaErrorInvalidDevice;
    for (size_t g = at / VMM_GRANULE; e == cudaSuccess && g < (at + bytes) / VMM_GRANULE; g++)
        if (p->team->bound[n][g])
            e = cudaErrorInvalidValue;
    if (e == cudaSuccess && !view(memory))
        e = cudaErrorMemoryAllocation;
    for (size_t i = 0; e == cudaSuccess && i < bytes / VMM_GRANULE; i++) {
        size_t g                      = at / VMM_GRANULE + i;
        p->team->bound[n][g]          = memory;
        p->team->object.granule[n][g] = memory->view + from + i * VMM_GRANULE;
        memory->uses++;
    }
    vmm_unuse(memory);
    return e;
}

CuErr drv_cuMulticastBindMem(uint64_t handle, size_t at, uint64_t memory, size_t from, size_t bytes,
                             unsigned long long flags)
{
    ENTER_STARTED();
    return bind(handle, at, vmm_physical(memory), from, bytes, flags);
}

CuErr drv_cuMulticastBindAddr(uint64_t handle, size_t at, WwPtr memory, size_t bytes, unsigned long long flags)
{
    ENTER_STARTED();
    size_t    from = 0;
    Physical *p    = vmm_mapped(memory, bytes, &from);
    if (!p)
        state_say("cuMulticastBindAddr of 0x%llx: no memory of cuMemCreate of that size is mapped there",
                  (unsigned long long)memory);
    return bind(handle, at, p, from, bytes, flags);
}

CuErr drv_cuMulticastUnbind(uint64_t handle, int device, size_t at, size_t bytes)
{
    ENTER_STARTED();
    Physical *p = team_of(handle);
    if (device < 0 || device >= state.count)
        return cudaErrorInvalidDevice;
    if (!p || !inside(at, bytes, p->bytes))
        return cudaErrorInvalidValue;
    int n = place(p->team, device);
    if (n < 0)
        return cudaErrorInvalidDevice;
    state_parts.work_settle(-1);
    for (size_t g = at / VMM_GRANULE; g < (at + bytes) / VMM_GRANULE; g++)
        if (!p->team->bound[n][g])
            return cudaErrorInvalidValue;
    for (size_t g = at / VMM_GRANULE; g < (at + bytes) / VMM_GRANULE; g++)
        let_go(p->team, (unsigned)n, g);
    return cudaSuccess;
}

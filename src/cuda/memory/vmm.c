/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: virtual memory management.  A reservation is address space of the host, a cuMemCreate handle is a memfd, mapping one
 * into the other is mmap, so the same memory may be mapped twice and be handed to another process as a file descriptor.
 * What is mapped and has access becomes an allocation of the device; neighbours in a reservation become one, so a copy may cross
 * them.  Access is given to a device or not: read-only access is full access here.
 * Multicast objects (multicast.c) are handles too; where one is mapped no host memory is, but a window for multimem instructions.
 * Not supported: handles other than file descriptors (fabric), sparse arrays. */
#include "cuda/memory/vmm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "cuda/memory/devmem.h"
#include "cuda/memory/ipc.h"
#include "cuda/process/context.h"
#include "emu/emu.h"

enum { ACCESS_NONE = 0, ACCESS_READ_WRITE = 3 };

typedef struct AccessDesc {
    int location_type, location_id, flags;
} AccessDesc;

typedef struct Mapping {
    uint64_t        at;
    size_t          bytes;
    Physical       *memory;
    size_t          offset; /* in it */
    unsigned        access; /* devices, one bit each */
    struct Mapping *next;   /* ascending */
} Mapping;

typedef struct Reservation {
    uint64_t            at;
    size_t              bytes;
    Mapping            *mappings;
    struct Reservation *next;
} Reservation;

static Physical    *memories;
static Reservation *reservations;
static uint64_t     handles;

Physical *vmm_physical(uint64_t handle)
{
    for (Physical *p = memories; p; p = p->next)
        if (p->handle == handle && p->handles)
            return p;
    return NULL;
}

void vmm_unuse(Physical *p)
{
    if (--p->uses)
        return;
    for (Physical **at = &memories; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            break;
        }
    if (p->team)
        multicast_free(p);
    if (p->view)
        munmap(p->view, p->bytes);
    close(p->fd);
    free(p);
}

static Reservation *reservation(uint64_t at, size_t bytes)
{
    for (Reservation *r = reservations; r; r = r->next)
        if (at >= r->at && at - r->at < r->bytes && bytes <= r->bytes - (at - r->at))
            return r;
    return NULL;
}

bool vmm_whole(size_t bytes)
{
    return bytes && bytes % VMM_GRANULE == 0;
}

static bool known_device(int type, int id)
{
    return type == LOCATION_DEVICE && id >= 0 && id < state.count;
}

/* ---- what the devices see ---- */

/* A window of a multicast object: in no allocation, and unknown to copies. */
static void show_multicast(const Mapping *m, WwDevice *d, bool on)
{
    if (on)
        emu_multicast_map(emulator_emu(d), m->at, m->bytes, multicast_object(m->memory), m->offset);
    else
        emu_multicast_unmap(emulator_emu(d), m->at);
}

/* Enters every run of neighbouring mappings to which device n has access; `on` false: takes them out. */
static void show(const Reservation *r, int n, bool on)
{
    CuErr     e;
    WwDevice *d = state_device(n, &e);
    for (const Mapping *m = r->mappings; d && m;) {
        uint64_t from = m->at, to = from;
        bool     visible = m->access & (1u << n);
        for (; m && m->at == to && (m->access & (1u << n)) && visible && !m->memory->team; m = m->next)
            to = m->at + m->bytes;
        if (to == from) {
            if (visible)
                show_multicast(m, d, on);
            m = m->next;
            continue;
        }
        if (on)
            emu_adopt(emulator_emu(d), from, to - from);
        else
            emu_disown(emulator_emu(d), from);
        if (on && !devmem_range(from))
            devmem_note((Range){.base = from, .bytes = to - from, .kind = MEMORY_DEVICE, .device = n, .mapped = true});
        else if (!on)
            devmem_drop(from);
    }
}

/* Tells every device which addresses of the range hold nothing that it may use: for messages. */
static void tell_reserved(const Reservation *r)
{
    for (int n = 0; n < state.count; n++) {
        EmuDevice *d = state.device[n] ? emulator_emu(state.device[n]) : NULL;
        if (!d)
            continue;
        emu_unreserve(d, r->at, r->bytes);
        emu_reserve(d, r->at, r->bytes, false);
        for (const Mapping *m = r->mappings; m; m = m->next)
            if (!(m->access & (1u << n)) && !m->memory->team)
                emu_reserve(d, m->at, m->bytes, true);
    }
}

static void hide_all(const Reservation *r)
{
    for (int n = 0; n < state.count; n++)
        if (state.device[n])
            show(r, n, false);
}

static void show_all(const Reservation *r)
{
    for (int n = 0; n < state.count; n++)
        if (state.device[n])
            show(r, n, true);
    tell_reserved(r);
}

/* ---- entry points ---- */

CuErr drv_cuMemGetAllocationGranularity(size_t *out, const AllocationProp *p, int option)
{
    ENTER();
    if (!out || !p || option < 0 || option > 1)
        return cudaErrorInvalidValue;
    if (p->location_type == LOCATION_DEVICE && !known_device(p->location_type, p->location_id))
        return cudaErrorInvalidDevice;
    *out = VMM_GRANULE;
    return cudaSuccess;
}

CuErr drv_cuMemAddressReserve(WwPtr *out, size_t bytes, size_t align, WwPtr wanted, unsigned long long flags)
{
    ENTER_STARTED();
    if (!out || flags || !vmm_whole(bytes) || (align & (align - 1)))
        return cudaErrorInvalidValue;
    if (!size_fits(wanted, size_add(bytes, align)))
        return cudaErrorMemoryAllocation;
    align = align < VMM_GRANULE ? VMM_GRANULE : align;
    uint8_t *space =
        mmap((void *)(uintptr_t)wanted, bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    uint64_t from = (uint64_t)(uintptr_t)space, at = (from + align - 1) & -align;
    if (at > from)
        munmap(space, at - from);
    if (from + align > at)
        munmap((void *)(uintptr_t)(at + bytes), from + align - at);
    Reservation *r = xcalloc(1, sizeof *r);
    *r             = (Reservation){.at = at, .bytes = bytes, .next = reservations};
    reservations   = r;
    *out           = at;
    tell_reserved(r);
    return cudaSuccess;
}

CuErr drv_cuMemAddressFree(WwPtr at, size_t bytes)
{
    ENTER_STARTED();
    for (Reservation **p = &reservations, *r; (r = *p); p = &r->next)
        if (r->at == at && r->bytes == bytes) {
            if (r->mappings) {
                state_say("cuMemAddressFree of 0x%llx: memory is still mapped there", (unsigned long long)at);
                return cudaErrorInvalidValue;
            }
            munmap((void *)(uintptr_t)at, bytes);
            for (int n = 0; n < state.count; n++)
                if (state.device[n])
                    emu_unreserve(emulator_emu(state.device[n]), at, bytes);
            *p = r->next;
            free(r);
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

Physical *vmm_make(int fd, size_t bytes, const AllocationProp *prop)
{
    Physical *p = xcalloc(1, sizeof *p);
    *p          = (Physical){
                 .handle = ++handles, .fd = fd, .bytes = bytes, .uses = 1, .handles = 1, .prop = *prop, .next = memories};
    memories = p;
    return p;
}

CuErr drv_cuMemCreate(uint64_t *out, size_t bytes, const AllocationProp *p, unsigned long long flags)
{
    ENTER_STARTED();
    if (!out || !p || flags || !vmm_whole(bytes) || p->type != ALLOCATION_PINNED)
        return cudaErrorInvalidValue;
    if (p->handle_types & ~HANDLE_FD)
        return cudaErrorNotSupported;
    if (!known_device(p->location_type, p->location_id))
        return p->location_type == LOCATION_DEVICE ? cudaErrorInvalidDevice : cudaErrorNotSupported;
    int fd = ipc_file_new(IPC_FILE_MEMORY);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
        if (fd >= 0)
            close(fd);
        return cudaErrorMemoryAllocation;
    }
    *out = vmm_make(fd, bytes, p)->handle;
    return cudaSuccess;
}

CuErr drv_cuMemRelease(uint64_t handle)
{
    ENTER_STARTED();
    Physical *p = vmm_physical(handle);
    if (!p)
        return cudaErrorInvalidValue;
    p->handles--;
    vmm_unuse(p);
    return cudaSuccess;
}

CuErr drv_cuMemMap(WwPtr at, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags)
{
    ENTER_STARTED();
    Physical    *p = vmm_physical(handle);
    Reservation *r = reservation(at, bytes);
    if (p && !p->team && (offset || bytes != p->bytes))
        return cudaErrorNotSupported; /* a part of it, which no device maps */
    if (!p || !r || flags || at % VMM_GRANULE || !vmm_whole(bytes) || offset % VMM_GRANULE || offset > p->bytes ||
        bytes > p->bytes - offset)
        return cudaErrorInvalidValue;
    if (p->team && (!multicast_complete(p) || !(r = reservation(at, bytes))))
        return cudaErrorInvalidValue;
    Mapping **place = &r->mappings;
    for (; *place && (*place)->at < at + bytes; place = &(*place)->next)
        if ((*place)->at + (*place)->bytes > at)
            return cudaErrorInvalidValue; /* something is mapped there */
    if (!p->team && mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, p->fd,
                         (off_t)offset) == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    Mapping *m = xcalloc(1, sizeof *m);
    *m         = (Mapping){.at = at, .bytes = bytes, .memory = p, .offset = offset, .next = *place};
    *place     = m;
    p->uses++;
    tell_reserved(r);
    return cudaSuccess;
}

/* Do whole mappings fill [at, at + bytes)? */
static bool filled(const Reservation *r, uint64_t at, size_t bytes)
{
    uint64_t to = at;
    for (const Mapping *m = r->mappings; m; m = m->next)
        if (m->at == to && to < at + bytes)
            to = m->at + m->bytes;
    return to == at + bytes;
}

/* Is anything mapped in the range?  Unmapping nothing is not an error. */
static bool touched(const Reservation *r, uint64_t at, size_t bytes)
{
    for (const Mapping *m = r->mappings; m; m = m->next)
        if (m->at < at + bytes && m->at + m->bytes > at)
            return true;
    return false;
}

CuErr drv_cuMemUnmap(WwPtr at, size_t bytes)
{
    ENTER_STARTED();
    Reservation *r = reservation(at, bytes);
    if (!r || !vmm_whole(bytes) || (touched(r, at, bytes) && !filled(r, at, bytes)))
        return cudaErrorInvalidValue;
    state_parts.work_settle(-1);
    hide_all(r);
    for (Mapping **p = &r->mappings, *m; (m = *p);)
        if (m->at >= at && m->at < at + bytes) {
            if (mmap((void *)(uintptr_t)m->at, m->bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
                show_all(r);
                return cudaErrorUnknown;
            }
            *p = m->next;
            vmm_unuse(m->memory);
            free(m);
        } else {
            p = &m->next;
        }
    show_all(r);
    return cudaSuccess;
}

CuErr drv_cuMemSetAccess(WwPtr at, size_t bytes, const AccessDesc *list, size_t n)
{
    ENTER_STARTED();
    Reservation *r = reservation(at, bytes);
    if (!r || !list || !n || !vmm_whole(bytes) || !filled(r, at, bytes))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        CuErr e;
        if (!known_device(list[i].location_type, list[i].location_id))
            return list[i].location_type == LOCATION_DEVICE ? cudaErrorInvalidDevice : cudaErrorNotSupported;
        if (!state_device(list[i].location_id, &e))
            return e;
        for (const Mapping *m = r->mappings; m; m = m->next)
            if (m->at >= at && m->at < at + bytes && m->memory->team && !multicast_has(m->memory, list[i].location_id))
                return cudaErrorInvalidDevice;
    }
    hide_all(r);
    for (Mapping *m = r->mappings; m; m = m->next)
        for (size_t i = 0; i < n && m->at >= at && m->at < at + bytes; i++) {
            unsigned bit = 1u << list[i].location_id;
            m->access    = list[i].flags == ACCESS_NONE ? m->access & ~bit : m->access | bit;
        }
    show_all(r);
    return cudaSuccess;
}

static const Mapping *mapping(uint64_t at)
{
    const Reservation *r = reservation(at, 1);
    for (const Mapping *m = r ? r->mappings : NULL; m; m = m->next)
        if (at - m->at < m->bytes)
            return m;
    return NULL;
}

Physical *vmm_mapped(uint64_t at, size_t bytes, size_t *offset)
{
    const Mapping *m = mapping(at);
    if (!m || bytes > m->bytes - (at - m->at))
        return NULL;
    *offset = m->offset + (at - m->at);
    return m->memory;
}

CuErr drv_cuMemGetAccess(unsigned long long *flags, const int *location, WwPtr at)
{
    ENTER_STARTED();
    const Mapping *m = mapping(at);
    if (!flags || !location || !m || !known_device(location[0], location[1]))
        return cudaErrorInvalidValue;
    *flags = m->access & (1u << location[1]) ? ACCESS_READ_WRITE : ACCESS_NONE;
    return cudaSuccess;
}

CuErr drv_cuMemGetAllocationPropertiesFromHandle(AllocationProp *out, uint64_t handle)
{
    ENTER_STARTED();
    const Physical *p = vmm_physical(handle);
    if (!p || !out)
        return cudaErrorInvalidValue;
    *out = p->prop;
    return cudaSuccess;
}

CuErr drv_cuMemRetainAllocationHandle(uint64_t *out, void *at)
{
    ENTER_STARTED();
    const Mapping *m = mapping((uint64_t)(uintptr_t)at);
    if (!m || !out)
        return cudaErrorInvalidValue;
    m->memory->handles++;
    m->memory->uses++;
    *out = m->memory->handle;
    return cudaSuccess;
}

CuErr drv_cuMemExportToShareableHandle(void *out, uint64_t handle, int type, unsigned long long flags)
{
    ENTER_STARTED();
    const Physical *p = vmm_physical(handle);
    if (!p || !out || flags || !(p->prop.handle_types & type))
        return cudaErrorInvalidValue;
    int fd = dup(p->fd);
    if (fd < 0)
        return cudaErrorOperatingSystem;
    memcpy(out, &fd, sizeof fd);
    return cudaSuccess;
}

/* What this process already has behind a descriptor; NULL: nothing. */
static Physical *same(const struct stat *st)
{
    struct stat own;
    for (Physical *p = memories; p; p = p->next)
        if (fstat(p->fd, &own) == 0 && own.st_ino == st->st_ino && own.st_dev == st->st_dev)
            return p;
    return NULL;
}

CuErr drv_cuMemImportFromShareableHandle(uint64_t *out, void *os_handle, int type)
{
    ENTER_STARTED();
    struct stat st;
    int         fd = type == HANDLE_FD ? (int)(intptr_t)os_handle : -1;
    if (!out || type != HANDLE_FD)
        return type == HANDLE_FD ? cudaErrorInvalidValue : cudaErrorNotSupported;
    CuErr e = ipc_file_check(fd, IPC_FILE_MEMORY);
    if (e != cudaSuccess && ipc_file_check(fd, IPC_FILE_TEAM) != cudaSuccess)
        return e;
    Physical *known = fstat(fd, &st) == 0 ? same(&st) : NULL;
    if (known && known->team) {
        known->uses++;
        known->handles++;
        *out = known->handle;
        return cudaSuccess;
    }
    fd = dup(fd);
    if (fd < 0 || fstat(fd, &st) != 0 || !vmm_whole((size_t)st.st_size)) {
        if (fd >= 0)
            close(fd);
        return cudaErrorUnknown;
    }
    AllocationProp prop = {.type          = ALLOCATION_PINNED,
                           .handle_types  = HANDLE_FD,
                           .location_type = LOCATION_DEVICE,
                           .location_id   = state_current()};
    *out                = vmm_make(fd, (size_t)st.st_size, known ? &known->prop : &prop)->handle;
    return cudaSuccess;
}

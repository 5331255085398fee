/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and events between processes.  Giving out the first handle moves a device's memory into a memfd, mapped where it was; a
 * handle names process, descriptor and place, and another process of the same user maps the file through /proc.  As on the driver,
 * whole pages are shared, a handle cannot be opened in its own process, and the memory must outlive its mappings.
 * An event between processes is one word in such a file: 1 while the work it marks is not done. */
#include "cuda/memory/ipc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "cuda/memory/devmem.h"
#include "emu/emu.h"

enum { IPC_MAGIC = 0x77776970 };

typedef struct Opened {
    uint64_t       p, at; /* what the program got; where the pages are */
    size_t         bytes;
    unsigned       uses;
    IpcHandle      from;
    struct Opened *next;
} Opened;

static int     files[MAX_DEVICES]; /* each device's memory, once it was shared; 0 = not yet */
static Opened *opened;

static uint64_t page(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Copies what was ever used of a device's memory into a file and maps that in its place.  Pages of zeros stay holes. */
static bool move_to_file(uint64_t base, uint64_t used, uint64_t bytes, int fd)
{
    const char *old  = (const char *)(uintptr_t)base;
    char       *zero = xcalloc(page(), 1);
    bool        ok   = ftruncate(fd, (off_t)bytes) == 0;
    for (uint64_t at = 0; ok && at < used; at += page())
        if (memcmp(old + at, zero, page()) != 0)
            ok = pwrite(fd, old + at, page(), (off_t)at) == (ssize_t)page();
    free(zero);
    return ok && mmap((void *)(uintptr_t)base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
                      fd, 0) != MAP_FAILED;
}

static int file_of(int device, uint64_t *base)
{
    uint64_t bytes, used;
    emu_reserved(emulator_emu(state.device[device]), base, &bytes, &used);
    if (!files[device]) {
        int fd = memfd_create("warpwright-ipc", MFD_CLOEXEC);
        if (fd >= 0 && !move_to_file(*base, used, bytes, fd)) {
            close(fd);
            fd = -1;
        }
        files[device] = fd;
    }
    return files[device];
}

/* ---- files for other processes ---- */

int ipc_file_new(const char *what)
{
    return memfd_create(what, MFD_CLOEXEC);
}

static bool stands_for(int fd, const char *what)
{
    char    path[64], want[64], have[64];
    ssize_t n;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    snprintf(want, sizeof want, "/memfd:%s (deleted)", what);
    n = readlink(path, have, sizeof have);
    return n > 0 && (size_t)n == strlen(want) && !memcmp(have, want, (size_t)n);
}

CuErr ipc_file_check(int fd, const char *what)
{
    if (stands_for(fd, what))
        return cudaSuccess;
    return fd == 0                                                            ? cudaErrorInvalidValue
           : stands_for(fd, IPC_FILE_MEMORY) || stands_for(fd, IPC_FILE_POOL) ? cudaErrorNotSupported
                                                                              : cudaErrorUnknown;
}

CuErr ipc_share(const void *p, IpcHandle *out)
{
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    uint64_t     base;
    if (!r || r->kind != MEMORY_DEVICE || r->variable || r->mapped || r->imported)
        return cudaErrorInvalidValue;
    int fd = file_of(r->device, &base);
    if (fd < 0)
        return cudaErrorMemoryAllocation;
    emulator_tell(state.device[r->device], MEMORY_SEEN, r->base, 0, r->bytes);
    uint64_t from = (r->base - base) & -page();
    *out          = (IpcHandle){.magic  = IPC_MAGIC,
                                .pid    = getpid(),
                                .fd     = fd,
                                .device = r->device,
                                .offset = from,
                                .first  = r->base - base - from,
                                .bytes  = r->bytes,
                                .inside = (uint64_t)(uintptr_t)p - r->base};
    return cudaSuccess;
}

static void *map_handle(const IpcHandle *h, size_t bytes)
{
    char        path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", h->pid, h->fd);
    int  fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && size_add(h->offset, bytes) <= (size_t)st.st_size;
    void *p = ok ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)h->offset) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    return p == MAP_FAILED ? NULL : p;
}

CuErr ipc_open(const IpcHandle *h, void **out)
{
    CuErr     e;
    WwDevice *d = state_device(state_current(), &e);
    if (!d)
        return e;
    if (h->magic != IPC_MAGIC || !h->bytes || h->inside >= h->bytes)
        return cudaErrorInvalidValue;
    if (h->pid == getpid())
        return cudaErrorDeviceUninitialized;
    for (Opened *o = opened; o; o = o->next)
        if (!memcmp(&o->from, h, sizeof *h)) {
            o->uses++;
            *out = (void *)(uintptr_t)o->p;
            return cudaSuccess;
        }
    size_t bytes = size_up(size_add(h->first, h->bytes), page());
    void  *pages = map_handle(h, bytes);
    if (!pages)
        return cudaErrorMapBufferObjectFailed;
    uint64_t base = (uint64_t)(uintptr_t)pages + h->first;
    emu_adopt(emulator_emu(d), base, h->bytes);
    devmem_note(
        (Range){.base = base, .bytes = h->bytes, .kind = MEMORY_DEVICE, .device = state_current(), .imported = true});
    Opened *o = xcalloc(1, sizeof *o);
    *o        = (Opened){
               .p = base + h->inside, .at = (uint64_t)(uintptr_t)pages, .bytes = bytes, .uses = 1, .from = *h, .next = opened};
    opened = o;
    *out   = (void *)(uintptr_t)o->p;
    return cudaSuccess;
}

CuErr ipc_close(void *p)
{
    for (Opened **at = &opened, *o; (o = *at); at = &o->next) {
        if (o->p != (uint64_t)(uintptr_t)p)
            continue;
        if (--o->uses)
            return cudaSuccess;
        uint64_t base = o->at + o->from.first;
        for (int i = 0; i < state.count; i++)
            if (state.device[i])
                emu_disown(emulator_emu(state.device[i]), base);
        devmem_drop(base);
        munmap((void *)(uintptr_t)o->at, o->bytes);
        *at = o->next;
        free(o);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

/* ---- words for events ---- */

CuErr ipc_word_new(IpcWord *w)
{
    int   fd = memfd_create("warpwright-event", MFD_CLOEXEC);
    void *p  = fd >= 0 && ftruncate(fd, (off_t)page()) == 0
                   ? mmap(NULL, page(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;
    if (p == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    *w = (IpcWord){p, fd};
    return cudaSuccess;
}

IpcHandle ipc_word_handle(const IpcWord *w)
{
    return (IpcHandle){.magic = IPC_MAGIC, .pid = getpid(), .fd = w->fd, .event = 1};
}

CuErr ipc_word_open(const IpcHandle *h, IpcWord *w)
{
    if (h->magic != IPC_MAGIC || !h->event)
        return cudaErrorInvalidValue;
    if (h->pid == getpid())
        return cudaErrorDeviceUninitialized;
    w->at = map_handle(h, page());
    return w->at ? cudaSuccess : cudaErrorMapBufferObjectFailed;
}

/* ---- entry points ---- */

CuErr rt_cudaIpcGetMemHandle(IpcHandle *out, void *p)
{
    ENTER();
    if (!out || !p)
        return LEAVE(cudaErrorInvalidValue);
    memset(out, 0, sizeof *out);
    CuErr e     = ipc_share(p, out);
    out->inside = 0; /* a handle stands for the whole allocation */
    return LEAVE(e);
}

CuErr rt_cudaIpcOpenMemHandle(void **out, IpcHandle h, unsigned flags)
{
    ENTER();
    return LEAVE(!out || flags > 1 ? cudaErrorInvalidValue : ipc_open(&h, out));
}

CuErr rt_cudaIpcCloseMemHandle(void *p)
{
    ENTER();
    state_parts.work_settle(-1);
    return LEAVE(ipc_close(p));
}

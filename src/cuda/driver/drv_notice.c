/* SPDX-License-Identifier: Apache-2.0
 *
 * What newer interfaces ask of a device and a process and what never comes here: notifications that another process wants more of a memory
 * budget, atomic operations over the link to the host or a peer, checkpoints.  Callbacks are registered and not called, because nothing
 * has a budget; a process's checkpoint state is "running". */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "cuda/driver/driver.h"
#include "cuda/memory/devmem.h"

enum { OPERATIONS = 13 }; /* cudaAtomicOperation */

/* ---- notifications ---- */

typedef struct Notified {
    struct Notified *next;
    int              device;
} Notified;

static Notified *notified;

CuErr rt_cudaDeviceRegisterAsyncNotification(int device, void (*fn)(void *, void *, void *), void *user, Notified **out)
{
    (void)user;
    ENTER();
    if (device < 0 || device >= state.count)
        return LEAVE(cudaErrorInvalidDevice);
    if (!fn || !out)
        return LEAVE(cudaErrorInvalidValue);
    Notified *n = xcalloc(1, sizeof *n);
    *n          = (Notified){notified, device};
    notified    = n;
    *out        = n;
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaDeviceUnregisterAsyncNotification(int device, Notified *n)
{
    ENTER();
    for (Notified **at = &notified; n && *at; at = &(*at)->next)
        if (*at == n && n->device == device) {
            *at = n->next;
            free(n);
            return LEAVE(cudaSuccess);
        }
    return LEAVE(cudaErrorInvalidValue);
}

/* ---- atomic operations over links: none ---- */

static CuErr none(unsigned *out, const int *op, unsigned n)
{
    if (!out || !op || !n || n > OPERATIONS)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++)
        if (op[i] < 0 || op[i] >= OPERATIONS)
            return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++)
        out[i] = 0;
    return cudaSuccess;
}

CuErr rt_cudaDeviceGetHostAtomicCapabilities(unsigned *out, const int *op, unsigned n, int device)
{
    ENTER();
    return LEAVE(device < 0 || device >= state.count ? cudaErrorInvalidDevice : none(out, op, n));
}

CuErr rt_cudaDeviceGetP2PAtomicCapabilities(unsigned *out, const int *op, unsigned n, int from, int to)
{
    ENTER();
    bool pair = from >= 0 && to >= 0 && from < state.count && to < state.count && from != to;
    return LEAVE(pair ? none(out, op, n) : cudaErrorInvalidDevice);
}

/* ---- processes ---- */

static CuErr process(int pid)
{
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuCheckpointProcessGetState(int pid, int *out)
{
    enum { RUNNING = 0 };
    ENTER();
    CuErr e = out ? process(pid) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *out = RUNNING;
    return e;
}

/* The thread that would restore it: the first one. */
CuErr drv_cuCheckpointProcessGetRestoreThreadId(int pid, int *out)
{
    ENTER();
    CuErr e = out ? process(pid) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *out = pid;
    return e;
}

/* ---- handles for other drivers ---- */

/* Only a kernel's own driver can make a dma-buf of memory: what is asked for wrongly is told so, the rest is not supported. */
CuErr drv_cuMemGetHandleForAddressRange(void *out, WwPtr at, size_t bytes, int type, unsigned long long flags)
{
    enum { DMA_BUF = 1 };
    ENTER_CTX();
    const Range *r    = devmem_range(at);
    size_t       page = (size_t)sysconf(_SC_PAGESIZE);
    bool         ok   = out && r && bytes && type == DMA_BUF && !flags && at % page == 0 && bytes % page == 0 &&
              bytes <= r->base + r->bytes - at;
    return ok ? state_missing("cuMemGetHandleForAddressRange") : cudaErrorInvalidValue;
}

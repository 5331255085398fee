/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the CUDA device share. */
#ifndef WW_DEVICE_CUDA_H
#define WW_DEVICE_CUDA_H

#include "device/cuda_driver.h"
#include "device/device.h"

typedef struct CudaRange { /* memory that this device handed out */
    CuPtr       base;
    uint64_t    bytes;
    WwModule   *owner; /* a module's variable; NULL = ww_alloc */
} CudaRange;

typedef struct CudaDevice {
    WwDevice   base;
    CudaDriver drv;
    CuOrdinal  ordinal;
    CuContext  ctx;
    int        cc; /* compute capability times ten */
    Str        lost; /* why the context can no longer be used; empty while it can */
    CuResult   lost_by;
    CudaRange *ranges;
    size_t     nranges, cap;
} CudaDevice;

typedef struct CudaKernel {
    CuModule   own;    /* where it was compiled alone */
    CuFunction fn;     /* NULL: not asked for yet */
    uint32_t   shared; /* dynamic shared memory it has been allowed */
} CudaKernel;

typedef struct CudaModule {
    WwModule    base;
    CuModule    handle;  /* NULL: each kernel is compiled alone, when it is first launched */
    int         level;   /* DeviceText's */
    CudaKernel *kernels; /* by index in base.kernels */
} CudaModule;

/* Has the driver compile a module's text, or one kernel of it alone (NULL: all). */
Status cuda_compile(CudaDevice *c, const Module *ptx, const Func *alone, int level, CuModule *out);

/* Turns a driver's answer into a Status; on failure the device's message is "what: text (NAME, number)". */
Status cuda_check(CudaDevice *c, CuResult e, const char *what);
/* Which context the caller's thread had; a caller with none keeps this device's. */
typedef struct CudaScope {
    CudaDevice *device; /* NULL: nothing to do at the end */
    CuContext   before;
} CudaScope;
/* Makes the context current; fails with the reason once it is lost.  leave: the caller's again. */
Status cuda_enter(CudaDevice *c, CudaScope *s);
void   cuda_leave(CudaScope *s);
/* At the head of an operation: entered until the block ends, however it does. */
#define CUDA_SCOPE CudaScope scope __attribute__((cleanup(cuda_leave))) = {0}
#define CUDA_ENTER(c)                                                                                                  \
    CUDA_SCOPE;                                                                                                        \
    TRY(cuda_enter((c), &scope))

/* One launch, enqueued. */
typedef struct CudaRequest {
    CuFunction      fn;
    const WwLaunch *w;
} CudaRequest;
CuResult cuda_enqueue(CudaDevice *c, const CudaRequest *q);
/* Warm-up, then w->repeats timed runs; fills in the times of r (cuda_time.c). */
Status cuda_time(CudaDevice *c, const CudaRequest *q, WwResult *r);

Status cuda_tensor_map(WwDevice *d, const TensorMapAsk *ask, void *map);

/* cuda_launch.c */
Status cuda_launch(WwDevice *d, WwModule *m, const Func *kernel, const DeviceLaunch *l, WwResult *r);

#endif

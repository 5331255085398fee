/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA driver's entry points as this library calls them, found with dlopen at run time: a binary built where there is no
 * CUDA runs where there is, and the other way round.  Types are plain C; the driver's ABI is all that is relied on: handles
 * are pointers, device ordinals and results int, device addresses 64 bits.
 *
 * WARPWRIGHT_CUDA_DRIVER in the environment names another library than libcuda.so.1 (a path, or a name the loader finds).
 * Entry points with a _v2 are asked for by that name: the plain ones are the 32-bit interface of CUDA 3. */
#ifndef WW_DEVICE_CUDA_DRIVER_H
#define WW_DEVICE_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

typedef int      CuResult; /* 0 = success */
typedef int      CuOrdinal;
typedef void    *CuContext;
typedef void    *CuModule;
typedef void    *CuFunction;
typedef void    *CuStream; /* NULL = the default stream */
typedef void    *CuEvent;
typedef uint64_t CuPtr;

typedef struct CuSide { /* of a copy of rows: from, or to */
    size_t      x, y;
    int         memory; /* CU_MEMORY_... */
    const void *host;
    CuPtr       device;
    void       *array;
    size_t      pitch;
} CuSide;

typedef struct CuCopy2D { /* CUDA_MEMCPY2D */
    CuSide from, to;
    size_t bytes, rows;
} CuCopy2D;

typedef struct CuPeerSide {
    size_t      x, y, z, lod;
    int         memory;
    const void *host;
    CuPtr       device;
    void       *array;
    CuContext   context;
    size_t      pitch, height;
} CuPeerSide;

typedef struct CuCopyPeer { /* CUDA_MEMCPY3D_PEER */
    CuPeerSide from, to;
    size_t     bytes, rows, depth;
} CuCopyPeer;

/* ENTRY(member, "symbol", (parameters)); every one returns a CuResult. */
#define CUDA_ENTRIES(ENTRY)                                                                                            \
    ENTRY(init, "cuInit", (unsigned flags))                                                                            \
    ENTRY(version, "cuDriverGetVersion", (int *out))                                                                   \
    ENTRY(error_name, "cuGetErrorName", (CuResult e, const char **out))                                                \
    ENTRY(error_text, "cuGetErrorString", (CuResult e, const char **out))                                              \
    ENTRY(device_count, "cuDeviceGetCount", (int *out))                                                                \
    ENTRY(device_get, "cuDeviceGet", (CuOrdinal *out, int ordinal))                                                    \
    ENTRY(device_name, "cuDeviceGetName", (char *out, int len, CuOrdinal dev))                                         \
    ENTRY(device_attribute, "cuDeviceGetAttribute", (int *out, int attribute, CuOrdinal dev))                          \
    ENTRY(ctx_retain, "cuDevicePrimaryCtxRetain", (CuContext *out, CuOrdinal dev))                                     \
    ENTRY(ctx_release, "cuDevicePrimaryCtxRelease_v2", (CuOrdinal dev))                                                \
    ENTRY(ctx_reset, "cuDevicePrimaryCtxReset_v2", (CuOrdinal dev))                                                    \
    ENTRY(ctx_current, "cuCtxGetCurrent", (CuContext * out))                                                           \
    ENTRY(ctx_set_current, "cuCtxSetCurrent", (CuContext ctx))                                                         \
    ENTRY(module_load, "cuModuleLoadDataEx",                                                                           \
          (CuModule *out, const void *image, unsigned noptions, int *options, void **values))                          \
    ENTRY(module_unload, "cuModuleUnload", (CuModule m))                                                               \
    ENTRY(module_function, "cuModuleGetFunction", (CuFunction *out, CuModule m, const char *name))                     \
    ENTRY(module_global, "cuModuleGetGlobal_v2", (CuPtr *out, size_t *bytes, CuModule m, const char *name))            \
    ENTRY(function_set, "cuFuncSetAttribute", (CuFunction f, int attribute, int value))                                \
    ENTRY(mem_alloc, "cuMemAlloc_v2", (CuPtr *out, size_t bytes))                                                      \
    ENTRY(mem_free, "cuMemFree_v2", (CuPtr p))                                                                         \
    ENTRY(copy_in, "cuMemcpyHtoD_v2", (CuPtr dst, const void *src, size_t bytes))                                      \
    ENTRY(copy_out, "cuMemcpyDtoH_v2", (void *dst, CuPtr src, size_t bytes))                                           \
    ENTRY(copy, "cuMemcpyDtoD_v2", (CuPtr dst, CuPtr src, size_t bytes))                                               \
    ENTRY(fill, "cuMemsetD8_v2", (CuPtr dst, unsigned char value, size_t bytes))                                       \
    ENTRY(launch, "cuLaunchKernel",                                                                                    \
          (CuFunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,                 \
           unsigned shared, CuStream stream, void **args, void **extra))                                               \
    ENTRY(mem_range, "cuMemGetAddressRange_v2", (CuPtr * base, size_t * bytes, CuPtr p))                               \
    ENTRY(fill_async, "cuMemsetD8Async", (CuPtr dst, unsigned char value, size_t bytes, CuStream s))                   \
    ENTRY(copy_async, "cuMemcpyDtoDAsync_v2", (CuPtr dst, CuPtr src, size_t bytes, CuStream s))                        \
    ENTRY(stream_create, "cuStreamCreate", (CuStream * out, unsigned flags))                                           \
    ENTRY(stream_follow, "cuStreamWaitEvent", (CuStream s, CuEvent e, unsigned flags))                                 \
    ENTRY(stream_destroy, "cuStreamDestroy_v2", (CuStream s))                                                          \
    ENTRY(stream_sync, "cuStreamSynchronize", (CuStream s))                                                            \
    ENTRY(event_create, "cuEventCreate", (CuEvent *out, unsigned flags))                                               \
    ENTRY(event_destroy, "cuEventDestroy_v2", (CuEvent e))                                                             \
    ENTRY(event_record, "cuEventRecord", (CuEvent e, CuStream s))                                                      \
    ENTRY(event_sync, "cuEventSynchronize", (CuEvent e))                                                               \
    ENTRY(event_elapsed, "cuEventElapsedTime", (float *ms, CuEvent from, CuEvent to))

/* What older drivers do not have: NULL then. */
#define CUDA_NEW_ENTRIES(ENTRY)                                                                                        \
    ENTRY(host_alloc, "cuMemHostAlloc", (void **out, size_t bytes, unsigned flags))                                    \
    ENTRY(host_free, "cuMemFreeHost", (void *p))                                                                       \
    ENTRY(copy_2d, "cuMemcpy2DAsync_v2", (const CuCopy2D *c, CuStream s))                                              \
    ENTRY(copy_peer, "cuMemcpy3DPeerAsync", (const CuCopyPeer *c, CuStream s))                                         \
    ENTRY(peer_enable, "cuCtxEnablePeerAccess", (CuContext other, unsigned flags))                                     \
    ENTRY(event_query, "cuEventQuery", (CuEvent e))                                                                    \
    ENTRY(stream_create_at, "cuStreamCreateWithPriority", (CuStream * out, unsigned flags, int priority))              \
    ENTRY(stream_priorities, "cuCtxGetStreamPriorityRange", (int *least, int *greatest))                               \
    ENTRY(device_memory, "cuDeviceTotalMem_v2", (size_t *out, CuOrdinal dev))                                          \
    ENTRY(launch_ex, "cuLaunchKernelEx", (const CuLaunchConfig *c, CuFunction f, void **args, void **extra))           \
    ENTRY(tensor_tiled, "cuTensorMapEncodeTiled",                                                                      \
          (void *map, int type, uint32_t rank, void *address, const uint64_t *dim, const uint64_t *stride,             \
           const uint32_t *box, const uint32_t *element_stride, int interleave, int swizzle, int promotion, int fill)) \
    ENTRY(tensor_im2col, "cuTensorMapEncodeIm2col",                                                                    \
          (void *map, int type, uint32_t rank, void *address, const uint64_t *dim, const uint64_t *stride,             \
           const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *element_stride,     \
           int interleave, int swizzle, int promotion, int fill))

typedef struct CuLaunchAttribute { /* of 72 bytes; value: a cluster's three sides, or 1 */
    int      id, pad;
    unsigned value[16];
} CuLaunchAttribute;

typedef struct CuLaunchConfig {
    unsigned           grid[3], block[3], shared;
    CuStream           stream;
    CuLaunchAttribute *attributes;
    unsigned           count;
} CuLaunchConfig;

typedef struct CudaDriver {
#define ENTRY(member, symbol, params) CuResult(*member) params;
    CUDA_ENTRIES(ENTRY)
    CUDA_NEW_ENTRIES(ENTRY)
#undef ENTRY
} CudaDriver;

/* Numbers of the driver's ABI that are used here. */
enum {
    CU_MEMORY_HOST            = 1,
    CU_MEMORY_DEVICE          = 2,
    CU_OK                     = 0,
    CU_INVALID_VALUE          = 1,
    CU_OUT_OF_MEMORY          = 2,
    CU_NO_BINARY_FOR_GPU      = 209,
    CU_INVALID_PTX            = 218,
    CU_UNSUPPORTED_PTX        = 222,
    CU_NOT_FOUND              = 500,
    CU_NOT_READY              = 600,
    CU_ILLEGAL_ADDRESS        = 700,
    CU_OUT_OF_RESOURCES       = 701,
    CU_LAUNCH_TIMEOUT         = 702,
    CU_CONTEXT_DESTROYED      = 709,
    CU_ASSERT                 = 710,
    CU_STACK_ERROR            = 714,
    CU_ILLEGAL_INSTRUCTION    = 715,
    CU_MISALIGNED_ADDRESS     = 716,
    CU_INVALID_ADDRESS_SPACE  = 717,
    CU_INVALID_PC             = 718,
    CU_LAUNCH_FAILED          = 719,
    CU_COOPERATIVE_TOO_LARGE  = 720,
    CU_ATTR_CLOCK_KHZ         = 13,
    CU_ATTR_SM_COUNT          = 16,
    CU_ATTR_INTEGRATED        = 18,
    CU_ATTR_ECC               = 32,
    CU_ATTR_MEMORY_KHZ        = 36,
    CU_ATTR_BUS_BITS          = 37,
    CU_ATTR_L2_BYTES          = 38,
    CU_ATTR_CC_MAJOR          = 75,
    CU_ATTR_CC_MINOR          = 76,
    CU_ATTR_SHARED_OPTIN      = 97,
    CU_FUNC_MAX_DYNAMIC_SHARED = 8,
    CU_FUNC_NON_PORTABLE_CLUSTER = 14,
    CU_ATTRIBUTE_CLUSTER      = 4,
    CU_ATTRIBUTE_PROGRAMMATIC = 6,
    CU_JIT_ERROR_LOG          = 5,
    CU_JIT_ERROR_LOG_BYTES    = 6,
    CU_JIT_OPTIMIZATION_LEVEL = 7
};

/* Finds the library and every entry point.  WW_ERR_UNAVAILABLE: *why says what is missing. */
Status cuda_driver_load(CudaDriver *c, Str *why);
/* Appends "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS, 700)". */
void cuda_driver_error(const CudaDriver *c, CuResult e, Str *out);

#endif

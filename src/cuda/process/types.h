/* SPDX-License-Identifier: Apache-2.0
 *
 * What the CUDA interfaces pass by value or by layout, declared by ourselves: error codes, the few structures that cross the boundary, the
 * handles.  Layouts follow the documented ABI of CUDA 11 to 13 on 64-bit Linux; only fields that are read or written have a name.
 * Runtime and driver errors share one numbering (errors.def), so one type serves both. */
#ifndef WW_CUDA_TYPES_H
#define WW_CUDA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpwright/warpwright.h"

typedef enum CuErr {
#define ERROR(code, runtime, driver, text) runtime = code,
#define ANSWER ERROR
#include "cuda/process/errors.def"
#undef ANSWER
#undef ERROR
} CuErr;

typedef enum CopyKind { COPY_HOST_TO_HOST, COPY_HOST_TO_DEVICE, COPY_DEVICE_TO_HOST, COPY_DEVICE_TO_DEVICE, COPY_DEFAULT } CopyKind;

typedef struct Extent { size_t width, height, depth; } Extent;
typedef struct Pos { size_t x, y, z; } Pos;
typedef struct PitchedPtr { void *ptr; size_t pitch, xsize, ysize; } PitchedPtr;
enum { /* cudaChannelFormatKind */
    CHANNEL_SIGNED,
    CHANNEL_UNSIGNED,
    CHANNEL_FLOAT,
    CHANNEL_PLANAR    = 4,  /* NV12 */
    CHANNEL_NORM      = 5,  /* UnsignedNormalized8X1, 8X2, 8X4, 16X1 ..., then the signed ones */
    CHANNEL_NORM_LAST = 16, /* SignedNormalized16X4 */
    CHANNEL_BLOCKS    = 17  /* compressed blocks, from here on */
};
typedef struct ChannelDesc { int x, y, z, w, kind; } ChannelDesc;

typedef struct CopyParms3D {
    void      *src_array;
    Pos        src_pos;
    PitchedPtr src;
    void      *dst_array;
    Pos        dst_pos;
    PitchedPtr dst;
    Extent     extent;
    int        kind;
} CopyParms3D;
_Static_assert(sizeof(CopyParms3D) == 160, "layout of cudaMemcpy3DParms");

typedef struct FuncAttributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int    max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared, carveout;
    int    cluster_must_be_set, cluster[3], cluster_policy, non_portable_cluster, reserved[16];
} FuncAttributes;
_Static_assert(sizeof(FuncAttributes) == 144, "layout of cudaFuncAttributes");

typedef struct PointerAttributes { /* CUDA 13 appends reserved words, which older callers do not have */
    int   type, device;
    void *device_pointer, *host_pointer;
} PointerAttributes;

/* Of an edge of a graph; type 1: programmatic. */
typedef struct EdgeData { uint8_t from_port, to_port, type, reserved[5]; } EdgeData;
_Static_assert(sizeof(EdgeData) == 8, "layout of cudaGraphEdgeData");

enum { /* cudaLaunchAttributeID */
    ATTR_COOPERATIVE        = 2,
    ATTR_CLUSTER            = 4,
    ATTR_PROGRAMMATIC       = 6,
    ATTR_PROGRAMMATIC_EVENT = 7,
    ATTR_PRIORITY           = 8,
    ATTR_SYNC_DOMAIN        = 10,
    ATTR_COMPLETION_EVENT   = 12,
    ATTR_UPDATABLE_NODE     = 13,
    ATTR_CARVEOUT           = 14,
    ATTRIBUTES              = 19
};

enum { /* cudaFuncAttribute, CUfunction_attribute */
    FUNC_MAX_DYNAMIC_SHARED  = 8,
    FUNC_CARVEOUT            = 9, /* percent of shared memory; -1: the driver's choice */
    FUNC_NON_PORTABLE        = 14, /* clusters of more than 8 blocks */
    FUNC_CLUSTER_POLICY      = 15, /* default, spread, load balancing */
    FUNC_CLUSTER_POLICY_LAST = 2
};

enum { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH }; /* cudaGraphConditionalNodeType */

enum { WAIT_VALUE_REACHED, WAIT_VALUE_EQUAL, WAIT_VALUE_AND, WAIT_VALUE_NOR, WAIT_VALUE_KINDS = 7 }; /* CUstreamWaitValue_flags: the low bits */

typedef struct LaunchAttribute {
    int  id, pad;
    union { int flag; unsigned dim[3]; void *event; char bytes[64]; } value;
} LaunchAttribute;
_Static_assert(sizeof(LaunchAttribute) == 72, "layout of cudaLaunchAttribute");

typedef struct LaunchConfig { /* of the runtime */
    WwDim3           grid, block;
    size_t           shared;
    void            *stream;
    LaunchAttribute *attrs;
    unsigned         nattrs;
} LaunchConfig;
_Static_assert(sizeof(LaunchConfig) == 56, "layout of cudaLaunchConfig_t");

typedef struct DriverLaunchConfig {
    WwDim3           grid, block;
    unsigned         shared;
    void            *stream;
    LaunchAttribute *attrs;
    unsigned         nattrs;
} DriverLaunchConfig;

enum { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE, MEMORY_MANAGED };

enum { LOCATION_DEVICE = 1, LOCATION_HOST = 2, LOCATION_LAST = 4 }; /* cudaMemLocationType */
enum { ALLOCATION_PINNED = 1 };                                     /* cudaMemAllocationType */
enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };     /* of managed memory */
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 };                  /* handles of the default streams */

#endif

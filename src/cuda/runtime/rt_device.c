/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: devices, their properties, errors, versions, peers.
 * All of them are those of the profile's card (model/limits.h), without a profile of an H200; the instruction set is that of compute
 * capability 9.0 whatever the profile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/memory/array.h"
#include "cuda/memory/devmem.h"
#include "cuda/process/context.h"
#include "cuda/runtime/properties.h"
#include "cuda/work/capture.h"
#include "cuda/work/graph.h"
#include "cuda/work/kernel_launch.h"
#include "cuda/work/queue.h"
#include "cuda/work/work.h"

enum { PROP_BYTES_13 = 1008, PROP_BYTES_12 = 1032, PROP_BYTES_11 = 712 };
static unsigned device_flags;

/* ---- figures ---- */

#define SINCE(from)     (l.cc >= (from))
#define CLOCK_KHZ       (l.card->clock_mhz * 1000)
#define L2_BYTES        (l.card->l2_kib * 1024)
#define SET_ASIDE_BYTES (l.card->set_aside_kib * 1024)
#define MEMORY_KHZ      (l.card->memory_mhz * 1000)
#define MEMORY_BYTES    device_memory()

uint64_t device_memory(void)
{
    Limits l = state_limits();
    return state.options.memory ? state.options.memory : limits_memory(&l);
}

bool device_attribute(int attribute, int ordinal, int *value)
{
    Limits l = state_limits();
    switch (attribute) {
#define ATTR(number, figure)                                                                                           \
    case number:                                                                                                       \
        *value = (int)(figure);                                                                                        \
        return true;
#define PROP(offset13, offset12, bytes, index, figure)
#include "cuda/runtime/props.def"
#undef PROP
#undef ATTR
    default: return false;
    }
}

void device_title(int ordinal, char *out, size_t cap)
{
    (void)ordinal;
    snprintf(out, cap, "%s (warpwright emulator)", state_limits().card->title);
}

void device_uuid(int ordinal, unsigned char out[16])
{
    char text[17];
    snprintf(text, sizeof text, "warpwright-gpu-%u", (unsigned)ordinal % 10);
    memcpy(out, text, 16);
}

static CuErr properties(char *out, int ordinal, bool new_layout, size_t bytes)
{
    Limits l = state_limits();
    if (!out)
        return cudaErrorInvalidValue;
    if (ordinal < 0 || ordinal >= state.count)
        return cudaErrorInvalidDevice;
    memset(out, 0, bytes);
    device_title(ordinal, out, 256);
    device_uuid(ordinal, (unsigned char *)out + 256);
    static const struct {
        int      offset[2];
        unsigned bytes, index;
    } field[] = {
#define ATTR(number, figure)
#define PROP(offset13, offset12, bytes, index, figure) {{offset12, offset13}, bytes, index},
#include "cuda/runtime/props.def"
#undef PROP
#undef ATTR
    };
    const int64_t value[] = {
#define ATTR(number, figure)
#define PROP(offset13, offset12, bytes, index, figure) (int64_t)(figure),
#include "cuda/runtime/props.def"
#undef PROP
#undef ATTR
    };
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        int at = field[i].offset[new_layout];
        if (at >= 0 && (size_t)at + field[i].bytes * (field[i].index + 1) <= bytes)
            memcpy(out + at + field[i].bytes * field[i].index, &value[i], field[i].bytes);
    }
    return cudaSuccess;
}

CuErr rt_cudaGetDeviceProperties(void *out, int ordinal)
{
    ENTER_ALWAYS();
    return LEAVE_BARE(properties(out, ordinal, true, PROP_BYTES_13));
}

CuErr rt_cudaGetDeviceProperties_12(void *out, int ordinal)
{
    ENTER_ALWAYS();
    return LEAVE_BARE(properties(out, ordinal, false, PROP_BYTES_12));
}

CuErr rt_cudaGetDeviceProperties_11(void *out, int ordinal)
{
    ENTER_ALWAYS();
    return LEAVE_BARE(properties(out, ordinal, false, PROP_BYTES_11));
}

CuErr rt_cudaDeviceGetAttribute(int *value, int attribute, int ordinal)
{
    ENTER_ANYWAY();
    if (ordinal < 0 || ordinal >= state.count)
        return LEAVE_BARE(cudaErrorInvalidDevice);
    return LEAVE_BARE(value && device_attribute(attribute, ordinal, value) ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- choosing ---- */

CuErr rt_cudaGetDeviceCount(int *count)
{
    ENTER_ALWAYS();
    if (!count)
        return LEAVE_BARE(cudaErrorInvalidValue);
    *count = state.count;
    return LEAVE_BARE(cudaSuccess);
}

CuErr rt_cudaGetDevice(int *device)
{
    ENTER_ANYWAY();
    if (!device)
        return LEAVE_BARE(cudaErrorInvalidValue);
    *device = state_current();
    return LEAVE_BARE(cudaSuccess);
}

CuErr rt_cudaSetDevice(int device)
{
    ENTER_ANYWAY();
    if (device < 0 || device >= state.count)
        return LEAVE(cudaErrorInvalidDevice);
    context_set_device(device);
    return LEAVE(cudaSuccess);
}

enum { SCHEDULE = 7, FLAGS = 0x1f }; /* of cudaSetDeviceFlags: how to wait, of which one may be chosen; all */

static bool flags_valid(unsigned flags)
{
    unsigned how = flags & SCHEDULE;
    return !(flags & ~(unsigned)FLAGS) && !(how & (how - 1));
}

CuErr rt_cudaInitDevice(int device, unsigned flags, unsigned how)
{
    enum { FLAGS_ARE_VALID = 1 };
    ENTER();
    CuErr e;
    if (how & ~(unsigned)FLAGS_ARE_VALID || (how && !flags_valid(flags)))
        return LEAVE(cudaErrorInvalidValue);
    state_device(device, &e);
    if (e == cudaSuccess && how)
        device_flags = flags;
    return LEAVE(e);
}

CuErr rt_cudaChooseDevice(int *device, const void *wanted)
{
    ENTER();
    if (!device || !wanted)
        return LEAVE_BARE(cudaErrorInvalidValue);
    *device = 0;
    return LEAVE_BARE(cudaSuccess);
}

/* All of them work, so the list is no longer than its first. */
CuErr rt_cudaSetValidDevices(const int *list, int n)
{
    ENTER();
    if (n > state.count)
        return LEAVE_BARE(cudaErrorInvalidValue);
    for (int i = 0; list && i < n; i++)
        if (list[i] < 0 || list[i] >= state.count)
            return LEAVE_BARE(cudaErrorInvalidValue);
    state_set_first(list && n > 0 ? list[0] : 0);
    return LEAVE_BARE(cudaSuccess);
}

CuErr rt_cudaSetDeviceFlags(unsigned flags)
{
    ENTER();
    if (!flags_valid(flags))
        return LEAVE_BARE(cudaErrorInvalidValue);
    device_flags = flags;
    return LEAVE_BARE(cudaSuccess);
}

CuErr rt_cudaGetDeviceFlags(unsigned *flags)
{
    ENTER();
    if (flags)
        *flags = device_flags | 8; /* host memory can be mapped, always */
    return LEAVE_BARE(flags ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaDeviceSynchronize(void)
{
    ENTER();
    return LEAVE(stream_settle_device());
}

CuErr rt_cudaDeviceReset(void)
{
    ENTER_ANYWAY();
    queue_settle_device(state_current());
    array_drop_device(state_current());
    devmem_drop_device(state_current());
    context_reset_device(state_current());
    limits_reset(state_current());
    return state_reset();
}

CuErr rt_cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    ENTER();
    unsigned domain = 0, bus = 0, slot = 0;
    bool     read = id && (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) == 3 ||
                       (domain = 0, sscanf(id, "%x:%x", &bus, &slot) == 2));
    if (!read || domain || slot || bus < 1 || (int)bus > state.count)
        return LEAVE_BARE(read ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *device = (int)bus - 1;
    return LEAVE_BARE(cudaSuccess);
}

CuErr rt_cudaDeviceGetPCIBusId(char *out, int cap, int device)
{
    ENTER();
    if (device < 0 || device >= state.count)
        return LEAVE_BARE(cudaErrorInvalidDevice);
    if (!out || cap < 13)
        return LEAVE_BARE(cudaErrorInvalidValue);
    snprintf(out, (size_t)cap, "0000:%02x:00.0", (unsigned)device + 1);
    return LEAVE_BARE(cudaSuccess);
}

/* ---- peers ---- */

static CuErr peer_pair(int a, int b)
{
    if (a < 0 || b < 0 || a >= state.count || b >= state.count)
        return cudaErrorInvalidDevice;
    return cudaSuccess;
}

CuErr rt_cudaDeviceCanAccessPeer(int *can, int device, int other)
{
    ENTER();
    CuErr e = peer_pair(device, other);
    if (e == cudaSuccess && can)
        *can = device != other;
    return LEAVE_BARE(e == cudaSuccess && !can ? cudaErrorInvalidValue : e);
}

CuErr rt_cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    ENTER();
    int   me = state_current();
    CuErr e  = peer_pair(me, other);
    if (e != cudaSuccess || flags || me == other)
        return LEAVE(e != cudaSuccess ? e : flags ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported);
    if (devmem_sees(me, other))
        return LEAVE(cudaErrorPeerAccessAlreadyEnabled);
    return LEAVE(devmem_share(me, other, true));
}

CuErr rt_cudaDeviceDisablePeerAccess(int other)
{
    ENTER();
    int   me = state_current();
    CuErr e  = peer_pair(me, other);
    if (e == cudaSuccess && (me == other || !devmem_sees(me, other)))
        e = cudaErrorPeerAccessNotEnabled;
    if (e != cudaSuccess)
        return LEAVE(e);
    return LEAVE(devmem_share(me, other, false));
}

enum { P2P_PERFORMANCE_RANK = 1, P2P_ACCESS, P2P_NATIVE_ATOMICS, P2P_ARRAY_ACCESS }; /* cudaDeviceP2PAttr */

CuErr rt_cudaDeviceGetP2PAttribute(int *value, int attribute, int a, int b)
{
    ENTER();
    CuErr e = peer_pair(a, b);
    if (e != cudaSuccess || a == b || attribute < P2P_PERFORMANCE_RANK || attribute > P2P_ARRAY_ACCESS)
        return LEAVE_BARE(e != cudaSuccess ? e : a == b ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *value = attribute == P2P_ACCESS || attribute == P2P_NATIVE_ATOMICS;
    return LEAVE_BARE(cudaSuccess);
}

/* ---- versions and errors ---- */

CuErr rt_cudaDriverGetVersion(int *version)
{
    ENTER_ALWAYS();
    if (version)
        *version = DRIVER_VERSION;
    return LEAVE_BARE(version ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaRuntimeGetVersion(int *version)
{
    ENTER_ALWAYS();
    if (version)
        *version = DRIVER_VERSION;
    return LEAVE_BARE(version ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaGetLastError(void)
{
    ENTER_ALWAYS();
    return state_last_error(true);
}

CuErr rt_cudaPeekAtLastError(void)
{
    ENTER_ALWAYS();
    return state_last_error(false);
}

const char *rt_cudaGetErrorName(int e)
{
    const char *s = error_name(e, false);
    return s ? s : "unrecognized error code";
}

const char *rt_cudaGetErrorString(int e)
{
    const char *s = error_text(e);
    return s ? s : "unrecognized error code";
}

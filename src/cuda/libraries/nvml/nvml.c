/* SPDX-License-Identifier: Apache-2.0
 *
 * libnvidia-ml: what programs ask of it about the emulated devices: how many, their names, identifiers, places, memory, versions.  What is measured on
 * a card (clocks, temperature, use) or set there is not supported (absent.def).  Asking does not use CUDA, so a process may fork after it;
 * CUDA_VISIBLE_DEVICES hides nothing here, as on a card. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cuda/libraries/library.h"

/* nvmlReturn_t */
typedef enum Ml {
    ML_SUCCESS           = 0,
    ML_UNINITIALIZED     = 1,
    ML_INVALID_ARGUMENT  = 2,
    ML_NOT_SUPPORTED     = 3,
    ML_NOT_FOUND         = 6,
    ML_INSUFFICIENT_SIZE = 7,
    ML_FUNCTION_MISSING  = 13,
    ML_VERSION           = 25
} Ml;

enum { MOST_DEVICES = 64 };
/* numbers of cudaDeviceGetAttribute */
enum { CLOCK_SMS = 16, PCI_BUS = 33, PCI_DEVICE = 34, PCI_ID = 139, PCI_SUBSYSTEM = 140 };

static char            handles[MOST_DEVICES]; /* a device's handle is an address of these */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int             users;

/* ---- beginning, end, texts ---- */

Ml nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    pthread_mutex_lock(&lock);
    users++;
    pthread_mutex_unlock(&lock);
    return ML_SUCCESS;
}

Ml nvmlInit_v2(void)
{
    return nvmlInitWithFlags(0);
}

Ml nvmlInit(void)
{
    return nvmlInitWithFlags(0);
}

Ml nvmlShutdown(void)
{
    pthread_mutex_lock(&lock);
    bool none = !users;
    users -= !none;
    pthread_mutex_unlock(&lock);
    return none ? ML_UNINITIALIZED : ML_SUCCESS;
}

const char *nvmlErrorString(int result)
{
    static const struct {
        Ml          result;
        const char *text;
    } texts[] = {{ML_SUCCESS, "Success"},
                 {ML_UNINITIALIZED, "Uninitialized"},
                 {ML_INVALID_ARGUMENT, "Invalid Argument"},
                 {ML_NOT_SUPPORTED, "Not Supported"},
                 {ML_NOT_FOUND, "Not Found"},
                 {ML_INSUFFICIENT_SIZE, "Insufficient Size"},
                 {ML_FUNCTION_MISSING, "Function Not Found"},
                 {ML_VERSION, "Argument version mismatch"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((int)texts[i].result == result)
            return texts[i].text;
    return "Unknown Error";
}

static Ml put(char *out, unsigned cap, const char *text)
{
    if (!users)
        return ML_UNINITIALIZED;
    if (!out)
        return ML_INVALID_ARGUMENT;
    if (strlen(text) >= cap)
        return ML_INSUFFICIENT_SIZE;
    strcpy(out, text);
    return ML_SUCCESS;
}

/* No version of NVIDIA's driver is claimed beyond that of CUDA. */
Ml nvmlSystemGetDriverVersion(char *out, unsigned cap)
{
    return put(out, cap, "580.0.warpwright");
}

Ml nvmlSystemGetNVMLVersion(char *out, unsigned cap)
{
    return put(out, cap, "13.580.0");
}

Ml nvmlSystemGetCudaDriverVersion(int *out)
{
    if (!out)
        return ML_INVALID_ARGUMENT;
    *out = ww_cuda_library_driver();
    return ML_SUCCESS;
}

Ml nvmlSystemGetCudaDriverVersion_v2(int *out)
{
    return nvmlSystemGetCudaDriverVersion(out);
}

Ml nvmlSystemGetProcessName(unsigned pid, char *out, unsigned cap)
{
    char path[64], name[4096] = "";
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    return readlink(path, name, sizeof name - 1) < 0 ? ML_NOT_FOUND : put(out, cap, name);
}

/* ---- devices ---- */

Ml nvmlDeviceGetCount_v2(unsigned *out)
{
    if (!users || !out)
        return users ? ML_INVALID_ARGUMENT : ML_UNINITIALIZED;
    *out = (unsigned)ww_cuda_library_devices();
    return ML_SUCCESS;
}

Ml nvmlDeviceGetCount(unsigned *out)
{
    return nvmlDeviceGetCount_v2(out);
}

Ml nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out)
{
    if (!users || !out || index >= (unsigned)ww_cuda_library_devices() || index >= MOST_DEVICES)
        return users ? ML_INVALID_ARGUMENT : ML_UNINITIALIZED;
    *out = &handles[index];
    return ML_SUCCESS;
}

Ml nvmlDeviceGetHandleByIndex(unsigned index, void **out)
{
    return nvmlDeviceGetHandleByIndex_v2(index, out);
}

/* Which device a handle is; less than 0: none. */
static int index_of(const void *handle)
{
    for (int i = 0; i < MOST_DEVICES && i < ww_cuda_library_devices(); i++)
        if (handle == &handles[i])
            return i;
    return -1;
}

static Ml card_of(const void *handle, const void *out, LibraryCard *card)
{
    if (!users)
        return ML_UNINITIALIZED;
    return out && ww_cuda_library_card(index_of(handle), card) ? ML_SUCCESS : ML_INVALID_ARGUMENT;
}

static int attribute(const void *handle, int which)
{
    int value = 0;
    ww_cuda_library_attribute(index_of(handle), which, &value);
    return value;
}

static void write_uuid(const LibraryCard *c, char out[48])
{
    const unsigned char *u = c->uuid;
    snprintf(out, 48, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2],
             u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

Ml nvmlDeviceGetName(void *handle, char *out, unsigned cap)
{
    LibraryCard c;
    Ml          e = card_of(handle, out, &c);
    return e ? e : put(out, cap, c.name);
}

Ml nvmlDeviceGetUUID(void *handle, char *out, unsigned cap)
{
    LibraryCard c;
    char        text[48];
    Ml          e = card_of(handle, out, &c);
    if (e)
        return e;
    write_uuid(&c, text);
    return put(out, cap, text);
}

Ml nvmlDeviceGetHandleByUUID(const char *uuid, void **out)
{
    LibraryCard c;
    char        text[48];
    if (!users || !uuid || !out)
        return users ? ML_INVALID_ARGUMENT : ML_UNINITIALIZED;
    for (int i = 0; i < MOST_DEVICES && ww_cuda_library_card(i, &c); i++) {
        write_uuid(&c, text);
        if (!strcmp(text, uuid)) {
            *out = &handles[i];
            return ML_SUCCESS;
        }
    }
    return ML_NOT_FOUND;
}

/* ---- places ---- */

typedef struct Pci { /* nvmlPciInfo_t; before version 3 it ends before the last member */
    char     legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char     text[32];
} Pci;

static Ml pci_of(void *handle, const void *out, Pci *p)
{
    LibraryCard c;
    Ml          e = card_of(handle, out, &c);
    if (e)
        return e;
    *p = (Pci){.bus       = (unsigned)attribute(handle, PCI_BUS),
               .device    = (unsigned)attribute(handle, PCI_DEVICE),
               .id        = (unsigned)attribute(handle, PCI_ID),
               .subsystem = (unsigned)attribute(handle, PCI_SUBSYSTEM)};
    snprintf(p->legacy, sizeof p->legacy, "%04X:%02X:%02X.0", p->domain & 0xffff, p->bus & 0xff, p->device & 0xff);
    snprintf(p->text, sizeof p->text, "%08X:%02X:%02X.0", p->domain, p->bus & 0xff, p->device & 0xff);
    return ML_SUCCESS;
}

Ml nvmlDeviceGetPciInfo_v3(void *handle, Pci *out)
{
    return pci_of(handle, out, out);
}

Ml nvmlDeviceGetPciInfo_v2(void *handle, void *out)
{
    Pci p;
    Ml  e = pci_of(handle, out, &p);
    if (!e)
        memcpy(out, &p, offsetof(Pci, text));
    return e;
}

Ml nvmlDeviceGetPciInfo(void *handle, void *out)
{
    return nvmlDeviceGetPciInfo_v2(handle, out);
}

/* By "0000:01:00.0" or with eight digits first, or none. */
Ml nvmlDeviceGetHandleByPciBusId_v2(const char *text, void **out)
{
    unsigned domain = 0, bus, device;
    Pci      p;
    if (!users || !text || !out)
        return users ? ML_INVALID_ARGUMENT : ML_UNINITIALIZED;
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &device) != 3) {
        domain = 0;
        if (sscanf(text, "%x:%x", &bus, &device) != 2)
            return ML_INVALID_ARGUMENT;
    }
    for (int i = 0; i < MOST_DEVICES && !pci_of(&handles[i], &p, &p); i++)
        if (p.domain == domain && p.bus == bus && p.device == device) {
            *out = &handles[i];
            return ML_SUCCESS;
        }
    return ML_NOT_FOUND;
}

Ml nvmlDeviceGetHandleByPciBusId(const char *text, void **out)
{
    return nvmlDeviceGetHandleByPciBusId_v2(text, out);
}

/* ---- memory ---- */

typedef struct Memory {
    unsigned long long total, free, used;
} Memory;

typedef struct Memory2 {
    unsigned           version;
    unsigned long long total, reserved, free, used;
} Memory2;

Ml nvmlDeviceGetMemoryInfo(void *handle, Memory *out)
{
    LibraryCard c;
    Ml          e = card_of(handle, out, &c);
    if (!e)
        *out = (Memory){c.total, c.total - c.used, c.used};
    return e;
}

Ml nvmlDeviceGetMemoryInfo_v2(void *handle, Memory2 *out)
{
    LibraryCard c;
    Ml          e = card_of(handle, out, &c);
    if (e)
        return e;
    if (out->version != (sizeof *out | 2U << 24))
        return ML_VERSION;
    *out = (Memory2){out->version, c.total, 0, c.total - c.used, c.used};
    return ML_SUCCESS;
}

/* ---- numbers ---- */

#define NUMBER(name, type, value)                                                                                      \
    Ml name(void *handle, type *out)                                                                                   \
    {                                                                                                                  \
        LibraryCard c;                                                                                                 \
        Ml          e = card_of(handle, out, &c);                                                                      \
        if (!e)                                                                                                        \
            *out = (type)(value);                                                                                      \
        return e;                                                                                                      \
    }
NUMBER(nvmlDeviceGetIndex, unsigned, index_of(handle))
NUMBER(nvmlDeviceGetMinorNumber, unsigned, index_of(handle))
NUMBER(nvmlDeviceGetBrand, int, 14)          /* NVML_BRAND_NVIDIA */
NUMBER(nvmlDeviceGetComputeMode, int, 0)     /* default */
NUMBER(nvmlDeviceGetPersistenceMode, int, 1) /* nothing is ever unloaded */
NUMBER(nvmlDeviceIsMigDeviceHandle, unsigned, 0)
NUMBER(nvmlDeviceGetMultiGpuBoard, unsigned, 0)
/* nvmlDeviceArchitecture_t: Kepler 2, Maxwell 3, Pascal 4, Volta 5, Turing 6, Ampere 7, Ada 8, Hopper 9, Blackwell 10 */
NUMBER(nvmlDeviceGetArchitecture, unsigned,
       c.capability >= 100  ? 10
       : c.capability >= 90 ? 9
       : c.capability >= 89 ? 8
       : c.capability >= 80 ? 7
       : c.capability >= 75 ? 6
       : c.capability >= 70 ? 5
       : c.capability >= 60 ? 4
       : c.capability >= 50 ? 3
                            : 2)

Ml nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor)
{
    LibraryCard c;
    Ml          e = card_of(handle, major && minor ? major : NULL, &c);
    if (!e) {
        *major = c.capability / 10;
        *minor = c.capability % 10;
    }
    return e;
}

typedef struct Attributes { /* nvmlDeviceAttributes_t */
    unsigned           sms, copies, decoders, encoders, jpegs, ofas, gpu_slices, compute_slices;
    unsigned long long megabytes;
} Attributes;

Ml nvmlDeviceGetAttributes_v2(void *handle, Attributes *out)
{
    LibraryCard c;
    Ml          e = card_of(handle, out, &c);
    if (!e)
        *out = (Attributes){.sms = (unsigned)attribute(handle, CLOCK_SMS), .megabytes = c.total >> 20};
    return e;
}

/* Devices of one process reach each other. */
Ml nvmlDeviceGetP2PStatus(void *a, void *b, int which, int *out)
{
    (void)which;
    if (!users || index_of(a) < 0 || index_of(b) < 0 || !out)
        return users ? ML_INVALID_ARGUMENT : ML_UNINITIALIZED;
    *out = 0;
    return ML_SUCCESS;
}

/* Processes: no other's can be seen. */
#define PROCESSES(name)                                                                                                \
    Ml name(void *handle, unsigned *count, void *out)                                                                  \
    {                                                                                                                  \
        LibraryCard c;                                                                                                 \
        Ml          e = card_of(handle, count, &c);                                                                    \
        (void)out;                                                                                                     \
        if (!e)                                                                                                        \
            *count = 0;                                                                                                \
        return e;                                                                                                      \
    }
PROCESSES(nvmlDeviceGetComputeRunningProcesses)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3)

#define ABSENT(name)                                                                                                   \
    Ml name(void)                                                                                                      \
    {                                                                                                                  \
        return users ? ML_NOT_SUPPORTED : ML_UNINITIALIZED;                                                            \
    }
#include "cuda/libraries/nvml/absent.def"

/* SPDX-License-Identifier: Apache-2.0
 *
 * NVML as programs load it: libnvidia-ml.so.1 by its name, beside what CUDA says of the same devices; a process that forks after asking. */
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

typedef struct Pci {
    char     legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char     text[32];
} Pci;

static void *lib;

/* Functions whose arguments are pointers and words. */
static int call(const char *name, const void *a, const void *b, const void *c)
{
    int (*f)(const void *, const void *, const void *) = NULL;
    *(void **)&f                                       = dlsym(lib, name);
    EXPECT(f != NULL);
    return f ? f(a, b, c) : -1;
}

static void *word(uintptr_t x)
{
    return (void *)x;
}

static void devices(void)
{
    unsigned              count = 0, index = 9;
    void                 *h = NULL, *again = NULL;
    char                  name[128], uuid[96], text[64];
    unsigned long long    memory[3];
    Pci                   pci;
    struct cudaDeviceProp p;
    int                   major = 0, minor = 0, version = 0;
    size_t                free_bytes, total;
    EXPECT(call("nvmlDeviceGetCount_v2", &count, NULL, NULL) == 1); /* not yet */
    GOOD(call("nvmlInit_v2", NULL, NULL, NULL));
    GOOD(call("nvmlDeviceGetCount_v2", &count, NULL, NULL));
    EXPECT(count == 2);
    GOOD(call("nvmlDeviceGetHandleByIndex_v2", word(1), &h, NULL));
    EXPECT(call("nvmlDeviceGetHandleByIndex_v2", word(2), &h, NULL) == 2);
    GOOD(call("nvmlDeviceGetName", h, name, word(sizeof name)));
    GOOD(call("nvmlDeviceGetUUID", h, uuid, word(sizeof uuid)));
    EXPECT(call("nvmlDeviceGetUUID", h, uuid, word(8)) == 7);
    GOOD(call("nvmlDeviceGetPciInfo_v3", h, &pci, NULL));
    GOOD(call("nvmlDeviceGetIndex", h, &index, NULL));
    GOOD(call("nvmlDeviceGetCudaComputeCapability", h, &major, &minor));
    GOOD(call("nvmlSystemGetCudaDriverVersion", &version, NULL, NULL));
    EXPECT(index == 1 && version == 13000);
    EXPECT(call("nvmlDeviceGetUtilizationRates", h, memory, NULL) == 3);
    EXPECT(call("nvmlDeviceGetName", name, name, word(sizeof name)) == 2);
    GOOD(call("nvmlDeviceGetHandleByUUID", uuid, &again, NULL));
    EXPECT(again == h);
    GOOD(call("nvmlDeviceGetHandleByPciBusId_v2", pci.text, &again, NULL));
    EXPECT(again == h);
    int   status;
    pid_t child = fork(); /* nobody has used CUDA yet */
    if (!child)
        _Exit(cudaFree(NULL) != cudaSuccess);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    GOOD(cudaSetDevice(1));
    GOOD(cudaGetDeviceProperties(&p, 1));
    EXPECT(!strcmp(p.name, name) && p.major == major && p.minor == minor);
    GOOD(cudaDeviceGetPCIBusId(text, sizeof text, 1));
    char own[64];
    snprintf(own, sizeof own, "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
    EXPECT(!strcmp(own, text));
    void *some = device(NULL, 1 << 20);
    GOOD(call("nvmlDeviceGetMemoryInfo", h, memory, NULL));
    GOOD(cudaMemGetInfo(&free_bytes, &total));
    EXPECT(memory[0] == total && memory[1] == free_bytes && memory[2] >= 1 << 20);
    GOOD(cudaFree(some));
    GOOD(call("nvmlShutdown", NULL, NULL, NULL));
    EXPECT(call("nvmlShutdown", NULL, NULL, NULL) == 1);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"devices", devices}};
    lib                       = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    EXPECT(lib != NULL);
    return lib ? run_parts(parts, 1, argc, argv) : 1;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * module FILE: loads it by the driver interface, runs its kernel fill on 32 threads, prints the last word. */
#include <stdio.h>

int cuInit(unsigned flags), cuDeviceGet(int *device, int ordinal), cuDevicePrimaryCtxRetain(void **context, int device),
    cuCtxSetCurrent(void *context);
int cuModuleLoad(void **module, const char *path), cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(unsigned long long *p, size_t bytes),
    cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes);
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **args, void **extra);

int main(int argc, char **argv)
{
    void              *context, *module, *fill;
    unsigned long long p;
    int                device, words[32] = {0};
    if (argc < 2 || cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context))
        return 2;
    if (cuModuleLoad(&module, argv[1]) || cuModuleGetFunction(&fill, module, "fill") || cuMemAlloc_v2(&p, sizeof words))
        return 3;
    if (cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&p}, NULL) ||
        cuMemcpyDtoH_v2(words, p, sizeof words))
        return 4;
    printf("%d\n", words[31]);
    return 0;
}

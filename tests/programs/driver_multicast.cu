/* SPDX-License-Identifier: Apache-2.0
 *
 * Multicast objects of two devices: what multimem.st, .red and .ld_reduce do to both copies, every type and vector, binding by handle, by address
 * and again elsewhere, the refusals; and, in processes of their own, what a kernel must not do with such an address.
 * options: --devices 2
 * fails: 5 */
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define REFUSED(call, code) CHECK((call) == CUDA_ERROR_##code)

static const size_t GRANULE = 2u << 20;
static CUcontext    context[2];
static CUmemGenericAllocationHandle object, memory[2];
static CUdeviceptr  own[2], window; /* each device's copy; the multicast address */

static CUmemAllocationProp on(int device)
{
    CUmemAllocationProp p  = {};
    p.type                 = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    p.location             = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    return p;
}

static void map(CUdeviceptr *at, CUmemGenericAllocationHandle h, size_t bytes)
{
    CUmemAccessDesc access[2] = {{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
                                 {{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
    CU(cuMemAddressReserve(at, bytes, 0, 0, 0));
    CU(cuMemMap(*at, bytes, 0, h, 0));
    CU(cuMemSetAccess(*at, bytes, access, 2));
}

static void *add_second(void *)
{
    usleep(20000);
    CU(cuMulticastAddDevice(object, 1));
    return NULL;
}

/* Two granules; the second has memory on device 0 alone. */
static void set_up(void)
{
    CUmulticastObjectProp prop = {};
    size_t                granule;
    int                   can;
    pthread_t             thread;
    CU(cuInit(0));
    for (int i = 0; i < 2; i++)
        CU(cuDevicePrimaryCtxRetain(&context[i], i));
    CU(cuCtxSetCurrent(context[0]));
    CU(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 1));
    CHECK(can);
    prop.numDevices = 2, prop.size = 2 * GRANULE, prop.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CU(cuMulticastGetGranularity(&granule, &prop, CU_MULTICAST_GRANULARITY_MINIMUM));
    CHECK(granule == GRANULE);
    CU(cuMulticastCreate(&object, &prop));
    CU(cuMulticastAddDevice(object, 0));
    pthread_create(&thread, NULL, add_second, NULL);
    for (int i = 0; i < 2; i++) {
        CUmemAllocationProp p = on(i);
        CU(cuMemCreate(&memory[i], (2 - i) * GRANULE, &p, 0));
        CU(cuMulticastBindMem(object, 0, memory[i], 0, (2 - i) * GRANULE, 0)); /* the first waits for the thread */
        map(&own[i], memory[i], (2 - i) * GRANULE);
        CU(cuMemsetD8(own[i], 0, GRANULE));
    }
    OK(cudaDeviceSynchronize());
    pthread_join(thread, NULL);
    map(&window, object, 2 * GRANULE);
}

/* ---- every instruction ---- */

__global__ void store(unsigned *p)
{
    unsigned i = threadIdx.x;
    asm volatile("multimem.st.global.u32 [%0], %1;" ::"l"(p + i), "r"(100 + i) : "memory");
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p + 64 + 4 * i), "f"(1.0f * i),
                 "f"(2.0f), "f"(3.0f), "f"(4.0f)
                 : "memory");
    if (i == 0)
        asm volatile("multimem.st.weak.b64 [%0], %1;" ::"l"(p + 512), "l"(0x1122334455667788) : "memory");
}

__global__ void update(unsigned *p)
{
    unsigned i = threadIdx.x;
    asm volatile("multimem.red.global.add.u32 [%0], %1;" ::"l"(p + i % 4), "r"(1) : "memory");
    asm volatile("multimem.red.release.gpu.global.max.s32 [%0], %1;" ::"l"(p + 4), "r"((int)i - 40) : "memory");
    asm volatile("multimem.red.relaxed.sys.global.xor.b64 [%0], %1;" ::"l"(p + 6), "l"(1ull << i) : "memory");
    asm volatile("multimem.red.global.add.f32 [%0], %1;" ::"l"(p + 8), "f"(0.5f) : "memory");
    asm volatile("multimem.red.global.add.v2.f16x2 [%0], {%1, %2};" ::"l"(p + 10), "r"(0x3c003c00), "r"(0x40003c00)
                 : "memory");
    asm volatile("multimem.red.global.add.v4.bf16x2 [%0], {%1, %1, %1, %2};" ::"l"(p + 12), "r"(0x3f803f80),
                 "r"(0x40003f80)
                 : "memory");
}

__global__ void reduce(const unsigned *p, unsigned *out)
{
    unsigned           a, b, c, d;
    unsigned long long w;
    float              f, g, h, k;
    asm volatile("multimem.ld_reduce.global.add.u32 %0, [%1];" : "=r"(a) : "l"(p));
    asm volatile("multimem.ld_reduce.acquire.sys.global.min.s32 %0, [%1];" : "=r"(b) : "l"(p + 1));
    asm volatile("multimem.ld_reduce.weak.global.max.u64 %0, [%1];" : "=l"(w) : "l"(p + 2));
    out[0] = a, out[1] = b, out[2] = (unsigned)w, out[3] = (unsigned)(w >> 32);
    asm volatile("multimem.ld_reduce.relaxed.gpu.global.and.b32 %0, [%1];" : "=r"(a) : "l"(p));
    asm volatile("multimem.ld_reduce.global.or.b32 %0, [%1];" : "=r"(b) : "l"(p));
    asm volatile("multimem.ld_reduce.global.xor.b32 %0, [%1];" : "=r"(c) : "l"(p));
    out[4] = a, out[5] = b, out[6] = c;
    asm volatile("multimem.ld_reduce.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(f), "=f"(g), "=f"(h), "=f"(k)
                 : "l"(p + 4));
    out[8] = __float_as_uint(f), out[9] = __float_as_uint(g), out[10] = __float_as_uint(h), out[11] = __float_as_uint(k);
    asm volatile("multimem.ld_reduce.global.add.acc::f32.v4.f16x2 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(p + 8));
    out[12] = a, out[13] = b, out[14] = c, out[15] = d;
    asm volatile("multimem.ld_reduce.global.max.v2.bf16x2 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p + 12));
    asm volatile("multimem.ld_reduce.global.add.bf16x2 %0, [%1];" : "=r"(c) : "l"(p + 14));
    out[16] = a, out[17] = b, out[18] = c;
}

static void on_device(int i)
{
    CU(cuCtxSetCurrent(context[i]));
    OK(cudaSetDevice(i));
}

static void test_store(void)
{
    unsigned v[1024];
    for (int from = 0; from < 2; from++) {
        for (int i = 0; i < 2; i++)
            CU(cuMemsetD8(own[i], 0, 4096));
        OK(cudaDeviceSynchronize());
        on_device(from);
        store<<<1, 32>>>((unsigned *)window);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < 2; i++) {
            float f;
            CU(cuMemcpyDtoH(v, own[i], sizeof v));
            memcpy(&f, &v[64 + 4 * 31], 4);
            CHECK(v[0] == 100 && v[31] == 131 && v[32] == 0 && f == 31 && v[512] == 0x55667788 && v[513] == 0x11223344);
        }
    }
}

static void test_update(void)
{
    unsigned v[2][16];
    for (int i = 0; i < 2; i++)
        CU(cuMemsetD8(own[i], 0, 4096));
    OK(cudaDeviceSynchronize());
    unsigned seven = 7, minus = (unsigned)-100; /* the copies differ */
    CU(cuMemcpyHtoD(own[1], &seven, 4));
    for (int i = 0; i < 2; i++)
        CU(cuMemcpyHtoD(own[i] + 16, &minus, 4));
    update<<<1, 32>>>((unsigned *)window);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++) {
        CU(cuMemcpyDtoH(v[i], own[i], 64));
        float f;
        memcpy(&f, &v[i][8], 4);
        CHECK(v[i][0] == (i ? 15u : 8u) && v[i][1] == 8 && (int)v[i][4] == -9 && v[i][6] == 0xffffffff && v[i][7] == 0);
        CHECK(f == 16 && v[i][10] == 0x50005000 && v[i][11] == 0x54005000);
        CHECK(v[i][12] == 0x42004200 && v[i][15] == 0x42804200);
    }
}

static unsigned halves(float low, float high)
{
    return (unsigned)__half_as_ushort(__float2half_rn(low)) | (unsigned)__half_as_ushort(__float2half_rn(high)) << 16;
}

static unsigned bfloats(float low, float high)
{
    return (unsigned)__bfloat16_as_ushort(__float2bfloat16_rn(low)) |
           (unsigned)__bfloat16_as_ushort(__float2bfloat16_rn(high)) << 16;
}

static void test_reduce(void)
{
    unsigned a[16] = {0xf0f0, (unsigned)-5, 1, 9}, b[16] = {0x00ff, 3, 2, 8}, v[32], *out;
    float    fa[4] = {1, 0x1p24f, -2, 0x1p-140f}, fb[4] = {2, 1, 2, 0x1p-140f};
    memcpy(a + 4, fa, 16), memcpy(b + 4, fb, 16);
    a[8] = halves(1, 2048), b[8] = halves(2, 1);   /* 2049 is halfway: 2048 */
    a[9] = halves(65504, -1), b[9] = halves(65504, 1);
    a[10] = b[10] = halves(0.5f, 3);
    a[11] = b[11] = halves(0, 0);
    a[12] = bfloats(1, -7), b[12] = bfloats(3, -8), a[13] = bfloats(5, 0), b[13] = bfloats(4, 2);
    a[14] = bfloats(256, 1), b[14] = bfloats(1, 1);
    CU(cuMemcpyHtoD(own[0], a, sizeof a));
    CU(cuMemcpyHtoD(own[1], b, sizeof b));
    OK(cudaMalloc(&out, sizeof v));
    reduce<<<1, 1>>>((unsigned *)window, out);
    OK(cudaMemcpy(v, out, sizeof v, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    CHECK(v[0] == 0xf0f0 + 0xff && v[1] == (unsigned)-5 && v[2] == 1 && v[3] == 9);
    CHECK(v[4] == 0xf0 && v[5] == 0xf0ff && v[6] == 0xf00f);
    float f[4];
    memcpy(f, v + 8, 16);
    CHECK(f[0] == 3 && f[1] == 0x1p24f && f[2] == 0 && v[11] == 2u << 9);
    CHECK(v[12] == halves(3, 2048) && v[13] == 0x00007c00 && v[14] == halves(1, 6) && v[15] == 0);
    CHECK(v[16] == bfloats(3, -7) && v[17] == bfloats(5, 2) && v[18] == bfloats(256, 2));
}

/* ---- refusals, other ways to bind ---- */

static void test_refusals(void)
{
    CUmulticastObjectProp        prop = {};
    CUmemGenericAllocationHandle h, again;
    int                          fd;
    REFUSED(cuMulticastCreate(&h, &prop), INVALID_VALUE);
    prop.numDevices = 3, prop.size = GRANULE;
    REFUSED(cuMulticastCreate(&h, &prop), INVALID_VALUE); /* there are two */
    prop.numDevices = 2, prop.size = GRANULE / 2;
    REFUSED(cuMulticastCreate(&h, &prop), INVALID_VALUE);
    prop.size = (size_t)1 << 62; /* as much as no card has */
    REFUSED(cuMulticastCreate(&h, &prop), OUT_OF_MEMORY);
    prop.size = GRANULE, prop.handleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    REFUSED(cuMulticastCreate(&h, &prop), NOT_SUPPORTED);
    REFUSED(cuMulticastAddDevice(object, 1), INVALID_VALUE); /* it is there */
    REFUSED(cuMulticastAddDevice(object, 2), INVALID_DEVICE);
    REFUSED(cuMulticastAddDevice(memory[0], 0), INVALID_VALUE);
    REFUSED(cuMulticastBindMem(object, 0, memory[0], 0, GRANULE, 0), INVALID_VALUE); /* bound already */
    REFUSED(cuMulticastBindMem(object, GRANULE, memory[1], GRANULE, GRANULE, 0), INVALID_VALUE);
    REFUSED(cuMulticastBindMem(object, 4096, memory[1], 0, GRANULE, 0), INVALID_VALUE);
    REFUSED(cuMulticastBindMem(object, 0, object, 0, GRANULE, 0), INVALID_VALUE);
    REFUSED(cuMulticastUnbind(object, 1, GRANULE, GRANULE), INVALID_VALUE); /* nothing is bound there */
    REFUSED(cuMemcpyDtoH(&fd, window, 4), INVALID_VALUE);
    CU(cuMemExportToShareableHandle(&fd, object, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CU(cuMemImportFromShareableHandle(&again, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    CU(cuMulticastBindAddr(again, GRANULE, own[1], GRANULE, 0)); /* the same memory twice in the object */
    CU(cuMemRelease(again));
    store<<<1, 32>>>((unsigned *)(window + GRANULE));
    OK(cudaDeviceSynchronize());
    unsigned v[32];
    CU(cuMemcpyDtoH(v, own[0] + GRANULE, sizeof v));
    CHECK(v[31] == 131);
    CU(cuMemcpyDtoH(v, own[1], sizeof v));
    CHECK(v[31] == 131);
    CU(cuMulticastUnbind(object, 1, GRANULE, GRANULE));
}

/* ---- what a kernel must not do ---- */

__global__ void plain_load(const unsigned *p, unsigned *out)
{
    *out = p[threadIdx.x];
}

__global__ void one_store(unsigned *p)
{
    asm volatile("multimem.st.global.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
}

static void forbidden(const char *what)
{
    cudaError_t e = *what == 'm'                   ? cudaErrorMisalignedAddress
                    : *what == 'p' || *what == 'o' ? cudaErrorInvalidAddressSpace
                                                   : cudaErrorIllegalAddress;
    switch (*what) {
    case 'p': plain_load<<<1, 32>>>((unsigned *)window, (unsigned *)own[0]); break;
    case 'u': one_store<<<1, 32>>>((unsigned *)(window + GRANULE)); break;     /* device 1 has bound nothing there */
    case 'o': one_store<<<1, 32>>>((unsigned *)own[0]); break;                 /* ordinary memory */
    case 'b': one_store<<<1, 32>>>((unsigned *)(window + 2 * GRANULE)); break; /* behind the window */
    default: one_store<<<1, 32>>>((unsigned *)(window + 2)); break;
    }
    FAILS(cudaDeviceSynchronize(), e);
}

static void in_a_process(char *self, const char *what)
{
    extern char **environ;
    pid_t         child;
    int           status;
    char         *args[] = {self, (char *)what, NULL};
    CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv)
{
    set_up();
    if (argc > 1) {
        forbidden(argv[1]);
        return 0;
    }
    test_store();
    on_device(0);
    test_update();
    test_reduce();
    test_refusals();
    for (const char *const *what = (const char *const[]){"plain", "unbound", "ordinary", "behind", "misaligned", NULL}; *what; what++)
        in_a_process(argv[0], *what);
    CU(cuMemUnmap(window, 2 * GRANULE));
    CU(cuMemAddressFree(window, 2 * GRANULE));
    CU(cuMemRelease(object));
    return passed();
}

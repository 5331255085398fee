/* SPDX-License-Identifier: Apache-2.0
 *
 * What surfaces answer: reads, writes and reductions inside and outside, in every clamp mode; formatted writes.  (Of the card there are
 * readings of the first 12 lines only.)
 * Prints a line for each case: name, tab, words in hexadecimal.  surface FAULT ends in the named fault and prints its error. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define OK(call)                                                                            \
    do {                                                                                    \
        cudaError_t error_ = (call);                                                        \
        if (error_ != cudaSuccess) {                                                        \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error_));          \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

struct Array {
    cudaArray_t         a;
    cudaSurfaceObject_t s;
    size_t              w, h, d, texel;
};

static Array make(int bits, int channels, cudaChannelFormatKind kind, size_t w, size_t h, size_t d, unsigned flags, unsigned seed)
{
    int b[4];
    for (int i = 0; i < 4; i++)
        b[i] = i < channels ? bits : 0;
    Array                 r;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc(b[0], b[1], b[2], b[3], kind);
    r.w = w, r.h = h ? h : 1, r.d = d ? d : 1, r.texel = (size_t)(bits / 8 * channels);
    OK(cudaMalloc3DArray(&r.a, &desc, make_cudaExtent(w, h, d), flags | cudaArraySurfaceLoadStore));
    std::vector<uint8_t> bytes(r.w * r.h * r.d * r.texel);
    for (size_t i = 0; i < bytes.size(); i++)
        bytes[i] = (uint8_t)((i + seed) * 2654435761u >> 24);
    cudaMemcpy3DParms p = {};
    p.srcPtr   = make_cudaPitchedPtr(bytes.data(), r.w * r.texel, r.w, r.h);
    p.dstArray = r.a;
    p.extent   = make_cudaExtent(r.w, r.h, r.d);
    p.kind     = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    cudaResourceDesc q = {};
    q.resType         = cudaResourceTypeArray;
    q.res.array.array = r.a;
    OK(cudaCreateSurfaceObject(&r.s, &q));
    return r;
}

/* Prints the array as it is now, and frees it. */
static void show(const char *name, Array r)
{
    std::vector<uint8_t> bytes(r.w * r.h * r.d * r.texel);
    cudaMemcpy3DParms    p = {};
    p.srcArray = r.a;
    p.dstPtr   = make_cudaPitchedPtr(bytes.data(), r.w * r.texel, r.w, r.h);
    p.extent   = make_cudaExtent(r.w, r.h, r.d);
    p.kind     = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    printf("%s\t", name);
    for (uint8_t b : bytes)
        printf("%02x", b);
    printf("\n");
    OK(cudaDestroySurfaceObject(r.s));
    OK(cudaFreeArray(r.a));
}

static uint4 *out;
enum { N = 64 };

static void words(const char *name, int n)
{
    uint4 host[N];
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s\t", name);
    for (int i = 0; i < n; i++)
        printf("%s%x,%x,%x,%x", i ? " " : "", host[i].x, host[i].y, host[i].z, host[i].w);
    printf("\n");
}

/* ---- reads ---- */

#define READS(MODE)                                                                                                               \
    __global__ void read_##MODE(cudaSurfaceObject_t s, uint4 *o, int kind)                                                        \
    {                                                                                                                             \
        int      i = (int)threadIdx.x, x = (i % 8 - 2) * 4, y = i / 8 % 4 - 1, z = i / 32 * 3 - 1;                                 \
        unsigned a = 7, b = 7, c = 7, d = 7;                                                                                      \
        if (i == 63) x = 0x7ffffff0, y = 1;                                                                                       \
        if (kind == 0) asm volatile("suld.b.1d.b32." #MODE " %0, [%1, {%2}];" : "=r"(a) : "l"(s), "r"(x));                        \
        if (kind == 1) asm volatile("suld.b.2d.b32." #MODE " %0, [%1, {%2,%3}];" : "=r"(a) : "l"(s), "r"(x), "r"(y));             \
        if (kind == 2) asm volatile("suld.b.3d.b32." #MODE " %0, [%1, {%2,%3,%4,%4}];" : "=r"(a) : "l"(s), "r"(x), "r"(y), "r"(z)); \
        if (kind == 3) asm volatile("suld.b.a1d.b32." #MODE " %0, [%1, {%2,%3}];" : "=r"(a) : "l"(s), "r"(y), "r"(x));            \
        if (kind == 4) asm volatile("suld.b.a2d.b32." #MODE " %0, [%1, {%2,%3,%4,%4}];" : "=r"(a) : "l"(s), "r"(z), "r"(x), "r"(y)); \
        if (kind == 5) asm volatile("suld.b.2d.v4.b32." #MODE " {%0,%1,%2,%3}, [%4, {%5,%6}];"                                    \
                                    : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(s), "r"(x * 4), "r"(y));                           \
        if (kind == 6) asm volatile("suld.b.2d.v2.b32." #MODE " {%0,%1}, [%2, {%3,%4}];" : "=r"(a), "=r"(b) : "l"(s), "r"(x * 2), "r"(y)); \
        if (kind == 7) asm volatile("{.reg .b16 t; suld.b.2d.b8." #MODE " {t}, [%1, {%2,%3}]; cvt.u32.u16 %0, t;}"                 \
                                    : "=r"(a) : "l"(s), "r"(x / 4), "r"(y));                                                      \
        o[i] = make_uint4(a, b, c, d);                                                                                            \
    }
READS(trap)
READS(clamp)
READS(zero)

/* ---- writes ---- */

#define WRITES(MODE)                                                                                                              \
    __global__ void write_##MODE(cudaSurfaceObject_t s, int kind)                                                                 \
    {                                                                                                                             \
        int      i = (int)threadIdx.x, x = (i % 8 - 2) * 4, y = i / 8 % 4 - 1, z = i / 32 * 3 - 1;                                 \
        unsigned v = 0xa0000000u + (unsigned)i;                                                                                   \
        bool     in = x >= 0 && x < 16 && y >= 0 && y < 2; /* one thread a place: the rest of a clamped edge is left alone */     \
        if (!in && (i % 8 || i / 8 % 4 != 1))                                                                                     \
            return;                                                                                                               \
        if (in && (x == 0 && y == 0))                                                                                             \
            return;                                                                                                               \
        if (kind == 0) asm volatile("sust.b.1d.b32." #MODE " [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(v));                          \
        if (kind == 1) asm volatile("sust.b.2d.b32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(v));               \
        if (kind == 2 && i < 32) asm volatile("sust.b.3d.b32." #MODE " [%0, {%1,%2,%3,%3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z), "r"(v)); \
        if (kind == 3) asm volatile("sust.p.2d.b32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x / 4), "r"(y), "r"(v));           \
        if (kind == 4) asm volatile("sust.b.2d.v2.b32." #MODE " [%0, {%1,%2}], {%3,%4};" ::"l"(s), "r"(x * 2), "r"(y), "r"(v), "r"(~v)); \
    }
WRITES(clamp)
WRITES(zero)

__global__ void formatted(cudaSurfaceObject_t s, int channels)
{
    static const unsigned values[] = {0,          1,          0x3f800000, 0xbf800000, 0x3f000000, 0x7f7fffff, 0x7f800000, 0x7fc00000,
                                      0xffffffff, 0x00010000, 0x0000ff80, 0x80000000, 0x00000100, 0x47800000, 0x3eaaaaab, 0x33800000};
    int      i = (int)threadIdx.x;
    unsigned a = values[i % 16], b = values[(i + 5) % 16], c = values[(i + 9) % 16], d = values[(i + 14) % 16];
    if (channels == 1)
        asm volatile("sust.p.2d.b32.trap [%0, {%1,%2}], %3;" ::"l"(s), "r"(i % 16), "r"(i / 16), "r"(a));
    if (channels == 2)
        asm volatile("sust.p.2d.v2.b32.trap [%0, {%1,%2}], {%3,%4};" ::"l"(s), "r"(i % 16), "r"(i / 16), "r"(a), "r"(b));
    if (channels == 4)
        asm volatile("sust.p.2d.v4.b32.trap [%0, {%1,%2}], {%3,%4,%5,%6};" ::"l"(s), "r"(i % 16), "r"(i / 16), "r"(a), "r"(b), "r"(c), "r"(d));
}

/* ---- reductions ---- */

#define RED(MODE)                                                                                                                 \
    __global__ void red_##MODE(cudaSurfaceObject_t s, int kind)                                                                   \
    {                                                                                                                             \
        int           i = (int)threadIdx.x, x = (i % 8 - 2) * 4, y = i / 8 % 4 - 1;                                                \
        unsigned      v = 0x12345u * (unsigned)i + 0x80000000u * (unsigned)(i & 1);                                               \
        unsigned long w = v * 0x100000001ul;                                                                                      \
        if (kind == 0) asm volatile("sured.b.add.2d.u32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(v));          \
        if (kind == 1) asm volatile("sured.b.min.2d.s32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(v));          \
        if (kind == 2) asm volatile("sured.b.max.2d.u32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(v));          \
        if (kind == 3) asm volatile("sured.b.and.2d.b32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(v | 0xffff)); \
        if (kind == 4) asm volatile("sured.b.or.2d.b32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(v));           \
        if (kind == 5) asm volatile("sured.b.add.2d.u64." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x * 2), "r"(y), "l"(w));      \
        if (kind == 6) asm volatile("sured.b.min.2d.s64." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x * 2), "r"(y), "l"(w));      \
        if (kind == 7) asm volatile("sured.p.add.2d.b32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x / 4), "r"(y), "r"(v));      \
        if (kind == 8) asm volatile("sured.p.min.2d.b32." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x / 4), "r"(y), "r"(v));      \
        if (kind == 9) asm volatile("sured.b.max.2d.u64." #MODE " [%0, {%1,%2}], %3;" ::"l"(s), "r"(x * 2), "r"(y), "l"(w));      \
    }
RED(clamp)
RED(zero)

static const struct { const char *name; size_t w, h, d; unsigned flags; } shapes[] = {
    {"1d", 5, 0, 0, 0}, {"2d", 5, 3, 0, 0}, {"3d", 5, 3, 4, 0}, {"a1d", 5, 0, 2, cudaArrayLayered}, {"a2d", 5, 3, 2, cudaArrayLayered}};

static void fault(const std::string &which)
{
    Array r = make(32, 1, cudaChannelFormatKindUnsigned, 5, 3, 0, 0, 1);
    if (which == "trap")
        read_trap<<<1, 64>>>(r.s, out, 1);
    else if (which == "destroyed") {
        OK(cudaDestroySurfaceObject(r.s));
        read_zero<<<1, 64>>>(r.s, out, 1);
    } else if (which == "null")
        read_zero<<<1, 64>>>(0, out, 1);
    else if (which == "garbage")
        read_zero<<<1, 64>>>(0x123456789abcull, out, 1);
    cudaError_t launched = cudaGetLastError(), done = cudaDeviceSynchronize();
    printf("fault %s\t%s %s\n", which.c_str(), cudaGetErrorName(launched), cudaGetErrorName(done));
}

int main(int argc, char **argv)
{
    OK(cudaMalloc(&out, N * sizeof *out));
    OK(cudaMemset(out, 0x55, N * sizeof *out));
    if (argc > 1)
        return fault(argv[1]), 0;
    for (int k = 0; k < 8; k++)
        for (int mode = 0; mode < 2; mode++) {
            const auto &s = shapes[k < 5 ? k : 1];
            Array r = k == 5   ? make(32, 4, cudaChannelFormatKindUnsigned, 5, 3, 0, 0, 9)
                      : k == 7 ? make(8, 1, cudaChannelFormatKindUnsigned, 5, 3, 0, 0, 9)
                               : make(32, 1, cudaChannelFormatKindUnsigned, s.w, s.h, s.d, s.flags, (unsigned)k);
            if (mode)
                read_zero<<<1, N>>>(r.s, out, k);
            else
                read_clamp<<<1, N>>>(r.s, out, k);
            words((std::string("read ") + (mode ? "zero " : "clamp ") + std::to_string(k) + " " + s.name).c_str(), N);
            OK(cudaDestroySurfaceObject(r.s));
            OK(cudaFreeArray(r.a));
        }
    for (int k = 0; k < 5; k++)
        for (int mode = 0; mode < 2; mode++) {
            const auto &s = shapes[k < 3 ? k : 1];
            Array r = make(32, k == 4 ? 2 : 1, cudaChannelFormatKindUnsigned, s.w, s.h, s.d, s.flags, (unsigned)k);
            if (mode)
                write_zero<<<1, N>>>(r.s, k);
            else
                write_clamp<<<1, N>>>(r.s, k);
            show((std::string("write ") + (mode ? "zero " : "clamp ") + std::to_string(k) + " " + s.name).c_str(), r);
        }
    static const struct { const char *name; int bits; cudaChannelFormatKind kind; } formats[] = {
        {"u8", 8, cudaChannelFormatKindUnsigned},   {"s8", 8, cudaChannelFormatKindSigned}, {"u16", 16, cudaChannelFormatKindUnsigned},
        {"s16", 16, cudaChannelFormatKindSigned},   {"u32", 32, cudaChannelFormatKindUnsigned}, {"s32", 32, cudaChannelFormatKindSigned},
        {"f16", 16, cudaChannelFormatKindFloat},    {"f32", 32, cudaChannelFormatKindFloat}};
    for (const auto &f : formats)
        for (int channels = 1; channels <= 4; channels *= 2) {
            Array r = make(f.bits, channels, f.kind, 16, 1, 0, 0, 3);
            formatted<<<1, 16>>>(r.s, channels);
            show((std::string("format ") + f.name + "x" + std::to_string(channels)).c_str(), r);
        }
    for (int k = 0; k < 10; k++)
        for (int mode = 0; mode < 2; mode++) {
            bool  wide = k == 5 || k == 6 || k == 9;
            Array r    = make(32, wide ? 2 : 1, cudaChannelFormatKindUnsigned, 5, 3, 0, 0, (unsigned)k);
            if (mode)
                red_zero<<<1, N>>>(r.s, k);
            else
                red_clamp<<<1, N>>>(r.s, k);
            show((std::string("red ") + (mode ? "zero " : "clamp ") + std::to_string(k)).c_str(), r);
        }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix instructions on one core of the emulator, in multiply-adds: one block of a warpgroup (mma: a warp) that repeats a
 * product of random elements of ordinary size.  Processor time; each figure is the fastest of ROUNDS.
 *   matrix.mma.<types>      m16n8 (k as the name says)      Mmadd/s
 *   matrix.wgmma.<types>    m64n128, B and A in shared      Mmadd/s */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "warpwright/warpwright.h"

enum { ROUNDS = 3, REPEAT = 64, BYTES = 24576 };

typedef struct Case {
    const char *name;
    bool        wgmma;
    unsigned    k, d_regs, and_bits, or_bits; /* the elements' bits: random & and | or, 32 at a time */
    const char *shape, *types, *immediates;
} Case;

static const Case cases[] = {
    {"mma.m16n8k16.bf16", false, 16, 4, 0x807f807f, 0x3f003f00, "m16n8k16", "f32.bf16.bf16.f32", ""},
    {"mma.m16n8k16.f16", false, 16, 4, 0x87ff87ff, 0x38003800, "m16n8k16", "f32.f16.f16.f32", ""},
    {"mma.m16n8k32.e4m3", false, 32, 4, 0x87878787, 0x38383838, "m16n8k32", "f32.e4m3.e4m3.f32", ""},
    {"mma.m16n8k32.s8", false, 32, 4, 0xffffffff, 0, "m16n8k32", "s32.s8.s8.s32", ""},
    {"wgmma.bf16", true, 16, 64, 0x807f807f, 0x3f003f00, "m64n128k16", "f32.bf16.bf16", ", 1, 1, 0, 0"},
    {"wgmma.f16", true, 16, 64, 0x87ff87ff, 0x38003800, "m64n128k16", "f32.f16.f16", ", 1, 1, 0, 0"},
    {"wgmma.f16.f16", true, 16, 32, 0x87ff87ff, 0x38003800, "m64n128k16", "f16.f16.f16", ", 1, 1, 0, 0"},
    {"wgmma.tf32", true, 8, 64, 0x807fffff, 0x3f000000, "m64n128k8", "f32.tf32.tf32", ", 1, 1"},
    {"wgmma.e4m3", true, 32, 64, 0x87878787, 0x38383838, "m64n128k32", "f32.e4m3.e4m3", ", 1, 1"},
    {"wgmma.s8", true, 32, 64, 0xffffffff, 0, "m64n128k32", "s32.s8.s8", ""},
    {"wgmma.bf16.transposed", true, 16, 64, 0x807f807f, 0x3f003f00, "m64n128k16", "f32.bf16.bf16", ", 1, 1, 1, 1"},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void vector(Str *s, unsigned first, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        str_printf(s, "%s%%r%u", i ? ", " : "{", first + i);
    str_add(s, "}");
}

/* %r2: a random word. */
static void write_random(const Case *c, Str *s)
{
    str_printf(s,
               "mul.lo.u32 %%r1, %%r1, 1664525;\nadd.u32 %%r1, %%r1, 1013904223;\nshr.u32 %%r2, %%r1, 7;\n"
               "xor.b32 %%r2, %%r2, %%r1;\nand.b32 %%r2, %%r2, 0x%x;\nor.b32 %%r2, %%r2, 0x%x;\n",
               c->and_bits, c->or_bits);
}

static void write_product(const Case *c, Str *s)
{
    str_printf(s, "%s.sync.aligned.%s%s.%s ", c->wgmma ? "wgmma.mma_async" : "mma", c->shape,
               c->wgmma ? "" : ".row.col", c->types);
    vector(s, 100, c->d_regs);
    if (c->wgmma) {
        str_printf(s, ", %%rd1, %%rd2, %%p1%s;\n", c->immediates);
        return;
    }
    str_add(s, ", "), vector(s, 20, 4), str_add(s, ", "), vector(s, 30, 2), str_add(s, ", "), vector(s, 100, 4);
    str_add(s, ";\n");
}

static void write_kernel(const Case *c, Str *s)
{
    str_printf(
        s,
        ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n"
        ".shared .align 1024 .b8 smem[%u];\n.reg .b32 %%r<300>;\n.reg .b64 %%rd<8>;\n.reg .pred %%p<4>;\n"
        "ld.param.u32 %%r9, [n];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r3, smem;\nmad.lo.u32 %%r3, %%r1, 4, %%r3;\n",
        BYTES);
    for (unsigned i = 0; c->wgmma && i < BYTES; i += 512)
        write_random(c, s), str_printf(s, "st.shared.b32 [%%r3+%u], %%r2;\n", i);
    for (unsigned i = 20; !c->wgmma && i < 32; i++)
        write_random(c, s), str_printf(s, "mov.b32 %%r%u, %%r2;\n", i);
    for (unsigned i = 0; i < c->d_regs; i++)
        str_printf(s, "mov.b32 %%r%u, 0;\n", 100 + i);
    str_add(s, "fence.proxy.async;\nbar.sync 0;\nmov.u32 %r4, smem;\nshr.u32 %r4, %r4, 4;\ncvt.u64.u32 %rd1, %r4;\n"
               "or.b64 %rd1, %rd1, 0x4000004000400000;\nadd.u64 %rd2, %rd1, 512;\nsetp.eq.u32 %p1, 0, 0;\nloop:\n");
    if (c->wgmma)
        str_add(s, "wgmma.fence.sync.aligned;\n");
    for (unsigned i = 0; i < REPEAT; i++)
        write_product(c, s);
    if (c->wgmma)
        str_add(s, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    str_add(s, "sub.u32 %r9, %r9, 1;\nsetp.ne.u32 %p2, %r9, 0;\n@%p2 bra loop;\nret;\n}\n");
}

/* Seconds of a launch of `loops` repetitions; negative: it failed. */
static double measure(WwDevice *d, WwModule *m, const Case *c, uint32_t loops)
{
    double best = -1;
    for (int i = 0; i < ROUNDS; i++) {
        WwLaunch l     = {{1, 1, 1}, {c->wgmma ? 128 : 32, 1, 1}, .args = (void *[]){&loops}, .arg_count = 1};
        double   start = now();
        if (ww_launch(d, m, "k", &l, NULL) != WW_OK)
            return -1;
        double t = now() - start;
        best     = best < 0 || t < best ? t : best;
    }
    return best;
}

static bool run(WwDevice *d, const Case *c)
{
    enum { LOOPS = 64 };
    Str       s = {0};
    WwModule *m = NULL;
    write_kernel(c, &s);
    bool   ok = ww_module_load(d, "bench.ptx", str_text(&s), s.len, &m) == WW_OK;
    double t = ok ? measure(d, m, c, LOOPS) : -1, products = (double)LOOPS * REPEAT;
    double n = products * c->k * (c->wgmma ? 64 * 128 : 16 * 8);
    if (t > 0)
        printf("matrix.%s\t%.0f\tMmadd/s\n", c->name, 1e-6 * n / t);
    else
        fprintf(stderr, "bench_matrix: %s: %s\n", c->name, ww_device_error(d));
    ww_module_unload(d, m);
    str_free(&s);
    return t > 0;
}

int main(void)
{
    WwDevice   *d   = NULL;
    const char *why = "";
    bool        ok  = true;
    if (ww_device_open("emulator", &(WwDeviceOptions){.threads = 1}, &d, &why) != WW_OK) {
        fprintf(stderr, "bench_matrix: %s\n", why);
        return 1;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok &= run(d, &cases[i]);
    ww_device_close(d);
    return ok ? 0 : 1;
}

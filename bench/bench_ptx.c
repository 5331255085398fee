/* SPDX-License-Identifier: Apache-2.0
 *
 * Speed of the PTX front end on a module of 1 MB: many kernels of the shape that nvcc writes (line marks, predicates, vectors,
 * calls, shared memory), each with names of its own.
 *
 *   ptx.parse_1mb     text to checked module, fastest of RUNS
 *   ptx.print_1mb     module to text
 *   ptx.parse_memory  memory the module takes, for each byte of text */
#include <stdio.h>
#include <time.h>

#include "ptx/ptx.h"

enum { BYTES = 1 << 20, RUNS = 10 };

static const char head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.file 1 \"bench.cu\"\n"
    ".func (.param .b32 out) twice(.param .b32 in)\n{\n    .reg .b32 %r<3>;\n    ld.param.b32 %r1, [in];\n"
    "    shl.b32 %r2, %r1, 1;\n    st.param.b32 [out], %r2;\n    ret;\n}\n";

static void kernel_text(Str *out, unsigned i)
{
    str_printf(
        out,
        ".visible .entry kernel_%u(\n    .param .u64 kernel_%u_param_0,\n    .param .u32 kernel_%u_param_1\n)\n{\n"
        "    .reg .pred %%p<4>;\n    .reg .b32 %%r<16>;\n    .reg .f32 %%f<8>;\n    .reg .b64 %%rd<8>;\n"
        "    .shared .align 16 .b8 tile_%u[1024];\n",
        i, i, i, i);
    str_printf(
        out,
        "    .loc 1 %u 5\n    ld.param.u64 %%rd1, [kernel_%u_param_0];\n    ld.param.u32 %%r1, [kernel_%u_param_1];\n"
        "    cvta.to.global.u64 %%rd2, %%rd1;\n    mov.u32 %%r2, %%ctaid.x;\n    mov.u32 %%r3, %%ntid.x;\n"
        "    mov.u32 %%r4, %%tid.x;\n    mad.lo.s32 %%r5, %%r2, %%r3, %%r4;\n    setp.ge.s32 %%p1, %%r5, %%r1;\n"
        "    @%%p1 bra $L__BB%u_2;\n    .loc 1 %u 9\n    mul.wide.s32 %%rd3, %%r5, 4;\n    add.s64 %%rd4, %%rd2, "
        "%%rd3;\n",
        i % 1000 + 1, i, i, i, i % 1000 + 2);
    str_printf(
        out,
        "    ld.global.nc.v4.f32 {%%f1, %%f2, %%f3, %%f4}, [%%rd4+16];\n    fma.rn.f32 %%f5, %%f1, %%f2, 0f3F800000;\n"
        "    fma.rn.ftz.f32 %%f5, %%f3, %%f4, %%f5;\n    mov.u32 %%r6, tile_%u;\n    shl.b32 %%r7, %%r4, 2;\n"
        "    add.s32 %%r8, %%r6, %%r7;\n    st.shared.f32 [%%r8+-4], %%f5;\n    bar.sync 0;\n    ld.shared.f32 %%f6, "
        "[%%r8];\n"
        "    shfl.sync.down.b32 %%r9|%%p2, %%r4, 1, 31, -1;\n    selp.b32 %%r10, %%r9, 0, %%p2;\n",
        i);
    str_printf(
        out,
        "    {\n    .param .b32 a;\n    st.param.b32 [a+0], %%r10;\n    .param .b32 r;\n    call.uni (r), twice, (a);\n"
        "    ld.param.b32 %%r11, [r+0];\n    }\n    cvt.rn.f32.s32 %%f7, %%r11;\n    add.f32 %%f7, %%f7, %%f6;\n"
        "    st.global.f32 [%%rd4], %%f7;\n$L__BB%u_2:\n    ret;\n}\n",
        i);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    Str    text = {0}, printed = {0};
    double parse = 1e9, print = 1e9, memory = 0;
    str_add(&text, head);
    for (unsigned i = 0; text.len < BYTES; i++)
        kernel_text(&text, i);
    for (int i = 0; i < RUNS; i++) {
        Diags   diags;
        Module *m = NULL;
        diags_init(&diags);
        double begin = now();
        Status s     = ptx_parse("bench.ptx", text.s, text.len, &diags, &m);
        double took  = now() - begin;
        parse        = took < parse ? took : parse;
        if (s != WW_OK) {
            diags_render(&diags, &printed);
            fputs(str_text(&printed), stderr);
            return 1;
        }
        str_clear(&printed);
        begin = now();
        ptx_print(m, &printed);
        took   = now() - begin;
        print  = took < print ? took : print;
        memory = (double)arena_used(m->arena) / (double)text.len;
        ptx_module_free(m);
        diags_free(&diags);
    }
    printf("ptx.parse_1mb\t%.2f\tms\n", 1e3 * parse);
    printf("ptx.print_1mb\t%.2f\tms\n", 1e3 * print);
    printf("ptx.parse_memory\t%.1f\tbytes per byte of text\n", memory);
    str_free(&text);
    str_free(&printed);
    return 0;
}

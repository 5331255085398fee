/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel of a row of the matrix sweep.
 *   mma    lanes load their registers of A, B and C as they stand, and store D's, so a fragment's layout shows too
 *   wmma   matrices in memory are loaded, multiplied and stored
 *   wgmma  factors are bytes that go to shared memory as they stand; registers as mma's.  What a descriptor means shows. */
#include <string.h>

#include "matrix.h"

static unsigned leading(const Row *r, unsigned x)
{
    unsigned down = x == B ? r->k : r->m, across = x == A ? r->k : r->n;
    return strcmp(r->matrix_layout[x], "row") == 0 ? across : down;
}

static unsigned reg_bytes(const Row *r, unsigned x)
{
    return x < E && r->format[x]->bytes == 8 ? 8 : 4;
}

static unsigned regs(const Row *r, unsigned x)
{
    return row_bytes(r, x) / reg_bytes(r, x) / row_threads(r);
}

static const char *bank(const Row *r, unsigned x)
{
    const char *f = x == E ? "" : r->format[x]->name;
    return strcmp(f, "f64") == 0 ? "fd" : strcmp(f, "f32") == 0 ? "f" : "r";
}

/* Registers of a matrix: x hundred and so on. */
static void operand(const Row *r, unsigned x, unsigned n, Str *s)
{
    for (unsigned i = 0; i < n; i++)
        str_printf(s, "%s%%%s%u", i ? ", " : "{", bank(r, x), x * 200 + i);
    str_printf(s, "}");
}

/* Loads or stores the registers of x; they begin `at` bytes behind %rd2 (D: %rd3). */
static void move_regs(const Row *r, unsigned x, unsigned at, Str *s)
{
    unsigned w = reg_bytes(r, x);
    str_printf(s, "    mul.wide.u32 %%rd4, %%r1991, %u;\n    add.s64 %%rd4, %%rd4, %%rd%u;\n", w, x == D ? 3 : 2);
    for (unsigned i = 0; i < regs(r, x); i++, at += row_threads(r) * w)
        if (x == D)
            str_printf(s, "    st.global.b%u [%%rd4+%u], %%%s%u;\n", 8 * w, at, bank(r, x), x * 200 + i);
        else
            str_printf(s, "    ld.global.b%u %%%s%u, [%%rd4+%u];\n", 8 * w, bank(r, x), x * 200 + i, at);
}

static void write_mma(const Row *r, Str *s)
{
    unsigned at = 0;
    for (unsigned x = A; x <= E; x++)
        if (x != D) {
            move_regs(r, x, at, s);
            at += row_bytes(r, x);
        }
    str_printf(s, "    %s ", r->op);
    operand(r, D, regs(r, D), s), str_printf(s, ", "), operand(r, A, regs(r, A), s), str_printf(s, ", ");
    operand(r, B, regs(r, B), s), str_printf(s, ", "), operand(r, C, regs(r, C), s);
    if (r->sparse)
        str_printf(s, ", %%r%u, %u", E * 200, r->selector);
    str_printf(s, ";\n");
    move_regs(r, D, 0, s);
}

static void write_wmma(const Row *r, Str *s)
{
    static const char name[] = "abc";
    unsigned          at     = 0;
    for (unsigned x = A; x <= C; x++) {
        str_printf(s, "    add.s64 %%rd4, %%rd2, %u;\n    wmma.load.%c.sync.aligned.%s.%s.global.%s ", at, name[x],
                   r->matrix_layout[x], r->shape, r->format[x]->name);
        operand(r, x, r->regs[x], s);
        str_printf(s, ", [%%rd4], %u;\n", leading(r, x));
        at += row_bytes(r, x);
    }
    str_printf(s, "    %s ", r->op);
    operand(r, D, r->regs[D], s), str_printf(s, ", "), operand(r, A, r->regs[A], s), str_printf(s, ", ");
    operand(r, B, r->regs[B], s), str_printf(s, ", "), operand(r, C, r->regs[C], s);
    str_printf(s, ";\n    wmma.store.d.sync.aligned.%s.%s.global.%s [%%rd3], ", r->matrix_layout[D], r->shape,
               r->format[D]->name);
    operand(r, D, r->regs[D], s);
    str_printf(s, ", %u;\n", leading(r, D));
}

/* %rd<to> = the descriptor of a factor that begins `at` bytes behind smem. */
static void descriptor(const Layout *l, unsigned at, unsigned to, Str *s)
{
    uint64_t rest = (uint64_t)(l->leading >> 4) << 16 | (uint64_t)(l->stride >> 4) << 32 | (uint64_t)l->base << 49 |
                    (uint64_t)l->swizzle << 62;
    str_printf(s,
               "    mov.u64 %%rd5, smem;\n    add.u64 %%rd5, %%rd5, %u;\n    shr.u64 %%rd5, %%rd5, 4;\n"
               "    or.b64 %%rd%u, %%rd5, 0x%llx;\n",
               at + l->start, to, (unsigned long long)rest);
}

static void write_wgmma(const Row *r, Str *s)
{
    bool     a_regs = !r->layout[A]->name;
    unsigned shared = (a_regs ? 0 : row_bytes(r, A)) + row_bytes(r, B), from = a_regs ? row_bytes(r, A) : 0;
    str_printf(s, "    mul.wide.u32 %%rd4, %%r1991, 16;\n    mov.u32 %%r1992, smem;\n"
                  "    mad.lo.u32 %%r1992, %%r1991, 16, %%r1992;\n    add.s64 %%rd4, %%rd4, %%rd2;\n");
    for (unsigned i = 0; i < shared; i += 16 * WARPGROUP)
        str_printf(s,
                   "    ld.global.v4.b32 {%%r1993, %%r1994, %%r1995, %%r1996}, [%%rd4+%u];\n"
                   "    st.shared.v4.b32 [%%r1992+%u], {%%r1993, %%r1994, %%r1995, %%r1996};\n",
                   from + i, i);
    if (a_regs)
        move_regs(r, A, 0, s);
    move_regs(r, C, from + shared, s);
    if (r->sparse)
        move_regs(r, E, from + shared + row_bytes(r, C), s);
    str_printf(s, "    fence.proxy.async;\n    bar.sync 0;\n");
    if (!a_regs)
        descriptor(r->layout[A], 0, 6, s);
    descriptor(r->layout[B], a_regs ? 0 : row_bytes(r, A), 7, s);
    for (unsigned i = 0; i < regs(r, D); i++)
        str_printf(s, "    mov.b32 %%%s%u, %%%s%u;\n", bank(r, D), D * 200 + i, bank(r, C), C * 200 + i);
    str_printf(s, "    setp.eq.u32 %%p1, 0, %u;\n    wgmma.fence.sync.aligned;\n    %s ", !r->scale_d, r->op);
    operand(r, D, regs(r, D), s), str_printf(s, ", ");
    if (a_regs)
        operand(r, A, regs(r, A), s);
    else
        str_printf(s, "%%rd6");
    str_printf(s, ", %%rd7, ");
    if (r->sparse)
        str_printf(s, "%%r%u, %u, ", E * 200, r->selector);
    str_printf(s, "%%p1%s;\n", r->immediates);
    str_printf(s, "    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n");
    move_regs(r, D, 0, s);
}

void kernel_write(const Row *r, Str *s)
{
    str_printf(
        s, ".version 8.7\n.target sm_90a\n.address_size 64\n\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n");
    if (r->kind == ROW_WGMMA)
        str_printf(s, "    .shared .align 1024 .b8 smem[%u];\n",
                   (r->layout[A]->name ? row_bytes(r, A) : 0) + row_bytes(r, B) + 2048);
    str_printf(
        s,
        "    .reg .b32 %%r<2000>;\n    .reg .f32 %%f<1000>;\n    .reg .f64 %%fd<1000>;\n    .reg .b64 %%rd<10>;\n"
        "    .reg .pred %%p<2>;\n    ld.param.u64 %%rd0, [in];\n    ld.param.u64 %%rd1, [out];\n"
        "    mov.u32 %%r1990, %%ctaid.x;\n    mov.u32 %%r1991, %%tid.x;\n"
        "    mul.wide.u32 %%rd2, %%r1990, %u;\n    add.s64 %%rd2, %%rd0, %%rd2;\n"
        "    mul.wide.u32 %%rd3, %%r1990, %u;\n    add.s64 %%rd3, %%rd1, %%rd3;\n",
        kernel_input_bytes(r), row_bytes(r, D));
    if (r->kind == ROW_WMMA)
        write_wmma(r, s);
    else if (r->kind == ROW_WGMMA)
        write_wgmma(r, s);
    else
        write_mma(r, s);
    str_printf(s, "    ret;\n}\n");
}

/* Factors of wgmma are copied 2 KiB at a time: what is behind them is read too, and not used. */
unsigned kernel_input_bytes(const Row *r)
{
    return row_bytes(r, A) + row_bytes(r, B) + row_bytes(r, C) + row_bytes(r, E) + (r->kind == ROW_WGMMA ? 2048 : 0);
}

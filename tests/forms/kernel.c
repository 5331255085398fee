/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel of a case: thread i loads its sources from in[source][i], executes the opcode once and stores its results to
 * out[result][i]; every element has 8 bytes.  Registers are untyped (.b16, .b32, .b64), 8-bit types live in 32-bit registers with
 * arbitrary upper bits.  The carry flag is set from a source by add.cc or sub.cc before, and read by addc or subc behind. */
#include <string.h>

#include "forms.h"
#include "ptx/op.h"

void module_head(Str *out)
{
    str_add(out, ".version 8.6\n.target sm_90\n.address_size 64\n\n");
}

static unsigned bits(const FormOperand *p)
{
    return 8u * (p->bytes ? p->bytes : 4);
}

static bool is_constant(const Case *c, const FormOperand *p)
{
    return c->constant && p->name == 'e';
}

static bool subtracts(Op op)
{
    return op == OP_sub_cc || op == OP_subc || op == OP_subc_cc;
}

static void declare(const Case *c, Str *out)
{
    str_add(out, "    .reg .b64 %in, %out, %o;\n    .reg .b32 %t, %x, %carry;\n");
    for (unsigned i = 0; i < c->noperands; i++) {
        const FormOperand *p = &c->operand[i];
        if (p->bytes)
            str_printf(out, "    .reg .b%u %%v_%c;\n", bits(p), p->name);
        else
            str_printf(out, "    .reg .pred %%v_%c;\n", p->name);
    }
    str_add(out, "    ld.param.u64 %in, [p_in];\n    ld.param.u64 %out, [p_out];\n    mov.u32 %t, %tid.x;\n"
                 "    mul.wide.u32 %o, %t, 8;\n    add.s64 %in, %in, %o;\n    add.s64 %out, %out, %o;\n");
}

static void load(const Case *c, Str *out)
{
    unsigned s = 0;
    for (unsigned i = 0; i < c->noperands; i++) {
        const FormOperand *p = &c->operand[i];
        if (p->written || is_constant(c, p))
            continue;
        if (p->bytes)
            str_printf(out, "    ld.global.b%u %%v_%c, [%%in+%u];\n", bits(p), p->name, s * TUPLES * 8);
        else
            str_printf(out, "    ld.global.b32 %%x, [%%in+%u];\n    setp.ne.u32 %%v_%c, %%x, 0;\n", s * TUPLES * 8,
                       p->name);
        s++;
    }
    if (c->carry_in)
        str_printf(out, "    ld.global.b32 %%x, [%%in+%u];\n    %s;\n", s * TUPLES * 8,
                   subtracts(c->op) ? "sub.cc.u32 %x, 0, %x" : "add.cc.u32 %x, %x, 0xffffffff");
}

static void mask(const Case *c, Str *out)
{
    str_add(out, "    .reg .pred %guard;\n    and.b32 %x, %t, 1;\n    setp.eq.u32 %guard, %x, 0;\n");
    for (unsigned i = 0; i < c->noperands; i++) {
        const FormOperand *p = &c->operand[i];
        if (p->written && p->bytes)
            str_printf(out, "    mov.b%u %%v_%c, 0x%llx;\n", bits(p), p->name, UNTOUCHED >> (64 - bits(p)));
        else if (p->written)
            str_printf(out, "    setp.ne.u32 %%v_%c, %%t, %%t;\n", p->name);
    }
}

static void execute(const Case *c, bool masked, Str *out)
{
    str_printf(out, "    %s%s ", masked ? "@%guard " : "", c->opcode);
    for (unsigned i = 0; i < c->noperands; i++) {
        const FormOperand *p = &c->operand[i];
        str_add(out, i == 0 ? "" : p->name == 'q' ? "|" : ", ");
        if (is_constant(c, p))
            str_printf(out, "0x%x", c->value);
        else
            str_printf(out, "%%v_%c", p->name);
    }
    str_add(out, ";\n");
    if (c->carry_out)
        str_printf(out, "    %s.u32 %%carry, 0, 0;\n", subtracts(c->op) ? "subc" : "addc");
}

static void store(const Case *c, Str *out)
{
    unsigned r = 0;
    for (unsigned i = 0; i < c->noperands; i++) {
        const FormOperand *p = &c->operand[i];
        if (!p->written)
            continue;
        if (p->bytes)
            str_printf(out, "    st.global.b%u [%%out+%u], %%v_%c;\n", bits(p), r * TUPLES * 8, p->name);
        else
            str_printf(out, "    selp.u32 %%x, 1, 0, %%v_%c;\n    st.global.b32 [%%out+%u], %%x;\n", p->name,
                       r * TUPLES * 8);
        r++;
    }
    if (c->carry_out)
        str_printf(out, "    st.global.b32 [%%out+%u], %%carry;\n", r * TUPLES * 8);
}

void kernel_write(const Case *c, unsigned index, bool masked, Str *out)
{
    str_printf(out, ".visible .entry k%u(.param .u64 p_in, .param .u64 p_out)\n{\n", index);
    declare(c, out);
    if (masked)
        mask(c, out);
    load(c, out);
    execute(c, masked, out);
    store(c, out);
    str_add(out, "    ret;\n}\n\n");
}

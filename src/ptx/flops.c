/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point operations of an instruction, by its opcode alone: which pairs become one is contract.h's.  Matrix instructions are other
 * units' work and make none here, nor do atomics, whose sums memory makes. */
#include "ptx/flops.h"

#include <string.h>

typedef struct Row {
    const char *base;
    Word        word;
    Flops       makes;
} Row;

static const Row rows[] = {
#define FLOPS(base, word, kind, sums, products, fused) {base, WORD_##word, {FLOPS_##kind, sums, products, fused}},
#include "ptx/flops.def"
};

/* False: it is no type of floating point that is computed with. */
static bool kind_of(Type t, FlopsKind *kind, unsigned *elements)
{
    *elements = t == TY_F16X2 || t == TY_BF16X2 || t == TY_F32X2 ? 2 : 1;
    *kind     = t == TY_F64 ? FLOPS_DOUBLE : t == TY_F32 || t == TY_F32X2 ? FLOPS_SINGLE : FLOPS_HALF;
    return *kind != FLOPS_HALF || t == TY_F16 || t == TY_BF16 || *elements == 2;
}

bool flops_of(const Instr *in, Flops *out)
{
    const Opcode *o = in->op;
    FlopsKind     kind;
    unsigned      elements;
    if (!o || !o->ntypes || !kind_of(o->types[0], &kind, &elements))
        return false;
    size_t len = strcspn(o->text, ".");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *r = &rows[i];
        if (r->makes.kind != kind || strlen(r->base) != len || memcmp(r->base, o->text, len) != 0 ||
            (r->word != WORD_NONE && !opcode_has(o, r->word)))
            continue;
        *out = (Flops){kind, r->makes.sums * elements, r->makes.products * elements, r->makes.fused * elements};
        return out->sums + out->products + out->fused > 0;
    }
    return false;
}

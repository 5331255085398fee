/* SPDX-License-Identifier: Apache-2.0
 *
 * The table is standin.def; accesses go by their space. */
#include "check/time/recipe.h"

#include <stddef.h>

#include "ptx/merge.h"
#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

static const char *const pipe_code[PIPE_COUNT][2] = {
#define STANDIN_PIPE(pipe, narrow, wide) [PIPE_##pipe] = {narrow, wide},
#include "check/time/standin.def"
};

typedef struct Recipe {
    Op          op;
    uint8_t     bytes;
    Word        word;
    const char *code;
} Recipe;

#define WORD_none WORD_NONE

static const Recipe recipes[] = {
#define STANDIN(row, size, has, text) {OP_##row, size, WORD_##has, text},
#include "check/time/standin.def"
};

static const struct {
    char        to;
    uint8_t     to_bytes;
    char        from;
    uint8_t     from_bytes;
    const char *code;
} conversions[] = {
#define CONVERSION(to_kind, to_size, from_kind, from_size, text) {to_kind, to_size, from_kind, from_size, text},
#include "check/time/standin.def"
};

Type recipe_type(const Opcode *o, unsigned k)
{
    return k < o->ntypes ? o->types[k] : TY_NONE;
}

bool recipe_is_float(Type t)
{
    return type_kind(t) == 'f';
}

static const char *conversion(const Opcode *o)
{
    Type to = recipe_type(o, 0), from = recipe_type(o, 1);
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if ((conversions[i].to == 'f') == recipe_is_float(to) &&
            (conversions[i].from == 'f') == recipe_is_float(from) &&
            (!conversions[i].to_bytes || conversions[i].to_bytes == type_bytes(to)) &&
            (!conversions[i].from_bytes || conversions[i].from_bytes == type_bytes(from)))
            return conversions[i].code;
    return "";
}

const char *recipe_of(const Opcode *o)
{
    unsigned bytes = type_bytes(recipe_type(o, 0));
    if (o->op == OP_cvt)
        return conversion(o);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (recipes[i].op == o->op && (!recipes[i].bytes || recipes[i].bytes == bytes) &&
            (recipes[i].word == WORD_NONE || opcode_has(o, recipes[i].word)))
            return recipes[i].code;
    return pipe_code[op_traits(o->op).pipe][bytes > 4];
}

Word recipe_space(const Instr *in)
{
    return (Word)in->op->field[FIELD_space];
}

bool recipe_in_shared(Word space)
{
    return space == WORD_shared || space == WORD_shared_cta || space == WORD_shared_cluster;
}

unsigned recipe_bytes(const Instr *in)
{
    unsigned n = type_bytes(recipe_type(in->op, 0));
    for (unsigned i = 0; i < in->nopd; i++)
        if (in->opd[i].kind == OPD_VECTOR)
            return n * in->opd[i].count;
    return n;
}

const char *recipe_of_access(const Instr *in, uint32_t merges)
{
    Word space = recipe_space(in);
    bool load = op_is(in, TRAIT_LOAD), store = op_is(in, TRAIT_STORE);
    if (op_is(in, TRAIT_ATOMIC)) {
        bool used = ptx_has_result(in);
        if (merges & MERGE_LEADER)
            return used ? "REDUX VOTEU UFLO ISETP ATOMG SHFL IADD3" : "REDUX VOTEU UFLO ISETP REDG";
        return recipe_in_shared(space) ? "ATOMS" : space == WORD_NONE ? "ATOM" : used ? "ATOMG" : "REDG";
    }
    if (load && store)
        return "LDGSTS";
    if (space == WORD_param)
        return load && recipe_bytes(in) == 8 ? "LDC" : load ? "ULDC" : "";
    if (space == WORD_const) {
        const Operand *mem = in->nopd > 1 && in->opd[1].kind == OPD_MEM ? &in->opd[1] : NULL;
        return mem && mem->elem[0].kind != OPD_REG ? "" : "LDC";
    }
    if (space == WORD_local)
        return load ? "LDL" : "STL";
    if (recipe_in_shared(space))
        return load ? "LDS" : "STS";
    return space == WORD_NONE ? (load ? "LD" : "ST") : load ? "LDG" : "STG";
}

bool recipe_is_access(const Instr *in)
{
    return op_is(in, TRAIT_LOAD | TRAIT_STORE | TRAIT_ATOMIC) && op_traits(in->op->op).pipe == PIPE_LSU &&
           in->op->op != OP_ldmatrix;
}

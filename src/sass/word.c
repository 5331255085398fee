/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes words apart.  Of the 128 bits
 *
 *     0-11 operation | 12-14 guard | 15 its negation | ... operands ... | 73-75 width of an access | ... | 105-108 stall | 109 does not yield
 *     | 110-112 barrier of the result | 113-115 barrier of the sources | 116-121 barriers waited for | 122-125 operands that are kept
 *
 * of a product and sum of registers, its sources: 24-31, 32-39 and 64-71;
 * of an operand that is a constant, bits 38-53 (its place) and 54-58 (its bank); of loads of constants also 24-31 (the register added to the
 * place; 255: none); and, of a jump or a call, bits 16-23 and 34-81 (its distance in units of 4 bytes, the lowest 8 bits first); of a branch also
 * 32-33 (2, with bit 91: taken by warps alone whose lanes are apart) and 87-90 (a second predicate and its negation; 7: none).  Only those
 * are looked at: which registers are named differs from one operation to the next, and nobody asks.  The control fields are documented
 * nowhere; they were checked by what they say of loads (each use of a result waits for its barrier).  Every word decodes to something: one
 * that is not in opcodes.def has no
 * name. */
#include "sass/word.h"

#include <string.h>

typedef struct Row {
    const char *name;
    uint8_t     pipe;
    bool        sized;
    uint8_t     reach, flow;
} Row;

enum { FFMA = 0x023, DFMA = 0x02b, REGISTERS = 1 }; /* REGISTERS: of bits 9 to 11 */
enum { OPS = 0x200, CALL_NEAR = 0x144 };            /* the call that says how far from it the place is */
enum {
    BRA          = 0x147,
    BRANCH       = 0x947,
    DIV          = 2,
    NO_PREDICATE = 7
}; /* BRANCH: as the assembler writes it, with its place behind it */
enum {
    LDC             = 0x182,
    ULDC            = 0x0b9,
    ULDC_AT         = 0x0bb, /* at a place that a uniform register adds to */
    NO_REGISTER     = 0xff,
    THIRD_CONSTANT  = 3, /* of bits 9 to 11 */
    SECOND_CONSTANT = 5
};

static const Row rows[OPS] = {
#define PIPE(...)
#define OPCODE(bits, id, line, has_size, from, to) [bits] = {#id, SASS_##line, has_size, SASS_##from, SASS_##to},
#include "sass/opcodes.def"
#undef OPCODE
#undef PIPE
};

static const struct {
    const char *title;
    unsigned    clocks;
} pipes[] = {
#define OPCODE(...)
#define PIPE(id, title, clocks) {title, clocks},
#include "sass/opcodes.def"
#undef PIPE
#undef OPCODE
};

/* Operations of the arithmetic pipes name a constant in the place of their second or third source. */
static bool has_constant(unsigned op, SassPipe pipe)
{
    unsigned form = op >> 9;
    return pipe != SASS_CONTROL && pipe != SASS_LSU && pipe != SASS_CONST && pipe != SASS_UNIFORM &&
           (form == SECOND_CONSTANT || form == THIRD_CONSTANT);
}

static uint64_t half(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* Of a jump, in instructions. */
static int64_t distance(uint64_t low, uint64_t high)
{
    uint64_t far = (low >> 34 | high << 30) & ((UINT64_C(1) << 48) - 1);
    uint64_t all = far << 8 | (low >> 16 & 0xff);
    return (int64_t)(all << 8) >> 8 >> 2; /* 56 bits with a sign */
}

void sass_decode(const uint8_t *word, SassWord *out)
{
    static const uint8_t width[] = {1, 1, 2, 2, 4, 8, 16, 0};
    uint64_t             low = half(word), high = half(word + 8);
    unsigned             control = (unsigned)(high >> 41);
    const Row           *r       = &rows[low & (OPS - 1)];
    bool                 goes    = r->flow == SASS_JUMP || (low & (OPS - 1)) == CALL_NEAR;
    *out                         = (SassWord){.op     = (unsigned)low & 0xfff,
                                              .name   = r->name,
                                              .pipe   = r->name ? (SassPipe)r->pipe : SASS_CONTROL,
                                              .reach  = (SassReach)r->reach,
                                              .flow   = (SassFlow)r->flow,
                                              .jump   = goes ? distance(low, high) : 0,
                                              .bytes  = r->sized ? width[high >> 9 & 7] : 0,
                                              .guard  = low >> 12 & 7,
                                              .unless = low >> 15 & 1,
                                              .stall  = control & 15,
                                              .yields = !(control >> 4 & 1),
                                              .writes = control >> 5 & 7,
                                              .reads  = control >> 8 & 7,
                                              .waits  = control >> 11 & 63};
    unsigned op                  = (unsigned)low & (OPS - 1);
    if (op == BRA) {
        out->both = (high >> 23 & 15) != NO_PREDICATE;
        if ((low >> 32 & 3) == DIV && high >> 27 & 1)
            out->flow = SASS_APART;
    }
    memset(out->source, SASS_NO_REGISTER, sizeof out->source);
    if ((op == FFMA || op == DFMA) && out->op >> 9 == REGISTERS) {
        out->source[0] = low >> 24 & 0xff;
        out->source[1] = low >> 32 & 0xff;
        out->source[2] = high & 0xff;
        out->keeps     = high >> 58 & 7;
    }
    bool loads = op == LDC || op == ULDC || op == ULDC_AT;
    if (!loads && !has_constant((unsigned)low & 0xfff, out->pipe))
        return;
    out->constant       = true;
    out->indexed        = op == ULDC_AT || (op == LDC && (low >> 24 & 0xff) != NO_REGISTER);
    out->offset         = (uint16_t)(low >> 38);
    out->bank           = low >> 54 & 31;
    out->constant_bytes = loads ? width[high >> 9 & 7] : 4;
}

bool sass_named(const char *name, size_t len, SassWord *out)
{
    for (unsigned op = 0; op < OPS; op++) {
        const Row *r = &rows[op];
        if (!r->name || strncmp(r->name, name, len) != 0 || r->name[len])
            continue;
        *out = (SassWord){.op     = op,
                          .name   = r->name,
                          .pipe   = (SassPipe)r->pipe,
                          .reach  = (SassReach)r->reach,
                          .flow   = (SassFlow)r->flow,
                          .guard  = NO_PREDICATE,
                          .stall  = 1,
                          .writes = SASS_NO_BARRIER,
                          .reads  = SASS_NO_BARRIER};
        if (op == BRA)
            out->op = BRANCH;
        return true;
    }
    return false;
}

const char *sass_pipe_title(SassPipe p)
{
    return pipes[p].title;
}

unsigned sass_pipe_clocks(SassPipe p)
{
    return pipes[p].clocks;
}

double sass_read_clocks(const SassWord *w, const SassWord *before)
{
    unsigned n = 0;
    for (unsigned i = 0; i < SASS_SOURCES; i++) {
        bool had =
            w->source[i] == SASS_NO_REGISTER || (before && before->keeps >> i & 1 && before->source[i] == w->source[i]);
        for (unsigned k = 0; k < i; k++)
            had |= w->source[k] == w->source[i];
        n += !had;
    }
    if (n < SASS_SOURCES)
        return 0;
    return (w->op & (OPS - 1)) == DFMA ? 1 : 0.5;
}

void sass_name(const SassWord *w, Str *out)
{
    if (w->guard != 7)
        str_printf(out, "@%sP%u ", w->unless ? "!" : "", w->guard);
    if (!w->name)
        str_printf(out, "? %03x", w->op);
    else
        str_add(out, w->name);
    if (w->flow == SASS_APART)
        str_add(out, ".DIV");
    if (w->bytes && w->bytes != 4)
        str_printf(out, ".%u", w->bytes * 8);
}

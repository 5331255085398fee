/* SPDX-License-Identifier: Apache-2.0
 *
 * The form sweep: every lane-computing form of isa.def, spelled out to full opcodes, run on a device over edge and random inputs.
 *
 *   expand.c   form -> opcodes                     kernel.c   opcode -> a kernel in PTX
 *   inputs.c   operand -> TUPLES values            lines.c    results <-> a line of the results file
 *   compare.c  two lines -> which tuples differ    sweep.c    the program
 *
 * A Case is one opcode (and, where an operand must be a constant, its value).  Everything follows from its text and TUPLES: the
 * same case has the same inputs on every machine. */
#ifndef WW_TESTS_FORMS_H
#define WW_TESTS_FORMS_H

#include "ptx/ptx.h"

enum { TUPLES = 256, MAX_SOURCES = 5, MAX_RESULTS = 2, MAX_OPERANDS = 8 };

typedef struct FormOperand {  /* one operand of a case */
    char     name;            /* the form's letter */
    bool     written;
    Type     type;            /* TY_PRED, or what is read or written */
    uint8_t  bytes;           /* of its register; 0 = predicate */
    bool     amount;          /* a shift amount, length or position */
} FormOperand;

typedef struct Case {
    char        text[96];     /* opcode, then " e=0x96" where the form has a constant operand */
    char        opcode[80];
    Op          op;
    Exactness   exactness;
    bool        carry_in, carry_out;
    bool        constant;     /* the operand named e is the value below */
    uint32_t    value;
    unsigned    noperands, nsources, nresults;
    FormOperand operand[MAX_OPERANDS];
} Case;

/* Calls f for every opcode that the lane-computing forms can be spelled out to, possible or not. */
void forms_expand(void (*f)(void *user, const char *text), void *user);
/* text: opcode and an optional constant.  false: no form has it. */
bool case_make(Arena *a, const char *text, Case *c);

/* Appends the kernel `k<index>(in, out)`.  masked: threads of odd numbers do not execute the opcode; their results stay UNTOUCHED
 * (predicates: false; the carry: anything). */
#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull
void kernel_write(const Case *c, unsigned index, bool masked, Str *out);
void module_head(Str *out);

/* values[s * TUPLES + i]: source s of tuple i (a predicate or carry: bit 0). */
void inputs_make(const Case *c, uint64_t *values);

/* values[r * TUPLES + i], width[r] bytes each. */
typedef struct Results {
    unsigned n;
    uint8_t  width[MAX_RESULTS];
    uint64_t value[MAX_RESULTS * TUPLES];
} Results;
void result_widths(const Case *c, Results *r);
void line_write(const Results *r, Str *out);
/* false: not in the format. */
bool line_read(const char *s, Results *r);

/* true: value r of tuple i is acceptable where `want` was read from a device.  in: inputs_make's. */
bool result_fits(const Case *c, unsigned r, uint64_t got, uint64_t want, const uint64_t *in, unsigned i);

#endif

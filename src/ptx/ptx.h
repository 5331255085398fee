/* SPDX-License-Identifier: Apache-2.0
 *
 * The PTX front end's data: text -> Module.  One arena holds everything; ptx_module_free is the one free.
 * Nothing here knows about execution.  Strings are interned per module: equal names are equal pointers.
 *
 *   Module
 *     files[]                 .file table
 *     vars[]                  module-scope variables (.global .const .shared, extern ones too)
 *     funcs[]                 .entry and .func
 *       params[] rets[]       Var, space PARAM
 *       vars[]                every variable declared in the body, in any nested scope (registers are not here)
 *       regs[]                every register of the body: %r<5> makes five; scopes give new ones
 *       labels[]              name -> index of the instruction that follows
 *       instrs[]              flat; scopes are resolved away
 *       scopes                kept only as begin/end marks for the printer (marks[])
 */
#ifndef WW_PTX_PTX_H
#define WW_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"

typedef enum Type {
    TY_NONE,
#define TYPE(name, text, bytes, kind) TY_##name,
#include "ptx/types.def"
#undef TYPE
    TY_COUNT
} Type;

const char *type_text(Type t);  /* "u32", without the dot */
unsigned    type_bytes(Type t); /* 0 for predicates and sub-byte types */
char        type_kind(Type t);  /* 'p', 'b', 'u', 's', 'f' */

typedef enum Space { SPACE_GENERIC, SPACE_REG, SPACE_CONST, SPACE_GLOBAL, SPACE_LOCAL, SPACE_PARAM, SPACE_SHARED, SPACE_COUNT } Space;
const char *space_text(Space s); /* "global"; "generic" for SPACE_GENERIC */

/* ---- opcodes (isa.def, sets.def, forms.c) ----------------------------------------------------------------------- */

typedef uint16_t Op; /* a row of isa.def; their names, OP_<id>, are in op.h, what is known of them in traits.h */

typedef enum Field { /* sets.def: which modifier set a word of the opcode was matched by */
#define SET(name, words) FIELD_##name,
#include "ptx/sets.def"
#undef SET
    FIELD_COUNT
} Field;

typedef enum Word { /* words.def: every dotted word of an opcode but the types */
    WORD_NONE,
#define WORD(id, text) WORD_##id,
#include "ptx/words.def"
#undef WORD
    WORD_COUNT
} Word;
const char *word_text(Word w);

typedef enum Exactness { EXACT, APPROXIMATE, UNSUPPORTED } Exactness;

/* One full opcode as it stands in a text ("add.rn.ftz.f32"), matched once and shared by all instructions that use it. */
typedef struct Opcode {
    const char *text;
    Op          op;                  /* the row */
    uint8_t     ntypes;
    Type        types[6];            /* the type words, left to right */
    uint16_t    field[FIELD_COUNT];  /* Word that set matched, WORD_NONE if absent */
    uint64_t    has[8];              /* bit set of every Word present */
} Opcode;

static inline bool opcode_has(const Opcode *o, Word w) { return o->has[w >> 6] >> (w & 63) & 1; }
/* Matches text against the forms of its base opcode; NULL if there is none: *why then says what was wrong ("unknown opcode",
 * "'.foo' is not a modifier of add here; forms: ..."), allocated in `a`. */
const Opcode *opcode_match(Arena *a, const char *text, size_t len, const char **why);

/* What isa.def says of a row. */
typedef struct Form {
    const char *id;       /* "add_int" */
    const char *form;     /* "add.itype d, a, b" */
    Exactness   exactness;
    const char *note;     /* unsupported rows: which family; others: a few words for the documentation */
} Form;
const Form *op_form(Op op);

/* ---- operands and instructions ---------------------------------------------------------------------------------- */

typedef struct Var  Var;
typedef struct Func Func;

typedef struct Reg {
    const char *name;
    Type        type;
    uint32_t    index; /* in Func.regs */
    uint8_t     vec;   /* 0, or 2/4 for a vector register (.reg .v4 .f32 %v) */
} Reg;

typedef enum OperandKind {
    OPD_NONE,
    OPD_REG,     /* reg, neg (predicate '!' or '-'), part (.x .y .z .w of a vector register, else -1) */
    OPD_PAIR,    /* d|p : elem[0], elem[1] */
    OPD_INT,     /* ival; is_unsigned: written with U or too big for int64 */
    OPD_FLOAT,   /* fbits: a double's bits (0d..., decimal) or, is_f32, a float's (0f...) */
    OPD_VAR,     /* address of var + ival */
    OPD_FUNC,    /* func */
    OPD_LABEL,   /* label: index into Func.labels */
    OPD_SREG,    /* special register: name without %, with its part: "tid.x", one interned name; ival: its Type; count: 3 for a whole
                  * "tid" */
    OPD_MEM,     /* [base + ival]; base in elem[0] (OPD_REG, OPD_VAR or OPD_INT); extra coordinates of tensors/textures in elem[1..] */
    OPD_VECTOR,  /* {a, b, c, d}: elem[0..count) */
    OPD_SINK,    /* _ */
    OPD_NAME,    /* a call prototype, branch-target or call-target list: name; ival: index into Func.labels */
    OPD_LIST,    /* (a, b, ...) of a call: elem[0..count) */
} OperandKind;

enum { PART_SEL = 4 }; /* Operand.part: a selector of video instructions, its text in Operand.sel */

typedef struct Operand Operand;
struct Operand {
    uint8_t  kind; /* OperandKind */
    bool     neg;  /* '!' before a predicate, '-' before a register, '.unified' behind an address */
    bool     is_f32, is_unsigned; /* is_unsigned of an address: written x[2] */
    int8_t   part; /* -1; 0..3: .x .y .z .w (.r .g .b .a); PART_SEL */
    uint16_t count;
    uint32_t col;  /* of its first character, for messages */
    uint32_t line;
    union {
        const Reg  *reg;
        const Var  *var;
        const Func *func;
        uint32_t    label;
        const char *name;
        Operand    *elem;
    };
    union {
        int64_t  ival;
        uint64_t fbits;
        const char *sel; /* "b0", "h10" */
    };
};

typedef struct SrcLoc {       /* .loc */
    uint32_t file, line, col; /* file: index into Module.files + 1, 0 = none */
    uint32_t inlined_at;      /* index into Module.srclocs + 1 of the call site, 0 = none */
    uint32_t before;          /* likewise, of the .loc before it in the same body */
    const char *function;     /* inlined function's name label, or NULL */
    int64_t     function_off;
} SrcLoc;

typedef struct Instr {
    const Opcode *op;
    const Reg    *guard;      /* @p; NULL = always */
    bool          guard_neg;  /* @!p */
    uint8_t       nopd;
    Operand      *opd;        /* in the text's order, destination first.  call: {ret list or NONE}, callee, {arg list or NONE},
                               * {prototype/targets or NONE} */
    uint32_t      line, col;  /* in the PTX text */
    uint32_t      srcloc;     /* index into Module.srclocs + 1, 0 = none */
} Instr;

/* ---- declarations ----------------------------------------------------------------------------------------------- */

typedef enum Linkage { LINK_NONE, LINK_EXTERN, LINK_VISIBLE, LINK_WEAK, LINK_COMMON } Linkage;

typedef struct Reloc {        /* an address in an initialiser */
    uint64_t    offset;       /* byte in Var.init */
    const Var  *var;          /* one of var, func */
    const Func *func;
    int64_t     addend;
    uint8_t     bytes;        /* 8, 4 or 1 (mask forms 0xff(name)) */
    bool        generic;      /* generic(name) */
    uint8_t     shift;        /* for the mask forms: which byte, times 8 */
} Reloc;

struct Var {
    const char *name;
    Space       space;
    Type        type;         /* element */
    uint8_t     vec;          /* 0, 2, 4 */
    uint32_t    align;        /* bytes; natural when not given */
    uint8_t     ndim;
    uint64_t    dim[8];       /* dim[0] = 0: [] (extern .shared, last parameter) */
    uint64_t    bytes;        /* total; 0 for [] */
    Linkage     linkage;
    bool        managed;      /* .attribute(.managed) */
    bool        is_ptr;       /* .param .u64 .ptr .global .align 16 name */
    Space       ptr_space;
    uint32_t    ptr_align;
    uint8_t    *init;         /* bytes, or NULL = zero */
    uint64_t    init_bytes;   /* how many were given; the rest are zero */
    Reloc      *relocs;
    size_t      nrelocs;
    const Func *func;         /* declared in that body, or NULL = module scope */
    uint32_t    index;        /* in its list */
    const Reg  *reg;          /* a .reg parameter of a .func: the register it is */
    bool        unified;      /* .attribute(.unified(a, b)) */
    uint64_t    unified_id[2];
    uint32_t    line, col;
};

typedef struct Label {
    const char *name;
    uint32_t    target;       /* instruction index; == ninstrs at the end */
    /* ".branchtargets" lists and ".callprototype"s live in labels too: */
    uint32_t   *targets;      /* label indices, or NULL */
    size_t      ntargets;
    Func       *prototype;    /* signature, or NULL */
    const Func **callees;     /* of .calltargets, or NULL */
    size_t      ncallees;
    uint32_t    line;
    bool        defined;
} Label;

typedef struct Mark {         /* things between instructions that only the printer needs */
    uint32_t    at;           /* before this instruction */
    enum { MARK_OPEN, MARK_CLOSE, MARK_PRAGMA, MARK_LABEL, MARK_LOC, MARK_REGS, MARK_VAR } kind;
    uint32_t    index;        /* into labels, Module.srclocs, vars; regs: the first */
    uint32_t    count;        /* regs */
    const char *text;         /* pragma text; register base name of %r<5>, NULL for a single register */
    Type        type;         /* of the registers */
    uint8_t     vec;
} Mark;

struct Func {
    const char *name;
    bool        entry, has_body, noreturn;
    Linkage     linkage;
    Var        *rets;   size_t nrets;
    Var        *params; size_t nparams;
    Var       **vars;   size_t nvars;    /* .shared .local .const .global .param in the body */
    Reg       **regs;   size_t nregs;
    Label      *labels; size_t nlabels;
    Instr      *instrs; size_t ninstrs;
    Mark       *marks;  size_t nmarks;
    uint32_t    maxntid[3], reqntid[3], minnctapersm, maxnreg, maxnctapersm; /* 0 = not given */
    uint32_t    reqnctapercluster[3]; bool explicitcluster; uint32_t maxclusterrank;
    bool        blocksareclusters;
    uint32_t    abi_preserve, abi_preserve_control; /* 0 = not given */
    bool        unified; uint64_t unified_id[2];    /* .attribute(.unified(a, b)) */
    const char **pragmas; size_t npragmas;          /* between the signature and the body */
    const Func *alias_of;     /* .alias name, alias_of; */
    uint32_t    index;        /* in Module.funcs */
    uint32_t    line, col;
    bool        unread;       /* its body was only skipped (ptx_parse_outside) */
    uint32_t    body_line;    /* of its '{', where it was */
    size_t      body_at, body_end; /* and which bytes of Module.text; body_end 0: it was not skipped */
};

typedef struct Module {
    Arena      *arena;
    const char *name;         /* the text's file name, for messages */
    const char *text; size_t text_len; /* a copy, for source lines in messages */
    uint32_t    version_major, version_minor;
    const char *target;       /* "sm_90a" */
    const char *target_options; /* ", texmode_independent, debug" or "" */
    uint32_t    sm;           /* 90 */
    uint32_t    address_size; /* 32 or 64 */
    const char **files; size_t nfiles; /* by .file index; unused entries NULL */
    bool       *file_is_system;  /* place_is_system of it */
    uint64_t   *file_time, *file_size; /* of .file, 0 = not given */
    SrcLoc     *srclocs; size_t nsrclocs;
    Var       **vars;    size_t nvars;
    Func      **funcs;   size_t nfuncs;
    const char **sections; size_t nsections; /* raw text of .section blocks, module pragmas and aliases, kept for the printer */
    /* Module-scope order for the printer.  kind: 'v' var, 'e' var that is defined later, 'd' function declaration, 'f' function
     * with its body, 's' section; index: into vars, funcs or sections. */
    struct ModuleItem { uint8_t kind; uint32_t index; } *order; size_t norder;
    struct Parser *parser;    /* kept while bodies may be unread, else NULL */
} Module;

/* So that what is counted in a module fits 32 bits. */
#define PTX_MOST_BYTES ((size_t)1 << 30)

/* Parses and checks.  On WW_ERR_PARSE, *out is NULL and diags has at least one error.  Stops after 20 errors. */
Status ptx_parse(const char *name, const char *text, size_t len, Diags *diags, Module **out);
/* The same, but bodies are only skipped: has_body and the signature are known, and what is wrong inside is not found yet.  ptx_read
 * reads the body of a function and of every function that it can reach; until then it has no instructions, registers or variables. */
Status ptx_parse_outside(const char *name, const char *text, size_t len, Diags *diags, Module **out);
Status ptx_read(const Module *m, const Func *f, Diags *diags);
/* Of such a module: the text with this kernel alone, the others' bodies empty; lines keep their numbers.  Appended to *out. */
void   ptx_text_of(const Module *m, const Func *kernel, Str *out);
/* Do kernels compiled apart do the same?  Not where the module has variables that they could share; false also where bodies were not skipped. */
bool   ptx_kernels_stand_alone(const Module *m);
void   ptx_module_free(Module *m);
/* Prints text that parses back to the same module (a fixed point: print(parse(print(m))) == print(m)). */
void   ptx_print(const Module *m, Str *out);
const Func *ptx_find_func(const Module *m, const char *name);
/* Is there such an instruction in a function that the kernel can reach?  An indirect call can reach all that are not kernels. */
bool        ptx_reaches(const Module *m, const Func *kernel, bool (*is)(const Instr *in));
const Var  *ptx_find_var(const Module *m, const char *name);
/* The source line `line` (from 1) of the module's text, or NULL. Not zero-terminated at the line's end. */
const char *ptx_source_line(const Module *m, uint32_t line);

#endif

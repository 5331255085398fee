/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the parser share.
 *   parser.c         tokens, errors, recovery
 *   parse_module.c   header, module-scope directives, functions' signatures
 *   parse_var.c      variables of every state space, registers
 *   parse_init.c     initialisers
 *   parse_expr.c     constant expressions
 *   parse_body.c     function bodies: scopes, labels, .loc, lists of targets
 *   parse_operand.c  instructions and their operands
 *   unread.c         bodies that are read later
 *   sig.c, typecheck.c   operands against the opcode's form
 *
 * Parsing functions return false once they have reported an error; the loops over statements then skip to a place where it makes
 * sense to go on (parser_recover).  After MAX_ERRORS nothing more is reported and all loops end. */
#ifndef WW_PTX_PARSER_H
#define WW_PTX_PARSER_H

#include "ptx/lexer.h"

enum {
    MAX_ERRORS       = 20,
    MAX_SCOPES       = 256,     /* nested { } of a body */
    MAX_NEST         = 64,      /* nested parentheses and braces of an expression or initialiser */
    MAX_FUNC_REGS    = 1 << 20, /* registers of one function; of a module: as many, and one for each byte of its text */
    MAX_LIST         = 65535,   /* operands of a vector or a list */
};
#define MAX_VAR_BYTES  (UINT64_C(1) << 40)
#define MAX_INIT_BYTES (UINT64_C(1) << 28) /* all initialisers of a module together */

typedef enum Keyword {
    KW_NONE,
#define KEYWORD(id) KW_##id,
#include "ptx/keywords.def"
#undef KEYWORD
    KW_COUNT
} Keyword;

typedef struct Pending { /* a use of a label, resolved when the scope that has the label closes */
    Name     *name;
    uint32_t *slot;
    uint32_t  line, col;
} Pending;

/* A growing array; `VEC_PUSH(v)` is a pointer to a fresh zeroed element. */
#define VEC(T) struct { T *v; size_t n, cap; }
#define VEC_PUSH(x) (vec_grow((void **)&(x)->v, &(x)->n, &(x)->cap, sizeof *(x)->v), &(x)->v[(x)->n - 1])
void vec_grow(void **v, size_t *n, size_t *cap, size_t size);
void vec_free(void *v);

typedef struct Parser {
    Lexer    lx;
    Token    tok;
    Module  *m;
    Arena   *arena;     /* the module's */
    Arena   *scratch;   /* until the parse ends */
    Diags   *diags;
    size_t   first_error; /* diags->errors when the parse began */
    bool     stop;
    bool     outside;     /* bodies are skipped */
    Names    names;
    uint32_t nest;
    size_t   max_regs, total_regs;
    size_t   branch_edges; /* targets of all brx.idx: as many as registers, since each becomes an edge */
    uint64_t init_bytes;
    uint32_t srcloc;    /* of the next instruction */

    Func    *func;      /* whose body is being read */
    const Instr *reading; /* while its operands are */
    bool     in_func;   /* the directive being read is a function: what to skip after an error */
    VEC(Instr)   instrs;
    VEC(Reg *)   regs;
    VEC(Var *)   vars;
    VEC(Label)   labels;
    VEC(Mark)    marks;
    VEC(Pending) pending;
    VEC(Operand) opds;  /* a stack: lists being read */
    size_t       scope_pending[MAX_SCOPES + 2]; /* pending.n when the scope began */

    VEC(const char *) files;
    VEC(uint64_t)     file_time, file_size;
    VEC(SrcLoc)       srclocs;
    VEC(Var *)        mod_vars;
    VEC(uint32_t)     var_order; /* by variable: its place in order */
    VEC(Func *)       funcs;
    VEC(const char *) sections;
    VEC(struct ModuleItem) order;
    uint32_t         *loc_slot; /* (file, line, col) -> the last .loc of that place: index into srclocs + 1 */
    size_t            loc_slots;
} Parser;

/* Always false. */
bool parser_error(Parser *p, uint32_t line, uint32_t col, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* "expected <what>, found ..." at the current token; always false. */
bool parser_expected(Parser *p, const char *what);
void parser_next(Parser *p);
bool parser_take(Parser *p, int kind);              /* true and past it, or false and nothing happened */
bool parser_need(Parser *p, int kind, const char *what);
bool parser_is_word(const Parser *p, Keyword kw);
bool parser_take_word(Parser *p, Keyword kw);
bool parser_uint(Parser *p, uint32_t *out, const char *what);
/* RECOVER_BODY, RECOVER_VAR: past the next ';'; RECOVER_FUNC: past the ';' or the body.  Never past the end, a '}' of the body
 * (BODY), or the beginning of a function (BODY, FUNC) or of any declaration with a linkage (VAR). */
typedef enum Recover { RECOVER_BODY, RECOVER_VAR, RECOVER_FUNC } Recover;
void parser_recover(Parser *p, Recover what);
void parser_order(Parser *p, char kind, size_t index);
/* Binds, or reports the duplicate and returns NULL. */
Sym *parser_bind(Parser *p, Name *name, SymKind kind, uint32_t line, uint32_t col);

typedef enum ValueKind { VAL_INT, VAL_FLOAT, VAL_SYM } ValueKind;
typedef struct Value {
    ValueKind   kind;
    bool        is_unsigned, is_f32;
    uint64_t    bits;     /* integer, or float bits as in a token */
    const Var  *var;      /* VAL_SYM: one of var, func; + addend */
    const Func *func;
    int64_t     addend;
    bool        generic;
    int8_t      byte;     /* mask forms 0xff00(x): which byte; else -1 */
} Value;
/* A constant expression; with `symbols`, also addresses (initialisers). */
bool   parse_expr(Parser *p, Value *v, bool symbols);
bool   parse_int_expr(Parser *p, Value *v, const char *what);
/* The behind-an-operand case: v holds the first operand already. */
bool   parse_expr_rest(Parser *p, Value *v, bool symbols);
double value_double(const Value *v);

bool parse_init(Parser *p, Var *v);

/* From the state space on, up to and including ';'. */
bool parse_var_decl(Parser *p, Linkage linkage);
/* One parameter, from .param or .reg on. */
bool parse_param(Parser *p, Var *v, bool in_prototype);
bool parse_attributes(Parser *p, bool *managed, bool *unified, uint64_t unified_id[2]);
bool parser_room_for_regs(Parser *p, uint64_t more, const Token *at); /* false after a message */
Reg *parser_add_reg(Parser *p, const char *name, Type type, uint8_t vec);

/* "(.param ..., ...) name (...)" and directives, into f; name_ok: the name may be missing ("_" of a prototype). */
bool parse_signature(Parser *p, Func *f, bool prototype);
bool parse_body(Parser *p, Func *f);
/* Skips it where that is asked for and its end can be seen; false: nothing was done. */
bool skip_body(Parser *p, Func *f);
void parse_module(Parser *p);
bool parse_instr(Parser *p);
bool parse_loc(Parser *p);
/* A use of a label: *slot gets its index when its scope closes. */
void parser_label_use(Parser *p, Name *name, uint32_t *slot, uint32_t line, uint32_t col);

/* sig.c: what the form of an opcode says of each operand, with this opcode's types put in. */
typedef struct Spec {
    char    shape;     /* 'r' value, 'm' address in brackets, 'L' label, 'F' function, 'P' prototype, '(' list */
    uint8_t type;      /* Type; TY_NONE = not checked */
    bool    written, relaxed, vec, pack, sel, optional;
    uint8_t pair;      /* d|q: 0 no, 1 allowed, 2 required */
} Spec;
enum { MAX_SPECS = 10 };
struct Sig {
    uint8_t n, optional; /* how many there are, how many of them may be missing */
    uint8_t vec;         /* 2, 4, 8 when the opcode has .v2 .v4 .v8; else 0 */
    bool    free;        /* operands are not checked */
    bool    sregs;       /* mov, cvt: may read special registers */
    Spec    spec[MAX_SPECS];
};
const Sig *sig_compile(Arena *a, const Opcode *op);

/* typecheck.c: reports what is wrong with the operands. */
void check_instr(Parser *p, const Instr *in, Name *opcode);

#endif

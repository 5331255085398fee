/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned names of one module, and what they mean in the scopes open at the moment.
 *
 * Every distinct word of a text becomes one Name, so comparing names is comparing pointers.  A Name carries its innermost
 * meaning (sym); a scope remembers what it bound and gives the outer meaning back when it closes.  Opcode texts are Names too
 * and carry their match, so that opcode_match and the signature compiler run once per distinct opcode. */
#ifndef WW_PTX_NAMES_H
#define WW_PTX_NAMES_H

#include "ptx/ptx.h"

typedef enum SymKind { SYM_REG, SYM_VAR, SYM_FUNC, SYM_LABEL } SymKind;

typedef struct Name Name;
typedef struct Sym  Sym;
typedef struct Sig  Sig;

struct Sym {
    SymKind  kind;
    uint32_t depth; /* of the scope it was bound in; 0 = module */
    union {
        Reg     *reg;
        Var     *var;
        Func    *func;
        uint32_t label;
    };
    Name *name;
    Sym  *outer;
};

typedef enum Flow { FLOW_PLAIN, FLOW_BRA, FLOW_BRX, FLOW_CALL } Flow; /* how an opcode's operands are read */

struct Name {
    Sym          *sym;
    const Opcode *op;      /* opcode texts only */
    const Sig    *sig;
    const char   *why;     /* op_known and op NULL: what was wrong with the opcode */
    uint32_t      hash, len;
    uint8_t       keyword; /* Keyword of parser.h, for words that follow a dot */
    uint8_t       type;    /* Type, likewise */
    uint8_t       flow;
    bool          op_known;
    char          text[];
};

typedef struct Names {
    Arena  *arena;   /* the module's: names outlive the parse */
    Arena  *scratch; /* Syms */
    Name  **slot;    /* open addressing, a power of two */
    size_t  nslots, used;
    Sym   **bound;   /* every binding of the open scopes, oldest first */
    size_t  nbound, cap;
    size_t *scope;   /* nbound when each open scope began */
    size_t  depth, scope_cap;
} Names;

void  names_init(Names *n, Arena *arena, Arena *scratch);
void  names_free(Names *n);
Name *names_intern(Names *n, const char *s, size_t len);
/* The Name whose text a `const char *` of the module is. */
Name *names_of(const char *text);
void  names_open(Names *n);
void  names_close(Names *n);
/* NULL if the innermost scope has that name already; the caller fills in what it is. */
Sym  *names_bind(Names *n, Name *name, SymKind kind);

#endif

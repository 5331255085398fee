/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels: well-formed PTX that ends, whose result does not depend on the order of warps, and that an engine has every reason to
 * get wrong.  From one number comes one kernel, with its geometry, on every machine.
 *
 *   random.c         structure: branches, loops, calls, barriers       random_access.c   accesses to memory, and warps' own operations
 *   random_plain.c   instructions on registers
 *
 * A kernel has registers of every width that all hold something, so any statement can be taken out and the rest still means something:
 * that is how reduce.c makes a kernel small.  What must stay for a kernel to end, or to be free of races, is `fixed`.
 *
 * A batch is one kernel too: small ones (BATCH at most, those of the seeds from a multiple of it on) are its functions, which it calls one
 * after the other, each with an output of its own.  They have one geometry and one input, and at their end one word of each thread is made of
 * all registers.  What a seed makes does not depend on which others are in the batch.
 *
 * Memory.  Global: IN_BYTES that are read only; for each thread OWN_SLOTS of 8 bytes, the slots of all threads side by side, and
 * OWN_BYTES in a row; cells of each warp, for atomics; cells of all, for atomics whose order does not matter; and at the end a dump of the
 * registers.  Shared: SLOT_BYTES for each thread, in phases between barriers: each thread its own, or all are read. */
#ifndef WW_TESTS_ENGINES_RANDOM_H
#define WW_TESTS_ENGINES_RANDOM_H

#include "base/arena.h"
#include "base/str.h"
#include "tests/forms/forms.h"

enum {
    MAX_THREADS = 256,
    IN_BYTES    = 16384,
    OWN_SLOTS   = 8,
    OWN_BYTES   = 64,
    CELL_BYTES  = 64,  /* of a warp */
    ALL_CELLS   = 256, /* bytes */
    SLOT_BYTES  = 16,
    LOCAL_BYTES = 64,
    TABLE_BYTES = 512, /* .const */
    BATCH       = 64,
};

/* Registers of each kind; %tx %ty %tz %t %g (in the grid) %full and the addresses beside them are never overwritten. */
enum { HALVES = 6, WORDS = 10, DOUBLES = 6, PREDICATES = 5, DUMPED = HALVES + WORDS + DOUBLES + PREDICATES };

typedef struct Line {
    const char *text;  /* one statement, of one or several instructions */
    bool        fixed;
    const char *sets;  /* NULL, or the register that it sets and does nothing else */
    uint32_t    close; /* the last line of the block it opens; its own number where it opens none */
} Line;

typedef struct Kernel {
    Arena   *arena;
    uint64_t seed;                       /* of a batch: the multiple of BATCH */
    uint64_t first; uint32_t parts;      /* of a batch: its seeds; parts is 0 otherwise */
    uint32_t grid[2], block[3], threads; /* of a block */
    bool     portable;                   /* a GPU must give the same: no approximate result, nothing that depends on how lanes meet */
    Line    *line; uint32_t nlines, cap;
    uint32_t body;                       /* the first line of the kernel's body: those before are the module's and the registers */
} Kernel;

/* What instructions there are: the opcodes of a list, by row. */
typedef struct Vocabulary {
    Case     *opcode; uint32_t n;
    uint32_t *row; uint32_t nrows; /* first opcode of each row; row[nrows] == n */
} Vocabulary;

/* NULL: *why says what is wrong with the file.  All of it is the arena's. */
Vocabulary *vocabulary_read(Arena *a, const char *path, const char **why);

/* The kernel of that number, `k`.  arena_free(k->arena) frees it. */
Kernel *kernel_grow(const Vocabulary *v, uint64_t seed, bool portable);
/* The batch of n seeds from `first` on, which do not go beyond the next multiple of BATCH. */
Kernel *kernel_grow_batch(const Vocabulary *v, uint64_t first, uint32_t n);
/* left_out: a bit for each line; NULL: none. */
void    kernel_text(const Kernel *k, const uint64_t *left_out, Str *out);
uint64_t kernel_out_bytes(const Kernel *k);
/* Appends whose the byte of the output is: "%b3 of thread 7". */
void    kernel_place(const Kernel *k, uint64_t byte, Str *out);
/* Fills what a kernel reads: edge values and random ones. */
void    kernel_input(uint64_t seed, uint8_t in[IN_BYTES]);

/* ---- between the files ---- */

typedef struct Grow {
    Kernel           *k;
    const Vocabulary *v;
    uint64_t          state;    /* of the random sequence */
    unsigned          depth, loops, labels;
    unsigned          budget;   /* statements left */
    bool              parted;   /* lanes of a warp, or warps of a block, may have taken different ways */
    bool              exited;   /* threads may have ended */
    bool              function; /* in a .func: registers and nothing else */
    bool              reading;  /* phase of shared memory */
    unsigned          order;    /* which slot is whose in this phase */
} Grow;

uint64_t grow_random(Grow *g, uint64_t below);
bool     grow_chance(Grow *g, unsigned percent);
/* Adds a statement; its number. */
uint32_t grow_line(Grow *g, bool fixed, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A register with so many bytes (0: a predicate), any of them. */
const char *grow_register(Grow *g, unsigned bytes);

void plain_statement(Grow *g);
void access_statement(Grow *g);
void warp_statement(Grow *g);
/* The thread's slot for this phase, into %own. */
void access_phase(Grow *g);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the matrix library share.
 *
 *   arguments.c    a public problem -> refused with a message, or a Problem: row-major, operands by strides
 *   rung_table.c  the rungs and types, and what follows from a row
 *   rungs.c    Problem -> Rung
 *   predict.c  which rung is the fastest for floats, by a model
 *   run.c      Problem and Rung -> launches; the workspace
 *   handle.c   the WwBlas: device, stream, modules, and one launch
 *   parts.c    k shared out among more blocks than a cluster has
 *   tensor.c   operands as tensor maps: which must be copied before, and the launch
 *   bytes.c    operands as planes of bytes for the tensor cores, and the launch
 *   half.c     16-bit and 8-bit operands: what must be copied before, the launch
 *   half_predict.c    which rung is the fastest for them, by a model
 *   finish.c   biases and activations: checked, and the pass over C of kernels that leave them out
 *   split.c    floats as two fp16: when, the passes over the operands, the launch
 *   double.c   doubles: which rung, and the launch
 *   residues.c doubles as residues modulo small numbers: when, the passes, the launches
 *   newton_schulz.c    three products a step, and what lies between them
 *   copy.c, copy_matrix.c    copies of bytes; of matrices, transposed or not
 *
 * A Problem has no layouts, transposes or triangles of the caller's view left: C is row by row, its operands X (m x k) and
 * Y (k x n) have a stride for each index, one of which is 1. */
#ifndef WW_BLAS_BLAS_H
#define WW_BLAS_BLAS_H

#include "base/status.h"
#include "device/device.h"
#include "copy/args.h"
#include "gemm/args.h"
#include "gemm/half.h"
#include "long/args.h"
#include "warpwright/blas.h"

enum {
#define CARD(name, number) name = number,
#include "blas/card.def"
#undef CARD
};

/* Of a row of rungs.def: which layouts the rung takes, by which entries; from FOUR to JOINED there is an entry for each layout. */
typedef enum RungLayouts {
    RUNG_ANY,
    RUNG_FOUR,
    RUNG_SHORT,
    RUNG_WOVEN,
    RUNG_JOINED,
    RUNG_TENSOR,
    RUNG_WHOLE,
    RUNG_DRAWN,
    RUNG_BYTES,
    RUNG_LIMBS,
    RUNG_LONG,
    RUNG_HALF,
    RUNG_HALF_QUAD,
    RUNG_HALF_TALL,
    RUNG_HALF_COLUMN,
    RUNG_HALF_JOINED,
    RUNG_HALF_WARP,
    RUNG_HALF_PLAIN,
    RUNG_EIGHT,
    RUNG_EIGHT_PLAIN,
    RUNG_SPLIT,
    RUNG_DOUBLE,
    RUNG_DOUBLE_PLAIN,
    RUNG_RESIDUES
} RungLayouts;

/* Of a row of rungs.def: what the rung is for. */
typedef enum RungUse {
    CLIMB      = 1 << 0,
    FOR_FULL   = 1 << 1,
    FOR_SMALL  = 1 << 2,
    FOR_LONG_K = 1 << 3,
    FOR_COPIES = 1 << 4,
    FOR_FEW    = 1 << 5,
    FOR_BYTES  = 1 << 6,
    FOR_I64    = 1 << 7,
    FOR_SM_90  = 1 << 8,
    IN_ROUNDS  = 1 << 9,
    PAST_L2    = 1 << 10,
    FOR_ANY_16 = 1 << 11,
    FOR_SPLIT  = 1 << 12,
    FOR_ANY_8  = 1 << 13,
    FOR_EIGHT  = 1 << 14,
    FOR_WARP_16  = 1 << 15,
    FOR_WARP_FEW = 1 << 16,
    FOR_LIMBS    = 1 << 17,
    FOR_DOUBLE   = 1 << 18,
    FOR_DOUBLE_FEW = 1 << 19,
    FOR_ANY_64   = 1 << 20,
    FOR_RESIDUES = 1 << 21,
    FOR_DOUBLE_WARP = 1 << 22
} RungUse;

typedef struct Rung {
    const char *ladder, *name;
    bool        symmetric; /* of A * A^T */
    int         rows, columns, threads;
    RungLayouts layouts;
    int         stream; /* blocks a multiprocessor that share out k; 0: none does */
    int         slice;  /* of k */
    int         turns;  /* with how many columns of C the kernel turns X; 0: never */
    unsigned    use;    /* RungUse */
    uint32_t    shared; /* dynamic, bytes */
} Rung;

/* A row of types.def. */
typedef enum TypeKind { TYPE_WORDS, TYPE_LONG, TYPE_HALF, TYPE_EIGHT, TYPE_DOUBLE } TypeKind;
typedef enum TypeScalar { SCALAR_f32, SCALAR_i32, SCALAR_i64, SCALAR_f64 } TypeScalar;
typedef struct TypeRow {
    const char *word, *entry, *text;
    size_t      operand, result; /* bytes */
    TypeScalar  scalar;
    TypeKind    kind;
} TypeRow;

/* NULL: there is none of that number. */
const TypeRow *type_row(WwType type);
/* Of alpha and beta of a type that is one of them. */
bool     type_zero(WwType type, WwScalar v);
WwScalar type_one(WwType type);

/* Row i of rungs.def; NULL past the last. */
const Rung *rung_at(size_t i);
const Rung *rung_find(const char *ladder, const char *name);
/* Of that ladder, the one whose row says so. */
const Rung *rung_for(bool symmetric, RungUse use);
uint32_t    rung_cover(int n, int tile);
uint64_t    rung_tiles(const Rung *r, const GemmArgs *g); /* of A * A^T those on and under the diagonal */
bool        rung_takes(const Rung *r, WwType type);
/* Has it a kernel for 16-bit operands, or 8-bit ones? */
bool rung_half(const Rung *r);
/* Can one launch take a batch of it? */
bool rung_batch(const Rung *r);
/* Blocks that may share out a tile's k: up to this, 1: none; and the next number worth trying.  Up to CLUSTER of them are a cluster and add up in
 * shared memory; more are several clusters of that many, each with a part of the sums, which a second kernel adds up. */
unsigned rung_splits(const Rung *r);
/* Can it compute the transposed product and write its transpose?  Named "rung:turned" then. */
#define TURNED "turned"
bool rung_turns(const Rung *r);
/* Do 16-bit or 8-bit operands come by tensor copies alone (half.c)?  Others are copied first. */
bool rung_maps(const Rung *r);
unsigned rung_more_splits(unsigned split);
enum { CLUSTER = 8, MOST_SPLITS = 128 };

typedef struct Problem {
    WwType       type;
    bool         symmetric;   /* Y is the transpose of X */
    GemmArgs     args;        /* x, y, c of the first problem of the batch; work and count not set */
    uint64_t     alpha, beta; /* of 64 bits, bit for bit: instead of those in args */
    size_t       operand, result; /* bytes of an element of A and B, and of C */
    size_t       batch;
    const WwPtr *x, *y, *c; /* NULL: strided */
    WwPrecision  precision;
    WwPtr        told; /* WwGemm.told */
    WwPtr        scale_x, scale_y; /* of rows of X, columns of Y: floats; 0: none */
    bool         ends;             /* `end` does something: biases, an activation */
    GemmEnd      end;
    WwPtr        from;   /* not 0: beta * C reads that matrix instead, 16-bit results only; its rows */
    size_t       ldfrom; /* so far apart */
    WwPtr        workspace;
    size_t       workspace_bytes;
    const Rung  *rung;
    unsigned     split; /* blocks that share out a tile's k (rung_splits); 0 and 1: none do */
    bool         turned; /* args and all that is of X and Y are those of the transposed product; C lies as it was (half_turn) */
} Problem;

enum { BLAS_ENTRIES = 64, BLAS_NAME = 40, BLAS_CHOICES = 256 };

typedef struct BlasModule {
    const char *file;
    WwModule   *module;
} BlasModule;

/* Of an entry point that was launched. */
typedef struct BlasEntry {
    char        name[BLAS_NAME];
    WwModule   *module;
    const Func *kernel;
    bool        waits; /* for the launch in front of it, by itself: it may begin before that has ended */
} BlasEntry;

/* What the model chose for a shape; how: layouts and alignments, 0 = nothing here. */
typedef struct BlasChoice {
    int         m, n, k, how;
    const Rung *rung;
    unsigned    split;
    bool        turned;
} BlasChoice;

struct WwBlas {
    WwDevice   *device;
    WwStream   *stream;     /* NULL: every call waits */
    void       *mark;       /* behind what was left on a stream */
    bool        behind;     /* the mark has not been waited for */
    unsigned    sms;        /* multiprocessors */
    int         capability; /* 10 * major + minor: a GPU's, or that of the emulator's profile */
    bool        half[2];    /* of A * B, and of A * A^T: the rungs for 16-bit operands on the tensor cores can run */
    bool        warp[2];    /* those on the tensor cores of any GPU since sm_80 can */
    bool        split[2];   /* those for floats can: of A * B, of A * A^T */
    unsigned    doubles[2];  /* double.c: which of its rungs can run, a bit each, of A * B and of A * A^T; 0: not asked yet */
    unsigned    residues;    /* residues.c: the same of its one */
    bool        early;      /* copies that wait by themselves for what is in front of them can run */
    BlasModule *modules;
    size_t      nmodules;
    BlasEntry   entry[BLAS_ENTRIES];  /* by a hash of the name; what was there before is forgotten */
    BlasChoice  choice[BLAS_CHOICES]; /* likewise, of the shape */
    WwPtr       workspace;
    size_t      workspace_bytes;
    WwPtr       scratch; /* what a chain of products keeps between them */
    size_t      scratch_bytes;
    bool        zeroed;   /* the counters at its beginning are zero */
    char        name[32]; /* what ww_gemm_rung or ww_syrk_rung answered last */
    /* For benchmarks: how each launch is made, and the result of the last one when wanted. */
    bool      time;
    unsigned  repeats, observe;
    WwResult *result; /* of the last launch; owned, kept only while `keep` */
    bool      keep;
    /* For verification: called with the result of every launch. */
    void (*seen)(void *user, const WwResult *r);
    void  *user;
    double spent_ms; /* medians of the launches since the caller set it to 0; only while `time` and `keep` */
};

/* arguments.c.  Nothing to compute: args.m or args.n or batch is 0.  runs: not only asked about. */
Status problem_of_gemm(WwBlas *b, const WwGemm *p, bool runs, Problem *out);
Status problem_of_syrk(WwBlas *b, const WwSyrk *p, bool runs, Problem *out);

/* ---- predict.c: for a GPU with tensor copies and one problem, not a batch ---- */

/* A row of rates.def, or rates_aat.def; and its row SHARED. */
typedef struct Rate {
    const char *ladder, *rung;
    int         blocks; /* behind a 1 */
#define NUMBER(name, begin, easy, least, most) double name;
#define COMMON(name, begin, easy, least, most)
#include "blas/numbers.def"
#undef COMMON
#undef NUMBER
} Rate;

typedef struct Common {
#define NUMBER(name, begin, easy, least, most)
#define COMMON(name, begin, easy, least, most) double name;
#include "blas/numbers.def"
#undef COMMON
#undef NUMBER
} Common;

/* NULL past the last. */
const Rate *predict_rate(size_t i, const Common **common);
/* Blocks of the rung that a multiprocessor holds: registers differ from layout to layout; 0: another row is for this one. */
unsigned predict_room(const Problem *p, const Rate *r);
/* Microseconds of p->rung and p->split by these numbers. */
double predict_by(const WwBlas *b, const Problem *p, const Rate *r, const Common *common);
/* May the model choose the rung for this problem?  Not a SHORT rung where it lacks what makes it fast: no times are kept of it there. */
bool predict_takes(const Rung *r, const GemmArgs *g);
/* Microseconds of p->rung and p->split; 0: the model does not know it. */
double predict_us(const WwBlas *b, const Problem *p);
/* The fastest, and its split. */
const Rung *predict_rung(const WwBlas *b, const Problem *p, unsigned *split);

/* rungs.c: sets p->rung and p->split.  name: the caller's wish or NULL. */
Status problem_choose(WwBlas *b, Problem *p, const char *ladder, const char *name);

/* run.c.  The parts of a workspace, each aligned to 256 bytes, in this order; bytes, 0 = not needed. */
typedef struct Work {
    size_t counters, partials; /* stream-K; sums of parts of k (parts.c) */
    size_t x, y;               /* copied operands (tensor.c, bytes.c) */
    size_t turned;             /* an operand on its way to its bytes (bytes.c) */
} Work;
/* rung_table.c.  Blocks of a launch that shares out k. */
uint64_t stream_blocks(const WwBlas *b, const Problem *p);
/* The entry of kernels.def for p->rung and p's layouts; name has room for BLAS_NAME. */
void blas_entry(const Problem *p, char *name);

/* ---- handle.c ---- */

/* Launches one entry of kernels.def; its one or more arguments as WwLaunch has them. */
Status blas_launch(WwBlas *b, const char *entry, const WwLaunch *w);
/* What is put on s next (NULL: what the caller does next) comes after what was left. */
Status blas_follow(WwBlas *b, const WwStream *s);
/* Is that kernel in this build? */
bool   blas_built(const char *entry);

/* An operand as the rungs with tensor maps see it. */
typedef struct Source {
    WwPtr              at;
    unsigned long long along, along_k; /* strides along m or n, and along k; one of them is 1 */
    int                length;         /* m or n */
} Source;

/* ---- parts.c ---- */

/* How many clusters share out a tile's k. */
unsigned parts_of(const Problem *p);
/* Bytes of their sums. */
size_t parts_work(const Problem *p);
/* Before the launch: *g becomes what the rung's kernel is to do, *sum what parts_add is given. */
void parts_begin(const Problem *p, GemmArgs *g, GemmArgs *sum);
/* After it: adds up the sums. */
Status parts_add(WwBlas *b, const Problem *p, GemmArgs *sum);

/* ---- tensor.c ---- */

/* Do the device and this build have what the rung needs? */
bool tensor_can(const WwBlas *b, const Problem *p);
bool sm_90_can(const WwBlas *b, const Problem *p);
/* Do the rung's operands come by tensor copies? */
bool tensor_rung(const Rung *r);
/* The bytes of operands that must be copied before. */
void tensor_work(const Problem *p, Work *w);
/* Operands that the kernel itself draws from where they lie: bit 0 X, bit 1 Y. */
unsigned tensor_drawn(const Problem *p);
/* Is X along k, and turned by the kernel?  Where C has many columns a copy is faster. */
bool tensor_turns(const Problem *p);
/* Copies what must be copied, to x and y, and launches. */
Status tensor_run(WwBlas *b, const Problem *p, const GemmArgs *g, WwPtr x, WwPtr y);
Source source_x(const GemmArgs *g);
Source source_y(const GemmArgs *g);
/* The copy of *s, to memory at `to`, after which its other index is the contiguous one; *s becomes that copy. */
CopyPart source_turn(Source *s, int k, WwPtr to);
/* How much memory the copy takes. */
size_t source_turned_bytes(const Source *s, int k);

/* ---- copy_matrix.c ---- */

/* A copy of rows x columns words of 4 bytes, transposed or not. */
CopyPart copy_part(bool trans, WwPtr from, uint64_t from_ld, size_t rows, size_t columns, WwPtr to, uint64_t to_ld);
/* One or two of them in one launch, by copy_words or, before a product with tensor copies, copy_operands. */
Status copy_parts(WwBlas *b, const char *entry, const CopyPart *parts, size_t n);

/* ---- half.c ---- */

/* Can the rungs for the tensor cores run here?  Asked once: a search through all kernels takes longer than a launch. */
bool half_can(const WwBlas *b, bool symmetric);
bool half_warp_can(const WwBlas *b, bool symmetric);
/* How many bytes at a time an operand can be read by, 2 to 16: what its address and the distances between its lines, and problems of a batch,
 * allow. */
int half_grain(const Source *s, uint64_t apart);
/* How many pairs of tiles a product of m x n results has for clusters of two. */
uint64_t half_pairs(const Rung *r, int m, int n);
/* How the pairs of tiles of a launch of clusters of two are shared out: in whole rounds of pairs, `slices` each; behind them, if share is not 0, so many
 * slices to each of so many clusters, where a pair counts as `span` and has at most so many parts.  cost: of the busiest cluster's slices and joined
 * parts, in 256ths of a slice of 256 columns. */
typedef struct HalfShare {
    uint64_t rounds, slices, span, share, parts, clusters, cost;
} HalfShare;
HalfShare half_share(const WwBlas *b, const Rung *r, const GemmArgs *g);

/* How half_column's clusters of `each` blocks lie: rows of tiles in one, blocks all together, and lines of 128 bytes that a block asks the L2 for in a slice;
 * so that these are the fewest; wide: columns of tiles in one. */
typedef struct HalfColumn {
    uint64_t blocks;
    double   lines;
    unsigned high, wide;
} HalfColumn;
HalfColumn half_column(const Rung *r, const GemmArgs *g, unsigned each);
/* Do the lines of X, or Y, which tensor copies read in place, begin elsewhere than on 128 bytes, so that 128 bytes of most are two requests? */
bool half_strays(const GemmArgs *g, bool y);
/* How many of so many blocks of half_joined, `each` of them a cluster, run at once. */
double half_room(const WwBlas *b, const Rung *r, uint64_t blocks, unsigned each);
/* Counters and sums of a last round whose k is shared out, and operands that must be copied before. */
void half_work(const WwBlas *b, const Problem *p, Work *w);
/* Copies what must be copied, to x and y, and launches.  first: which problem of the batch;  batch: more than one by half_joined alone. */
Status half_run(WwBlas *b, const Problem *p, const GemmArgs *g, size_t first, size_t batch, WwPtr x, WwPtr y);

/* For the rungs of kernels/gemm/half.cuh: the sums and counters that a last round needs. */
void half_tail(const WwBlas *b, const Problem *p, Work *w);
/* A map of an operand of 16 or 8 bits; each: bytes of an element;  side: how many rows a box has of one along k, as
 * 8-bit ones must be;  deep: of k, of another. */
Status half_map(WwBlas *b, const Source *s, size_t each, int k, int side, int deep, GemmMap *map);
/* Which pairs of tiles are computed whole, and the launch's grid. */
Status half_grid(WwBlas *b, const Problem *p, HalfArgs *a, WwLaunch *w);

/* ---- half_predict.c ---- */

/* The rung for 16-bit operands, and how many blocks share out k. */
/* Where the choice for that shape is kept for the next call; rung: NULL where it was not made yet.  how: whatever else it depends on, not 0. */
BlasChoice *choice_kept(WwBlas *b, const GemmArgs *g, int how);
const Rung *half_choose(WwBlas *b, Problem *p); /* with how it is used, p->split and p->turned */
double half_us(const WwBlas *b, const Problem *p, const Rung *r, unsigned each); /* the model's time; HUGE_VAL: it is not for that */
bool half_turns(const Problem *p); /* can the kernels of tensor copies write a transposed product's transpose for it? */
void half_turn(Problem *p); /* C = X Y becomes C^T = Y^T X^T, whose tiles' rows are C's columns */
/* The rung for 8-bit operands. */
const Rung *eight_choose(const WwBlas *b, const Problem *p);

/* ---- run.c ---- */

/* A checked problem with its rung, enqueued. */
Status problem_run(WwBlas *b, const Problem *p);
/* That device memory of the library's own has `need` bytes or more; what was there is lost. */
Status blas_grow(WwBlas *b, WwPtr *at, size_t *bytes, size_t need);

/* ---- finish.c ---- */

/* Of a row-major C: its biases change places where the caller's is column-major. */
Status finish_set(WwDevice *d, const WwGemm *p, Problem *out);
/* After the product of float operands.  g: of the first of so many problems, g->c_batch apart. */
Status finish_run(WwBlas *b, const Problem *p, const GemmArgs *g, size_t batch);

/* ---- split.c ---- */

bool split_can(const WwBlas *b, bool symmetric);
/* Is it faster than float arithmetic, and can it run? */
bool split_pays(const WwBlas *b, const Problem *p);
void split_work(const WwBlas *b, const Problem *p, Work *w);
/* work: where its parts x, y and turned begin, from `at` on. */
Status split_run(WwBlas *b, const Problem *p, const GemmArgs *g, Work work, WwPtr at);
/* Says in the caller's word that float arithmetic was used. */
Status split_untold(WwBlas *b, const Problem *p);

/* ---- double.c ---- */

/* The rung that computes in double arithmetic. */
const Rung *double_choose(WwBlas *b, const Problem *p);
/* asked: 0, or the address of a word of device memory: nothing is done where that is 0. */
Status double_run(WwBlas *b, const Problem *p, const Rung *r, const GemmArgs *g, WwPtr asked, size_t batch);

/* ---- residues.c ---- */

/* Is it faster than double arithmetic, and can it run? */
bool residues_pays(WwBlas *b, const Problem *p);
void residues_work(const Problem *p, Work *w);
/* work: where its parts x, y and turned begin, from `at` on. */
Status residues_run(WwBlas *b, const Problem *p, const GemmArgs *g, Work work, WwPtr at);

/* ---- bytes.c ---- */

/* Do the device and this build have what the rung needs? */
bool bytes_can(const WwBlas *b);
/* The bytes of the parts x, y and turned of the workspace. */
void bytes_work(const Problem *p, Work *w);
/* work: where those parts begin, from `at` on. */
Status bytes_run(WwBlas *b, const Problem *p, const GemmArgs *g, Work work, WwPtr at);

/* Bytes of a row of a plane, of the so many first of which k are used; the four planes of a source at `to`, by way of `turned` where it is not along k.
 * carry: as split_bytes has it. */
size_t planes_pitch(int k);
Status planes_make(WwBlas *b, Source s, int k, uint32_t carry, WwPtr to, WwPtr turned);

/* The same with products of fp16: can it run, and is it faster than the integer units?  Its workspace is bytes_work's. */
bool limbs_can(const WwBlas *b);
bool limbs_pay(const WwBlas *b);
Status limbs_run(WwBlas *b, const Problem *p, const GemmArgs *g, Work work, WwPtr at);

#endif

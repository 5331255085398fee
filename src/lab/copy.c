/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment copy: how the alignment, the stride, the order and the number of lanes of a copy change what moves.
 *
 * Question: how many sectors (or lines) does a warp touch for the same 128 bytes?
 * Prediction: 4 when aligned, 5 when not (2 lines of 128 bytes against 1 where L1 moves lines); stride s: 4s up to
 * 32; lanes that swap places: 4; lanes that sit out: 4 unless all 8 of a sector do.
 *
 * Values are any 32 bits and must arrive bit for bit; places no thread writes must keep their poison. */
#include <stdlib.h>
#include <string.h>

#include "lab/inputs.h"
#include "lab/run.h"

enum { BLOCKS = 256, STRIDE_BLOCKS = 64, THREADS = 256, MAX_OFFSET = 32, MAX_STRIDE = 32 };
enum { KIND_OFFSET, KIND_STRIDE, KIND_FLIP, KIND_MASK };
enum { STREAM = 21 };

static LabCase *plan_case(Lab *lab, const Experiment *e, const char *entry, const char *name, int kind, int64_t step,
                          int64_t threads)
{
    static const char *const step_name[] = {"offset", "stride", "flip", "mask"};
    LabCase                 *c           = lab_plan(lab, e, entry, "%s", name);
    int64_t                  blocks      = lab_pick(lab->opt.blocks, kind == KIND_STRIDE ? STRIDE_BLOCKS : BLOCKS);
    c->kind                              = kind;
    c->step                              = step;
    c->n                                 = blocks * threads;
    c->grid                              = (WwDim3){(uint32_t)blocks, 1, 1};
    c->block                             = (WwDim3){(uint32_t)threads, 1, 1};
    lab_size(c, "blocks", blocks);
    lab_size(c, "threads", threads);
    lab_size(c, step_name[kind], step);
    return c;
}

static void plan_numbered(Lab *lab, const Experiment *e, const char *entry, int kind, int64_t first, int64_t last)
{
    for (int64_t i = first; i <= last; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%lld", entry, (long long)i);
        plan_case(lab, e, entry, name, kind, i, THREADS);
    }
}

static void plan_lanes(Lab *lab, const Experiment *e)
{
    static const struct {
        const char *entry, *name;
        int         kind;
        int64_t     step;
    } lanes[] = {
        {"permutedCopy", "permutedCopy_pairs", KIND_FLIP, 1},
        {"permutedCopy", "permutedCopy_reversed", KIND_FLIP, 31},
        {"partialCopy", "partialCopy_even", KIND_MASK, 0x55555555},
        {"partialCopy", "partialCopy_lower", KIND_MASK, 0x0000ffff},
        {"partialCopy", "partialCopy_eighth", KIND_MASK, 0x01010101},
    };
    static const int64_t odd[]  = {33, 100, 250};
    static const int64_t base[] = {4, 32, 64, 128};
    char                 name[64];
    for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
        plan_case(lab, e, lanes[i].entry, lanes[i].name, lanes[i].kind, lanes[i].step, THREADS);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        snprintf(name, sizeof name, "blockCopy_%lld", (long long)odd[i]);
        plan_case(lab, e, "offsetCopy", name, KIND_OFFSET, 0, odd[i]);
    }
    for (size_t i = 0; i < sizeof base / sizeof base[0]; i++) {
        snprintf(name, sizeof name, "baseCopy_%lld", (long long)base[i]);
        LabCase *c = plan_case(lab, e, "offsetCopy", name, KIND_OFFSET, 0, THREADS);
        c->shift   = (size_t)base[i];
        lab_size(c, "base", base[i]);
    }
}

/* --offset keeps the offset copies, --stride the strided ones; with neither there are all, and the lanes. */
static Status plan(Lab *lab, const Experiment *e)
{
    bool    offset = lab->opt.offset >= 0, stride = lab->opt.stride > 0;
    int64_t first = offset ? lab->opt.offset : 0, last = offset ? first : MAX_OFFSET;
    if (offset || !stride) {
        plan_numbered(lab, e, "offsetCopy", KIND_OFFSET, first, last);
        plan_numbered(lab, e, "offsetCopy_cg", KIND_OFFSET, first, last);
    }
    first = stride ? lab->opt.stride : 1;
    last  = stride ? first : MAX_STRIDE;
    if (stride || !offset)
        plan_numbered(lab, e, "strideCopy", KIND_STRIDE, first, last);
    if (!offset && !stride)
        plan_lanes(lab, e);
    return WW_OK;
}

typedef struct Copy {
    const uint32_t *in, *got;
    uint32_t       *want;
    size_t          n;
} Copy;

/* What the copy should have done, thread by thread; false where the thread copies nothing. */
static bool place(const LabCase *c, size_t thread, size_t *at)
{
    size_t in_block = thread % c->block.x;
    *at             = thread;
    switch (c->kind) {
    case KIND_OFFSET: *at = thread + (size_t)c->step; return true;
    case KIND_STRIDE: *at = thread * (size_t)c->step; return true;
    case KIND_FLIP: *at = thread - in_block + (in_block ^ (size_t)c->step); return true;
    default: return (c->step >> (in_block % 32) & 1) != 0;
    }
}

static void verify(Lab *lab, const LabCase *c, LabRow *row, void *user)
{
    const Copy *copy = user;
    for (size_t i = 0; i < copy->n; i++)
        if (copy->got[i] != copy->want[i]) {
            lab_raise_error(row, 1);
            lab_problem(lab, row, "element %zu is %08x, expected %08x", i, copy->got[i], copy->want[i]);
            break;
        }
    (void)c;
    row->checked = row->values = copy->n;
}

static void run(Lab *lab, const LabCase *c, LabRow *row)
{
    Copy   copy   = {.n = (size_t)c->n};
    size_t copied = 0, at;
    if (c->kind == KIND_OFFSET)
        copy.n += (size_t)c->step;
    if (c->kind == KIND_STRIDE)
        copy.n *= (size_t)c->step;
    if (!lab_fits(lab, row, 5 * 4 * (uint64_t)copy.n))
        return;
    Arena    *arena = arena_new();
    uint32_t *in = ARENA_ARRAY(arena, uint32_t, copy.n), *got = ARENA_ARRAY(arena, uint32_t, copy.n);
    copy.want = ARENA_ARRAY(arena, uint32_t, copy.n);
    copy.in   = in;
    copy.got  = got;
    inputs_bits(in, copy.n, lab->opt.seed, STREAM);
    memset(copy.want, LAB_POISON, 4 * copy.n);
    for (size_t t = 0; t < (size_t)c->n; t++)
        if (place(c, t, &at)) {
            copy.want[at] = in[at];
            copied++;
        }
    int32_t   step      = (int32_t)(uint32_t)c->step;
    uint64_t  n         = copy.n;
    LabBuffer buffer[]  = {{.out = got, .bytes = 4 * copy.n, .shift = c->shift},
                           {.in = in, .bytes = 4 * copy.n, .shift = c->shift}};
    void     *numbers[] = {&step, &n};
    LabLaunch l = {.buffer = buffer, .nbuffers = 2, .number = numbers, .nnumbers = 2, .verify = verify, .user = &copy};
    row->least_bytes = 8 * copied;
    lab_launch(lab, c, &l, row);
    arena_free(arena);
}

const Experiment experiment_copy = {
    .name     = "copy",
    .question = "copies: offset, stride, order and number of lanes, odd blocks and bases, with and without L1",
    .reads    = "offset stride blocks",
    .family   = {"kernels/copy/"},
    .plan     = plan,
    .run      = run,
};

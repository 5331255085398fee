/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment banks: blocks of 16 x 16 threads double their values in dynamic shared memory, along rows or down columns.
 *
 * Question: which of them conflict on the banks, and what does that cost?
 * Prediction: along rows none; down columns 8 passes on 32 banks, and on the 16 banks of 2008 all lanes of a
 * half-warp on one bank. The third kernel keeps global memory coalesced, so that only the banks differ from the first.
 * A GPU's time is the median of 100 launches.  Doubling is exact, so the comparison is too. */
#include <stdlib.h>

#include "lab/inputs.h"
#include "lab/regression.h"

enum { BLOCKS = 256, SIDE = 16, REPEATS = 100 };
enum { STREAM = 31 };

static Status plan(Lab *lab, const Experiment *e)
{
    static const char *const kernels[] = {"bank_linear", "bank_transposed", "bank_transposed_shared"};
    int64_t                  blocks    = lab_pick(lab->opt.blocks, BLOCKS);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        LabCase *c = lab_plan(lab, e, kernels[i], "%s", kernels[i]);
        c->n       = blocks * SIDE * SIDE;
        c->grid    = (WwDim3){(uint32_t)blocks, 1, 1};
        c->block   = (WwDim3){SIDE, SIDE, 1};
        c->shared  = SIDE * SIDE * sizeof(float);
        c->repeats = REPEATS;
        lab_size(c, "blocks", blocks);
        lab_size(c, "side", SIDE);
    }
    return WW_OK;
}

static Status begin(Lab *lab)
{
    return lab->opt.regression ? regression_open(lab, lab->opt.regression, &lab->regression) : WW_OK;
}

static Status end(Lab *lab)
{
    Status s = lab->regression ? regression_finish(lab->regression, lab) : WW_OK;
    regression_free(lab->regression);
    lab->regression = NULL;
    return s;
}

typedef struct Doubling {
    const float *in, *got;
} Doubling;

static void verify(Lab *lab, const LabCase *c, LabRow *row, void *user)
{
    const Doubling *d = user;
    size_t          n = (size_t)c->n;
    for (size_t i = 0; i < n; i++) {
        double err = (double)d->got[i] - 2 * (double)d->in[i];
        lab_raise_error(row, err < 0 ? -err : err);
        if (!(err == 0))
            lab_problem(lab, row, "value %zu is %.9g, expected %.9g", i, (double)d->got[i], 2 * (double)d->in[i]);
    }
    row->checked = row->values = n;
    if (lab->regression)
        regression_take(lab->regression, lab, row, d->got, n);
}

static void run(Lab *lab, const LabCase *c, LabRow *row)
{
    size_t n = (size_t)c->n;
    if (!lab_fits(lab, row, 16 * n))
        return;
    float *in = xmalloc(4 * n), *got = xmalloc(4 * n);
    inputs_unit(in, n, regression_seed(lab->regression, lab->opt.seed), STREAM);
    Doubling  d        = {in, got};
    LabBuffer buffer[] = {{.in = in, .bytes = 4 * n}, {.out = got, .bytes = 4 * n}};
    LabLaunch l        = {.buffer = buffer, .nbuffers = 2, .verify = verify, .user = &d};
    row->least_bytes   = 8 * n;
    lab_launch(lab, c, &l, row);
    free(in);
    free(got);
}

const Experiment experiment_banks = {
    .name     = "banks",
    .question = "shared memory banks: along rows, down columns; log of every conflict, regression file",
    .reads    = "blocks regression log",
    .family   = {"kernels/banks/"},
    .logs     = true,
    .plan     = plan,
    .run      = run,
    .begin    = begin,
    .end      = end,
};

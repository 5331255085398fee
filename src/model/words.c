/* SPDX-License-Identifier: Apache-2.0
 *
 * An access as text names it, and which combinations there are: what the hardware would refuse (misaligned, ldmatrix outside shared memory,
 * atomics on local memory) has no cost.  The public ww_access_cost stands on both, and so do the command line and the page's calculator.
 *
 * Invariants: nothing is allocated, nothing is kept; a refusal is a static text, and *lane says which lane is to blame. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "model/model.h"
#include "warpwright/warpwright.h"

static int find_word(const char *const *words, int count, const char *s, size_t n)
{
    for (int i = 0; i < count; i++)
        if (strlen(words[i]) == n && strncmp(words[i], s, n) == 0)
            return i;
    return -1;
}

int model_space_word(const char *word, size_t n)
{
    static const char *const words[MODEL_SPACES] = {"global", "shared", "local"};
    return find_word(words, MODEL_SPACES, word, n);
}

int model_op_word(const char *word, size_t n)
{
    static const char *const words[MODEL_OPS] = {"ld", "st", "atom", "red", "ldsm", "stsm"};
    return find_word(words, MODEL_OPS, word, n);
}

const char *model_impossible(const ModelAccess *a, int *lane)
{
    *lane = -1;
    if ((a->op == MODEL_LDSM || a->op == MODEL_STSM) && (a->space != MODEL_SHARED || a->bytes != 16))
        return "ldsm and stsm are for shared memory, 16 bytes a lane";
    if ((a->op == MODEL_ATOM || a->op == MODEL_RED) && a->space == MODEL_LOCAL)
        return "there are no atomics on local memory";
    for (uint32_t lanes = a->mask; lanes; lanes &= lanes - 1) {
        *lane = __builtin_ctz(lanes);
        if (a->addr[*lane] % a->bytes)
            return "this offset is not a multiple of a lane's bytes: the access would fault";
    }
    *lane = -1;
    return NULL;
}

/* ---- the public questions -------------------------------------------------------------------------------------------- */

static WwStatus refuse(char *why, size_t size, const char *text)
{
    if (why && size)
        (void)snprintf(why, size, "%s", text);
    return WW_ERR_INVALID;
}

static WwStatus read_access(const WwAccess *in, int l1, ModelAccess *a, char *why, size_t size)
{
    static const ModelL1 loads[] = {MODEL_L1_AUTO, MODEL_L1_ON, MODEL_L1_OFF};
    if (!in || !in->space || !in->op || !in->address)
        return refuse(why, size, "ww_access_cost needs an access with space, op and address");
    int space = model_space_word(in->space, strlen(in->space)), op = model_op_word(in->op, strlen(in->op));
    if (space < 0)
        return refuse(why, size, "the space is none of global, shared, local");
    if (op < 0)
        return refuse(why, size, "the operation is none of ld, st, atom, red, ldsm, stsm");
    if (!in->bytes || in->bytes > MODEL_MAX_BYTES || in->bytes & (in->bytes - 1))
        return refuse(why, size, "a lane's bytes are none of 1, 2, 4, 8, 16, 32");
    if (l1 < 0 || l1 > 2)
        return refuse(why, size, "l1 is 0 (as the profile does), 1 (on) or 2 (off)");
    *a = (ModelAccess){(ModelSpace)space, (ModelOp)op, loads[l1], in->bytes, in->mask, in->address};
    int         lane;
    const char *text = model_impossible(a, &lane);
    if (text && lane >= 0 && why && size)
        (void)snprintf(why, size, "lane %d, offset %" PRIu64 ": %s", lane, in->address[lane], text);
    else if (text)
        (void)refuse(why, size, text);
    return text ? WW_ERR_INVALID : WW_OK;
}

static void passes(const Profile *p, const ModelAccess *a, WwAccessCost *out)
{
    unsigned width = p->arch->bank_bytes;
    out->banks = p->arch->banks, out->bank_bytes = width, out->part_lanes = model_part_lanes(p, a);
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        if (!(a->mask >> lane & 1))
            continue;
        uint64_t first = a->addr[lane] / width, last = (a->addr[lane] + a->bytes - 1) / width;
        for (uint64_t w = first; w <= last; w++)
            out->pass[lane][w - first] = (uint8_t)(model_pass(p, a, lane, w) + 1);
    }
}

WwStatus ww_access_cost(const char *profile, const WwAccess *access, int l1, WwAccessCost *out, char *why, size_t size)
{
    const Profile *p = profile_find(profile);
    ModelAccess    a;
    ModelCost      c;
    if (!out)
        return refuse(why, size, "ww_access_cost needs a place for the cost");
    memset(out, 0, sizeof *out);
    if (!p) {
        (void)refuse(why, size, "there is no such profile");
        return WW_ERR_NOT_FOUND;
    }
    WwStatus s = read_access(access, l1, &a, why, size);
    if (s != WW_OK)
        return s;
    model_access(p, &a, &c);
    *out = (WwAccessCost){.wavefronts       = c.wavefronts,
                          .ideal_wavefronts = c.ideal_wavefronts,
                          .bank_conflicts   = c.conflicts,
                          .requests         = c.requests,
                          .sectors          = c.sectors,
                          .ideal_sectors    = c.ideal,
                          .lines            = c.tag_requests,
                          .transactions     = c.transactions,
                          .useful_bytes     = c.useful_bytes,
                          .moved_bytes      = c.moved_bytes};
    if (a.space == MODEL_SHARED)
        passes(p, &a, out);
    return WW_OK;
}

WwStatus ww_access_offsets(const char *expression, uint32_t mask, uint64_t offset[32], char *why, size_t size)
{
    if (!expression || !offset)
        return refuse(why, size, "ww_access_offsets needs an expression and a place for the offsets");
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        int64_t   v = 0;
        ExprError e;
        offset[lane] = 0;
        if (!(mask >> lane & 1))
            continue;
        if (!expr_eval(expression, lane, &v, &e)) {
            if (why && size)
                (void)snprintf(why, size, "character %zu: %s", e.at + 1, e.text);
            return WW_ERR_INVALID;
        }
        if (v < 0) {
            if (why && size)
                (void)snprintf(why, size, "the offset of lane %u is %" PRId64 "; offsets are not negative", lane, v);
            return WW_ERR_INVALID;
        }
        offset[lane] = (uint64_t)v;
    }
    return WW_OK;
}

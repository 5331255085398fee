/* SPDX-License-Identifier: Apache-2.0
 *
 * The access model for a browser: src/model and base/expr, compiled to WebAssembly, behind functions of numbers and four places in memory that the
 * page reads and writes: a text (the expression, or the profile's name), 32 offsets, the cost, and a message.
 *
 * Decided here: nothing.  The page asks what ww_access_offsets and ww_access_cost answer, so it can never differ from the command line.
 * The memory is static, because one page asks one thing at a time. */
#include <stdint.h>
#include <string.h>

#include "model/model.h"
#include "warpwright/warpwright.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { TEXT = 4096, WHY = 400 };

static char         text[TEXT], why[WHY];
static uint64_t     offset[MODEL_LANES];
static WwAccessCost cost;

char *EXPORT(calc_text)(void)
{
    return text;
}

char *EXPORT(calc_why)(void)
{
    return why;
}

uint64_t *EXPORT(calc_offsets)(void)
{
    return offset;
}

WwAccessCost *EXPORT(calc_cost)(void)
{
    return &cost;
}

/* Fills the offsets by the expression in text; 0: done, else the message says what is wrong. */
int EXPORT(calc_expression)(uint32_t mask)
{
    text[TEXT - 1] = 0;
    return ww_access_offsets(text, mask, offset, why, WHY);
}

/* Fills the cost of the offsets on the profile that text names; space and op as in model.h. */
int EXPORT(calc_access)(int space, int op, uint32_t bytes, uint32_t mask, int l1)
{
    static const char *const spaces[MODEL_SPACES] = {"global", "shared", "local"};
    static const char *const ops[MODEL_OPS]       = {"ld", "st", "atom", "red", "ldsm", "stsm"};
    if (space < 0 || space >= MODEL_SPACES || op < 0 || op >= MODEL_OPS)
        return WW_ERR_INVALID;
    text[TEXT - 1]   = 0;
    const WwAccess a = {.space = spaces[space], .op = ops[op], .bytes = bytes, .mask = mask, .address = offset};
    return ww_access_cost(text, &a, l1, &cost, why, WHY);
}

/* Puts the name of the i-th profile into text, its title behind the terminating 0; 0: there is none. */
int EXPORT(calc_profile)(int i)
{
    const Profile *p = profile_at((size_t)i);
    if (!p)
        return 0;
    size_t n = strlen(p->name) + 1;
    memcpy(text, p->name, n);
    strncpy(text + n, p->title, TEXT - n - 1);
    return 1;
}

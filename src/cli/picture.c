/* SPDX-License-Identifier: Apache-2.0
 *
 * One access of a warp for a page, with all that the model says of it on a profile: the calculator's and the lab's pages show it. */
#include "cli/picture.h"

#include <string.h>

#include "warpwright/warpwright.h"

static const char *const spaces[MODEL_SPACES] = {"global", "shared", "local"};
static const char *const ops[MODEL_OPS]       = {"ld", "st", "atom", "red", "ldsm", "stsm"};

static int index_of(const char *const *words, int n, const char *word)
{
    int i = 0;
    while (i < n && strcmp(words[i], word) != 0)
        i++;
    return i;
}

bool access_words(const char *space, const char *op, ModelAccess *a)
{
    const char *kind = strcmp(op, "copy") ? op : strcmp(space, "shared") ? "ld" : "st";
    int         s = index_of(spaces, MODEL_SPACES, space), o = index_of(ops, MODEL_OPS, kind);
    a->space = (ModelSpace)s;
    a->op    = (ModelOp)o;
    return s < MODEL_SPACES && o < MODEL_OPS;
}

static json_t *numbers(const uint64_t *v, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer((json_int_t)v[i]));
    return list;
}

static json_t *passes(const WwAccessCost *c)
{
    json_t *lanes = json_array();
    for (size_t lane = 0; lane < MODEL_LANES; lane++) {
        json_t *words = json_array();
        for (size_t k = 0; k < sizeof c->pass[lane] && c->pass[lane][k]; k++)
            json_array_append_new(words, json_integer(c->pass[lane][k]));
        json_array_append_new(lanes, words);
    }
    return lanes;
}

void access_page_add(json_t *list, const char *name, size_t len, const Profile *p, const ModelAccess *a)
{
    const WwAccess asked = {
        .space = spaces[a->space], .op = ops[a->op], .bytes = a->bytes, .mask = a->mask, .address = a->addr};
    /* a card of a file has its architecture's rules, and the page knows no files */
    const char  *profile = p->from_file ? p->arch->name : p->name;
    WwAccessCost c;
    int          l1 = a->l1 == MODEL_L1_ON ? 1 : a->l1 == MODEL_L1_OFF ? 2 : 0;
    if (ww_access_cost(profile, &asked, l1, &c, NULL, 0) != WW_OK)
        return; /* what the model refuses was refused before */
    json_t *o = json_pack("{s:o,s:s,s:s,s:s,s:i,s:I,s:i,s:o}", "name", json_stringn(name, len), "profile", profile,
                          "space", asked.space, "op", asked.op, "bytes", (int)a->bytes, "mask", (json_int_t)a->mask,
                          "l1", l1, "offsets", numbers(a->addr, MODEL_LANES));
    const struct {
        const char *name;
        uint32_t    value;
    } figures[] = {{"wavefronts", c.wavefronts},
                   {"ideal_wavefronts", c.ideal_wavefronts},
                   {"bank_conflicts", c.bank_conflicts},
                   {"requests", c.requests},
                   {"sectors", c.sectors},
                   {"ideal_sectors", c.ideal_sectors},
                   {"lines", c.lines},
                   {"transactions", c.transactions},
                   {"useful_bytes", c.useful_bytes},
                   {"moved_bytes", c.moved_bytes},
                   {"banks", c.banks},
                   {"bank_bytes", c.bank_bytes},
                   {"part_lanes", c.part_lanes}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_object_set_new(o, figures[i].name, json_integer(figures[i].value));
    if (a->space == MODEL_SHARED)
        json_object_set_new(o, "pass", passes(&c));
    json_array_append_new(list, o);
}

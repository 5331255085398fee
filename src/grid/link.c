/* SPDX-License-Identifier: Apache-2.0
 *
 * Grids of several processes: how they are joined, and what they say to each other before and after a call.
 *
 * Whatever decides how a call goes on is decided of what all have said, so that all go the same way. */
#include "grid/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { MOST_RANKS = 4096, TEXT = GRID_TEXT };

WwGridWay ww_grid_way(const WwGrid *g)
{
    return g && g->link ? g->link->way : WW_GRID_ANY;
}

/* ---- what ranks say ---------------------------------------------------------------------------------------------- */

typedef struct LinkWord {
    int32_t  status;
    uint32_t slots[WW_GRID_DEVICES];
    char     text[TEXT], error[TEXT];
} LinkWord;

Status link_lose(WwGrid *g, const char *why)
{
    link_leave(g);
    g->link->broken = true;
    g->told         = true;
    return grid_fail(g, WW_ERR_UNAVAILABLE, "%s", why);
}

static Status gather(WwGrid *g, const void *mine, size_t bytes, void *all)
{
    const WwGridLink *how = &g->link->how;
    if (!how->gather(how->user, mine, bytes, all))
        return WW_OK;
    g->link->deaf = true;
    return link_lose(g, "the exchange between the ranks failed");
}

/* The same on all: the first rank that failed, for want of memory or for another reason; `ranks`: none. */
static size_t first_failed(const LinkWord *all, size_t ranks, bool memory)
{
    for (size_t i = 0; i < ranks; i++)
        if (all[i].status != WW_OK && (all[i].status == WW_ERR_NO_MEMORY) == memory)
            return i;
    return ranks;
}

/* Memory comes last: smaller tiles are tried next, of one and the same product. */
static Status judge(WwGrid *g, const LinkWord *all)
{
    size_t ranks = g->link->how.ranks, own = g->link->how.rank, failed = first_failed(all, ranks, false);
    for (size_t i = 1; i < ranks && failed == ranks; i++)
        if (strcmp(all[0].text, all[i].text) != 0)
            return grid_fail(g, WW_ERR_INVALID, "the ranks have different products: rank 0: %s; rank %zu: %s",
                             all[0].text, i, all[i].text);
    failed = failed == ranks ? first_failed(all, ranks, true) : failed;
    if (failed == ranks)
        return WW_OK;
    if (all[own].status == WW_OK) /* else the error says what is wrong here */
        grid_fail(g, (Status)all[failed].status, "rank %zu: %s", failed, all[failed].error);
    return (Status)all[failed].status;
}

Status grid_agree(WwGrid *g, Status own, const char *text)
{
    GridLink *l = g->link;
    if (!l)
        return own;
    if ((l->deaf || l->broken) && own == WW_OK)
        own =
            grid_fail(g, WW_ERR_UNAVAILABLE, "the grids are not joined any more since a call failed: join them again");
    if (l->deaf)
        return own;
    LinkWord *all = xcalloc(l->how.ranks, sizeof *all), mine = {.status = own};
    for (size_t i = 0; i < g->n; i++)
        mine.slots[i] = (uint32_t)g->member[i].nslots;
    snprintf(mine.text, sizeof mine.text, "%s", text);
    snprintf(mine.error, sizeof mine.error, "%s", own == WW_OK ? "" : str_text(&g->error));
    Status s = gather(g, &mine, sizeof mine, all);
    for (size_t i = 0; i < l->how.ranks && s == WW_OK; i++) {
        all[i].text[TEXT - 1] = all[i].error[TEXT - 1] = 0;
        for (size_t j = 0; j < g->n; j++)
            g->slots[i * g->n + j] = all[i].slots[j];
    }
    s = s == WW_OK ? judge(g, all) : s;
    free(all);
    return s;
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

typedef struct LinkHello {
    int32_t  status, ranks, way, nccl; /* NCCL's version; 0: it cannot be used here */
    uint32_t moves, devices;
    char     version[64], text[TEXT]; /* why, where something is not as it should be */
    NcclId   id;
} LinkHello;

static LinkHello introduce(WwGrid *g)
{
    GridLink *l   = g->link;
    LinkHello own = {
        .ranks = (int32_t)l->how.ranks, .way = l->how.way, .moves = l->how.move != NULL, .devices = (uint32_t)g->n};
    Str  why = {0};
    bool gpu = true;
    for (size_t i = 0; i < g->n; i++)
        gpu = gpu && g->member[i].device->ops->with;
    snprintf(own.version, sizeof own.version, "%s", ww_version());
    if (l->how.way != WW_GRID_ANY && l->how.way != WW_GRID_NCCL && l->how.way != WW_GRID_HOST) {
        str_printf(&why, "ww_grid_link: way %d is none of WwGridWay", (int)l->how.way);
        own.status = WW_ERR_INVALID;
    } else if (l->how.way == WW_GRID_HOST) {
        str_add(&why, "it was not asked for");
    } else if (!gpu) {
        str_add(&why, "a device is no GPU");
    } else if (nccl_open(&l->nccl, &why)) {
        own.nccl = l->nccl.version;
        if (l->how.rank == 0 && link_identify(g, &own.id) != 0)
            own.nccl = 0, str_add(&why, "ncclGetUniqueId failed");
    }
    snprintf(own.text, sizeof own.text, "%s", str_text(&why));
    str_free(&why);
    return own;
}

/* The way that all can go; the same on all. */
static Status choose_way(WwGrid *g, const LinkHello *all)
{
    GridLink *l     = g->link;
    size_t    ranks = l->how.ranks, without = ranks, alone = ranks;
    for (size_t i = 0; i < ranks; i++) {
        const LinkHello *h = &all[i];
        if (h->status != WW_OK)
            return grid_fail(g, (Status)h->status, "rank %zu: %s", i, h->text);
        if (h->ranks != all[0].ranks || h->way != all[0].way || h->devices != all[0].devices ||
            strcmp(h->version, all[0].version) != 0)
            return grid_fail(g, WW_ERR_INVALID,
                             "the ranks differ: rank 0 is one of %d with %u devices, way %d, warpwright %s; rank %zu "
                             "is one of %d with %u devices, way %d, warpwright %s",
                             all[0].ranks, all[0].devices, all[0].way, all[0].version, i, h->ranks, h->devices, h->way,
                             h->version);
        without = without == ranks && (!h->nccl || h->nccl != all[0].nccl) ? i : without;
        alone   = alone == ranks && !h->moves ? i : alone;
    }
    l->id  = all[0].id;
    l->way = without == ranks && l->how.way != WW_GRID_HOST ? WW_GRID_NCCL : WW_GRID_HOST;
    if (l->way == WW_GRID_HOST && (alone < ranks || l->how.way == WW_GRID_NCCL))
        return grid_fail(g, WW_ERR_UNAVAILABLE, "no way between the ranks: rank %zu has no NCCL (%s)%s",
                         without < ranks ? without : 0,
                         without == ranks         ? "it was not asked for"
                         : all[without].nccl != 0 ? "another version of it than rank 0"
                                                  : all[without].text,
                         alone < ranks ? ", and a rank has no `move`" : "");
    return WW_OK;
}

static Status join(WwGrid *g, const LinkHello *all)
{
    GridLink *l    = g->link;
    bool      move = true;
    TRY(choose_way(g, all));
    for (size_t i = 0; i < l->how.ranks; i++)
        move = move && all[i].moves;
    if (l->way == WW_GRID_HOST)
        return WW_OK;
    Status s = grid_agree(g, link_join(g), "");
    if (s == WW_OK || l->deaf || l->how.way == WW_GRID_NCCL || !move)
        return s;
    link_leave(g);
    l->broken = false;
    l->way    = WW_GRID_HOST;
    return WW_OK;
}

WwStatus ww_grid_link(WwGrid *g, const WwGridLink *link)
{
    if (!g)
        return WW_ERR_INVALID;
    grid_link_close(g);
    g->told = false;
    if (!link)
        return WW_OK;
    if (!link->gather || link->rank >= link->ranks || link->ranks > MOST_RANKS)
        return grid_fail(g, WW_ERR_INVALID, "ww_grid_link: rank %zu of %zu, which are at most %d, and a gather of them",
                         link->rank, link->ranks, MOST_RANKS);
    GridLink *l = g->link = xcalloc(1, sizeof *l);
    l->how                = *link;
    g->ranks              = link->ranks;
    g->rank               = link->rank;
    g->slots              = xcalloc(grid_workers(g), sizeof *g->slots);
    l->end                = xcalloc(g->n, sizeof *l->end);
    for (int send = 0; send < 2; send++)
        l->filled[send] = xcalloc(grid_workers(g), sizeof *l->filled[send]);
    LinkHello *all = xcalloc(link->ranks, sizeof *all), own = introduce(g);
    Status     s = gather(g, &own, sizeof own, all);
    for (size_t i = 0; i < link->ranks && s == WW_OK; i++)
        all[i].version[sizeof all[i].version - 1] = all[i].text[TEXT - 1] = 0;
    s = s == WW_OK ? join(g, all) : s;
    free(all);
    if (s != WW_OK)
        grid_link_close(g);
    return s;
}

/* ---- the end of a call, and of it all ---- */

Status grid_link_end(WwGrid *g, Status own)
{
    GridLink *l = g->link;
    if (!l)
        return own;
    if (own != WW_OK)
        link_leave(g); /* before it says so: others may wait for this one */
    Status s = grid_agree(g, own, "");
    if (s != WW_OK && l->way == WW_GRID_NCCL) {
        link_leave(g);
        l->broken = true;
    }
    return s;
}

void grid_link_close(WwGrid *g)
{
    GridLink *l = g->link;
    if (!l)
        return;
    link_leave(g);
    nccl_close(&l->nccl);
    grid_link_trim(g);
    free(g->slots);
    free(l->end);
    free(l->filled[0]);
    free(l->filled[1]);
    free(l->piece);
    free(l->wait);
    free(l->message);
    free(l);
    g->link  = NULL;
    g->slots = NULL;
    g->ranks = 1;
    g->rank  = 0;
}

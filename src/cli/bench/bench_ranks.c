/* SPDX-License-Identifier: Apache-2.0
 *
 * bench grid --operands ranks: the same products on the devices of several processes, in bands of rows, beside one device.  Each process has as many
 * devices as `--devices` says, one where it says nothing.
 *
 * The ranks meet as those of check and run do (base/ranks.h), on one machine.  Rank 0 multiplies on its device alone while the others wait, and prints the
 * rows; C is memory that all ranks share, a file in their folder, so that it sees all of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "blas/blas.h"
#include "cli/bench/bench_grid.h"
#include "cli/bench/bench_verify.h"
#include "cli/cli.h"
#include "grid/meet.h"

static void *share(const Ranks *r, size_t bytes, Str *why)
{
    Str name = {0};
    str_printf(&name, "%s/c", ranks_folder(r));
    int   fd = open(name.s, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *at = fd >= 0 && ftruncate(fd, (off_t)bytes) == 0
                   ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED)
        str_printf(why, "cannot map %zu bytes of %s: %s", bytes, name.s, strerror(errno));
    if (fd >= 0)
        close(fd);
    str_free(&name);
    return at == MAP_FAILED ? NULL : at;
}

/* Rank 0's first device alone, or this rank's devices joined with those of the others. */
static double on_ranks(const GridBench *all, bool joined, double one, int *code)
{
    const char *why  = "";
    GridBench   g    = *all;
    WwGridLink  link = grid_meet_link(g.meet);
    double      ms   = 0;
    link.way         = g.x->cuda ? WW_GRID_ANY : WW_GRID_HOST;
    if (!joined) {
        g.ranks = 0;
        g.meet  = NULL;
    }
    if (ww_grid_open(g.device, joined ? g.x->devices : 1, &g.grid, &why) != WW_OK) {
        *code = cli_error("bench", "%s", why);
        return 0;
    }
    if (joined && ww_grid_link(g.grid, &link) != WW_OK)
        *code = cli_error("bench", "rank %zu: %s%s%s", g.rank, ww_grid_error(g.grid),
                          *grid_meet_why(g.meet) ? ": " : "", grid_meet_why(g.meet));
    else if (!grid_bands_open(&g))
        *code = cli_error("bench", "a device of rank %zu has no room for matrices of this size", g.rank);
    else
        ms = grid_row(&g, one, 0);
    if (joined && *code == CLI_OK && *grid_meet_why(g.meet))
        *code = cli_error("bench", "rank %zu: %s", g.rank, grid_meet_why(g.meet));
    if (joined && g.rank == 0 && *code == CLI_OK && g.x->verbose)
        fprintf(g.x->table, "      between the ranks: %s\n",
                ww_grid_way(g.grid) == WW_GRID_NCCL ? "NCCL" : "by way of the host");
    grid_bands_close(&g);
    ww_grid_close(g.grid);
    return ms;
}

static int both_works(GridBench *g, const BenchWork *w)
{
    int code = CLI_OK;
    for (int i = 0; i < 2 && code == CLI_OK; i++) {
        double one = 0;
        grid_set_work(g, w, i);
        if (g->rank == 0) {
            g->truth = bench_truth(&g->w, g->a, g->b, g->x->seed);
            one      = on_ranks(g, false, 0, &code);
        }
        if (!grid_meet_all(g->meet))
            code = cli_error("bench", "rank %zu: %s", g->rank, grid_meet_why(g->meet));
        if (code == CLI_OK)
            on_ranks(g, true, one, &code);
        bench_truth_free(g->truth);
        g->truth = NULL;
    }
    return code;
}

static int with_device(Bench *x, const BenchWork *w, Ranks *r, GridMeet *meet)
{
    WwDevice   *device[WW_GRID_DEVICES] = {0};
    const char *why                     = "";
    Str         failed                  = {0};
    size_t      wide                    = w->m > w->n ? w->m : w->n; /* the result of A * A^T is m x m */
    GridBench   g                       = {.x      = x,
                                           .device = device,
                                           .w      = *w,
                                           .rank   = ranks_rank(r),
                                           .ranks  = ranks_count(r),
                                           .meet   = meet,
                                           .room   = w->m * wide * type_row(w->type)->result};
    void       *c                       = share(r, g.room, &failed);
    int         code                    = c ? CLI_OK : cli_error("bench", "%s", str_text(&failed));
    if (code == CLI_OK)
        code = grid_devices_open(x, g.rank * x->devices, device);
    if (code == CLI_OK && ww_grid_open(device, 1, &g.grid, &why) != WW_OK)
        code = cli_error("bench", "%s", why);
    if (code == CLI_OK) {
        code = grid_make_data(&g, c) ? both_works(&g, w) : cli_error("bench", "%s", ww_grid_error(g.grid));
        grid_drop_data(&g);
    }
    ww_grid_close(g.grid);
    grid_devices_close(x, device);
    if (c)
        munmap(c, g.room);
    str_free(&failed);
    return code;
}

/* What all of them must have been given alike. */
static void what(const Bench *x, const BenchWork *w, Str *out)
{
    str_printf(
        out, "bench grid %zux%zux%zu type %d trans %d%d precision %d tile %zu panel %zu devices %zu runs %u seed %llu",
        w->m, w->n, w->k, (int)w->type, w->ta, w->tb, (int)w->precision, x->tile, x->panel, x->devices, x->runs,
        (unsigned long long)x->seed);
}

int bench_ranks(Bench *x, const BenchWork *w)
{
    RanksWho  who;
    Ranks    *r    = NULL;
    GridMeet *meet = NULL;
    Str       why = {0}, same = {0};
    int       code;
    if (!ranks_who(&who) || who.ranks * x->devices > WW_GRID_DEVICES)
        return cli_error("bench",
                         "--operands ranks is for 2 processes or more, of at most %d devices together, that mpirun or "
                         "srun starts, or that are told by "
                         "WARPWRIGHT_RANK, _RANK_COUNT and _RANK_JOB which they are",
                         WW_GRID_DEVICES);
    what(x, w, &same);
    if (who.rank > 0)
        x->table = fopen("/dev/null", "we");
    if (who.rank == 0)
        bench_table_head(x->table, false);
    if (!x->table)
        code = cli_error("bench", "/dev/null: %s", strerror(errno));
    else if (ranks_open(&who, &(RanksAsk){.what = same.s}, &why, &r) != WW_OK ||
             grid_meet_open(r, &why, &meet) != WW_OK)
        code = cli_error("bench", "%s", str_text(&why));
    else
        code = with_device(x, w, r, meet);
    if (r && code != CLI_OK)
        ranks_fail(r, "it cannot go on");
    grid_meet_close(meet);
    ranks_close(r);
    str_free(&why);
    str_free(&same);
    return code;
}

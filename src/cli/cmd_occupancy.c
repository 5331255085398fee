/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright occupancy: how many blocks of a kernel a multiprocessor of the profile's card holds at once, what limits them, and what would be
 * with other sizes of blocks, fewer registers or less shared memory.  The figures are model/occupancy.h's; that of a launch stands in the report
 * of run and check. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#include "base/file.h"
#include "cli/cli.h"
#include "model/occupancy.h"

enum { WARP = 32, BAR = 32 };

typedef struct Asked {
    Limits         limits;
    const Profile *profile;
    unsigned       threads, registers;
    uint64_t       shared;
    FILE          *out;
} Asked;

static unsigned percent(const Occupancy *o)
{
    return o->most_warps ? 100 * o->warps / o->most_warps : 0;
}

static const char *limiter(const Occupancy *o)
{
    return o->limiter ? o->limiter : "nothing: it is full";
}

static void print_bar(FILE *out, unsigned share)
{
    for (unsigned i = 0; i < share * BAR / 100; i++)
        putc('#', out);
    putc('\n', out);
}

/* ---- what would be ---- */

/* The most registers, or bytes of shared memory, with which a multiprocessor holds so many blocks of that size; 0: none. */
static uint64_t most_for(const Asked *a, unsigned blocks, bool registers)
{
    uint64_t low = 0, high = registers ? a->limits.thread_registers : a->limits.block_shared_most;
    while (low < high) { /* fewer never hold less */
        uint64_t  mid = (low + high + 1) / 2;
        Occupancy o   = registers ? occupancy_of(&a->limits, a->threads, (unsigned)mid, a->shared)
                                  : occupancy_of(&a->limits, a->threads, a->registers, mid);
        if (o.blocks >= blocks)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static void print_more(const Asked *a, const Occupancy *now)
{
    Occupancy few  = occupancy_of(&a->limits, a->threads, 1, a->shared);
    Occupancy none = occupancy_of(&a->limits, a->threads, a->registers, 0);
    if (few.blocks > now->blocks && a->registers)
        fprintf(a->out, "with at most %llu registers a thread: %u blocks\n",
                (unsigned long long)most_for(a, now->blocks + 1, true), now->blocks + 1);
    if (none.blocks > now->blocks && a->shared)
        fprintf(a->out, "with at most %llu bytes of shared memory: %u blocks\n",
                (unsigned long long)most_for(a, now->blocks + 1, false), now->blocks + 1);
}

static void print_sizes(const Asked *a)
{
    fprintf(a->out, "\n%7s  %6s  %5s  %5s  %s\n", "threads", "blocks", "warps", "share", "limited by");
    for (unsigned n = WARP; n <= a->limits.block_threads; n += n < 256 ? WARP : 4 * WARP) {
        Occupancy o = occupancy_of(&a->limits, n, a->registers, a->shared);
        fprintf(a->out, "%7u  %6u  %5u  %4u%%  %-14s ", n, o.blocks, o.warps, percent(&o), o.limiter ? o.limiter : "-");
        print_bar(a->out, percent(&o));
    }
}

/* ---- JSON ---- */

static json_t *json_of(unsigned threads, const Occupancy *o)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:s?}", "threads", (int)threads, "blocks", (int)o->blocks, "warps",
                     (int)o->warps, "most_warps", (int)o->most_warps, "limiter", o->limiter);
}

static int write_json(const Asked *a, const Occupancy *now, const char *path)
{
    json_t *sizes = json_array();
    for (unsigned n = WARP; n <= a->limits.block_threads; n += WARP) {
        Occupancy o = occupancy_of(&a->limits, n, a->registers, a->shared);
        json_array_append_new(sizes, json_of(n, &o));
    }
    json_t *doc = json_pack("{s:i, s:s, s:i, s:I, s:o, s:o}", "schema", 1, "profile", a->profile->name, "registers",
                            (int)a->registers, "shared", (json_int_t)a->shared, "occupancy", json_of(a->threads, now),
                            "sizes", sizes);
    FILE   *f   = file_create(path);
    bool    ok  = f && json_dumpf(doc, f, JSON_INDENT(2)) == 0 && fputc('\n', f) != EOF;
    ok          = f && fclose(f) == 0 && ok;
    json_decref(doc);
    return ok ? CLI_OK : cli_error("occupancy", "cannot write %s: %s", path, file_error(errno));
}

int cmd_occupancy(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    const Profile *p   = cli_profile(&a);
    Asked          ask = {limits_of(p),
                          p,
                          (unsigned)cli_number(&a, "block", 256),
                          (unsigned)cli_number(&a, "registers", 0),
                          cli_number(&a, "shared", 0),
                          cli_table(&a)};
    Occupancy      now = occupancy_of(&ask.limits, ask.threads, ask.registers, ask.shared);
    if (ask.threads > ask.limits.block_threads)
        code = cli_error("occupancy", "a block of %s has at most %u threads", p->name, ask.limits.block_threads);
    else if (ask.registers > ask.limits.thread_registers)
        code = cli_error("occupancy", "a thread of %s has at most %u registers", p->name, ask.limits.thread_registers);
    else if (ask.shared > ask.limits.block_shared_most)
        code = cli_error("occupancy", "a block of %s has at most %u bytes of shared memory", p->name,
                         ask.limits.block_shared_most);
    else if (cli_has(&a, "json"))
        code = write_json(&ask, &now, cli_text(&a, "json", NULL));
    if (code == CLI_OK) {
        fprintf(ask.out, "%s: %u block%s of %u threads on a multiprocessor, %u of %u warps (%u %%), limited by %s\n",
                p->name, now.blocks, now.blocks == 1 ? "" : "s", ask.threads, now.warps, now.most_warps, percent(&now),
                limiter(&now));
        if (!ask.registers)
            fprintf(ask.out, "registers are not known (--registers): it is an upper bound\n");
        print_more(&ask, &now);
        print_sizes(&ask);
    }
    cli_free(&a);
    return code;
}

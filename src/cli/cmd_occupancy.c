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
#include "report/doc.h"

enum { WARP = 32, BAR = 32, REGISTER_STEP = 8, SHARED_STEP = 1024 };

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

static void add(json_t *list, const Occupancy *o, unsigned threads, const char *key, uint64_t value)
{
    json_t *row = json_of(threads, o);
    json_object_set_new(row, key, json_integer((json_int_t)value));
    json_array_append_new(list, row);
}

/* The kernel, and what would be with other sizes of blocks, registers, or bytes of shared memory. */
static json_t *document(const Asked *a, const Occupancy *now)
{
    json_t       *sizes = json_array(), *registers = json_array(), *shared = json_array();
    const Limits *l = &a->limits;
    for (unsigned n = WARP; n <= l->block_threads; n += WARP) {
        Occupancy o = occupancy_of(l, n, a->registers, a->shared);
        json_array_append_new(sizes, json_of(n, &o));
    }
    for (unsigned n = REGISTER_STEP; n <= l->thread_registers; n += REGISTER_STEP) {
        Occupancy o = occupancy_of(l, a->threads, n, a->shared);
        add(registers, &o, a->threads, "registers", n);
    }
    for (uint64_t n = 0; n <= l->block_shared_most; n += SHARED_STEP) {
        Occupancy o = occupancy_of(l, a->threads, a->registers, n);
        add(shared, &o, a->threads, "shared", n);
    }
    return json_pack("{s:i, s:s, s:i, s:I, s:o, s:o, s:o, s:o}", "schema", 1, "profile", a->profile->name, "registers",
                     (int)a->registers, "shared", (json_int_t)a->shared, "occupancy", json_of(a->threads, now), "sizes",
                     sizes, "by_registers", registers, "by_shared", shared);
}

static int write_json(const json_t *doc, const char *path)
{
    FILE *f  = file_create(path);
    bool  ok = f && json_dumpf(doc, f, JSON_INDENT(2)) == 0 && fputc('\n', f) != EOF;
    ok       = f && fclose(f) == 0 && ok;
    return ok ? CLI_OK : cli_error("occupancy", "cannot write %s: %s", path, file_error(errno));
}

static int write_html(const json_t *doc, const char *path)
{
    Str out = {0}, why = {0};
    doc_page(doc, &out);
    int code = doc_write(path, &out, &why) ? CLI_OK : cli_error("occupancy", "%s", str_text(&why));
    str_free(&out);
    str_free(&why);
    return code;
}

static int write_files(const Asked *a, const CliArgs *args, const Occupancy *now)
{
    json_t *doc  = document(a, now);
    int     code = cli_has(args, "json") ? write_json(doc, cli_text(args, "json", NULL)) : CLI_OK;
    if (code == CLI_OK && cli_has(args, "html"))
        code = write_html(doc, cli_text(args, "html", NULL));
    json_decref(doc);
    return code;
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
    else if (cli_has(&a, "json") || cli_has(&a, "html"))
        code = write_files(&ask, &a, &now);
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

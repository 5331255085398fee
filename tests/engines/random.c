/* SPDX-License-Identifier: Apache-2.0
 *
 * The structure of a random kernel: registers with something in them, then statements, some of which are blocks of statements, then a dump of
 * all registers.  Loops have counters that nothing else writes.  Barriers stand where all threads of a block come by. */
#include "tests/engines/random.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_DEPTH = 4, MAX_LOOPS = 3, FUNCTIONS = 2 };

uint64_t grow_random(Grow *g, uint64_t below)
{
    uint64_t x = g->state += 0x9e3779b97f4a7c15u;
    x          = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x          = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % below;
}

bool grow_chance(Grow *g, unsigned percent)
{
    return grow_random(g, 100) < percent;
}

uint32_t grow_line(Grow *g, bool fixed, const char *fmt, ...)
{
    Kernel *k = g->k;
    if (k->nlines == k->cap) {
        Line *more = ARENA_ARRAY(k->arena, Line, k->cap = 2 * k->cap + 256);
        if (k->nlines)
            memcpy(more, k->line, k->nlines * sizeof *more);
        k->line = more;
    }
    va_list ap;
    va_start(ap, fmt);
    k->line[k->nlines] = (Line){arena_vprintf(k->arena, fmt, ap), fixed, NULL, k->nlines};
    va_end(ap);
    return k->nlines++;
}

const char *grow_register(Grow *g, unsigned bytes)
{
    switch (bytes) {
    case 0: return arena_printf(g->k->arena, "%%p%u", (unsigned)grow_random(g, PREDICATES));
    case 1:
    case 4: return arena_printf(g->k->arena, "%%b%u", (unsigned)grow_random(g, WORDS));
    case 2: return arena_printf(g->k->arena, "%%h%u", (unsigned)grow_random(g, HALVES));
    default: return arena_printf(g->k->arena, "%%d%u", (unsigned)grow_random(g, DOUBLES));
    }
}

static void close_block(Grow *g, uint32_t opener)
{
    g->k->line[opener].close = g->k->nlines - 1;
}

/* ---- blocks of statements ---- */

static void statements(Grow *g, unsigned most);

/* A condition into %q: of the block, or of each thread. */
static bool condition(Grow *g)
{
    static const char *const compare[] = {"lt", "ge", "eq", "ne"};
    const char              *how       = compare[grow_random(g, 4)];
    if (grow_chance(g, 30)) {
        grow_line(g, true, "setp.%s.u32 %%q, %s, %u;", how,
                  g->function          ? "%n"
                  : grow_chance(g, 50) ? "%cx"
                                       : "%n",
                  (unsigned)grow_random(g, 4));
        return !g->function;
    }
    if (!g->function && grow_chance(g, 40))
        grow_line(g, true, "setp.%s.u32 %%q, %%t, %u;", how, (unsigned)grow_random(g, g->k->threads));
    else if (grow_chance(g, 50))
        grow_line(g, true, "setp.%s.s32 %%q, %s, %s;", how, grow_register(g, 4), grow_register(g, 4));
    else
        grow_line(g, true, "mov.pred %%q, %s;", grow_register(g, 0));
    return false;
}

static void branch(Grow *g)
{
    unsigned one = g->labels++, other = g->labels++;
    bool     parted = g->parted, both = grow_chance(g, 50);
    uint32_t opener = grow_line(g, false, "// if");
    bool     same   = condition(g);
    g->parted |= !same;
    grow_line(g, true, "@%s%%q bra%s L%u;", grow_chance(g, 50) ? "!" : "", same ? ".uni" : "", one);
    statements(g, 6);
    if (both) {
        grow_line(g, true, "bra L%u;", other);
        grow_line(g, true, "L%u:", one);
        statements(g, 6);
    }
    grow_line(g, true, "L%u:", both ? other : one);
    close_block(g, opener);
    g->parted = parted;
}

static void loop(Grow *g)
{
    unsigned i = g->loops++, head = g->labels++, tail = g->labels++;
    bool     parted = g->parted;
    uint32_t opener = grow_line(g, false, "// loop");
    bool     leaves = grow_chance(g, 25);
    switch (grow_random(g, 4)) {
    case 0:
        grow_line(g, true, "and.b32 %%m%u, %s, 3; add.u32 %%m%u, %%m%u, 1;", i, grow_register(g, 4), i, i);
        g->parted = true;
        break;
    case 1: grow_line(g, true, "add.u32 %%m%u, %%n, 1;", i); break; /* n is at most 3 */
    default: grow_line(g, true, "mov.u32 %%m%u, %u;", i, 1 + (unsigned)grow_random(g, 5));
    }
    g->parted |= leaves;
    grow_line(g, true, "mov.u32 %%l%u, 0;", i);
    grow_line(g, true, "L%u:", head);
    statements(g, 8);
    if (leaves)
        grow_line(g, false, "@%s bra L%u;", grow_register(g, 0), tail);
    grow_line(g, true, "add.u32 %%l%u, %%l%u, 1; setp.lt.u32 %%q, %%l%u, %%m%u;", i, i, i, i);
    grow_line(g, true, "@%%q bra L%u;", head);
    grow_line(g, true, "L%u:", tail);
    close_block(g, opener);
    g->loops--;
    g->parted = parted;
}

static void table_of_branches(Grow *g)
{
    unsigned first  = g->labels;
    bool     parted = g->parted;
    g->labels += 5;
    g->parted = true;
    uint32_t opener =
        grow_line(g, false, "T%u: .branchtargets L%u, L%u, L%u, L%u;", first, first, first + 1, first + 2, first + 3);
    grow_line(g, true, "and.b32 %%x0, %s, 3; brx.idx %%x0, T%u;", grow_register(g, 4), first);
    for (unsigned i = 0; i < 4; i++) {
        grow_line(g, true, "L%u:", first + i);
        statements(g, 3);
        if (grow_chance(g, 80)) /* else it falls into the next */
            grow_line(g, true, "bra L%u;", first + 4);
    }
    grow_line(g, true, "L%u:", first + 4);
    close_block(g, opener);
    g->parted = parted;
}

static void barrier(Grow *g)
{
    grow_line(g, true, "%s", grow_chance(g, 80) ? "bar.sync 0;" : "barrier.sync 0;");
    g->reading = !g->reading;
    if (!g->reading)
        access_phase(g);
}

static void special(Grow *g)
{
    static const char *const names[] = {"tid.x",   "tid.y",    "tid.z",  "ntid.x",      "ntid.y",      "ctaid.x",
                                        "ctaid.y", "nctaid.x", "laneid", "lanemask_lt", "lanemask_ge", "warpid"};
    grow_line(g, false, "mov.u32 %s, %%%s;", grow_register(g, 4),
              names[grow_random(g, sizeof names / sizeof *names - g->k->portable)]);
}

static void statement(Grow *g)
{
    unsigned pick  = (unsigned)grow_random(g, 100);
    bool     block = g->depth < MAX_DEPTH && g->budget > 4;
    if (pick < 7 && block)
        branch(g);
    else if (pick < 13 && block && g->loops < MAX_LOOPS)
        loop(g);
    else if (pick < 15 && block)
        table_of_branches(g);
    else if (pick < 55 || g->function)
        plain_statement(g);
    else if (pick < 85)
        access_statement(g);
    else if (pick < 90)
        warp_statement(g);
    else if (pick < 92)
        special(g);
    else if (pick < 95)
        grow_line(g, false, "call (%s), f%u, (%s, %s);", grow_register(g, 4), (unsigned)grow_random(g, FUNCTIONS),
                  grow_register(g, 4), grow_register(g, 8));
    else if (!g->parted && !g->exited && !g->loops && !g->depth)
        barrier(g);
    else
        plain_statement(g);
}

static void statements(Grow *g, unsigned most)
{
    g->depth++;
    for (unsigned n = 1 + (unsigned)grow_random(g, most); n && g->budget; n--) {
        g->budget--;
        statement(g);
    }
    g->depth--;
}

/* ---- what stands around them ---- */

static void registers(Grow *g)
{
    grow_line(
        g, true,
        ".reg .b16 %%h<%u>; .reg .b32 %%b<%u>; .reg .b64 %%d<%u>; .reg .pred %%p<%u>; .reg .pred %%q, %%y; .reg .b32 "
        "%%x<2>, %%a<2>, "
        "%%l<%u>, %%m<%u>, %%n; .reg .b64 %%w<2>;",
        HALVES, WORDS, DOUBLES, PREDICATES, MAX_LOOPS, MAX_LOOPS);
}

/* The line that was added last does nothing but set that register or variable. */
static void sets_name(Grow *g, const char *name)
{
    g->k->line[g->k->nlines - 1].sets = name;
}

static void sets(Grow *g, char kind, unsigned number)
{
    sets_name(g, arena_printf(g->k->arena, "%%%c%u", kind, number));
}

/* Something into every register, out of %b0 and %d0. */
static void fill(Grow *g)
{
    for (unsigned i = 1; i < WORDS; i++) {
        grow_line(g, true, i % 3 ? "mad.lo.u32 %%b%u, %%b0, %u, %u;" : "xor.b32 %%b%u, %%b0, %u;", i,
                  i % 3 ? 0x2545f491u * (2 * i + 1) : 0x1234567u * i, (unsigned)grow_random(g, 1000));
        sets(g, 'b', i);
    }
    for (unsigned i = 1; i < DOUBLES; i++) {
        grow_line(g, true, "mad.lo.u64 %%d%u, %%d0, 0x%llx, %u;", i, 0x5851f42d4c957f2dull * (2 * i + 1),
                  (unsigned)grow_random(g, 1000));
        sets(g, 'd', i);
    }
    for (unsigned i = 0; i < HALVES; i++) {
        grow_line(g, true, "cvt.u16.u32 %%h%u, %%b%u;", i, i);
        sets(g, 'h', i);
    }
    for (unsigned i = 0; i < PREDICATES; i++) {
        grow_line(g, true, "setp.lt.s32 %%p%u, %%b%u, %%b%u;", i, i, i + 3);
        sets(g, 'p', i);
    }
}

/* Is it named in one of the lines from `from` to before `end`? */
static bool is_named(const Kernel *k, uint32_t from, uint32_t end, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = from; i < end; i++)
        for (const char *at = strstr(k->line[i].text, name); at; at = strstr(at + n, name))
            if (at[n] < '0' || at[n] > '9')
                return true;
    return false;
}

/* Takes back what nobody names behind the line that sets it: for a compiler that would be most of a small kernel. */
static void prune(Kernel *k, uint32_t from)
{
    for (uint32_t i = k->nlines; i-- > from;)
        if (k->line[i].sets && !is_named(k, i + 1, k->nlines, k->line[i].sets))
            k->line[i].text = "";
}

static void function(Grow *g, unsigned i)
{
    grow_line(g, true, ".func (.reg .b32 %%r) f%u(.reg .b32 %%v, .reg .b64 %%u)\n{", i);
    registers(g);
    grow_line(g, true, "mov.b32 %%b0, %%v; mov.b64 %%d0, %%u; and.b32 %%n, %%v, 3;");
    fill(g);
    g->function = g->parted = true;
    g->budget               = 4 + (unsigned)grow_random(g, 10);
    g->labels               = 100 * (i + 1);
    while (g->budget)
        statements(g, 4);
    grow_line(g, true, "mov.b32 %%r, %%b%u;\nret;\n}", (unsigned)grow_random(g, WORDS));
    g->function = g->parted = false;
}

static void table(Grow *g)
{
    Str out = {0};
    for (unsigned i = 0; i < TABLE_BYTES / 4; i++)
        str_printf(&out, "%s%u", i ? ", " : "", (unsigned)grow_random(g, UINT32_MAX));
    grow_line(g, true, ".const .align 16 .b32 table[%u] = {%s};", TABLE_BYTES / 4, str_text(&out));
    str_free(&out);
}

static uint32_t all_threads(const Kernel *k)
{
    return k->threads * k->grid[0] * k->grid[1];
}

static uint32_t warps_of(const Kernel *k)
{
    return (k->threads + 31) / 32;
}

/* Where each part of the output begins. */
static uint64_t rows_at(const Kernel *k)
{
    return (uint64_t)OWN_SLOTS * 8 * all_threads(k);
}
static uint64_t cells_at(const Kernel *k)
{
    return rows_at(k) + (uint64_t)OWN_BYTES * all_threads(k);
}
static uint64_t all_at(const Kernel *k)
{
    return cells_at(k) + (uint64_t)CELL_BYTES * warps_of(k) * k->grid[0] * k->grid[1];
}
static uint64_t dump_at(const Kernel *k)
{
    return all_at(k) + ALL_CELLS;
}

/* Of one of a batch. */
static uint64_t part_bytes(const Kernel *k)
{
    return (dump_at(k) + 8 * (uint64_t)all_threads(k) + 4095) & ~UINT64_C(4095);
}

uint64_t kernel_out_bytes(const Kernel *k)
{
    return k->parts ? k->parts * part_bytes(k) : dump_at(k) + (uint64_t)DUMPED * 8 * all_threads(k);
}

void kernel_place(const Kernel *k, uint64_t byte, Str *out)
{
    static const struct {
        char     kind;
        unsigned n;
    } dumped[] = {{'h', HALVES}, {'b', WORDS}, {'d', DOUBLES}, {'p', PREDICATES}};
    if (k->parts) {
        str_printf(out, "kernel %llu: ", (unsigned long long)(k->first + byte / part_bytes(k)));
        byte %= part_bytes(k);
    }
    if (byte < rows_at(k))
        str_printf(out, "slot %u of thread %u", (unsigned)(byte / 8 / all_threads(k)),
                   (unsigned)(byte / 8 % all_threads(k)));
    else if (byte < cells_at(k))
        str_printf(out, "byte %u of the row of thread %u", (unsigned)((byte - rows_at(k)) % OWN_BYTES),
                   (unsigned)((byte - rows_at(k)) / OWN_BYTES));
    else if (byte < all_at(k))
        str_printf(out, "byte %u of the cells of warp %u", (unsigned)((byte - cells_at(k)) % CELL_BYTES),
                   (unsigned)((byte - cells_at(k)) / CELL_BYTES));
    else if (byte < dump_at(k))
        str_printf(out, "cell %u of all", (unsigned)(byte - all_at(k)) / 8);
    else if (k->parts)
        str_printf(out, "registers of thread %u", (unsigned)(byte - dump_at(k)) / 8);
    unsigned r = byte < dump_at(k) || k->parts ? DUMPED : (unsigned)((byte - dump_at(k)) / 8 / all_threads(k));
    for (unsigned i = 0; r < DUMPED && i < 4; r -= dumped[i++].n)
        if (r < dumped[i].n) {
            str_printf(out, "%%%c%u of thread %u", dumped[i].kind, r,
                       (unsigned)((byte - dump_at(k)) / 8 % all_threads(k)));
            return;
        }
}

static void shared(Grow *g)
{
    grow_line(g, true, ".shared .align 16 .b8 slots[%u]; .shared .align 16 .b8 cells[%u];", g->k->threads * SLOT_BYTES,
              warps_of(g->k) * CELL_BYTES);
}

/* Where they stand, and something in every register.  part: of a batch. */
static void beginning(Grow *g, const char *part)
{
    const Kernel *k = g->k;
    if (part)
        grow_line(g, true, ".func %s(.reg .b64 %%in_, .reg .b64 %%out_, .reg .b32 %%n_, .reg .b32 %%full_)\n{", part);
    else
        grow_line(g, true, ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{");
    if (!part)
        shared(g);
    grow_line(g, true, ".local .align 16 .b8 frame[%u];", LOCAL_BYTES);
    registers(g);
    grow_line(g, true,
              ".reg .b64 %%in, %%out, %%rows, %%cell, %%all; .reg .b32 %%tx, %%ty, %%tz, %%cx, %%t, %%g, %%full, "
              "%%own, %%scell;");
    grow_line(g, true, "%s",
              part ? "mov.b64 %in, %in_; mov.b64 %out, %out_; mov.b32 %n, %n_; mov.b32 %full, %full_; bar.sync 0;"
                   : "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; activemask.b32 %full;");
    grow_line(g, true, "mov.u32 %%tx, %%tid.x; mov.u32 %%ty, %%tid.y; mov.u32 %%tz, %%tid.z; mov.u32 %%cx, %%ctaid.x;");
    grow_line(g, true, "mad.lo.u32 %%t, %%tz, %u, %%ty; mad.lo.u32 %%t, %%t, %u, %%tx;", k->block[1], k->block[0]);
    grow_line(g, true, "mov.u32 %%a0, %%ctaid.y; mad.lo.u32 %%a0, %%a0, %u, %%cx; mad.lo.u32 %%g, %%a0, %u, %%t;",
              k->grid[0], k->threads);
    grow_line(g, true,
              "shr.u32 %%a1, %%t, 5; mad.lo.u32 %%a0, %%a0, %u, %%a1; mul.wide.u32 %%w0, %%a0, %u; add.u64 %%cell, "
              "%%out, %%w0; add.u64 %%cell, %%cell, %llu;",
              warps_of(k), CELL_BYTES, (unsigned long long)cells_at(k));
    sets_name(g, "%cell");
    grow_line(g, true, "shr.u32 %%a1, %%t, 5; mov.u32 %%scell, cells; mad.lo.u32 %%scell, %%a1, %u, %%scell;",
              CELL_BYTES);
    sets_name(g, "%scell");
    grow_line(g, true, "add.u64 %%all, %%out, %llu;", (unsigned long long)all_at(k));
    sets_name(g, "%all");
    grow_line(g, true, "mul.wide.u32 %%w0, %%g, %u; add.u64 %%rows, %%out, %%w0; add.u64 %%rows, %%rows, %llu;",
              OWN_BYTES, (unsigned long long)rows_at(k));
    sets_name(g, "%rows");
    grow_line(g, true, "mov.u64 %%w0, 0; mov.u32 %%x0, 0;");
    for (unsigned i = 0; i < LOCAL_BYTES; i += part ? 16 : 8) {
        grow_line(g, true, part ? "st.local.v2.u64 [frame+%u], {%%w0, %%w0};" : "st.local.u64 [frame+%u], %%w0;", i);
        sets_name(g, "frame");
    }
    grow_line(g, true, "mov.u32 %%a0, slots; mad.lo.u32 %%a0, %%t, %u, %%a0; st.shared.v2.u64 [%%a0], {%%w0, %%w0};",
              SLOT_BYTES);
    sets_name(g, "slots");
    grow_line(g, true,
              "setp.lt.u32 %%q, %%t, %u; mov.u32 %%a0, cells; mad.lo.u32 %%a0, %%t, 4, %%a0; @%%q st.shared.u32 "
              "[%%a0], %%x0;",
              warps_of(k) * CELL_BYTES / 4);
    sets_name(g, "cells");
    grow_line(g, true, "bar.sync 0;");
    access_phase(g);
    sets_name(g, "%own");
    grow_line(g, true,
              "mul.lo.u32 %%a0, %%g, 12; and.b32 %%a0, %%a0, %u; cvt.u64.u32 %%w0, %%a0; add.u64 %%w0, %%w0, %%in;",
              (IN_BYTES - 1) & ~15);
    grow_line(g, true, "ld.global.u32 %%b0, [%%w0]; ld.global.u64 %%d0, [%%w0+8];");
    fill(g);
}

/* Every register to the dump, those of a kind side by side. */
static void ending(Grow *g)
{
    const Kernel *k  = g->k;
    uint64_t      at = dump_at(k);
    grow_line(g, true,
              "mul.wide.u32 %%w0, %%g, 8; add.u64 %%w0, %%w0, %%out; add.u64 %%w0, %%w0, %llu; mov.u32 %%x0, 0;",
              (unsigned long long)at);
    const struct {
        char     kind;
        unsigned n, bits;
    } all[] = {{'h', HALVES, 16}, {'b', WORDS, 32}, {'d', DOUBLES, 64}, {'p', PREDICATES, 32}};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned r = 0; r < all[i].n; r++) {
            if (all[i].kind == 'p')
                grow_line(g, false, "selp.u32 %%x0, 1, 0, %%p%u; st.global.b32 [%%w0], %%x0;", r);
            else
                grow_line(g, false, "st.global.b%u [%%w0], %%%c%u;", all[i].bits, all[i].kind, r);
            grow_line(g, true, "add.u64 %%w0, %%w0, %u;", all_threads(k) * 8);
        }
    grow_line(g, true, "ret;\n}");
}

/* One word of those that the body names, from line `from` on. */
static void ending_of_part(Grow *g, uint32_t from)
{
    static const struct {
        unsigned    n;
        const char *name, *fold;
    } all[] = {
        {HALVES, "%h", "cvt.u32.u16 %%x1, %s; mad.lo.u32 %%x0, %%x0, 31, %%x1;"},
        {WORDS, "%b", "mad.lo.u32 %%x0, %%x0, 31, %s;"},
        {DOUBLES, "%d", "mov.b64 {%%a0, %%a1}, %s; mad.lo.u32 %%x0, %%x0, 31, %%a0; xor.b32 %%x0, %%x0, %%a1;"},
        {PREDICATES, "%p", "selp.u32 %%x1, 7919, 5, %s; mad.lo.u32 %%x0, %%x0, 31, %%x1;"},
    };
    uint32_t end = g->k->nlines;
    grow_line(g, true, "mov.u32 %%x0, 0;");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (unsigned r = 0; r < all[i].n; r++) {
            const char *name = arena_printf(g->k->arena, "%s%u", all[i].name, r);
            if (is_named(g->k, from, end, name))
                grow_line(g, false, all[i].fold, name);
        }
    grow_line(g, true,
              "mul.wide.u32 %%w0, %%g, 8; add.u64 %%w0, %%w0, %%out; st.global.u32 [%%w0+%llu], %%x0;\nret;\n}",
              (unsigned long long)dump_at(g->k));
}

static void geometry(Grow *g)
{
    static const uint8_t blocks[][3] = {{32, 1, 1}, {64, 1, 1},  {16, 16, 1}, {8, 8, 1},  {32, 4, 1}, {128, 1, 1},
                                        {16, 8, 2}, {255, 1, 1}, {96, 1, 1},  {48, 1, 1}, {33, 2, 1}, {8, 4, 3},
                                        {24, 1, 1}, {4, 32, 1},  {32, 8, 1},  {2, 2, 16}};
    Kernel              *k           = g->k;
    size_t               i = grow_chance(g, 60) ? grow_random(g, 7) : grow_random(g, sizeof blocks / sizeof *blocks);
    for (int d = 0; d < 3; d++)
        k->block[d] = blocks[i][d];
    k->threads = k->block[0] * k->block[1] * k->block[2];
    k->grid[0] = 1 + (uint32_t)grow_random(g, 3);
    k->grid[1] = 1 + (uint32_t)grow_random(g, 2);
}

static uint64_t state_of(uint64_t seed)
{
    return seed * 0x2545f4914f6cdd1du + 1;
}

/* `budget` statements. */
static void body(Grow *g, unsigned budget)
{
    for (g->budget = budget; g->budget;) {
        g->budget--;
        statement(g);
    }
}

Kernel *kernel_grow(const Vocabulary *v, uint64_t seed, bool portable)
{
    Arena  *a = arena_new();
    Kernel *k = ARENA_NEW(a, Kernel);
    Grow    g = {.k = k, .v = v, .state = state_of(seed)};
    *k        = (Kernel){.arena = a, .seed = seed, .portable = portable};
    geometry(&g);
    grow_line(&g, true, ".version 8.6\n.target sm_90\n.address_size 64");
    table(&g);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        function(&g, i);
    beginning(&g, NULL);
    k->body  = k->nlines;
    g.labels = 1000;
    body(&g, 10 + (unsigned)grow_random(&g, 60));
    ending(&g);
    return k;
}

Kernel *kernel_grow_batch(const Vocabulary *v, uint64_t first, uint32_t n)
{
    Arena  *a = arena_new();
    Kernel *k = ARENA_NEW(a, Kernel);
    *k        = (Kernel){.arena = a, .seed = first / BATCH * BATCH, .first = first, .parts = n};
    Grow all  = {.k = k, .v = v, .state = state_of(k->seed) ^ 0x2222};
    geometry(&all);
    k->grid[0] = k->grid[1] = 1;
    grow_line(&all, true, ".version 8.6\n.target sm_90\n.address_size 64");
    table(&all);
    shared(&all);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        function(&all, i);
    for (uint32_t i = 0; i < n; i++) {
        Grow     g    = {.k = k, .v = v, .state = state_of(first + i), .labels = 1000};
        uint32_t head = k->nlines;
        beginning(&g, arena_printf(a, "s%u", (unsigned)(first + i - k->seed)));
        uint32_t start = k->nlines;
        body(&g, 2 + (unsigned)grow_random(&g, 7));
        ending_of_part(&g, start);
        prune(k, head);
    }
    k->body = k->nlines;
    grow_line(&all, true,
              ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
              ".reg .b64 %%in, %%out; .reg .b32 %%n, %%full; activemask.b32 %%full;\n"
              "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u32 %%n, [n];");
    for (uint32_t i = 0; i < n; i++) {
        grow_line(&all, false, "call s%u, (%%in, %%out, %%n, %%full);", (unsigned)(first + i - k->seed));
        grow_line(&all, true, "add.u64 %%out, %%out, %llu;", (unsigned long long)part_bytes(k));
    }
    grow_line(&all, true, "ret;\n}");
    return k;
}

void kernel_text(const Kernel *k, const uint64_t *left_out, Str *out)
{
    str_printf(out, "// kernel %llu: grid %u,%u block %u,%u,%u\n", (unsigned long long)k->seed, k->grid[0], k->grid[1],
               k->block[0], k->block[1], k->block[2]);
    for (uint32_t i = 0; i < k->nlines; i++)
        if (!left_out || !(left_out[i / 64] >> i % 64 & 1))
            str_printf(out, "%s\n", k->line[i].text);
}

void kernel_input(uint64_t seed, uint8_t in[IN_BYTES])
{
    static const uint64_t edges[] = {0,
                                     1,
                                     0xffffffff,
                                     0x80000000,
                                     0x7fffffff,
                                     0x3f800000,
                                     0xbf800000,
                                     0x7f800000,
                                     0x7fc00000,
                                     0x00000001,
                                     0x3ff0000000000000,
                                     0x8000000000000000,
                                     0xffffffffffffffff,
                                     0x7ff0000000000000,
                                     31,
                                     32,
                                     0x40490fdb};
    Grow                  g       = {.state = seed ^ 0x1111};
    for (unsigned i = 0; i < IN_BYTES; i += 8) {
        uint64_t x = grow_random(&g, UINT64_MAX);
        switch (grow_random(&g, 4)) {
        case 0: x = edges[grow_random(&g, sizeof edges / sizeof *edges)]; break;
        case 1: x &= 0xff000000ff; break;
        case 2: x = (x & 0x007fffff007fffff) | 0x3f8000003f800000; break; /* floats of a useful size */
        default: break;
        }
        memcpy(in + i, &x, 8);
    }
}

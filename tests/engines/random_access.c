/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses to memory, in two kinds: addresses that are a sum of multiples of thread indices, loop counters and constants, whose bounds are
 * known here, so that no mask is needed; and addresses that come out of a register's value, masked.  Loads go anywhere where nobody
 * writes; stores go to what is the thread's own; atomics to cells of the warp, or, where nobody looks at the result, to everybody's.
 *
 * A statement computes its address into %a0 or %w0 and is taken out as a whole.  Stores to shared memory are never wrong without another
 * statement: whose slot is whose is said by constants and %t. */
#include <string.h>

#include "tests/engines/random.h"

typedef struct Shape {
    const char *word;
    uint8_t     bytes, reg, count; /* in memory; of a register; registers */
} Shape;

static const Shape shapes[] = {{"b32", 4, 4, 1},     {"u32", 4, 4, 1},    {"f32", 4, 4, 1},     {"b64", 8, 8, 1},
                               {"f64", 8, 8, 1},     {"u8", 1, 4, 1},     {"s8", 1, 4, 1},      {"u8", 1, 2, 1},
                               {"s16", 2, 4, 1},     {"u16", 2, 2, 1},    {"u32", 4, 8, 1},     {"s32", 4, 8, 1},
                               {"v2.b32", 8, 4, 2},  {"v2.f32", 8, 4, 2}, {"v4.b32", 16, 4, 4}, {"v4.u32", 16, 4, 4},
                               {"v2.b64", 16, 8, 2}, {"v2.u16", 4, 2, 2}, {"v4.u8", 4, 4, 4},   {"v2.f64", 16, 8, 2}};

/* ptxas 13.0 takes a register for a float's that a float was loaded to, whatever it is declared as: where it is then stored in part, or shifts by
 * it, it converts it. */
static bool guessed(const Shape *s)
{
    return s->bytes < s->reg * s->count || strchr(s->word, 'f');
}

static const Shape *shape_for(Grow *g, unsigned most)
{
    for (;;) {
        size_t       n = sizeof shapes / sizeof *shapes;
        const Shape *s = &shapes[grow_chance(g, 40) ? grow_random(g, 5) : grow_random(g, n)];
        if (s->bytes <= most && !(g->k->portable && guessed(s)))
            return s;
    }
}

static unsigned log2_of(unsigned x)
{
    return (unsigned)__builtin_ctz(x);
}

static void add_register(Grow *g, const Shape *s, Str *out)
{
    char     kind  = s->reg == 2 ? 'h' : s->reg == 4 ? 'b' : 'd';
    unsigned count = s->reg == 2 ? HALVES : s->reg == 4 ? WORDS : DOUBLES;
    unsigned first = (unsigned)grow_random(g, count);
    if (s->count > 1)
        str_add(out, "{");
    for (unsigned i = 0; i < s->count; i++)
        str_printf(out, "%s%%%c%u", i ? ", " : "", kind, (first + i) % count);
    if (s->count > 1)
        str_add(out, "}");
}

/* ---- addresses ---- */

typedef struct Variable {
    char     name[8];
    uint32_t most;
} Variable;

static Variable variable(Grow *g)
{
    const Kernel *k = g->k;
    Variable      v = {"%tx", k->block[0] - 1};
    switch (grow_random(g, 8)) {
    case 0: return (Variable){"%ty", k->block[1] - 1};
    case 1: return (Variable){"%tz", k->block[2] - 1};
    case 2: return (Variable){"%cx", k->grid[0] - 1};
    case 3: return (Variable){"%t", k->threads - 1};
    case 4:
    case 5:
        if (g->loops) {
            v.most = 4;
            strcpy(v.name, "%l0");
            v.name[2] = (char)('0' + grow_random(g, g->loops));
        }
        return v;
    default: return v;
    }
}

/* Adds sign * coefficient * v to %a0. */
static void add_term(Grow *g, const Variable *v, uint32_t coefficient, bool minus, Str *out)
{
    if (!minus && grow_chance(g, 50))
        str_printf(out, " mad.lo.u32 %%a0, %s, %u, %%a0;", v->name, coefficient);
    else if ((coefficient & (coefficient - 1)) == 0 && grow_chance(g, 60))
        str_printf(out, " shl.b32 %%a1, %s, %u; %s.u32 %%a0, %%a0, %%a1;", v->name, log2_of(coefficient),
                   minus ? "sub" : "add");
    else
        str_printf(out, " mul.lo.u32 %%a1, %s, %u; %s.s32 %%a0, %%a0, %%a1;", v->name, coefficient,
                   minus ? "sub" : "add");
}

/* An offset in [0, window - bytes], a multiple of bytes, into %a0: a sum.  What is returned is still to be added. */
static uint32_t offset_sum(Grow *g, uint32_t window, uint32_t bytes, Str *out)
{
    static const uint8_t factors[] = {1, 1, 1, 2, 3, 4, 8, 16, 17, 32, 33, 64, 5, 0};
    uint32_t             room      = (window - bytes) / bytes; /* in units of an element */
    str_printf(out, "mov.u32 %%a0, %u;", 0u);
    for (unsigned terms = 1 + (unsigned)grow_random(g, 3); terms; terms--) {
        Variable v = variable(g);
        uint32_t f = factors[grow_random(g, sizeof factors)];
        if ((uint64_t)f * v.most > room || !f)
            continue;
        bool minus = grow_chance(g, 20);
        room -= f * v.most;
        if (minus)
            str_printf(out, " add.u32 %%a0, %%a0, %u;", f * v.most * bytes);
        add_term(g, &v, f * bytes, minus, out);
    }
    uint32_t rest = (uint32_t)grow_random(g, room + 1) * bytes;
    if (grow_chance(g, 50))
        return rest;
    str_printf(out, " add.u32 %%a0, %%a0, %u;", rest);
    return 0;
}

/* An offset like it, out of a register's value. */
static uint32_t offset_value(Grow *g, uint32_t window, uint32_t bytes, Str *out)
{
    uint32_t n = window / bytes, mask = 1;
    while (2 * mask <= n)
        mask *= 2;
    if (grow_chance(g, 30)) /* lanes near each other */
        str_printf(out, "xor.b32 %%a0, %%tx, %u; add.u32 %%a0, %%a0, %u; and.b32 %%a0, %%a0, %u;",
                   (unsigned)grow_random(g, 32), (unsigned)grow_random(g, 64), mask - 1);
    else
        str_printf(out, "and.b32 %%a0, %s, %u;", grow_register(g, 4), mask - 1);
    if (bytes > 1)
        str_printf(out, " shl.b32 %%a0, %%a0, %u;", log2_of(bytes));
    return 0;
}

static uint32_t offset(Grow *g, uint32_t window, uint32_t bytes, Str *out)
{
    return grow_chance(g, 70) ? offset_sum(g, window, bytes, out) : offset_value(g, window, bytes, out);
}

static void guard(Grow *g, Str *out)
{
    str_addc(out, ' ');
    if (grow_chance(g, 15))
        str_printf(out, "@%s%s ", grow_chance(g, 50) ? "!" : "", grow_register(g, 0));
}

static void done(Grow *g, Str *out)
{
    grow_line(g, false, "%s", str_text(out));
    str_free(out);
}

/* ---- each space ---- */

static void load_input(Grow *g)
{
    static const char *const how[] = {"", "", "", "", ".nc", ".ca", ".cg", ".volatile"};
    Str                      out   = {0};
    const Shape             *s     = shape_for(g, 16);
    uint32_t                 rest  = offset(g, IN_BYTES, s->bytes, &out);
    if (grow_chance(g, 70))
        str_add(&out, " cvt.u64.u32 %w0, %a0; add.u64 %w0, %in, %w0;");
    else
        str_add(&out, " mul.wide.u32 %w0, %a0, 1; add.s64 %w0, %w0, %in;");
    guard(g, &out);
    str_printf(&out, "ld.global%s.%s ", how[grow_random(g, sizeof how / sizeof *how)], s->word);
    add_register(g, s, &out);
    str_printf(&out, ", [%%w0+%u];", rest);
    done(g, &out);
}

static void own_global(Grow *g)
{
    Str          out   = {0};
    bool         rows  = grow_chance(g, 40);
    const Shape *s     = shape_for(g, rows ? 16 : 8);
    unsigned     at    = rows ? (unsigned)grow_random(g, OWN_BYTES / s->bytes) * s->bytes : 0;
    unsigned     slot  = (unsigned)grow_random(g, OWN_SLOTS);
    bool         store = grow_chance(g, 65);
    uint32_t     slots = g->k->threads * g->k->grid[0] * g->k->grid[1] * 8;
    if (rows && grow_chance(g, 50))
        str_printf(&out, "mul.wide.u32 %%w0, %%g, %u; add.s64 %%w0, %%w0, %%out; add.s64 %%w0, %%w0, %u;", OWN_BYTES,
                   OWN_SLOTS * slots);
    else if (rows)
        str_add(&out, "mov.u64 %w0, %rows;");
    else
        str_printf(&out, "mul.wide.u32 %%w0, %%g, 8; add.s64 %%w0, %%out, %%w0; add.s64 %%w0, %%w0, %u;", slot * slots);
    guard(g, &out);
    str_printf(&out, "%s.global.%s ", store ? "st" : "ld", s->word);
    if (store)
        str_printf(&out, "[%%w0+%u], ", at);
    add_register(g, s, &out);
    if (!store)
        str_printf(&out, ", [%%w0+%u]", at);
    str_add(&out, ";");
    done(g, &out);
}

enum { ORDERS = 4, ORDER_WORDS = 3 };

/* The thread's slot into `to`; where a slot is words far apart, its first. */
static void slot_of(const Grow *g, const char *to, Str *out)
{
    uint32_t threads = g->k->threads;
    str_printf(out, "mov.u32 %s, slots;", to);
    switch (g->order % ORDERS) {
    case 0: str_printf(out, " mad.lo.u32 %s, %%t, %u, %s;", to, SLOT_BYTES, to); break;
    case 1:
        str_printf(out, " add.u32 %s, %s, %u; shl.b32 %%a1, %%t, 4; sub.u32 %s, %s, %%a1;", to, to,
                   (threads - 1) * SLOT_BYTES, to, to);
        break;
    case 2:
        str_printf(out, " xor.b32 %%a1, %%t, %u; mad.lo.u32 %s, %%a1, %u, %s;",
                   (threads & (threads - 1)) == 0 ? g->order / ORDERS % threads : 0, to, SLOT_BYTES, to);
        break;
    default: str_printf(out, " mul.lo.u32 %%a1, %%t, 4; add.u32 %s, %s, %%a1;", to, to);
    }
}

void access_phase(Grow *g)
{
    Str out  = {0};
    g->order = (unsigned)grow_random(g, 4096);
    slot_of(g, "%own", &out);
    grow_line(g, true, "%s", str_text(&out));
    str_free(&out);
}

static void own_shared(Grow *g)
{
    Str          out   = {0};
    bool         words = g->order % ORDERS == ORDER_WORDS;
    const Shape *s     = shape_for(g, words ? 4 : SLOT_BYTES);
    unsigned     at    = words ? (unsigned)grow_random(g, SLOT_BYTES / 4) * 4 * g->k->threads
                               : (unsigned)grow_random(g, SLOT_BYTES / s->bytes) * s->bytes;
    bool         store = !g->reading && grow_chance(g, 65);
    if (grow_chance(g, 50))
        slot_of(g, "%a0", &out);
    else
        str_add(&out, "mov.b32 %a0, %own;");
    guard(g, &out);
    str_printf(&out, "%s.shared.%s ", store ? "st" : "ld", s->word);
    if (store)
        str_printf(&out, "[%%a0+%u], ", at);
    add_register(g, s, &out);
    if (!store)
        str_printf(&out, ", [%%a0+%u]", at);
    str_add(&out, ";");
    done(g, &out);
}

static void any_shared(Grow *g)
{
    Str          out  = {0};
    const Shape *s    = shape_for(g, 16);
    uint32_t     rest = offset(g, g->k->threads * SLOT_BYTES, s->bytes, &out);
    str_add(&out, " mov.u32 %a1, slots; add.u32 %a0, %a0, %a1;");
    guard(g, &out);
    str_printf(&out, "ld.shared%s.%s ", grow_chance(g, 10) ? ".volatile" : "", s->word);
    add_register(g, s, &out);
    str_printf(&out, ", [%%a0+%u];", rest);
    done(g, &out);
}

static void constant_or_local(Grow *g)
{
    Str          out   = {0};
    bool         local = grow_chance(g, 60), store = local && grow_chance(g, 60);
    const Shape *s    = shape_for(g, 16);
    uint32_t     rest = offset(g, local ? LOCAL_BYTES : TABLE_BYTES, s->bytes, &out);
    str_add(&out, local ? " mov.u32 %a1, frame; add.u32 %a0, %a0, %a1;"
                        : " mov.u64 %w1, table; cvt.u64.u32 %w0, %a0; add.u64 %w0, %w0, %w1;");
    guard(g, &out);
    str_printf(&out, "%s.%s.%s ", store ? "st" : "ld", local ? "local" : "const", s->word);
    if (store)
        str_printf(&out, "[%%a0+%u], ", rest);
    add_register(g, s, &out);
    if (!store)
        str_printf(&out, ", [%s+%u]", local ? "%a0" : "%w0", rest);
    str_add(&out, ";");
    done(g, &out);
}

/* ---- atomics ---- */

/* Cells of the warp: one, one for each lane's remainder, or as a register says.  Whose results are the lanes' own business. */
static void atomic_of_warp(Grow *g)
{
    static const char *const words[] = {"add.u32",  "add.u64", "min.s32", "max.u32", "and.b32",  "or.b32",  "xor.b32",
                                        "exch.b32", "cas.b32", "inc.u32", "add.f32", "exch.b64", "max.s64", "add.f64"};
    const char              *word    = words[grow_random(g, sizeof words / sizeof *words)];
    unsigned                 bytes   = strstr(word, "64") ? 8 : 4;
    bool shared = grow_chance(g, 50), result = grow_chance(g, 70) || strstr(word, "cas") || strstr(word, "exch");
    Str  out = {0};
    str_printf(&out, "and.b32 %%a0, %s, %u; shl.b32 %%a0, %%a0, %u;", grow_chance(g, 50) ? "%tx" : grow_register(g, 4),
               grow_chance(g, 40) ? 0 : CELL_BYTES / bytes - 1, log2_of(bytes));
    str_add(&out, shared ? " add.u32 %a0, %a0, %scell;" : " cvt.u64.u32 %w0, %a0; add.u64 %w0, %w0, %cell;");
    guard(g, &out);
    str_printf(&out, "%s.%s.%s ", result ? "atom" : "red", shared ? "shared" : "global", word);
    if (result)
        str_printf(&out, "%s, ", grow_register(g, bytes));
    str_printf(&out, "[%s], %s", shared ? "%a0" : "%w0", grow_register(g, bytes));
    if (strstr(word, "cas"))
        str_printf(&out, ", %s", grow_register(g, bytes));
    str_add(&out, ";");
    done(g, &out);
}

/* One cell of all threads for each operation: their order does not matter. */
static void atomic_of_all(Grow *g)
{
    static const char *const words[] = {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32",
                                        "xor.b32", "add.u64", "max.s64", "min.u64"};
    size_t                   n = sizeof words / sizeof *words, i = grow_random(g, n);
    Str                      out = {0};
    str_printf(&out, "add.u64 %%w0, %%all, %u;", (unsigned)i * 8);
    guard(g, &out);
    str_printf(&out, "red.global.%s [%%w0], %s;", words[i], grow_register(g, strstr(words[i], "64") ? 8 : 4));
    done(g, &out);
}

void access_statement(Grow *g)
{
    switch (grow_random(g, 16)) {
    case 0:
    case 1:
    case 2:
    case 3: load_input(g); break;
    case 4:
    case 5:
    case 6: own_global(g); break;
    case 7:
    case 8:
    case 9: own_shared(g); break;
    case 10:
    case 11:
        if (g->reading)
            any_shared(g);
        else
            own_shared(g);
        break;
    case 12:
    case 13: constant_or_local(g); break;
    case 14: atomic_of_all(g); break;
    default:
        if (g->k->portable)
            atomic_of_all(g);
        else
            atomic_of_warp(g);
    }
}

/* ---- operations of a warp ---- */

/* Its lanes: constant where all are there and meet. */
static const char *lanes(Grow *g, Str *out)
{
    if (!g->parted && !g->exited)
        return g->k->threads % 32 ? "%full" : "0xffffffff";
    str_add(out, "activemask.b32 %x1; ");
    return "%x1";
}

static void shuffle(Grow *g, const char *mask, Str *out)
{
    static const char *const ways[] = {"up", "down", "bfly", "idx"};
    size_t                   way    = grow_random(g, 4);
    unsigned                 clamp  = way ? 0x1f : 0;
    if (grow_chance(g, 30))
        clamp |= (0x1eu << grow_random(g, 4) & 0x1f) << 8; /* segments */
    if (grow_chance(g, 30))
        str_printf(out, "and.b32 %%x0, %s, 31; ", grow_register(g, 4));
    else
        str_printf(out, "mov.u32 %%x0, %u; ", (unsigned)grow_random(g, 32));
    str_printf(out, "shfl.sync.%s.b32 %s", ways[way], grow_register(g, 4));
    if (grow_chance(g, 40))
        str_printf(out, "|%s", grow_register(g, 0));
    str_printf(out, ", %s, %%x0, 0x%x, %s;", grow_register(g, 4), clamp, mask);
}

void warp_statement(Grow *g)
{
    static const char *const votes[]  = {"all", "any", "uni"};
    static const char *const reduce[] = {"add.s32", "add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"};
    Str                      out      = {0};
    if (g->k->portable && (g->parted || g->exited || g->k->threads % 32)) {
        plain_statement(g);
        return;
    }
    const char *mask = lanes(g, &out);
    switch (grow_random(g, 8)) {
    case 0:
        str_printf(&out, "vote.sync.%s.pred %s, %s, %s;", votes[grow_random(g, 3)], grow_register(g, 0),
                   grow_register(g, 0), mask);
        break;
    case 1: str_printf(&out, "vote.sync.ballot.b32 %s, %s, %s;", grow_register(g, 4), grow_register(g, 0), mask); break;
    case 2:
        str_printf(&out, "redux.sync.%s %s, %s, %s;", reduce[grow_random(g, 7)], grow_register(g, 4),
                   grow_register(g, 4), mask);
        break;
    case 3:
        str_printf(&out, "match.any.sync.b%u %s, %s, %s;", 32u, grow_register(g, 4), grow_register(g, 4), mask);
        break;
    case 4: str_printf(&out, "bar.warp.sync %s;", mask); break;
    default: shuffle(g, mask, &out);
    }
    done(g, &out);
}

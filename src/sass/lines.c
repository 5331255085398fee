/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs line programs (DWARF 2 to 4, section 6.2.5) of machine code.  A section is a row of units:
 *
 *     bytes u32 | version u16 | bytes of the header u32 | smallest instruction u8 | (version 4: operations u8) | is_stmt u8 | line base i8
 *     | line range u8 | opcode base u8 | operands of each standard opcode u8 ... | folders, files (texts, each list ends with an empty one)
 *     | program
 *
 * Every read is checked against its unit; an address that cannot be an instruction's, a division by zero and a row too many end the
 * reading with a message.  A row is 16 bytes of code at least, so rows are bounded by the section's bytes.
 * Left out: columns, is_stmt and blocks, which nobody asks for, and version 5, which the assembler does not write. */
#include "sass/lines.h"

#include <string.h>

#include "sass/elf.h"

enum { ADVANCE_MOST = 1 << 30, FILES_MOST = 256 };

typedef struct Unit {
    const uint8_t *begin, *p, *end; /* of the section; of the unit what is still to be read */
    const char    *folder[FILES_MOST], *file[FILES_MOST];
    size_t         folders, files;
    unsigned       smallest, range, base;
    int            line_base;
    const uint8_t *operands; /* of standard opcode i at i - 1 */
    const char    *wrong;
    /* the machine's registers */
    uint64_t at, sequence;
    int64_t  line;
    uint64_t in;
} Unit;

typedef struct Rows {
    Arena   *arena;
    LineRow *row;
    size_t   n, cap;
} Rows;

/* A number of at most eight bytes; of more, which are only stepped over, the first eight. */
static uint64_t take(Unit *u, size_t bytes)
{
    uint64_t v = 0;
    if ((size_t)(u->end - u->p) < bytes) {
        u->wrong = "it ends inside an operation";
        u->p     = u->end;
        return 0;
    }
    for (size_t i = 0; i < bytes && i < sizeof v; i++)
        v |= (uint64_t)u->p[i] << (8 * i);
    u->p += bytes;
    return v;
}

static uint64_t take_leb(Unit *u, bool is_signed)
{
    uint64_t v     = 0;
    unsigned shift = 0;
    uint8_t  c     = 0;
    do {
        c = (uint8_t)take(u, 1);
        if (shift < 64)
            v |= (uint64_t)(c & 127) << shift;
        shift += 7;
    } while (c & 128 && !u->wrong);
    if (is_signed && c & 64 && shift < 64)
        v |= ~(uint64_t)0 << shift;
    return v;
}

static const char *take_text(Unit *u)
{
    const char    *text = (const char *)u->p;
    const uint8_t *end  = memchr(u->p, 0, (size_t)(u->end - u->p));
    if (!end) {
        u->wrong = "a name does not end";
        u->p     = u->end;
        return "";
    }
    u->p = end + 1;
    return text;
}

static void add_row(Rows *r, const Unit *u, bool end)
{
    if (r->n == r->cap) {
        size_t   cap  = r->cap ? 2 * r->cap : 64;
        LineRow *more = ARENA_ARRAY(r->arena, LineRow, cap);
        if (r->n)
            memcpy(more, r->row, r->n * sizeof *more);
        r->row = more;
        r->cap = cap;
    }
    const char *file = u->in >= 1 && u->in <= u->files ? u->file[u->in - 1] : NULL;
    r->row[r->n++] =
        (LineRow){u->at, u->line > 0 && u->line <= UINT32_MAX ? (uint32_t)u->line : 0, file, u->sequence, end};
}

static void advance(Unit *u, uint64_t by)
{
    if (by > ADVANCE_MOST || u->at + by * u->smallest > ADVANCE_MOST)
        u->wrong = "an address is beyond any function";
    else
        u->at += by * u->smallest;
}

static void move(Unit *u, int64_t by)
{
    if (by > INT32_MAX || by < INT32_MIN || u->line + by > UINT32_MAX || u->line + by < INT32_MIN)
        u->wrong = "a line is beyond any text";
    else
        u->line += by;
}

static void restart(Unit *u)
{
    u->at = u->sequence = 0;
    u->line             = 1;
    u->in               = 1;
}

static void extended(Unit *u, Rows *r)
{
    uint64_t       bytes = take_leb(u, false);
    const uint8_t *next  = u->p;
    if (u->wrong || bytes == 0 || bytes > (size_t)(u->end - u->p)) {
        u->wrong = "an extended operation does not end";
        return;
    }
    next += bytes;
    unsigned op = (unsigned)take(u, 1);
    if (op == 1) { /* DW_LNE_end_sequence */
        add_row(r, u, true);
        restart(u);
    } else if (op == 2) { /* DW_LNE_set_address */
        u->sequence = (uint64_t)(u->p - u->begin);
        u->at       = 0; /* relocated: what stands there is an offset into the function, 0 */
        if (bytes == 9)
            advance(u, take(u, 8));
    }
    u->p = next;
}

static void standard(Unit *u, Rows *r, unsigned op)
{
    switch (op) {
    case 1: add_row(r, u, false); break;                                     /* DW_LNS_copy */
    case 2: advance(u, take_leb(u, false)); break;                           /* advance_pc */
    case 3: move(u, (int64_t)take_leb(u, true)); break;                      /* advance_line */
    case 4: u->in = take_leb(u, false); break;                               /* set_file */
    case 8: advance(u, (255u - u->base) / u->range); break;                  /* const_add_pc */
    case 9: advance(u, take(u, 2) / (u->smallest ? u->smallest : 1)); break; /* fixed_advance_pc */
    default:
        for (unsigned i = u->operands[op - 1]; i > 0 && !u->wrong; i--)
            take_leb(u, false);
    }
}

static void run(Unit *u, Rows *r)
{
    restart(u);
    while (u->p < u->end && !u->wrong) {
        unsigned op = (unsigned)take(u, 1);
        if (op == 0)
            extended(u, r);
        else if (op < u->base)
            standard(u, r, op);
        else {
            advance(u, (op - u->base) / u->range);
            move(u, u->line_base + (int)((op - u->base) % u->range));
            if (!u->wrong)
                add_row(r, u, false);
        }
    }
}

static void read_folders(Unit *u)
{
    for (;;) {
        const char *name = take_text(u);
        if (u->wrong || !*name)
            return;
        if (u->folders == FILES_MOST)
            u->wrong = "it names too many folders";
        else
            u->folder[u->folders++] = name;
    }
}

static void read_files(Unit *u, Arena *a)
{
    for (;;) {
        const char *name = take_text(u);
        if (u->wrong || !*name)
            return;
        uint64_t in = take_leb(u, false);
        for (int i = 0; i < 2; i++) /* time, size */
            take_leb(u, false);
        if (u->files == FILES_MOST) {
            u->wrong = "it names too many files";
            return;
        }
        bool joined         = in >= 1 && in <= u->folders && *name != '/';
        u->file[u->files++] = joined ? arena_printf(a, "%s/%s", u->folder[in - 1], name) : name;
    }
}

/* What stands before the program; u->end is the unit's. */
static void read_head(Unit *u, Arena *a)
{
    unsigned version = (unsigned)take(u, 2);
    uint64_t header  = take(u, 4);
    if (u->wrong || version < 2 || version > 4 || header > (size_t)(u->end - u->p)) {
        u->wrong = u->wrong ? u->wrong : "its version is not 2 to 4, or its header does not end";
        return;
    }
    const uint8_t *program = u->p + header;
    u->smallest            = (unsigned)take(u, 1);
    take(u, version == 4 ? 2 : 1);
    unsigned base = (unsigned)take(u, 1);
    u->line_base  = base > 127 ? (int)base - 256 : (int)base;
    u->range      = (unsigned)take(u, 1);
    u->base       = (unsigned)take(u, 1);
    u->operands   = u->p;
    take(u, u->base ? u->base - 1 : 0);
    if (!u->wrong && (u->range == 0 || u->base == 0))
        u->wrong = "its line range or its opcode base is 0";
    if (!u->wrong)
        read_folders(u);
    if (!u->wrong)
        read_files(u, a);
    u->p = program;
}

Status lines_read(Arena *a, const uint8_t *p, size_t n, LineRow **out, size_t *rows, Str *why)
{
    Rows           r   = {.arena = a};
    Unit          *u   = ARENA_NEW(a, Unit);
    const uint8_t *end = p + n;
    for (const uint8_t *at = p; at < end && !u->wrong; at = u->end) {
        *u             = (Unit){.begin = p, .p = at, .end = end};
        uint64_t bytes = take(u, 4);
        if (!u->wrong && bytes > (size_t)(end - u->p))
            u->wrong = "a unit does not end";
        if (u->wrong)
            break;
        u->end = u->p + bytes;
        read_head(u, a);
        if (!u->wrong)
            run(u, &r);
    }
    *out  = r.row;
    *rows = r.n;
    if (!u->wrong)
        return WW_OK;
    str_printf(why, "%s (byte %zu of %zu)", u->wrong, (size_t)(u->p - p), n);
    return WW_ERR_INVALID;
}

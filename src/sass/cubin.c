/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts together what the sections of machine code say:
 *
 *     .text.NAME                instructions; .symtab has the functions in it: a kernel's symbol has bit 4 of its last byte of kinds
 *     .nv.info                  records: format u8 | attribute u8 | bytes u16 | symbol u32 | value u32 (format 4; others have 4 bytes in all):
 *                               registers and bytes of stack
 *     .nv.shared.NAME           its size is the static shared memory
 *     .nv.constant0.NAME, .nv.constant3   likewise of the arguments and of the program's constants
 *     .nv_debug_ptx_txt[.ID]    the PTX of a source file; its lines end with a zero.  Linked code has one for each file
 *     .nv_debug_line_sass       a line program: address of an instruction -> line of the PTX; its file is named as that section
 *     .debug_line               the same for the program's source
 *     .rela of both             which function each sequence is about
 *     e_flags                   architecture: bits 8 to 15 (ABI 8 and later), else bits 0 to 7
 *
 * Functions without code in the file (declared only) are left out.  Several functions may lie in one section; each has its own words.
 * Registers by block, constants, and relocations of the code itself are left out: nobody asks. */
#include "sass/cubin.h"

#include <string.h>

#include "sass/elf.h"
#include "sass/lines.h"

enum {
    FORMAT_SIZED    = 4,
    ATTR_FRAME_SIZE = 0x11,
    ATTR_REGCOUNT   = 0x2f,
    SYMBOL          = 24,
    RELA            = 24,
    FUNC            = 2,
    ENTRY           = 0x10,
    COMPRESSED      = 0x800
};

#define TEXT_SECTION ".nv_debug_ptx_txt"

typedef struct Reader {
    Cubin            *c;
    Arena            *arena;
    ElfFile           elf;
    const ElfSection *symbols, *strings;
    size_t            nsymbols;
    unsigned         *registers, *stack; /* by symbol */
    CubinFunc        *func;
    size_t           *symbol; /* by function */
} Reader;

static const uint8_t *symbol_at(const Reader *r, size_t i)
{
    return r->symbols->data + i * SYMBOL;
}

static void find_symbols(Reader *r)
{
    for (size_t i = 0; i < r->elf.sections; i++) {
        const ElfSection *s = &r->elf.section[i];
        if (s->type == ELF_SYMTAB && s->data && s->link < r->elf.sections) {
            r->symbols  = s;
            r->strings  = &r->elf.section[s->link];
            r->nsymbols = s->bytes / SYMBOL;
            return;
        }
    }
}

static void read_info(Reader *r)
{
    const ElfSection *s = elf_find(&r->elf, ".nv.info");
    r->registers        = ARENA_ARRAY(r->arena, unsigned, r->nsymbols + 1);
    r->stack            = ARENA_ARRAY(r->arena, unsigned, r->nsymbols + 1);
    for (size_t at = 0; s && s->data && at + 4 <= s->bytes;) {
        const uint8_t *p     = s->data + at;
        size_t         bytes = p[0] == FORMAT_SIZED ? elf_u16(p + 2) : 0;
        if (bytes == 8 && at + 4 + bytes <= s->bytes && elf_u32(p + 4) < r->nsymbols) {
            if (p[1] == ATTR_REGCOUNT)
                r->registers[elf_u32(p + 4)] = elf_u32(p + 8);
            if (p[1] == ATTR_FRAME_SIZE)
                r->stack[elf_u32(p + 4)] = elf_u32(p + 8);
        }
        at += 4 + bytes;
    }
}

static unsigned bytes_of(const Reader *r, const char *section, const char *name)
{
    const ElfSection *s = elf_find(&r->elf, arena_printf(r->arena, "%s%s", section, name));
    return s && s->bytes <= UINT32_MAX ? (unsigned)s->bytes : 0;
}

/* A function with code in the file; false: the symbol is something else. */
static bool read_func(const Reader *r, size_t i, CubinFunc *f)
{
    const uint8_t    *s     = symbol_at(r, i);
    unsigned          where = elf_u16(s + 6);
    const char       *name  = elf_string(r->strings, elf_u32(s));
    const ElfSection *code  = where < r->elf.sections ? &r->elf.section[where] : NULL;
    uint64_t          at = elf_u64(s + 8), bytes = elf_u64(s + 16);
    if ((s[4] & 15) != FUNC || !name || !*name || !code || !code->data || strncmp(code->name, ".text", 5) != 0)
        return false;
    if (at > code->bytes || bytes > code->bytes - at || bytes < SASS_WORD)
        return false;
    *f = (CubinFunc){.name      = name,
                     .kernel    = s[5] & ENTRY,
                     .registers = r->registers[i],
                     .stack     = r->stack[i],
                     .arguments = bytes_of(r, ".nv.constant0.", name),
                     .constants = bytes_of(r, ".nv.constant3", ""),
                     .shared    = bytes_of(r, ".nv.shared.", name),
                     .code      = code->data + at,
                     .words     = bytes / SASS_WORD};
    return true;
}

static void read_funcs(Reader *r)
{
    r->func   = ARENA_ARRAY(r->arena, CubinFunc, r->nsymbols + 1);
    r->symbol = ARENA_ARRAY(r->arena, size_t, r->nsymbols + 1);
    for (size_t i = 0; i < r->nsymbols; i++)
        if (read_func(r, i, &r->func[r->c->funcs]))
            r->symbol[r->c->funcs++] = i;
    r->c->func = r->func;
}

static void read_texts(Reader *r)
{
    CubinText *t = ARENA_ARRAY(r->arena, CubinText, r->elf.sections + 1);
    r->c->text   = t;
    for (size_t i = 0; i < r->elf.sections; i++) {
        const ElfSection *s = &r->elf.section[i];
        if (strncmp(s->name, TEXT_SECTION, strlen(TEXT_SECTION)) != 0 || !s->data)
            continue;
        if (s->flags & COMPRESSED) {
            r->c->note = arena_printf(r->arena, "%s is compressed, which is not read", s->name);
            continue;
        }
        char *text = arena_strndup(r->arena, (const char *)s->data, s->bytes);
        for (size_t k = 0; k < s->bytes; k++)
            if (!text[k])
                text[k] = '\n';
        t[r->c->texts++] = (CubinText){s->name, text, s->bytes};
    }
}

/* The function that the relocation at that byte of the line program names; NULL: none does. */
static CubinFunc *function_of(const Reader *r, const ElfSection *rela, uint64_t sequence)
{
    for (size_t at = 0; rela && rela->data && at + RELA <= rela->bytes; at += RELA)
        if (elf_u64(rela->data + at) == sequence)
            for (size_t i = 0; i < r->c->funcs; i++)
                if (r->symbol[i] == elf_u64(rela->data + at + 8) >> 32)
                    return &r->func[i];
    return NULL;
}

static const CubinText *text_of(const Cubin *c, const char *name)
{
    for (size_t i = 0; name && i < c->texts; i++)
        if (!strcmp(c->text[i].name, name))
            return &c->text[i];
    return c->texts == 1 ? c->text : NULL;
}

/* The lines that a line program gives to the instructions of f: kept by function until all sequences were read. */
typedef struct Told {
    uint32_t    **line;
    const char ***file;
} Told;

/* The rows of one sequence, [row, end), say the lines of the n-th function.  A row holds up to the next one. */
static void place_rows(Arena *a, Told *t, size_t n, size_t words, const LineRow *row, const LineRow *end)
{
    if (!t->line[n]) {
        t->line[n] = ARENA_ARRAY(a, uint32_t, words);
        t->file[n] = ARENA_ARRAY(a, const char *, words);
    }
    for (; row < end && !row->end; row++) {
        size_t to = row + 1 < end ? row[1].at / SASS_WORD : words;
        for (size_t i = row->at / SASS_WORD; i < to && i < words; i++) {
            t->line[n][i] = row->line;
            t->file[n][i] = row->file;
        }
    }
}

static Told read_program(Reader *r, const char *name)
{
    const ElfSection *s    = elf_find(&r->elf, name);
    const ElfSection *rela = elf_find(&r->elf, arena_printf(r->arena, ".rela%s", name));
    Told              t    = {ARENA_ARRAY(r->arena, uint32_t *, r->c->funcs + 1),
                              ARENA_ARRAY(r->arena, const char **, r->c->funcs + 1)};
    LineRow          *row;
    size_t            rows;
    Str               why = {0};
    if (!s || !s->data)
        return t;
    if (lines_read(r->arena, s->data, s->bytes, &row, &rows, &why) != WW_OK)
        r->c->note = arena_printf(r->arena, "%s cannot be read to its end: %s", name, str_text(&why));
    for (size_t i = 0, end; i < rows; i = end) {
        for (end = i + 1; end < rows && row[end].sequence == row[i].sequence;)
            end++;
        const CubinFunc *f = function_of(r, rela, row[i].sequence);
        if (f)
            place_rows(r->arena, &t, (size_t)(f - r->func), f->words, row + i, row + end);
    }
    str_free(&why);
    return t;
}

static void read_lines(Reader *r)
{
    Told ptx = read_program(r, ".nv_debug_line_sass"), source = read_program(r, ".debug_line");
    for (size_t n = 0; n < r->c->funcs; n++) {
        CubinFunc *f = &r->func[n];
        for (size_t i = 0; ptx.line[n] && i < f->words && !f->text; i++)
            f->text = text_of(r->c, ptx.file[n][i]);
        f->line        = ptx.line[n];
        f->source_line = source.line[n];
        f->source_file = source.file[n];
    }
}

Status cubin_open(const void *bytes, size_t n, Cubin **out, Str *why)
{
    Arena *a = arena_new();
    Cubin *c = ARENA_NEW(a, Cubin);
    Reader r = {.c = c, .arena = a};
    c->arena = a;
    Status s = elf_read(a, bytes, n, &r.elf, why);
    if (s == WW_OK && r.elf.machine != ELF_CUDA) {
        str_printf(why, "it is an ELF file for machine %u, not GPU machine code (%d)", r.elf.machine, ELF_CUDA);
        s = WW_ERR_INVALID;
    }
    if (s == WW_OK)
        find_symbols(&r);
    if (s == WW_OK && !r.symbols) {
        str_add(why, "it has no table of symbols, so its kernels cannot be found");
        s = WW_ERR_INVALID;
    }
    if (s != WW_OK) {
        cubin_free(c);
        return s;
    }
    c->arch = r.elf.abi >= 8 ? r.elf.flags >> 8 & 0xff : r.elf.flags & 0xff;
    read_info(&r);
    read_funcs(&r);
    read_texts(&r);
    read_lines(&r);
    *out = c;
    return WW_OK;
}

void cubin_free(Cubin *c)
{
    if (c)
        arena_free(c->arena);
}

const CubinFunc *cubin_func(const Cubin *c, const char *name)
{
    for (size_t i = 0; i < c->funcs; i++)
        if (!strcmp(c->func[i].name, name))
            return &c->func[i];
    return NULL;
}

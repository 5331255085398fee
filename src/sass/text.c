/* SPDX-License-Identifier: Apache-2.0
 *
 * The PTX text of machine code with its places in the program's source again.  The assembler blanks .loc and .file, but says of each instruction
 * both the line of the PTX and that of the source: a line of the PTX has the place of the first instruction that comes from it. */
#include <string.h>

#include "sass/cubin.h"

enum { FILES_MOST = 256 };

typedef struct Place {
    const char *file; /* NULL: not known */
    uint32_t    line;
} Place;

typedef struct Places {
    Place      *at; /* by line of the text, from 1 */
    size_t      lines;
    const char *file[FILES_MOST];
    size_t      files;
} Places;

static size_t count_lines(const char *s)
{
    size_t n = 1;
    for (; (s = strchr(s, '\n')); s++)
        n++;
    return n;
}

static void gather(const Cubin *c, const CubinText *text, Places *p)
{
    for (size_t k = 0; k < c->funcs; k++) {
        const CubinFunc *f = &c->func[k];
        for (size_t i = 0; f->text == text && f->line && f->source_line && i < f->words; i++) {
            uint32_t line = f->line[i];
            if (line && line <= p->lines && !p->at[line].file && f->source_file[i] && f->source_line[i])
                p->at[line] = (Place){f->source_file[i], f->source_line[i]};
        }
    }
}

/* From 1; 0: there are too many, or PTX cannot spell it. */
static size_t number_of(Places *p, const char *file)
{
    for (size_t i = 0; i < p->files; i++)
        if (!strcmp(p->file[i], file))
            return i + 1;
    if (p->files == FILES_MOST || strpbrk(file, "\"\\\n"))
        return 0;
    p->file[p->files++] = file;
    return p->files;
}

/* May .loc stand before it?  Only where an instruction begins. */
static bool is_instruction(const char *s)
{
    s += strspn(s, " \t");
    return *s == '@' || (*s >= 'a' && *s <= 'z');
}

void cubin_ptx(const Cubin *c, const CubinText *text, Str *out)
{
    Places *p    = ARENA_NEW(c->arena, Places);
    Place   last = {0};
    p->lines     = count_lines(text->ptx);
    p->at        = ARENA_ARRAY(c->arena, Place, p->lines + 1);
    gather(c, text, p);
    const char *s = text->ptx;
    for (size_t line = 1; line <= p->lines; line++) {
        size_t n = strcspn(s, "\n"), file = 0;
        Place  here = p->at[line];
        bool   same = last.file && here.line == last.line && here.file && strcmp(here.file, last.file) == 0;
        if (here.file && !same && is_instruction(s) && (file = number_of(p, here.file))) {
            str_printf(out, ".loc %zu %u 0 ", file, here.line);
            last = here;
        }
        if (memchr(s, '}', n)) /* the next function begins anew */
            last = (Place){0};
        str_addn(out, s, n);
        str_add(out, "\n");
        s += n + (s[n] != 0);
    }
    for (size_t i = 0; i < p->files; i++)
        str_printf(out, ".file %zu \"%s\"\n", i + 1, p->file[i]);
}

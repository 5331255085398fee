/* SPDX-License-Identifier: Apache-2.0
 *
 * A function's machine code, with the PTX and the source that it comes from:
 *
 *     file.cu:9  the source line                      once for each stretch of instructions that come from it
 *       ptx 39  ld.global.f32 %f1, [%rd6];            likewise
 *         00a0  LDG            stall  1  sets 4       the instruction
 *
 * The stretch of empty instructions behind the last one that can be reached is left out, and its length is said.  A source file that is not there,
 * or has changed so that it has no such line, shows its name alone. */
#include "cli/sass/sass.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mangle.h"
#include "sass/word.h"

enum { MOST_SOURCE = 1 << 24 };

typedef struct Source { /* the file that was looked at last */
    const char *file;
    Str         text;
} Source;

/* The n-th line of a text without blanks around it; its length in *len.  "": there is none. */
static const char *line_at(const char *text, uint32_t n, size_t *len)
{
    for (; text && n > 1; n--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text)
        text = "";
    text += strspn(text, " \t");
    *len = strcspn(text, "\r\n");
    while (*len && (text[*len - 1] == ' ' || text[*len - 1] == '\t'))
        --*len;
    return text;
}

static const char *source_line(Source *s, const char *file, uint32_t line, size_t *len)
{
    if (!s->file || strcmp(s->file, file) != 0) {
        s->file = file;
        str_clear(&s->text);
        (void)file_text(file, MOST_SOURCE, &s->text);
    }
    return line_at(str_text(&s->text), line, len);
}

/* Instructions without the empty ones at the end, and the jump to itself before them. */
static size_t words_used(const CubinFunc *f)
{
    size_t   n = f->words;
    SassWord w;
    while (n > 1 && (sass_decode(f->code + (n - 1) * SASS_WORD, &w), w.name && !strcmp(w.name, "NOP")))
        n--;
    return n;
}

static void add_barriers(Str *s, const SassWord *w)
{
    if (w->waits)
        str_add(s, "  waits");
    for (unsigned i = 0; i < SASS_BARRIERS; i++)
        if (w->waits & 1u << i)
            str_printf(s, " %u", i);
    if (w->writes != SASS_NO_BARRIER)
        str_printf(s, "  sets %u", w->writes);
    if (w->reads != SASS_NO_BARRIER)
        str_printf(s, "  read sets %u", w->reads);
}

static void print_word(FILE *out, const CubinFunc *f, size_t i)
{
    SassWord w;
    Str      name = {0}, rest = {0};
    sass_decode(f->code + i * SASS_WORD, &w);
    sass_name(&w, &name);
    add_barriers(&rest, &w);
    fprintf(out, "      %04zx  %-16s stall %2u%s\n", i * SASS_WORD, str_text(&name), w.stall, str_text(&rest));
    str_free(&name);
    str_free(&rest);
}

static void print_places(FILE *out, const CubinFunc *f, size_t i, Source *source)
{
    size_t      len;
    bool        told = f->source_line && f->source_file[i];
    const char *text;
    if (told && (!i || f->source_line[i] != f->source_line[i - 1] || f->source_file[i] != f->source_file[i - 1])) {
        text = source_line(source, f->source_file[i], f->source_line[i], &len);
        fprintf(out, "  %s:%u%s%.*s\n", f->source_file[i], f->source_line[i], len ? "  " : "", (int)len, text);
    }
    if (f->line && f->text && f->line[i] && (!i || f->line[i] != f->line[i - 1])) {
        text = line_at(f->text->ptx, f->line[i], &len);
        fprintf(out, "    ptx %u  %.*s\n", f->line[i], (int)len, text);
    }
}

void sass_print(FILE *out, const SassUnit *u, const CubinFunc *f)
{
    char  *shown  = mangled_text(f->name);
    size_t n      = words_used(f);
    Source source = {0};
    fprintf(out, "%s: %s for sm_%u, %s\n", shown, f->kernel ? "kernel" : "function", u->cubin->arch,
            u->assembled ? "assembled by the ptxas at hand" : "the file's own machine code");
    fprintf(out, "  %zu instructions", n);
    if (n < f->words)
        fprintf(out, " (and %zu empty ones behind them)", f->words - n);
    fprintf(out, ", %u registers, %u bytes of stack, %u bytes of shared memory\n", f->registers, f->stack, f->shared);
    if (!f->line)
        fprintf(out,
                "  no lines: it was not made with line information (nvcc -lineinfo, ptxas --generate-line-info)\n");
    for (size_t i = 0; i < n; i++) {
        print_places(out, f, i, &source);
        print_word(out, f, i);
    }
    fputc('\n', out);
    str_free(&source.text);
    free(shown);
}

static json_t *json_word(const CubinFunc *f, size_t i)
{
    SassWord w;
    Str      name  = {0};
    json_t  *waits = json_array(), *o;
    sass_decode(f->code + i * SASS_WORD, &w);
    sass_name(&w, &name);
    for (unsigned k = 0; k < SASS_BARRIERS; k++)
        if (w.waits & 1u << k)
            json_array_append_new(waits, json_integer(k));
    o = json_pack("{s:I, s:s, s:i, s:s, s:i, s:o}", "address", (json_int_t)i * SASS_WORD, "name", str_text(&name),
                  "opcode", (int)w.op, "pipe", sass_pipe_title(w.pipe), "stall", (int)w.stall, "waits", waits);
    json_object_set_new(o, "sets", w.writes == SASS_NO_BARRIER ? json_null() : json_integer(w.writes));
    json_object_set_new(o, "read_sets", w.reads == SASS_NO_BARRIER ? json_null() : json_integer(w.reads));
    json_object_set_new(o, "ptx_line", f->line && f->line[i] ? json_integer(f->line[i]) : json_null());
    bool told = f->source_line && f->source_file[i];
    json_object_set_new(o, "file", told ? json_string(f->source_file[i]) : json_null());
    json_object_set_new(o, "line", told ? json_integer(f->source_line[i]) : json_null());
    str_free(&name);
    return o;
}

json_t *sass_json(const SassUnit *u, const CubinFunc *f)
{
    char   *shown = mangled_text(f->name);
    json_t *list  = json_array();
    size_t  n     = words_used(f);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_word(f, i));
    json_t *o =
        json_pack("{s:s, s:s, s:b, s:i, s:s, s:i, s:i, s:i, s:o}", "name", f->name, "shown", shown, "kernel",
                  (int)f->kernel, "arch", (int)u->cubin->arch, "source", u->assembled ? "ptxas" : "cubin", "registers",
                  (int)f->registers, "stack", (int)f->stack, "shared", (int)f->shared, "instructions", list);
    free(shown);
    return o;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading, comparing and writing the regression file.  Values are compared as floats, exactly: both sides come from
 * the same multiplication by two.  The seed is in the file because the inputs are random: comparing needs the same
 * ones. */
#include "lab/regression.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"

#define TITLE "# warpwright banks regression 1"

typedef struct Section {
    const char *kernel;
    float      *value;
    size_t      count;
} Section;

struct Regression {
    Arena      *arena;
    const char *path;
    bool        existed, failed;
    uint64_t    seed;
    Section    *section;
    size_t      nsections;
};

typedef struct Reader {
    Lab        *lab;
    const char *path;
    FILE       *file;
    unsigned    line;
    char        text[256];
} Reader;

static bool next_line(Reader *r)
{
    r->line++;
    if (!fgets(r->text, sizeof r->text, r->file))
        return false;
    r->text[strcspn(r->text, "\r\n")] = '\0';
    return true;
}

static Status expected(Reader *r, const char *what)
{
    return lab_fail(r->lab, "%s:%u:1: error: expected %s; remove the file to have it written anew", r->path, r->line,
                    what);
}

static void add_section(Regression *r, const char *kernel, const float *value, size_t count)
{
    Section s  = {arena_strdup(r->arena, kernel), ARENA_ARRAY(r->arena, float, count), count};
    r->section = xrealloc(r->section, (r->nsections + 1) * sizeof *r->section);
    if (count)
        memcpy(s.value, value, count * sizeof *value);
    r->section[r->nsections++] = s;
}

/* As many values as there are: the count that the file names takes no memory. */
static Status read_values(Reader *in, Str *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (!next_line(in))
            return expected(in, "another value");
        float v = strtof(in->text, &end);
        if (end == in->text || *end)
            return expected(in, "a number");
        str_addn(values, (const char *)&v, sizeof v);
    }
    return WW_OK;
}

static Status read_section(Regression *r, Reader *in, const char *kernel, size_t count)
{
    Str    values = {0};
    Status s      = read_values(in, &values, count);
    if (s == WW_OK)
        add_section(r, kernel, (const float *)(const void *)values.s, count);
    str_free(&values);
    return s;
}

static Status read_file(Regression *r, Reader *in)
{
    unsigned long long n;
    char               kernel[128];
    int                used = 0;
    if (!next_line(in) || strcmp(in->text, TITLE) != 0)
        return expected(in, "the line '" TITLE "'");
    if (!next_line(in) || sscanf(in->text, "seed %llu%n", &n, &used) != 1 || in->text[used])
        return expected(in, "'seed' and a number");
    r->seed = n;
    while (next_line(in)) {
        if (sscanf(in->text, "kernel %127s %llu%n", kernel, &n, &used) != 2 || in->text[used] || n > 1u << 30)
            return expected(in, "'kernel', a name and a count");
        TRY(read_section(r, in, kernel, (size_t)n));
    }
    return WW_OK;
}

Status regression_open(Lab *lab, const char *path, Regression **out)
{
    Arena      *arena = arena_new();
    Regression *r     = ARENA_NEW(arena, Regression);
    Reader      in    = {.lab = lab, .path = path, .file = file_read(path)};
    *out              = r;
    r->arena          = arena;
    r->path           = arena_strdup(arena, path);
    if (!in.file && errno == ENOENT)
        return WW_OK;
    if (!in.file)
        return lab_fail(lab, "cannot read %s: %s", path, file_error(errno));
    r->existed = true;
    Status s   = read_file(r, &in);
    if (ferror(in.file))
        s = lab_fail(lab, "cannot read %s: %s", path, file_error(errno));
    fclose(in.file);
    return s;
}

void regression_free(Regression *r)
{
    if (!r)
        return;
    free(r->section);
    arena_free(r->arena);
}

uint64_t regression_seed(const Regression *r, uint64_t fresh)
{
    return r && r->existed ? r->seed : fresh;
}

static const Section *find_section(const Regression *r, const char *kernel)
{
    for (size_t i = 0; i < r->nsections; i++)
        if (strcmp(r->section[i].kernel, kernel) == 0)
            return &r->section[i];
    return NULL;
}

void regression_take(Regression *r, Lab *lab, LabRow *row, const float *v, size_t n)
{
    const Section *s = find_section(r, row->kernel);
    if (!s && !r->existed) {
        add_section(r, row->kernel, v, n);
    } else if (!s) {
        lab_problem(lab, row, "%s has no values of %s", r->path, row->kernel);
    } else if (s->count != n) {
        lab_problem(lab, row, "%s has %zu values of %s, this run %zu; choose --blocks as for the file", r->path,
                    s->count, row->kernel, n);
    } else {
        for (size_t i = 0; i < n; i++)
            if (!(v[i] == s->value[i]))
                lab_problem(lab, row, "value %zu is %.9g, %s has %.9g", i, (double)v[i], r->path, (double)s->value[i]);
    }
    r->failed = r->failed || row->problem != NULL;
}

static void write_sections(const Regression *r, FILE *f)
{
    fprintf(f, TITLE "\nseed %llu\n", (unsigned long long)r->seed);
    for (size_t i = 0; i < r->nsections; i++) {
        const Section *s = &r->section[i];
        fprintf(f, "kernel %s %zu\n", s->kernel, s->count);
        for (size_t j = 0; j < s->count; j++)
            fprintf(f, "%.9g\n", (double)s->value[j]);
    }
}

Status regression_finish(Regression *r, Lab *lab)
{
    if (r->existed)
        return WW_OK;
    if (r->failed || r->nsections == 0) {
        str_printf(&lab->note, "%s%s was not written, because a result is not verified", lab->note.len ? "; " : "",
                   r->path);
        return WW_OK;
    }
    r->seed = lab->opt.seed;
    FILE *f = file_create(r->path);
    if (!f)
        return lab_fail(lab, "cannot write %s: %s", r->path, file_error(errno));
    write_sections(r, f);
    bool bad = ferror(f) != 0;
    if (fclose(f) != 0 || bad)
        return lab_fail(lab, "cannot write %s: %s", r->path, file_error(errno));
    str_printf(&lab->note, "%swrote %s", lab->note.len ? "; " : "", r->path);
    return WW_OK;
}

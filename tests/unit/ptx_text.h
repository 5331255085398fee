/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of the PTX front end: parse a string or a file of the test data; the first message as "line:col: error: text". */
#ifndef TEST_PTX_TEXT_H
#define TEST_PTX_TEXT_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

/* Every byte of a file; the caller frees text->s. */
static inline bool text_read(const char *path, Str *text)
{
    FILE *f = fopen(path, "rb");
    char part[4096];
    size_t n;
    *text = (Str){0};
    if (!f)
        return false;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        str_addn(text, part, n);
    fclose(f);
    return true;
}

/* NULL on errors: then the first of them stands in *first (the caller frees first->s), which may be NULL. */
static inline Module *text_parse(const char *text, size_t len, Str *first)
{
    Diags d;
    Module *m;
    diags_init(&d);
    Status s = ptx_parse("test.ptx", text, len, &d, &m);
    if (s != WW_OK && first && d.count)
        str_printf(first, "%u:%u: error: %s", d.list[0].line, d.list[0].col, d.list[0].message);
    diags_free(&d);
    return s == WW_OK ? m : NULL;
}

#define TEXT_HEAD ".version 8.5\n.target sm_90a\n.address_size 64\n"

/* The last function of a module of that body; *m: the module, for ptx_module_free.  NULL: it cannot be read, which is printed. */
static inline const Func *text_function(const char *body, Module **m)
{
    Str all = {0}, first = {0};
    str_printf(&all, "%s%s", TEXT_HEAD, body);
    *m = text_parse(all.s, all.len, &first);
    if (!*m)
        printf("%s\n", str_text(&first));
    str_free(&all);
    str_free(&first);
    return *m ? (*m)->funcs[(*m)->nfuncs - 1] : NULL;
}

static int is_ptx_file(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && strcmp(dot, ".ptx") == 0;
}

/* Calls `each` for every .ptx file of a folder in alphabetical order; how many there were. */
static inline int text_each(const char *folder, void (*each)(const char *name, const Str *text, void *arg), void *arg)
{
    struct dirent **list;
    int n = scandir(folder, &list, is_ptx_file, alphasort);
    for (int i = 0; i < n; i++) {
        char path[1024];
        Str text;
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        if (text_read(path, &text))
            each(list[i]->d_name, &text, arg);
        str_free(&text);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return n;
}

#endif

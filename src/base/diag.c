/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects and renders located messages.  Source lines are cut at 200 bytes around the column and control
 * characters in them become '?', so that a binary file given as input cannot garble a terminal. */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/stress.h"

enum { MAX_SOURCE = 200 };

void diags_init(Diags *d)
{
    *d       = (Diags){0};
    d->arena = arena_new();
}

void diags_free(Diags *d)
{
    arena_free(d->arena);
    free(d->list);
    *d = (Diags){0};
}

void diag_add(Diags *d, DiagSeverity sev, const char *file, unsigned line, unsigned col, const char *source,
              const char *fmt, ...)
{
    if (d->count == d->cap) {
        d->cap  = d->cap ? d->cap * 2 : STRESSED(8, 1);
        d->list = xrealloc(d->list, d->cap * sizeof *d->list);
    }
    Diag   *g = &d->list[d->count++];
    va_list ap;
    va_start(ap, fmt);
    *g         = (Diag){.severity = sev, .line = line, .col = col};
    g->file    = file ? arena_strdup(d->arena, file) : NULL;
    g->message = arena_vprintf(d->arena, fmt, ap);
    if (source)
        g->source = arena_strndup(d->arena, source, strcspn(source, "\r\n"));
    va_end(ap);
    d->errors += sev == DIAG_ERROR;
}

/* The source line and a caret; long lines are shown as a window around the caret. */
static void render_source(const Diag *g, Str *out)
{
    size_t len = strlen(g->source), col = g->col ? g->col - 1 : 0, from = 0;
    if (col > len)
        col = len;
    if (col > MAX_SOURCE - 20)
        from = col - MAX_SOURCE / 2;
    size_t to = from + MAX_SOURCE < len ? from + MAX_SOURCE : len;
    for (size_t i = from; i < to; i++) {
        unsigned char c = (unsigned char)g->source[i];
        str_addc(out, c == '\t' || c >= 32 ? (char)c : '?');
    }
    str_addc(out, '\n');
    for (size_t i = from; i < col; i++)
        str_addc(out, i < to && g->source[i] == '\t' ? '\t' : ' ');
    str_add(out, "^\n");
}

static void diag_render(const Diag *g, Str *out)
{
    static const char *const names[] = {"note", "warning", "error"};
    if (g->file)
        str_printf(out, "%s:", g->file);
    if (g->line)
        str_printf(out, "%u:%u:", g->line, g->col);
    str_printf(out, "%s%s: %s\n", g->file || g->line ? " " : "", names[g->severity], g->message);
    if (g->source && g->line && g->col)
        render_source(g, out);
}

void diags_render(const Diags *d, Str *out)
{
    for (size_t i = 0; i < d->count; i++)
        diag_render(&d->list[i], out);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Source files, read whole when the first line is asked for.  Files over 4 MiB and files that hold a zero byte are not sources. */
#include "report/source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"

enum { MOST_BYTES = 4 << 20 };

typedef struct File {
    struct File *next;
    char        *name, *text; /* text NULL: cannot be read */
    size_t      *start;       /* of line i + 1; one more than there are lines */
    size_t       lines;
} File;

struct Sources {
    File *files;
};

Sources *sources_new(void)
{
    return xcalloc(1, sizeof(Sources));
}

void sources_free(Sources *s)
{
    for (File *f = s ? s->files : NULL, *next; f; f = next) {
        next = f->next;
        free(f->name);
        free(f->text);
        free(f->start);
        free(f);
    }
    free(s);
}

static char *read_text(const char *name, size_t *len)
{
    FILE *in = file_read(name);
    if (!in)
        return NULL;
    char *text = xmalloc(MOST_BYTES + 1);
    *len       = fread(text, 1, MOST_BYTES + 1, in);
    bool ok    = *len <= MOST_BYTES && !ferror(in) && !memchr(text, 0, *len);
    fclose(in);
    if (!ok) {
        free(text);
        return NULL;
    }
    return xrealloc(text, *len + 1);
}

static void index_lines(File *f, size_t len)
{
    size_t room = 0;
    for (size_t i = 0; i <= len; i++) {
        if (i != 0 && i != len && f->text[i - 1] != '\n')
            continue;
        if (f->lines + 2 > room) {
            room     = room ? room * 2 : 256;
            f->start = xrealloc(f->start, room * sizeof *f->start);
        }
        f->start[f->lines++] = i;
    }
    if (f->lines)
        f->lines--; /* the last start is the text's end */
}

static File *file_of(Sources *s, const char *name)
{
    for (File *f = s->files; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return f;
    File  *f   = xcalloc(1, sizeof *f);
    size_t len = 0;
    f->name    = xcalloc(strlen(name) + 1, 1);
    strcpy(f->name, name);
    f->text = read_text(name, &len);
    if (f->text)
        index_lines(f, len);
    f->next  = s->files;
    s->files = f;
    return f;
}

const char *source_line(Sources *s, const char *file, size_t n, size_t *len)
{
    File *f = *file ? file_of(s, file) : NULL;
    if (!f || !f->text || n < 1 || n > f->lines)
        return NULL;
    const char *line = f->text + f->start[n - 1];
    *len             = f->start[n] - f->start[n - 1];
    while (*len && (line[*len - 1] == '\n' || line[*len - 1] == '\r'))
        --*len;
    return line;
}

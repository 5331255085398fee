/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes and files for the fuzz targets.  Files lie in a folder of the process in $TMPDIR (or /tmp); it goes when the process ends in order,
 * and stays behind when an input ended it: tools/fuzz gives its programs a TMPDIR of their own. */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 8, MOST_PATH = 512 };

static char   folder[MOST_PATH / 2];
static char   path[MOST_FILES][MOST_PATH];
static size_t paths;

void fuzz_fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

uint8_t *fuzz_bytes(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    copy[size] = 0;
    return copy;
}

static void clean(void)
{
    for (size_t i = 0; i < paths; i++)
        unlink(path[i]);
    rmdir(folder);
}

static void make_folder(void)
{
    const char *in = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/fuzz-XXXXXX", in && strlen(in) < sizeof folder / 2 ? in : "/tmp");
    if (!mkdtemp(folder))
        fuzz_fail("no folder for files", folder);
    atexit(clean);
}

const char *fuzz_file(const uint8_t *data, size_t size, const char *end)
{
    char   name[MOST_PATH];
    size_t i = 0;
    if (!folder[0])
        make_folder();
    snprintf(name, sizeof name, "%s/input%s", folder, end);
    while (i < paths && strcmp(path[i], name) != 0)
        i++;
    if (i == MOST_FILES)
        fuzz_fail("too many kinds of files", name);
    memcpy(path[i], name, sizeof name);
    paths  = i == paths ? paths + 1 : paths;
    int fd = open(path[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0)
        fuzz_fail("a file cannot be written", name);
    return path[i];
}

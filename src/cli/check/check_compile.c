/* SPDX-License-Identifier: Apache-2.0
 *
 * The PTX of a module that is named on the command line: a .cu file is compiled (device/compile.h), with the compiler's messages on
 * standard error; a .ptx file is read as it is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/compiler.h"
#include "device/compile.h"

static char *compile(const char *verb, const char *source, size_t *len)
{
    if (access(source, R_OK) != 0) {
        cli_error(verb, "cannot open '%s': %s", source, strerror(errno));
        return NULL;
    }
    char *name = compiler_source(verb, source);
    if (!name)
        return NULL;
    Str    ptx = {0}, said = {0};
    Status s = compile_cuda(name, strcmp(name, source) != 0, &ptx, &said);
    if (s != WW_ERR_IO)
        fputs(str_text(&said), stderr);
    if (s == WW_ERR_IO)
        cli_error(verb, "%.*s", (int)strcspn(str_text(&said), "\n"), str_text(&said));
    else if (s == WW_ERR_UNAVAILABLE)
        cli_error(verb, "there is neither nvcc nor clang to compile %s; compile it elsewhere and check the .ptx",
                  source);
    else if (s != WW_OK)
        cli_error(verb, "%s could not be compiled", source);
    compiler_done(name, source);
    str_free(&said);
    if (s != WW_OK) {
        str_free(&ptx);
        return NULL;
    }
    *len = ptx.len;
    return ptx.s; /* Str's memory is malloc's */
}

char *check_source(const char *verb, const char *file, size_t *len)
{
    size_t n = strlen(file);
    return n > 3 && !strcmp(file + n - 3, ".cu") ? compile(verb, file, len) : cli_read(verb, file, len);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A source whose whole name is plain (file.h) goes to the compiler as it is.  Any other is included by a temporary file with a plain name:
 * what stands between quotes there is a name and nothing else, the source's own #include "x.h" is still looked for beside it, and lines
 * keep their file.  The folder counts as well, because nvcc hands the whole path on. */
#include "cli/compiler.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/cli.h"

static char *including(const char *verb, const char *path)
{
    char *name;
    Str   text = {0};
    str_printf(&text, "#include \"%s\"\n", path);
    int  fd = temporary_file("source", &name);
    bool ok = fd >= 0 && write(fd, text.s, text.len) == (ssize_t)text.len;
    if (!ok)
        cli_error(verb, "cannot make a temporary file: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    str_free(&text);
    if (ok || !name)
        return name;
    unlink(name);
    free(name);
    return NULL;
}

char *compiler_source(const char *verb, const char *source)
{
    char cwd[PATH_MAX];
    Str  path = {0};
    if (*source != '/' && getcwd(cwd, sizeof cwd))
        str_printf(&path, "%s/", cwd);
    str_add(&path, source);
    char *name = NULL;
    if (file_plain_name(path.s) && *source != '-')
        name = strdup(source);
    else if (strpbrk(path.s, "\"\\\n"))
        cli_error(verb,
                  "'%s': no compiler can be told a name with a quotation mark, a backslash or a new line: rename it",
                  source);
    else
        name = including(verb, path.s);
    str_free(&path);
    return name;
}

void compiler_done(char *name, const char *source)
{
    if (strcmp(name, source) != 0)
        unlink(name);
    free(name);
}

void compiler_environment(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder && !file_plain_name(folder))
        unsetenv("TMPDIR");
}

/* Is it one of nvcc's names for "compile relocatable device code, do not link"? */
static bool is_device_c(const char *word, size_t n)
{
    return (n == 3 && !memcmp(word, "-dc", n)) || (n == 10 && !memcmp(word, "--device-c", n));
}

void compiler_links(void)
{
    static const char *const variables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *flags = getenv(variables[i]);
        Str         text  = {0};
        for (size_t n; flags && *flags; flags += n) {
            n = strspn(flags, " \t");
            str_addn(&text, flags, n);
            flags += n;
            n = strcspn(flags, " \t");
            if (is_device_c(flags, n))
                str_add(&text, "-rdc=true");
            else
                str_addn(&text, flags, n);
        }
        if (text.len)
            setenv(variables[i], text.s, 1);
        str_free(&text);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds and runs ptxas, and keeps what it made.
 *
 * The text goes to a temporary file, the machine code comes back from another; nothing of the text stands in a command line.  It is assembled
 * with --generate-line-info, so the code carries the text's lines (sass/cubin.h).  A result is kept on disk under the text, the architecture and
 * what tells one ptxas from another.  What the assembler refuses is not kept: it says again why.
 * Other options than these are left out: the text's own compilation may have had some. */
#include "device/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/command.h"
#include "base/file.h"
#include "base/temporary.h"

enum { SECONDS = 60, MOST_KEPT = 64 << 20, MOST_SAID = 4096 };
static const uint64_t most_code = UINT64_C(1) << 28;

/* Asked in this order: the one on PATH, then the toolkit's usual place. */
#define USUAL_PTXAS "/usr/local/cuda/bin/ptxas"

bool assembler_run(char *const *args, int fd, unsigned seconds, bool *there)
{
    *there = true;
    return command_run("ptxas", args, fd, seconds, there) ||
           (!*there && command_run(USUAL_PTXAS, args, fd, seconds, there));
}

void assembler_add(ContentHash *h)
{
    command_add(h, "ptxas", USUAL_PTXAS);
}

void assemble_arch(unsigned cc, const char *target, char *arch, size_t most)
{
    snprintf(arch, most, "sm_%u", cc);
    if (target && !strncmp(target, arch, strlen(arch))) /* "sm_90a": only that can be made of it */
        snprintf(arch, most, "%s", target);
}

typedef struct Files { /* temporary; NULL: could not be made */
    char *in, *out, *said;
    int   in_fd, out_fd, said_fd;
} Files;

static void drop(int fd, char *path)
{
    if (fd >= 0)
        close(fd);
    if (path)
        unlink(path);
    free(path);
}

static bool run(const Files *f, const char *ptx, size_t len, const char *arch, Str *cubin, Str *why)
{
    bool        there  = true;
    char *const args[] = {"ptxas", "--generate-line-info", "-arch", (char *)(uintptr_t)arch, "-o", f->out, f->in, NULL};
    if (f->in_fd < 0 || f->out_fd < 0 || f->said_fd < 0 || !file_write(f->in_fd, ptx, len)) {
        str_add(why, "a temporary file cannot be written");
        return false;
    }
    if (assembler_run(args, f->said_fd, SECONDS, &there) && file_text(f->out, most_code, cubin))
        return true;
    Str said = {0};
    if (!there)
        str_add(why, "there is no ptxas: it comes with the CUDA toolkit");
    else if (file_text(f->said, MOST_SAID, &said) && said.len)
        str_printf(why, "ptxas refuses it: %.*s", (int)strcspn(said.s, "\n"), said.s);
    else
        str_printf(why, "ptxas did not end well within %d s", SECONDS);
    str_free(&said);
    return false;
}

static bool make(const char *ptx, size_t len, const char *arch, Str *cubin, Str *why)
{
    Files f   = {0};
    f.in_fd   = temporary_file("ptx", &f.in);
    f.out_fd  = temporary_file("cubin", &f.out);
    f.said_fd = temporary_file("ptxas", &f.said);
    bool ok   = run(&f, ptx, len, arch, cubin, why);
    drop(f.in_fd, f.in);
    drop(f.out_fd, f.out);
    drop(f.said_fd, f.said);
    return ok;
}

bool assemble(const char *ptx, size_t len, const char *arch, Str *cubin, Str *why)
{
    ContentHash h    = {0};
    Str         none = {0};
    Cache      *kept = cache_open("cubins", MOST_KEPT, &none);
    content_text(&h, "ptxas --generate-line-info");
    content_text(&h, arch);
    content_add(&h, ptx, len);
    assembler_add(&h);
    Content key = content_end(&h);
    bool    ok  = cache_find(kept, key, cubin);
    if (!ok) {
        size_t at = cubin->len;
        ok        = make(ptx, len, arch, cubin, why);
        if (ok)
            cache_store(kept, key, cubin->s + at, cubin->len - at);
    }
    cache_close(kept);
    str_free(&none);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds and runs ptxas, and keeps what it made.
 *
 * The text goes to a temporary file, the machine code comes back from another; nothing of the text stands in a command line.  It is assembled
 * with --generate-line-info, so the code carries the text's lines (sass/cubin.h).  A result is kept on disk under the text, the architecture and
 * what tells one ptxas from another, and so is what the assembler says where it refuses a text: a program may load one again and again.
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

/* *said: the first line of what it says where it refuses the text. */
static bool run(const Files *f, const char *ptx, size_t len, const char *arch, Str *cubin, Str *said, Str *why)
{
    bool        there  = true;
    char *const args[] = {"ptxas", "--generate-line-info", "-arch", (char *)(uintptr_t)arch, "-o", f->out, f->in, NULL};
    if (f->in_fd < 0 || f->out_fd < 0 || f->said_fd < 0 || !file_write(f->in_fd, ptx, len)) {
        str_add(why, "a temporary file cannot be written");
        return false;
    }
    if (assembler_run(args, f->said_fd, SECONDS, &there) && file_text(f->out, most_code, cubin))
        return true;
    Str all = {0};
    if (!there)
        str_add(why, "there is no ptxas: it comes with the CUDA toolkit");
    else if (file_text(f->said, MOST_SAID, &all) && all.len)
        str_addn(said, all.s, strcspn(all.s, "\n"));
    else
        str_printf(why, "ptxas did not end well within %d s", SECONDS);
    str_free(&all);
    return false;
}

static bool make(const char *ptx, size_t len, const char *arch, Str *cubin, Str *said, Str *why)
{
    Files f   = {0};
    f.in_fd   = temporary_file("ptx", &f.in);
    f.out_fd  = temporary_file("cubin", &f.out);
    f.said_fd = temporary_file("ptxas", &f.said);
    bool ok   = run(&f, ptx, len, arch, cubin, said, why);
    drop(f.in_fd, f.in);
    drop(f.out_fd, f.out);
    drop(f.said_fd, f.said);
    return ok;
}

static Content key_of(const char *what, const char *ptx, size_t len, const char *arch)
{
    ContentHash h = {0};
    content_text(&h, what);
    content_text(&h, arch);
    content_add(&h, ptx, len);
    assembler_add(&h);
    return content_end(&h);
}

/* Another time it may have what it lacks now, or find no mistake of its own. */
static bool is_final(const char *said)
{
    return !strstr(said, "emory") && !strstr(said, "nternal") && !strstr(said, "open");
}

bool assemble(const char *ptx, size_t len, const char *arch, Str *cubin, Str *why)
{
    Str     none = {0}, said = {0};
    Cache  *kept    = cache_open("cubins", MOST_KEPT, &none);
    Content key     = key_of("ptxas --generate-line-info", ptx, len, arch),
            refused = key_of("ptxas --generate-line-info, refused", ptx, len, arch);
    bool ok         = cache_find(kept, key, cubin);
    if (!ok && !cache_find(kept, refused, &said)) {
        size_t at = cubin->len;
        ok        = make(ptx, len, arch, cubin, &said, why);
        if (ok)
            cache_store(kept, key, cubin->s + at, cubin->len - at);
        else if (said.len && is_final(said.s))
            cache_store(kept, refused, said.s, said.len);
    }
    if (said.len)
        str_printf(why, "ptxas refuses it: %s", str_text(&said));
    cache_close(kept);
    str_free(&none);
    str_free(&said);
    return ok;
}

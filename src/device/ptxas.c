/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks ptxas once for each kernel: the module's text goes to a temporary file, only this kernel is assembled (--entry), for the profile's
 * architecture, and the lines of -v are read:
 *
 *     ptxas info    : Function properties for NAME
 *         16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
 *     ptxas info    : Used 40 registers, ...
 *
 * The kernel's own compilation may have had other options; registers are those of plain -O3.  A program of many large kernels is not kept waiting: once
 * ALL_SECONDS are spent, the rest is unknown.
 * An answer is kept on disk under the module's text, the kernel, the architecture and what tells one ptxas from another (path, size, time of
 * change), so the next process asks nobody.  Without a place for it (base/cache.h) every process asks.
 * A program's own machine code (ptxas_told) says nothing of spills, but its registers are those its compilation gave it.
 * Functions that are called and not inlined have stacks and spills of their own: the kernel's alone are told. */
#include "device/ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cache.h"
#include "base/content.h"
#include "base/file.h"
#include "base/temporary.h"
#include "device/assemble.h"

enum { PTXAS_SECONDS = 20, ALL_SECONDS = 20, MOST_OUTPUT = 1 << 20, MOST_KEPT = 4 << 20, ARCH_NAME = 32 };

typedef struct Answer {
    struct Answer *next;
    const Module  *module;
    const Func    *kernel;
    bool           known, told;
    Resources      is;
} Answer;

struct Ptxas {
    const Profile *profile;
    Answer        *answers;
    double         spent;  /* seconds */
    bool           opened; /* the cache, as far as it could be */
    Cache         *cache;
    const Module  *hashed; /* whose text's content is: */
    Content        content;
};

/* ---- running it ------------------------------------------------------------------------------------------------------ */

/* ---- what it said ---------------------------------------------------------------------------------------------------- */

/* The number before `words` in the text up to end. */
static bool number_before(const char *text, const char *end, const char *words, unsigned *out)
{
    const char *at = strstr(text, words);
    if (!at || at >= end)
        return false;
    while (at > text && at[-1] == ' ')
        at--;
    const char *behind = at;
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    *out = (unsigned)strtoul(at, NULL, 10);
    return at < behind;
}

static bool read_answer(const char *text, const char *kernel, Resources *out)
{
    Str head = {0};
    str_printf(&head, "Function properties for %s\n", kernel);
    const char *at = strstr(text, str_text(&head)), *end = text + strlen(text);
    if (at)
        at += head.len; /* a kernel's name may hold any of the words */
    str_free(&head);
    if (!at)
        return false;
    return number_before(at, end, "bytes stack frame", &out->stack) &&
           number_before(at, end, "bytes spill stores", &out->spill_stores) &&
           number_before(at, end, "bytes spill loads", &out->spill_loads) &&
           number_before(at, end, "registers", &out->registers);
}

static bool ask(const Ptxas *x, const Module *m, const Func *kernel, Resources *out)
{
    char  arch[ARCH_NAME], *source, *said;
    int   in = temporary_file("ptxas", &source), answer = temporary_file("ptxas", &said);
    char *text = xcalloc(MOST_OUTPUT + 1, 1);
    bool  ok   = in >= 0 && answer >= 0 && file_write(in, m->text, m->text_len);
    assemble_arch(x->profile->arch->cc, m->target, arch, sizeof arch);
    char *const args[] = {"ptxas", "-v",        "-arch", arch, "--entry", (char *)(uintptr_t)kernel->name,
                          "-o",    "/dev/null", source,  NULL};
    bool        there  = true;
    ok                 = ok && assembler_run(args, answer, PTXAS_SECONDS, &there);
    if (ok && lseek(answer, 0, SEEK_SET) == 0 && read(answer, text, MOST_OUTPUT) > 0)
        ok = out->spills = read_answer(text, kernel->name, out);
    else
        ok = false;
    free(text);
    if (in >= 0) {
        close(in);
        unlink(source);
        free(source);
    }
    if (answer >= 0) {
        close(answer);
        unlink(said);
        free(said);
    }
    return ok;
}

static bool ask_timed(Ptxas *x, const Module *m, const Func *kernel, Resources *out)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    bool ok = ask(x, m, kernel, out);
    clock_gettime(CLOCK_MONOTONIC, &end);
    x->spent += (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    return ok;
}

/* ---- kept on disk ---------------------------------------------------------------------------------------------------- */

static Content key_of(Ptxas *x, const Module *m, const Func *kernel)
{
    char        arch[ARCH_NAME];
    ContentHash h = {0};
    if (x->hashed != m) {
        x->hashed  = m;
        x->content = content_of(m->text, m->text_len);
    }
    assemble_arch(x->profile->arch->cc, m->target, arch, sizeof arch);
    content_text(&h, "ptxas -v, registers, stack, spill stores, spill loads");
    content_text(&h, arch);
    content_text(&h, kernel->name);
    content_add(&h, &x->content, sizeof x->content);
    assembler_add(&h);
    return content_end(&h);
}

static bool find_kept(Ptxas *x, Content key, Resources *out)
{
    Str  kept = {0};
    bool ok   = cache_find(x->cache, key, &kept) &&
              sscanf(kept.s, "%u %u %u %u", &out->registers, &out->stack, &out->spill_stores, &out->spill_loads) == 4;
    str_free(&kept);
    return out->spills = ok;
}

static void keep(Ptxas *x, Content key, const Resources *is)
{
    Str text = {0};
    str_printf(&text, "%u %u %u %u\n", is->registers, is->stack, is->spill_stores, is->spill_loads);
    cache_store(x->cache, key, text.s, text.len);
    str_free(&text);
}

static bool look_up(Ptxas *x, const Module *m, const Func *kernel, Resources *out)
{
    Str why = {0};
    if (!x->opened)
        x->cache = cache_open("registers", MOST_KEPT, &why);
    x->opened = true;
    str_free(&why); /* without one, only time is lost */
    Content key = key_of(x, m, kernel);
    if (find_kept(x, key, out))
        return true;
    bool ok = x->spent < ALL_SECONDS && ask_timed(x, m, kernel, out);
    if (ok)
        keep(x, key, out);
    return ok;
}

/* ---- remembered ------------------------------------------------------------------------------------------------------ */

Ptxas *ptxas_new(const Profile *p)
{
    Ptxas *x   = xcalloc(1, sizeof *x);
    x->profile = p;
    return x;
}

void ptxas_forget(Ptxas *x, const Module *m)
{
    if (x && (!m || m == x->hashed))
        x->hashed = NULL;
    for (Answer **at = x ? &x->answers : NULL; at && *at;) {
        Answer *a = *at;
        if (m && a->module != m) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        free(a);
    }
}

void ptxas_free(Ptxas *x)
{
    ptxas_forget(x, NULL);
    if (x)
        cache_close(x->cache);
    free(x);
}

void ptxas_told(Ptxas *x, const Module *m, const Func *kernel, const Resources *is)
{
    Answer *a  = xcalloc(1, sizeof *a);
    *a         = (Answer){x->answers, m, kernel, true, true, *is};
    x->answers = a;
}

static Answer *answered(const Ptxas *x, const Module *m, const Func *kernel)
{
    Answer *a = x->answers;
    while (a && (a->module != m || a->kernel != kernel))
        a = a->next;
    return a;
}

bool ptxas_knows(const Ptxas *x, const Module *m, const Func *kernel, Resources *out)
{
    const Answer *a = answered(x, m, kernel);
    if (a && a->told)
        *out = a->is;
    return a && a->told;
}

bool ptxas_resources(Ptxas *x, const Module *m, const Func *kernel, Resources *out)
{
    Answer *a = answered(x, m, kernel);
    if (!a) {
        a          = xcalloc(1, sizeof *a);
        a->module  = m;
        a->kernel  = kernel;
        a->known   = look_up(x, m, kernel, &a->is);
        a->next    = x->answers;
        x->answers = a;
    }
    *out = a->is;
    return a->known;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks ptxas once for each kernel: the module's text goes to a temporary file, only this kernel is assembled (--entry), for the profile's
 * architecture, and the lines of -v are read:
 *
 *     ptxas info    : Function properties for NAME
 *         16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
 *     ptxas info    : Used 40 registers, ...
 *
 * The kernel's own compilation may have had other options; registers are those of plain -O3.  The child gets an environment without
 * preloaded libraries, as this may run inside the program under test.  A program of many large kernels is not kept waiting: once
 * ALL_SECONDS are spent, the rest is unknown.
 * A program's own machine code (ptxas_told) says nothing of spills, but its registers are those its compilation gave it.
 * Functions that are called and not inlined have stacks and spills of their own: the kernel's alone are told. */
#include "device/ptxas.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/temporary.h"

enum { PTXAS_SECONDS = 20, ALL_SECONDS = 20, MOST_OUTPUT = 1 << 20 };

typedef struct Answer {
    struct Answer *next;
    const Module  *module;
    const Func    *kernel;
    bool           known;
    Resources      is;
} Answer;

struct Ptxas {
    const Profile *profile;
    Answer        *answers;
    double         spent; /* seconds */
};

extern char **environ;

/* ---- running it ------------------------------------------------------------------------------------------------------ */

static bool pass_on(const char *variable)
{
    return strncmp(variable, "LD_PRELOAD=", 11) != 0 && strncmp(variable, "LD_LIBRARY_PATH=", 16) != 0 &&
           strncmp(variable, "WARPWRIGHT_", 11) != 0;
}

static char **plain_environment(void)
{
    size_t n = 0, k = 0;
    while (environ && environ[n])
        n++;
    char **e = xcalloc(n + 1, sizeof *e);
    for (size_t i = 0; i < n; i++)
        if (pass_on(environ[i]))
            e[k++] = environ[i];
    return e;
}

static bool wait_for(pid_t pid)
{
    const struct timespec tick = {0, 2000000};
    for (long t = 0; t < PTXAS_SECONDS * 500L; t++) {
        int   status;
        pid_t done = waitpid(pid, &status, WNOHANG);
        if (done == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (done < 0)
            return false; /* the program under test reaps its children itself */
        nanosleep(&tick, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return false;
}

/* Standard output and error of the command go to fd. */
static bool run(const char *program, char *const *args, int fd)
{
    posix_spawn_file_actions_t actions;
    pid_t                      pid;
    char                     **env = plain_environment();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fd, STDERR_FILENO);
    int e = posix_spawnp(&pid, program, &actions, NULL, args, env);
    posix_spawn_file_actions_destroy(&actions);
    free(env);
    return e == 0 && wait_for(pid);
}

static bool write_all(int fd, const char *text, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, text + done, len - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* ---- what it said ---------------------------------------------------------------------------------------------------- */

/* The number before `words` in the text up to end. */
static bool number_before(const char *text, const char *end, const char *words, unsigned *out)
{
    const char *at = strstr(text, words);
    if (!at || at >= end)
        return false;
    while (at > text && at[-1] == ' ')
        at--;
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    *out = (unsigned)strtoul(at, NULL, 10);
    return true;
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
    char  arch[32], *source, *said;
    int   in = temporary_file("ptxas", &source), answer = temporary_file("ptxas", &said);
    char *text = xcalloc(MOST_OUTPUT + 1, 1);
    bool  ok   = in >= 0 && answer >= 0 && write_all(in, m->text, m->text_len);
    snprintf(arch, sizeof arch, "sm_%u", x->profile->arch->cc);
    if (m->target && !strncmp(m->target, arch, strlen(arch))) /* "sm_90a": only that can be made of it */
        snprintf(arch, sizeof arch, "%s", m->target);
    char *const args[] = {"ptxas", "-v",        "-arch", arch, "--entry", (char *)(uintptr_t)kernel->name,
                          "-o",    "/dev/null", source,  NULL};
    ok                 = ok && (run("ptxas", args, answer) || run("/usr/local/cuda/bin/ptxas", args, answer));
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

/* ---- remembered ------------------------------------------------------------------------------------------------------ */

Ptxas *ptxas_new(const Profile *p)
{
    Ptxas *x   = xcalloc(1, sizeof *x);
    x->profile = p;
    return x;
}

void ptxas_forget(Ptxas *x, const Module *m)
{
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
    free(x);
}

void ptxas_told(Ptxas *x, const Module *m, const Func *kernel, const Resources *is)
{
    Answer *a  = xcalloc(1, sizeof *a);
    *a         = (Answer){x->answers, m, kernel, true, *is};
    x->answers = a;
}

bool ptxas_resources(Ptxas *x, const Module *m, const Func *kernel, Resources *out)
{
    Answer *a = x->answers;
    while (a && (a->module != m || a->kernel != kernel))
        a = a->next;
    if (!a) {
        a          = xcalloc(1, sizeof *a);
        a->module  = m;
        a->kernel  = kernel;
        a->known   = x->spent < ALL_SECONDS && ask_timed(x, m, kernel, &a->is);
        a->next    = x->answers;
        x->answers = a;
    }
    *out = a->is;
    return a->known;
}

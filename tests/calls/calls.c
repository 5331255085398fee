/* SPDX-License-Identifier: Apache-2.0
 *
 * Every entry point of the API tables with every argument NULL, zero, one, maximal or stale: the answer is a status, never a signal, never
 * the end of the process, and it comes.  The table is made by signatures.py.
 *
 *     calls LIBRARY [NAME]      all of them, or those whose name begins with NAME; prints what ended badly
 *
 * Each function gets a child process, which uses CUDA for the first time there.  It makes one object of each kind, then calls the function
 * with each argument in turn at each of its extremes and the others plain, and then with mixed ones, the same ones in every run.
 * Out pointers are NULL or good: nobody could tell a wild one.  Handles may be anything. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/calls/calls.h"

enum { MIXED = 200, SECONDS = 60 };

static void *library;

/* ---- calls ---- */

static const Call *now;
static int         extreme[CALLS_MOST];

static char   asked[512]; /* what is called, as a handler of signals can print it */
static size_t asked_bytes;

static void prepare(void)
{
    int n = snprintf(asked, sizeof asked, "%s, with extremes", now->name);
    for (int i = 0; i < now->n && n < 400; i++)
        n += snprintf(asked + n, sizeof asked - (size_t)n, " %d", extreme[i]);
    asked_bytes = (size_t)n;
}

static void say(const char *how)
{
    if (write(1, asked, asked_bytes) < 0 || write(1, how, strlen(how)) < 0)
        _exit(4);
}

static void on_signal(int sig)
{
    const char how[] = {':',  ' ', 's', 'i', 'g', 'n', 'a', 'l', ' ', (char)('0' + sig / 10), (char)('0' + sig % 10),
                        '\n', 0};
    say(how);
    _exit(3);
}

static void call(void)
{
    static Function f;
    Value           v[CALLS_MOST] = {0};
    *(void **)&f                  = dlsym(library, now->symbol);
    prepare();
    calls_clear();
    for (int i = 0; i < now->n; i++)
        v[i] = calls_value(now->kind[i], i, extreme[i]);
    now->call(f, v);
}

static void call_all(void)
{
    uint32_t random = 1;
    memset(extreme, 0, sizeof extreme);
    call();
    for (int i = 0; i < now->n; i++)
        for (int e = 1; e < CALLS_EXTREMES; e++) {
            memset(extreme, 0, sizeof extreme);
            extreme[i] = e;
            call();
        }
    for (int e = 1; e < CALLS_EXTREMES; e++) {
        for (int i = 0; i < now->n; i++)
            extreme[i] = e;
        call();
    }
    for (int m = 0; now->n > 1 && m < MIXED; m++) {
        for (int i = 0; i < now->n; i++) {
            random     = random * 1664525u + 1013904223u;
            extreme[i] = (random >> 16) % 3 ? 0 : (int)((random >> 20) % CALLS_EXTREMES);
        }
        call();
    }
}

static void left_early(void)
{
    say(": the process ended inside the call\n");
    _exit(3);
}

static bool takes(const Call *c, Kind k)
{
    for (int i = 0; i < c->n; i++)
        if (c->kind[i] == k)
            return true;
    return false;
}

static void child(const Call *c)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
    now                        = c;
    calls_objects(library);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], on_signal);
    atexit(left_early);
    alarm(SECONDS);
    for (int i = 0; i < CALLS_NODES; i++) {
        calls_good[NODE] = calls_node[i];
        if (!i || takes(c, NODE))
            call_all();
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    int rows = 0, bad = 0, functions = 0, sizes = 0;
    library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "calls: %s\n", argc > 1 ? dlerror() : "the library's path is missing");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    size_t      count;
    const Call *calls = calls_table(&count);
    for (size_t i = 0; i < count; i++) {
        int status = 0;
        if (argc > 2 && strncmp(calls[i].name, argv[2], strlen(argv[2])) != 0)
            continue;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0)
            child(&calls[i]);
        if (pid < 0 || waitpid(pid, &status, 0) < 0)
            return 2;
        if (WIFSIGNALED(status))
            printf("%s: the process was killed by signal %d\n", calls[i].name, WTERMSIG(status));
        bad += status != 0;
        sizes += takes(&calls[i], SIZE);
        rows += calls[i].rows;
        functions++;
    }
    printf("%d rows of the tables, %d functions, %d of them with sizes: %d ended badly\n", rows, functions, sizes, bad);
    return bad != 0;
}

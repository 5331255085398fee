/* SPDX-License-Identifier: Apache-2.0
 *
 * A command that outlives neither its time nor this process.  It gets an environment without preloaded libraries and without our variables,
 * as this may run inside the program under test, perhaps beside it in a thread of ours.
 *
 * So the program must not notice it: neither SIGCHLD nor wait may tell of a child that it did not make.  Linux lets a child end silently
 * (clone without a signal; only __WALL waits for it), but not once it has called exec.  So the command is the child of a keeper, which is
 * such a child of ours: it runs in this process's memory, on a stack of its own, calls nothing but the system, and notes how the command ended. */
#define _GNU_SOURCE /* clone, prlimit */
#include "base/command.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/str.h"

extern char **environ;

static bool pass_on(const char *variable)
{
    if (strncmp(variable, "TMPDIR=", 7) == 0 &&
        !file_plain_name(variable + 7)) /* nvcc hands its files' names to a shell */
        return false;
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

enum { STACK = 64 << 10 };

typedef struct Keeper {
    const char  *path;
    char *const *args;
    char       **env;
    int          fd;
    pid_t        command; /* atomic; 0: not yet, -1: there is no such program */
    int          status;  /* of the command, once the keeper has ended */
    char        *stack[2];
} Keeper;

static int command_main(void *arg)
{
    Keeper          *k   = arg;
    struct sigaction now = {0}, plain = {0};
    sigset_t         none;
    plain.sa_handler = SIG_DFL;
    for (int s = 1; s < NSIG; s++) /* handlers are functions of the memory that is still this process's */
        if (sigaction(s, NULL, &now) == 0 && now.sa_handler != SIG_IGN && now.sa_handler != SIG_DFL)
            sigaction(s, &plain, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(k->fd, STDOUT_FILENO) >= 0 && dup2(k->fd, STDERR_FILENO) >= 0)
        execve(k->path, k->args, k->env);
    __atomic_store_n(&k->command, -1, __ATOMIC_RELEASE);
    return 127;
}

#if !defined(__SANITIZE_THREAD__)
static int keeper_main(void *arg)
{
    Keeper *k = arg;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pid_t pid = clone(command_main, k->stack[1] + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, k), none = 0;
    if (pid < 0)
        k->command = -1;
    else
        __atomic_compare_exchange_n(&k->command, &none, pid, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (pid > 0)
        waitpid(pid, &k->status, 0);
    return 0;
}
#endif

/* -1: it could not be started. */
static pid_t start(Keeper *k)
{
#if defined(                                                                                                           \
    __SANITIZE_THREAD__) /* what it knows of this thread would be the keeper's, too: there, an ordinary child runs the command */
    pid_t pid = fork();
    if (pid == 0)
        _exit(command_main(k));
    k->command = pid;
    return pid;
#else
    return clone(keeper_main, k->stack[0] + STACK, CLONE_VM, k);
#endif
}

/* Where the program is: as it is, or in the first folder of PATH that has it. */
static bool find_program(const char *program, char path[PATH_MAX])
{
    const char *list = getenv("PATH");
    if (strchr(program, '/'))
        return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX && access(path, X_OK) == 0;
    for (const char *at = list ? list : "/bin:/usr/bin"; *at; at += *at == ':') {
        size_t n    = strcspn(at, ":");
        int    want = snprintf(path, PATH_MAX, "%.*s/%s", (int)n, at, program);
        if (n && want < PATH_MAX && access(path, X_OK) == 0)
            return true;
        at += n;
    }
    return false;
}

/* The file and its state: another version is another file, or the same one changed.  Nothing where there is none. */
static void add_program(ContentHash *h, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || access(path, X_OK) != 0)
        return;
    content_text(h, path);
    int64_t state[] = {(int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec};
    content_add(h, state, sizeof state);
}

void command_add(ContentHash *h, const char *program, const char *usual)
{
    const char *at   = getenv("PATH");
    Str         path = {0};
    for (size_t n; at; at = at[n] ? at + n + 1 : NULL) {
        n = strcspn(at, ":");
        str_clear(&path);
        str_addn(&path, at, n);
        str_printf(&path, "%s%s", n ? "/" : "", program);
        add_program(h, path.s);
    }
    str_free(&path);
    add_program(h, usual);
}

const char *command_clang(void)
{
    static const char *const names[] = {"clang",    "clang-19", "clang-18", "clang-17",
                                        "clang-16", "clang-15", "clang-14", NULL};
    char                     path[PATH_MAX];
    const char *const       *name = names;
    while (*name && !find_program(*name, path))
        name++;
    return *name;
}

/* Until the keeper has ended; a command that takes longer than that is killed. */
static void wait_for(Keeper *k, pid_t keeper, unsigned seconds)
{
    const struct timespec tick    = {0, 2000000};
    const struct rlimit   limit   = {seconds, seconds};
    bool                  limited = false;
    int                   status  = 0;
    for (unsigned t = 0; waitpid(keeper, &status, WNOHANG | __WALL) == 0; t++) {
        pid_t command = __atomic_load_n(&k->command, __ATOMIC_ACQUIRE);
        if (command > 0 && !limited)
            limited = prlimit(command, RLIMIT_CPU, &limit, NULL) == 0;
        if (command > 0 && t >= seconds * 500)
            kill(command, SIGKILL);
        nanosleep(&tick, NULL);
    }
    if (keeper == k->command)
        k->status = status;
}

bool command_run(const char *program, char *const *args, int fd, unsigned seconds, bool *there)
{
    char     path[PATH_MAX];
    sigset_t all, old;
    Keeper   k = {.path = path, .args = args, .fd = fd, .status = -1};
    *there     = find_program(program, path);
    if (!*there)
        return false;
    k.env      = plain_environment();
    k.stack[0] = xaligned(64, STACK);
    k.stack[1] = xaligned(64, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t keeper = start(&k);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (keeper > 0)
        wait_for(&k, keeper, seconds);
    *there = keeper > 0 && k.command > 0;
    free(k.stack[0]), free(k.stack[1]), free(k.env);
    return *there && WIFEXITED(k.status) && WEXITSTATUS(k.status) == 0;
}

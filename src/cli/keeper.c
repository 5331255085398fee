/* SPDX-License-Identifier: Apache-2.0
 *
 * WARPWRIGHT_RUNS holds the names of the runs that a process is part of, each between colons, as one may start another. */
#define _GNU_SOURCE /* pipe2 */
#include "cli/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

#define VARIABLE "WARPWRIGHT_RUNS"
#define KEEPER   "warpwright-keep" /* as processes are named: 15 characters */

/* Is the process part of the run?  part: its name between colons. */
static bool is_part(const char *pid, const char *part)
{
    char   path[64], *entry = NULL;
    size_t cap     = 0;
    bool   part_of = false;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    FILE *f = fopen(path, "re");
    while (f && !part_of && getdelim(&entry, &cap, 0, f) > 0)
        part_of = strncmp(entry, VARIABLE "=", strlen(VARIABLE "=")) == 0 && strstr(entry, part);
    free(entry);
    if (f)
        fclose(f);
    return part_of;
}

static bool is_keeper(const char *pid)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    FILE *f  = fopen(path, "re");
    bool  is = f && fgets(name, sizeof name, f) && strcmp(name, KEEPER "\n") == 0;
    if (f)
        fclose(f);
    return is;
}

/* How many were killed. */
static unsigned kill_all(const char *part)
{
    const struct dirent *e;
    unsigned             n    = 0;
    DIR                 *proc = opendir("/proc");
    while (proc && (e = readdir(proc))) {
        pid_t pid = (pid_t)atol(e->d_name);
        if (pid > 0 && pid != getpid() && is_part(e->d_name, part) && !is_keeper(e->d_name))
            n += kill(pid, SIGKILL) == 0;
    }
    if (proc)
        closedir(proc);
    return n;
}

/* Whoever reads what the run writes waits until nobody has it open. */
static void close_others(int kept)
{
    const struct dirent *e;
    DIR                 *fds = opendir("/proc/self/fd");
    while (fds && (e = readdir(fds))) {
        int fd = atoi(e->d_name);
        if (e->d_name[0] != '.' && fd != kept && fd != dirfd(fds))
            close(fd);
    }
    if (fds)
        closedir(fds);
}

static void keep(int from, const char *part, char *const *files, size_t nfiles)
{
    enum { ROUNDS = 100 }; /* some may start others meanwhile */
    char    word;
    ssize_t n;
    prctl(PR_SET_NAME, KEEPER);
    setsid(); /* the terminal's signals are not for it */
    close_others(from);
    while ((n = read(from, &word, 1)) < 0 && errno == EINTR)
        ;
    for (int i = 0; n == 0 && i < ROUNDS && kill_all(part); i++)
        usleep(10000);
    for (size_t i = 0; n == 0 && i < nfiles; i++)
        if (files[i])
            unlink(files[i]);
    _exit(0);
}

Keeper keeper_start(const char *name, char *const *files, size_t n)
{
    Keeper      k     = {0};
    const char *outer = getenv(VARIABLE);
    Str         runs = {0}, part = {0};
    int         fd[2];
    str_printf(&part, ":%s:", name);
    str_printf(&runs, "%s%s", outer ? outer : "", part.s);
    setenv(VARIABLE, runs.s, 1);
    if (pipe2(fd, O_CLOEXEC) == 0) {
        k.pid = fork();
        if (k.pid == 0) {
            close(fd[1]);
            keep(fd[0], part.s, files, n);
        }
        close(fd[0]);
        k.pipe = fd[1];
        if (k.pid < 0) {
            close(fd[1]);
            k.pid = 0;
        }
    }
    str_free(&part);
    str_free(&runs);
    return k;
}

void keeper_end(Keeper *k)
{
    if (!k->pid)
        return;
    bool told = write(k->pipe, "", 1) == 1;
    close(k->pipe);
    if (told)
        waitpid(k->pid, NULL, 0);
    k->pid = 0;
}

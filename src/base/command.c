/* SPDX-License-Identifier: Apache-2.0
 *
 * A child that outlives neither its time nor, for long, this process.  It gets an environment without preloaded libraries and without our
 * variables, as this may run inside the program under test. */
#define _GNU_SOURCE /* prlimit */
#include "base/command.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

extern char **environ;

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

static bool wait_for(pid_t pid, unsigned seconds)
{
    const struct timespec tick = {0, 2000000};
    for (unsigned t = 0; t < seconds * 500; t++) {
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

bool command_run(const char *program, char *const *args, int fd, unsigned seconds, bool *there)
{
    const struct rlimit        limit = {seconds, seconds};
    posix_spawn_file_actions_t actions;
    pid_t                      pid;
    char                     **env = plain_environment();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fd, STDERR_FILENO);
    int e = posix_spawnp(&pid, program, &actions, NULL, args, env);
    posix_spawn_file_actions_destroy(&actions);
    free(env);
    *there = e == 0;
    if (*there)
        prlimit(pid, RLIMIT_CPU, &limit, NULL);
    return *there && wait_for(pid, seconds);
}

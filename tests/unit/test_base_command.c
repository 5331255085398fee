/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that run inside a program under test: what they say comes to the descriptor, how they end is known, and the program notices no
 * child: it has none to wait for and gets no SIGCHLD, whatever it does meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command.h"

static volatile sig_atomic_t heard;

static void hear(int s)
{
    (void)s;
    heard = 1;
}

static bool shell(const char *text, int fd, bool *there)
{
    char  line[128];
    char *args[] = {"sh", "-c", line, NULL};
    strncpy(line, text, sizeof line - 1);
    line[sizeof line - 1] = 0;
    return command_run("sh", args, fd, 20, there);
}

static void test_says(void **state)
{
    (void)state;
    int  fd[2];
    bool there;
    char said[16] = "";
    assert_int_equal(pipe(fd), 0);
    assert_true(shell("echo it", fd[1], &there));
    assert_true(there);
    assert_int_equal(read(fd[0], said, sizeof said), 3);
    assert_memory_equal(said, "it\n", 3);
    assert_false(shell("exit 3", fd[1], &there));
    assert_true(there);
    char *none[] = {"no-such-program", NULL};
    assert_false(command_run("no-such-program", none, fd[1], 20, &there));
    assert_false(there);
    assert_false(command_run("/", none, fd[1], 20, &there));
    assert_false(there);
    close(fd[0]);
    close(fd[1]);
}

static void *run_slowly(void *arg)
{
    bool there;
    *(bool *)arg = shell("sleep 0.3", STDERR_FILENO, &there);
    return NULL;
}

static void test_is_not_noticed(void **state)
{
    (void)state;
    pthread_t thread;
    bool      ok = false;
    signal(SIGCHLD, hear);
    assert_int_equal(pthread_create(&thread, NULL, run_slowly, &ok), 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
        usleep(1000);
    }
    pthread_join(thread, NULL);
    assert_true(ok);
    assert_false(heard);
    signal(SIGCHLD, SIG_DFL);
}

/* Debian's clang-16 alone brings no plain name. */
static void test_clang_with_a_version(void **state)
{
    (void)state;
    char  folder[] = "command-XXXXXX", file[64];
    char *path     = strdup(getenv("PATH"));
    assert_non_null(mkdtemp(folder));
    setenv("PATH", folder, 1);
    assert_null(command_clang());
    snprintf(file, sizeof file, "%s/clang-16", folder);
    close(open(file, O_CREAT | O_WRONLY, 0755));
    assert_string_equal(command_clang(), "clang-16");
    snprintf(file, sizeof file, "%s/clang", folder);
    close(open(file, O_CREAT | O_WRONLY, 0755));
    assert_string_equal(command_clang(), "clang");
    unlink(file);
    snprintf(file, sizeof file, "%s/clang-16", folder);
    unlink(file);
    rmdir(folder);
    setenv("PATH", path, 1);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_says), cmocka_unit_test(test_is_not_noticed),
                                       cmocka_unit_test(test_clang_with_a_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

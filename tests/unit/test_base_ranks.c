/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranks that meet in a folder (base/ranks.h), each a process of its own: what they exchange, and how all of them end when one does not come, dies, is
 * another program or says that it failed.  Every case also checks that nothing is left in the folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ranks.h"
#include "base/str.h"

enum { MOST = 4, EXCHANGES = 20 };

static char folder[] = "/tmp/warpwright-test-ranks-XXXXXX";

typedef int Part(unsigned rank, unsigned ranks);

static RanksWho who(unsigned rank, unsigned ranks)
{
    RanksWho w = {.rank = rank, .ranks = ranks, .by = "test"};
    snprintf(w.job, sizeof w.job, "test%ld", (long)getppid());
    return w;
}

static Status open_as(unsigned rank, unsigned ranks, const char *what, Str *why, Ranks **out)
{
    RanksWho w = who(rank, ranks);
    return ranks_open(&w, &(RanksAsk){.folder = folder, .what = what}, why, out);
}

static bool is_clean(void)
{
    const struct dirent *e;
    DIR                 *d     = opendir(folder);
    bool                 clean = true;
    while (d && (e = readdir(d)))
        clean &= e->d_name[0] == '.';
    if (d)
        closedir(d);
    return clean;
}

/* Every rank a process; their exit codes, or minus the signal. */
static void start(Part *part, unsigned ranks, int code[MOST])
{
    pid_t pid[MOST];
    for (unsigned i = 0; i < ranks; i++)
        if ((pid[i] = fork()) == 0)
            _exit(part(i, ranks));
    for (unsigned i = 0; i < ranks; i++) {
        int status = 0;
        waitpid(pid[i], &status, 0);
        code[i] = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
}

static bool says(const Str *why, const char *part)
{
    if (strstr(str_text(why), part))
        return true;
    fprintf(stderr, "'%s' does not say '%s'\n", str_text(why), part);
    return false;
}

/* ---- exchanges --------------------------------------------------------------------------------------------------- */

static int exchanges(unsigned rank, unsigned ranks)
{
    Ranks *r    = NULL;
    Str    why  = {0};
    bool   good = open_as(rank, ranks, "sum", &why, &r) == WW_OK;
    for (uint64_t k = 0; good && k < EXCHANGES; k++) {
        Parcel mine = {0}, theirs[MOST];
        for (uint64_t i = 0; i <= k * 1000; i += 7)
            parcel_put_number(&mine, i + rank);
        parcel_put_text(&mine, rank == 1 ? NULL : "a text");
        good = ranks_exchange(r, &mine, theirs, &why) == WW_OK;
        for (unsigned j = 0; good && j < ranks; j++) {
            for (uint64_t i = 0; j != rank && i <= k * 1000; i += 7)
                good &= parcel_number(&theirs[j]) == i + j;
            const char *text = j == rank ? NULL : parcel_text(&theirs[j]);
            good &= j == rank || j == 1 ? !text : text && !strcmp(text, "a text");
            good &= !theirs[j].bad && theirs[j].at == theirs[j].n;
            parcel_free(&theirs[j]);
        }
        parcel_free(&mine);
    }
    ranks_close(r);
    str_free(&why);
    return !good;
}

static void everybody_gets_what_the_others_gave(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= MOST; n++) {
        int code[MOST];
        start(exchanges, n, code);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(code[i], 0);
        assert_true(is_clean());
    }
}

/* One command after the other: who is done early must not meet the others' earlier session. */
static int sequence(unsigned rank, unsigned ranks)
{
    int wrong = 0;
    for (int i = 0; i < 10; i++)
        wrong |= exchanges(rank, ranks);
    return wrong;
}

static void sessions_follow_each_other(void **state)
{
    int code[MOST];
    (void)state;
    start(sequence, 3, code);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(code[i], 0);
    assert_true(is_clean());
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static int one_dies(unsigned rank, unsigned ranks)
{
    Ranks *r    = NULL;
    Str    why  = {0};
    Parcel mine = {0}, theirs[MOST];
    parcel_put_number(&mine, rank);
    if (open_as(rank, ranks, "die", &why, &r) != WW_OK || ranks_exchange(r, &mine, theirs, &why) != WW_OK)
        return 1;
    if (rank == 1)
        raise(SIGKILL);
    Status s = ranks_exchange(r, &mine, theirs, &why);
    /* what the living gave is there */
    bool good = s == WW_ERR_UNAVAILABLE && says(&why, "rank 1 ended before its time") && !theirs[1].n;
    good &= parcel_number(&theirs[rank == 0 ? 2 : 0]) == (rank == 0 ? 2 : 0);
    ranks_close(r);
    return !good;
}

static void a_dead_rank_is_noticed(void **state)
{
    int code[MOST];
    (void)state;
    start(one_dies, 3, code);
    assert_int_equal(code[1], -SIGKILL);
    assert_int_equal(code[0], 0);
    assert_int_equal(code[2], 0);
    assert_true(is_clean());
}

static int one_stays_away(unsigned rank, unsigned ranks)
{
    Ranks *r   = NULL;
    Str    why = {0};
    setenv("WARPWRIGHT_RANK_SECONDS", "1", 1);
    if (rank == 1)
        return 0;
    Status s = open_as(rank, ranks, "stay", &why, &r);
    return !(s != WW_OK && !r && says(&why, "rank 1 of 3 did not come within 1 s"));
}

static void one_that_does_not_come_is_not_waited_for(void **state)
{
    int code[MOST];
    (void)state;
    start(one_stays_away, 3, code);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(code[i], 0);
    assert_true(is_clean());
}

static int another_command(unsigned rank, unsigned ranks)
{
    Ranks *r   = NULL;
    Str    why = {0};
    Status s   = open_as(rank, ranks, rank == 2 ? "check b.cu" : "check a.cu", &why, &r);
    return !(s == WW_ERR_INVALID && !r && says(&why, "does something else: check "));
}

static void ranks_of_another_command_do_not_meet(void **state)
{
    int code[MOST];
    (void)state;
    start(another_command, 3, code);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(code[i], 0);
    assert_true(is_clean());
}

static int one_fails(unsigned rank, unsigned ranks)
{
    Ranks *r    = NULL;
    Str    why  = {0};
    Parcel mine = {0}, theirs[MOST];
    if (open_as(rank, ranks, "fail", &why, &r) != WW_OK)
        return 1;
    bool good = true;
    if (rank == 2)
        ranks_fail(r, "no device memory");
    else
        good = ranks_exchange(r, &mine, theirs, &why) == WW_ERR_INVALID && says(&why, "rank 2: no device memory");
    ranks_close(r);
    return !good;
}

static void the_words_of_one_that_fails_reach_all(void **state)
{
    int code[MOST];
    (void)state;
    start(one_fails, 4, code);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(code[i], 0);
    assert_true(is_clean());
}

/* ---- who --------------------------------------------------------------------------------------------------------- */

static void launchers_are_recognised(void **state)
{
    RanksWho w;
    (void)state;
    assert_false(ranks_who(&w));
    setenv("SLURM_PROCID", "0", 1); /* a batch script: no rank */
    setenv("SLURM_NTASKS", "4", 1);
    assert_false(ranks_who(&w));
    setenv("SLURM_PROCID", "3", 1);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    setenv("SLURM_JOB_ID", "77", 1);
    setenv("SLURM_STEP_ID", "2", 1);
    assert_true(ranks_who(&w));
    assert_true(w.rank == 3 && w.ranks == 4 && !w.local);
    assert_string_equal(w.job, "77.2");
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    setenv("PMIX_NAMESPACE", "prterun-host/1@x", 1); /* what goes into a file's name */
    assert_true(ranks_who(&w));
    assert_true(w.rank == 1 && w.ranks == 2 && w.local == 2);
    assert_string_equal(w.job, "prterun-host_1_x");
    unsetenv("PMIX_NAMESPACE");
    assert_true(ranks_who(&w) && w.job[0] == 'p');
    setenv("OMPI_COMM_WORLD_RANK", "2", 1); /* no rank of two */
    assert_true(ranks_who(&w) && w.ranks == 4);
    setenv("WARPWRIGHT_RANK_COUNT", "x", 1);
    setenv("WARPWRIGHT_RANK", "0", 1);
    assert_true(ranks_who(&w) && w.ranks == 4);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_gets_what_the_others_gave),
        cmocka_unit_test(sessions_follow_each_other),
        cmocka_unit_test(a_dead_rank_is_noticed),
        cmocka_unit_test(one_that_does_not_come_is_not_waited_for),
        cmocka_unit_test(ranks_of_another_command_do_not_meet),
        cmocka_unit_test(the_words_of_one_that_fails_reach_all),
        cmocka_unit_test(launchers_are_recognised),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}

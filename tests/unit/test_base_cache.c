/* SPDX-License-Identifier: Apache-2.0
 *
 * Caches on disk: what is kept is found again, by others too; what is damaged in any place is a miss and goes; the limit holds and keeps what
 * was used last; processes and threads that store, look and remove at once never see a wrong byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cache.h"

enum { SEAL = 56, MOST = 1 << 20 };

static char root[] = "/tmp/warpwright-test-XXXXXX";

static Content key_of(unsigned n)
{
    return content_of(&n, sizeof n);
}

static Cache *open_cache(const char *name, uint64_t most)
{
    Str    why = {0};
    Cache *c   = cache_open(name, most, &why);
    assert_non_null(c);
    assert_int_equal(why.len, 0);
    return c;
}

static char *path_of(Cache *c, unsigned n)
{
    static char text[512];
    Str         path = {0};
    assert_true(cache_path(c, key_of(n), &path));
    assert_true(path.len < sizeof text);
    strcpy(text, path.s);
    str_free(&path);
    return text;
}

static bool holds(Cache *c, unsigned n, const void *bytes, size_t len)
{
    Str  got = {0};
    bool ok  = cache_find(c, key_of(n), &got);
    if (ok) {
        assert_int_equal(got.len, len);
        assert_memory_equal(str_text(&got), bytes, len);
    }
    str_free(&got);
    return ok;
}

/* Published results of MurmurHash3_x64_128. */
static void contents_have_the_published_bits(void **state)
{
    (void)state;
    static const char fox[] = "The quick brown fox jumps over the lazy dog";
    Content           c     = content_of(fox, sizeof fox - 1);
    assert_true(c.word[0] == 0xe34bbc7bbc071b6cu && c.word[1] == 0x7a433ca9c49a9347u);
    c = content_of("", 0);
    assert_true(c.word[0] == 0 && c.word[1] == 0);
    for (size_t step = 1; step < sizeof fox; step++) {
        ContentHash h = {0};
        for (size_t at = 0; at < sizeof fox; at += step)
            content_add(&h, fox + at, at + step < sizeof fox ? step : sizeof fox - at);
        assert_true(content_same(content_end(&h), content_of(fox, sizeof fox)));
    }
}

static void what_is_stored_is_found(void **state)
{
    (void)state;
    Cache *c = open_cache("plain", MOST), *other;
    assert_false(holds(c, 1, "", 0));
    assert_true(cache_store(c, key_of(1), "one\0two", 7));
    assert_true(cache_store(c, key_of(2), "", 0));
    other = open_cache("plain", MOST);
    assert_true(holds(other, 1, "one\0two", 7) && holds(other, 2, "", 0));
    assert_false(holds(other, 3, "", 0));
    assert_true(cache_store(other, key_of(1), "new", 3)); /* the last one holds */
    assert_true(holds(c, 1, "new", 3));
    cache_close(other);
    other = open_cache("other", MOST);
    assert_false(holds(other, 1, "new", 3));
    cache_close(other);
    cache_close(c);
}

static void a_file_is_adopted(void **state)
{
    (void)state;
    Cache *c    = open_cache("files", MOST);
    Str    path = {0};
    int    fd   = cache_temporary(c, &path);
    assert_true(fd >= 0 && write(fd, "machine code", 12) == 12);
    close(fd);
    assert_true(cache_adopt(c, key_of(7), path.s));
    assert_int_equal(access(path.s, F_OK), -1);
    assert_true(holds(c, 7, "machine code", 12));
    struct stat st;
    assert_int_equal(stat(path_of(c, 7), &st), 0);
    assert_int_equal(st.st_size, 12 + SEAL);
    assert_false(cache_adopt(c, key_of(8), "/nowhere/at/all"));
    str_free(&path);
    cache_close(c);
}

static void rewrite(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void damage_is_a_miss(void **state)
{
    (void)state;
    enum { BYTES = 5, ALL = BYTES + SEAL };
    Cache *c = open_cache("damaged", MOST);
    char   was[ALL + 1], now[ALL + 1], path[512];
    assert_true(cache_store(c, key_of(1), "bytes", BYTES));
    strcpy(path, path_of(c, 1));
    FILE *f = fopen(path, "r");
    assert_int_equal(fread(was, 1, sizeof was, f), ALL);
    fclose(f);
    for (size_t i = 0; i < ALL; i++) {
        memcpy(now, was, ALL);
        now[i] ^= 1;
        rewrite(path, now, ALL); /* a bit is another */
        assert_false(holds(c, 1, "", 0));
        assert_int_equal(access(path, F_OK), -1);
        rewrite(path, was, i); /* the end is missing */
        assert_false(holds(c, 1, "", 0));
    }
    now[ALL] = 0;
    memcpy(now, was, ALL);
    rewrite(path, now, ALL + 1); /* something was added */
    assert_false(holds(c, 1, "", 0));
    rewrite(path, was, ALL);
    assert_true(holds(c, 1, "bytes", BYTES));
    char moved[512]; /* an entry under another's name */
    assert_true(cache_store(c, key_of(2), "other", BYTES));
    strcpy(moved, path_of(c, 2));
    assert_int_equal(rename(path, moved), 0);
    assert_false(holds(c, 2, "", 0));
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(holds(c, 1, "", 0));
    assert_false(cache_store(c, key_of(1), "bytes", BYTES));
    assert_int_equal(rmdir(path), 0);
    cache_close(c);
}

static unsigned files_in(const char *name, uint64_t *bytes)
{
    char        path[300];
    struct stat st;
    unsigned    n = 0;
    snprintf(path, sizeof path, "%s/%s", root, name);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *f; (f = readdir(d));)
        if (fstatat(dirfd(d), f->d_name, &st, 0) == 0 && S_ISREG(st.st_mode)) {
            *bytes += (uint64_t)st.st_size;
            n++;
        }
    closedir(d);
    return n;
}

static void set_age(const char *path, long seconds)
{
    struct timespec now, t[2];
    clock_gettime(CLOCK_REALTIME, &now);
    t[0] = t[1] = (struct timespec){now.tv_sec - seconds, 0};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void the_limit_keeps_what_was_used_last(void **state)
{
    (void)state;
    enum { ROOM = 10, BYTES = 1000 - SEAL };
    static char bytes[3000];
    Cache      *c = open_cache("limited", ROOM * 1000);
    for (unsigned i = 0; i < ROOM; i++) {
        assert_true(cache_store(c, key_of(i), bytes, BYTES));
        set_age(path_of(c, i), 100 - (long)i);
    }
    assert_true(holds(c, 0, bytes, BYTES)); /* used now: the youngest */
    Str stale = {0}, fresh = {0};
    close(cache_temporary(c, &stale));
    close(cache_temporary(c, &fresh));
    set_age(stale.s, 4000);
    char alien[300];
    snprintf(alien, sizeof alien, "%s/limited/README", root);
    rewrite(alien, bytes, sizeof bytes);
    assert_true(cache_store(c, key_of(ROOM), bytes, BYTES));
    for (unsigned i = 0; i <= ROOM; i++)
        assert_int_equal(holds(c, i, bytes, BYTES), i == 0 || i > 4); /* three quarters: 7 of 10 */
    assert_int_equal(access(stale.s, F_OK), -1);
    assert_int_equal(access(fresh.s, F_OK), 0);
    assert_int_equal(access(alien, F_OK), 0); /* nothing of ours */
    assert_false(cache_store(c, key_of(ROOM + 1), bytes, ROOM * 1000 / 4 - SEAL + 1));
    assert_true(cache_store(c, key_of(ROOM + 1), bytes, ROOM * 1000 / 4 - SEAL));
    unlink(fresh.s);
    unlink(alien);
    str_free(&stale);
    str_free(&fresh);
    cache_close(c);
}

/* What key n holds: its length and bytes follow from n. */
static size_t contents(unsigned n, char *out)
{
    size_t len = 1 + n * 37 % 900;
    for (size_t i = 0; i < len; i++)
        out[i] = (char)(n * 7 + i * 13);
    return len;
}

static void *crowd(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    char     want[1000];
    Cache   *c = open_cache("crowded", 16000);
    for (unsigned i = 0; i < 400; i++) {
        unsigned n   = (seed = seed * 1664525 + 1013904223) >> 26;
        size_t   len = contents(n, want);
        if (!holds(c, n, want, len))
            assert_true(cache_store(c, key_of(n), want, len));
    }
    cache_close(c);
    return NULL;
}

static void crowds_see_no_wrong_byte(void **state)
{
    (void)state;
    enum { PROCESSES = 4, THREADS = 2 };
    uint64_t bytes = 0;
    for (unsigned p = 0; p < PROCESSES; p++)
        if (fork() == 0) {
            pthread_t t[THREADS];
            for (unsigned i = 0; i < THREADS; i++)
                if (pthread_create(&t[i], NULL, crowd, (void *)(uintptr_t)(p * 100 + i + 1)) != 0)
                    _exit(2);
            for (unsigned i = 0; i < THREADS; i++)
                pthread_join(t[i], NULL);
            _exit(0);
        }
    for (unsigned p = 0; p < PROCESSES; p++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_true(files_in("crowded", &bytes) > 4);
    assert_true(bytes <= 16000 * (PROCESSES * THREADS + 1));
}

static void refuses(const char *value, const char *text)
{
    Str why = {0};
    setenv(CACHE_VARIABLE, value, 1);
    assert_null(cache_open("refused", MOST, &why));
    if (text)
        assert_non_null(strstr(str_text(&why), text));
    else
        assert_int_equal(why.len, 0);
    str_free(&why);
    setenv(CACHE_VARIABLE, root, 1);
}

static void the_variable_says_where(void **state)
{
    (void)state;
    char path[300];
    refuses("off", NULL);
    refuses("here", "'here' is neither 'off' nor an absolute path");
    refuses("/dev/null", "Not a directory");
    snprintf(path, sizeof path, "%s/open", root);
    assert_true(mkdir(path, 0700) == 0 && chmod(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/open/refused", root);
    assert_true(mkdir(path, 0777) == 0 && chmod(path, 0777) == 0);
    snprintf(path, sizeof path, "%s/open", root);
    refuses(path, "somebody else may write there");
    snprintf(path, sizeof path, "%s/xdg", root);
    setenv("XDG_CACHE_HOME", path, 1);
    unsetenv(CACHE_VARIABLE);
    cache_close(open_cache("deep", MOST));
    snprintf(path, sizeof path, "%s/xdg/warpwright/deep", root);
    assert_int_equal(access(path, F_OK), 0);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", root, 1);
    cache_close(open_cache("deep", MOST));
    snprintf(path, sizeof path, "%s/.cache/warpwright/deep", root);
    assert_int_equal(access(path, F_OK), 0);
    setenv(CACHE_VARIABLE, root, 1);
}

static void no_cache_holds_nothing(void **state)
{
    (void)state;
    Str none = {0};
    assert_false(cache_find(NULL, key_of(1), &none) || cache_path(NULL, key_of(1), &none));
    assert_false(cache_store(NULL, key_of(1), "x", 1));
    assert_int_equal(cache_temporary(NULL, &none), -1);
    assert_int_equal(none.len, 0);
    cache_close(NULL);
    /* A folder that goes away under it */
    Cache *c = open_cache("gone", MOST);
    char   path[300];
    snprintf(path, sizeof path, "%s/gone", root);
    assert_int_equal(rmdir(path), 0);
    assert_false(cache_store(c, key_of(1), "x", 1) || cache_find(c, key_of(1), &none));
    cache_close(c);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) && setenv(CACHE_VARIABLE, root, 1) == 0 ? 0 : -1;
}

static int drop_root(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command); // NOLINT(bugprone-command-processor): the name is ours
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_have_the_published_bits),
        cmocka_unit_test(what_is_stored_is_found),
        cmocka_unit_test(a_file_is_adopted),
        cmocka_unit_test(damage_is_a_miss),
        cmocka_unit_test(the_limit_keeps_what_was_used_last),
        cmocka_unit_test(crowds_see_no_wrong_byte),
        cmocka_unit_test(the_variable_says_where),
        cmocka_unit_test(no_cache_holds_nothing),
    };
    return cmocka_run_group_tests(tests, make_root, drop_root);
}

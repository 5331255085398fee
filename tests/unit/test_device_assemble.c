/* SPDX-License-Identifier: Apache-2.0
 *
 * What an assembler refuses is kept as what it makes is: a stand-in for ptxas counts how often it is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/assemble.h"

static char folder[] = "/tmp/warpwright-assemble-XXXXXX", program[64], asked[64];

static void ptxas_says(const char *line)
{
    FILE *f = fopen(program, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\necho x >> %s\n%s\n", asked, line);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(program, 0700), 0);
}

static long times_asked(void)
{
    struct stat s;
    return stat(asked, &s) == 0 ? (long)s.st_size / 2 : 0;
}

static void refuses(const char *text, const char *arch, const char *words)
{
    Str code = {0}, why = {0};
    assert_false(assemble(text, strlen(text), arch, &code, &why));
    assert_string_equal(str_text(&why), words);
    str_free(&code);
    str_free(&why);
}

static void refusals_are_kept(void **state)
{
    static const char words[] = "ptxas refuses it: ptxas fatal: no such gpu-name";
    (void)state;
    ptxas_says("echo 'ptxas fatal: no such gpu-name'; echo more; exit 1");
    for (int i = 0; i < 3; i++)
        refuses("text", "sm_20", words);
    assert_int_equal(times_asked(), 1);
    refuses("text", "sm_21", words);
    refuses("texts", "sm_20", words);
    assert_int_equal(times_asked(), 3);
    ptxas_says("echo 'another now'; exit 1 # it is no longer the same");
    refuses("text", "sm_20", "ptxas refuses it: another now");
    assert_int_equal(times_asked(), 4);
}

static void what_may_pass_is_not(void **state)
{
    (void)state;
    ptxas_says("echo 'ptxas fatal: Memory allocation failure'; exit 1");
    for (int i = 0; i < 2; i++)
        refuses("text", "sm_30", "ptxas refuses it: ptxas fatal: Memory allocation failure");
    assert_int_equal(times_asked(), 6);
}

static int begin(void **state)
{
    char path[4096];
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(program, sizeof program, "%s/ptxas", folder);
    snprintf(asked, sizeof asked, "%s/asked", folder);
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("WARPWRIGHT_CACHE", folder, 1);
    return 0;
}

static int end(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusals_are_kept), cmocka_unit_test(what_may_pass_is_not)};
    return cmocka_run_group_tests(tests, begin, end);
}

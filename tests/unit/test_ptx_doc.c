/* SPDX-License-Identifier: Apache-2.0
 *
 * docs/instructions.md is what tools/isa_doc.c prints today. */
#define ISA_DOC_NO_MAIN 1
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/isa_doc.c"

static char *contents(FILE *f)
{
    char  *text = malloc(1 << 20);
    size_t n    = fread(text, 1, (1 << 20) - 1, f);
    text[n]     = 0;
    return text;
}

static void test_current(void **state)
{
    (void)state;
    FILE *doc = fopen(WW_TEST_DATA "/../../docs/instructions.md", "r"), *now = tmpfile();
    assert_non_null(doc);
    assert_non_null(now);
    isa_doc(now);
    rewind(now);
    char *a = contents(doc), *b = contents(now);
    if (strcmp(a, b) != 0)
        fail_msg("docs/instructions.md is not what tools/isa_doc.c prints: run it again");
    free(a);
    free(b);
    fclose(doc);
    fclose(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

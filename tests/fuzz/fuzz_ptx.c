/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes at all as PTX: the parser either gives a module or at least one located message, and a module's print is a
 * fixed point: it parses again and prints the same. */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"
#include "tests/fuzz/fuzz.h"

static void check_print(const Module *m)
{
    Str     first = {0}, second = {0};
    Module *again = NULL;
    Diags   diags;
    diags_init(&diags);
    ptx_print(m, &first);
    if (ptx_parse("printed", str_text(&first), first.len, &diags, &again) != WW_OK) {
        diags_render(&diags, &second);
        str_add(&second, str_text(&first));
        fuzz_fail("what was printed does not parse", str_text(&second));
    }
    ptx_print(again, &second);
    if (first.len != second.len || memcmp(str_text(&first), str_text(&second), first.len) != 0)
        fuzz_fail("printing again prints something else", str_text(&first));
    ptx_module_free(again);
    diags_free(&diags);
    str_free(&first);
    str_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Module  *m = NULL;
    Diags    diags;
    Str      text = {0};
    uint8_t *copy = fuzz_bytes(data, size);
    diags_init(&diags);
    Status s = ptx_parse("fuzz.ptx", (const char *)copy, size, &diags, &m);
    diags_render(&diags, &text);
    if (s != WW_OK && (diags.errors == 0 || text.len == 0))
        fuzz_fail("refused without a message", "");
    if ((s == WW_OK) != (m != NULL))
        fuzz_fail("status and module disagree", str_text(&text));
    if (m)
        check_print(m);
    ptx_module_free(m);
    diags_free(&diags);
    str_free(&text);
    free(copy);
    return 0;
}

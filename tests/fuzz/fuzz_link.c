/* SPDX-License-Identifier: Apache-2.0
 *
 * Up to four texts, divided by lines of four equals signs, linked into one module.  It is refused with a message, or the result is text:
 * where every part was a module, so is the result.  Linking the same again gives the same. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/link.h"
#include "ptx/ptx.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_PARTS = 4 };

static bool is_module(const char *text, size_t len, Str *why)
{
    Module *m = NULL;
    Diags   diags;
    diags_init(&diags);
    bool ok = ptx_parse("part", text, len, &diags, &m) == WW_OK;
    diags_render(&diags, why);
    diags_free(&diags);
    ptx_module_free(m);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char        mark[]            = "\n====\n";
    static const char *const names[MOST_PARTS] = {"a", "b", "c", "d"};
    LinkInput                in[MOST_PARTS]    = {0};
    size_t                   n                 = 0;
    for (const uint8_t *at = data, *end = data + size; at && n < MOST_PARTS;) {
        const uint8_t *cut = memmem(at, (size_t)(end - at), mark, sizeof mark - 1);
        size_t         len = (size_t)((cut ? cut : end) - at);
        in[n]              = (LinkInput){names[n], (char *)fuzz_bytes(at, len), len};
        at                 = cut ? cut + sizeof mark - 1 : NULL;
        n++;
    }
    Str out = {0}, why = {0}, again = {0}, parts = {0};
    if (ptx_link(in, n, &out, &why) != WW_OK) {
        if (why.len == 0)
            fuzz_fail("refused without a message", "");
    } else {
        bool modules = true;
        for (size_t i = 0; i < n; i++)
            modules = is_module(in[i].text, in[i].len, &parts) && modules;
        str_clear(&parts);
        /* whether declarations in several modules agree, the parser of all says */
        if (modules && !is_module(str_text(&out), out.len, &parts) &&
            !strstr(str_text(&parts), "does not agree with its declaration")) {
            str_add(&parts, str_text(&out));
            fuzz_fail("modules were linked to what is none", str_text(&parts));
        }
        if (ptx_link(in, n, &again, &why) != WW_OK || again.len != out.len || memcmp(again.s, out.s, out.len) != 0)
            fuzz_fail("linking again gives something else", "");
    }
    for (size_t i = 0; i < n; i++)
        free((char *)in[i].text);
    str_free(&out);
    str_free(&why);
    str_free(&again);
    str_free(&parts);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as machine code.  What is refused is refused with a message; what is not has functions whose words lie in the file, texts
 * without a zero, and lines that a text has or that are 0. */
#include <stdlib.h>
#include <string.h>

#include "sass/cubin.h"
#include "tests/fuzz/fuzz.h"

static size_t look_at(const CubinFunc *f, const uint8_t *data, size_t size)
{
    size_t sum = strlen(f->name);
    if (f->code < data || f->words * SASS_WORD > size || f->code + f->words * SASS_WORD > data + size)
        fuzz_fail("a function outside of the file", f->name);
    for (size_t i = 0; i < f->words * SASS_WORD; i++)
        sum += f->code[i];
    for (size_t i = 0; f->line && i < f->words; i++)
        sum += f->line[i];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = fuzz_bytes(data, size);
    Cubin   *c    = NULL;
    Str      why  = {0};
    Status   s    = cubin_open(copy, size, &c, &why);
    if (s != WW_OK && why.len == 0)
        fuzz_fail("refused without a message", "");
    for (size_t i = 0; s == WW_OK && i < c->funcs; i++)
        (void)look_at(&c->func[i], copy, size);
    for (size_t i = 0; s == WW_OK && i < c->texts; i++)
        if (strlen(c->text[i].ptx) != c->text[i].len)
            fuzz_fail("a zero in the text", c->text[i].name);
    for (size_t i = 0; s == WW_OK && i < c->texts; i++) {
        Str ptx = {0};
        cubin_ptx(c, &c->text[i], &ptx);
        if (ptx.len < c->text[i].len)
            fuzz_fail("text was lost with its places", c->text[i].name);
        str_free(&ptx);
    }
    if (s == WW_OK)
        cubin_free(c);
    str_free(&why);
    free(copy);
    return 0;
}

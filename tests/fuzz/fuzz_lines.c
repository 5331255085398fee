/* SPDX-License-Identifier: Apache-2.0
 *
 * The line tables of any PTX: .file, .loc with inlined_at, sections of debug information.  Every instruction has a place with a file and
 * a line; the places that it was inlined from are not more than were asked for; every line of the text can be shown. */
#include <stdlib.h>
#include <string.h>

#include "ptx/place.h"
#include "tests/fuzz/fuzz.h"

enum { MOST = 8 };

static void check_instruction(const Module *m, const Instr *in)
{
    Place place = instr_place(m, in), user = instr_user_place(m, in), calls[MOST];
    if (!place.file || !user.file)
        fuzz_fail("a place without a file", m->name);
    if (place.from_ptx && !ptx_source_line(m, place.line))
        fuzz_fail("a place outside the text", m->name);
    size_t n = instr_inlined(m, in, calls, MOST);
    if (n > MOST)
        fuzz_fail("more places than were asked for", m->name);
    for (size_t i = 0; i < n; i++)
        if (!calls[i].file || place_is_system(calls[i].file))
            fuzz_fail("an inlined call without a file of the user's", m->name);
    if (instr_inlined(m, in, calls, 0) != 0)
        fuzz_fail("a place though none was asked for", m->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Module  *m    = NULL;
    uint8_t *copy = fuzz_bytes(data, size);
    Diags    diags;
    diags_init(&diags);
    if (ptx_parse("lines.ptx", (const char *)copy, size, &diags, &m) == WW_OK)
        for (size_t i = 0; i < m->nfuncs; i++)
            for (size_t k = 0; k < m->funcs[i]->ninstrs; k++)
                check_instruction(m, &m->funcs[i]->instrs[k]);
    ptx_module_free(m);
    diags_free(&diags);
    free(copy);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The PTX of machine code (sass/cubin.h), for programs that load cubins: Triton, numba and nvcc -cubin with -lineinfo.  A cubin that a program
 * hands over has no length beside it: its header says where its tables of sections and segments end, and they stand last.  What the header
 * says is believed as far as the driver believes it: the bytes are the program's own. */
#include "cuda/image/code.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ptx/link.h"
#include "sass/cubin.h"
#include "sass/elf.h"

enum { HEADER = 64, MACHINE = 18, SEGMENTS_AT = 32, SECTIONS_AT = 40, SEGMENT_BYTES = 54, MOST = 1 << 30 };

bool code_is(const void *data, size_t limit, size_t *bytes, bool *other)
{
    const uint8_t *p = data;
    *other           = false;
    if (limit < HEADER || memcmp(p, "\177ELF\2\1", 6) != 0)
        return false;
    *other       = elf_u16(p + MACHINE) != ELF_CUDA;
    uint64_t end = HEADER;
    for (int table = 0; table < 2; table++) { /* segments, sections: where | ... | bytes of an entry u16, entries u16 */
        uint64_t at = elf_u64(p + (table ? SECTIONS_AT : SEGMENTS_AT));
        uint64_t n  = (uint64_t)elf_u16(p + SEGMENT_BYTES + 4 * table) * elf_u16(p + SEGMENT_BYTES + 4 * table + 2);
        if (at <= MOST && at + n > end)
            end = at + n;
    }
    *bytes = limit == SIZE_MAX || end < limit ? (size_t)end : limit;
    return !*other;
}

static Status join(const Cubin *c, Str *ptx, Str *why)
{
    Str       *text = xcalloc(c->texts, sizeof *text);
    LinkInput *in   = xcalloc(c->texts, sizeof *in);
    for (size_t i = 0; i < c->texts; i++) {
        cubin_ptx(c, &c->text[i], &text[i]);
        in[i] = (LinkInput){c->text[i].name, text[i].s, text[i].len};
    }
    Status s = WW_OK;
    if (c->texts == 1)
        str_addn(ptx, text[0].s, text[0].len);
    else
        s = ptx_link(in, c->texts, ptx, why);
    for (size_t i = 0; i < c->texts; i++)
        str_free(&text[i]);
    free(in);
    free(text);
    return s;
}

Status code_ptx(const void *code, size_t bytes, Str *ptx, Str *why)
{
    Cubin *c = NULL;
    Status s = cubin_open(code, bytes, &c, why);
    if (s != WW_OK)
        return s;
    if (c->texts) {
        s = join(c, ptx, why);
    } else {
        str_printf(why,
                   "the module is machine code (a cubin) without the PTX it was made from, and only PTX can be run: "
                   "make it with line "
                   "information (nvcc -lineinfo, ptxas --generate-line-info, lineinfo=True), or load the PTX%s%s",
                   c->note ? "; " : "", c->note ? c->note : "");
        s = WW_ERR_NOT_FOUND;
    }
    cubin_free(c);
    return s;
}

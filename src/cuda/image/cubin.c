/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads .nv.info of machine code: records of
 *
 *     format u8 | attribute u8 | bytes u16 | symbol u32 | value u32        format 4; others have 4 bytes in all
 *
 * of which the number of registers and the size of a thread's frame are wanted, by symbol.  Nothing else of the code is looked into. */
#include "cuda/image/cubin.h"

#ifdef WW_HAVE_ELF
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { FORMAT_SIZED = 4, ATTR_FRAME_SIZE = 0x11, ATTR_REGCOUNT = 0x2f };

typedef struct Code {
    Elf      *elf;
    Elf_Data *info, *symbols;
    size_t    strings; /* section of the symbols' names */
    size_t    nsymbols;
    unsigned *registers, *stack; /* by symbol */
} Code;

static void find_sections(Code *c)
{
    size_t names;
    if (elf_getshdrstrndx(c->elf, &names) != 0)
        return;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(c->elf, s));) {
        GElf_Shdr   h;
        const char *name = gelf_getshdr(s, &h) ? elf_strptr(c->elf, names, h.sh_name) : NULL;
        if (name && !strcmp(name, ".nv.info"))
            c->info = elf_rawdata(s, NULL);
        if (name && h.sh_type == SHT_SYMTAB && h.sh_entsize) {
            c->symbols  = elf_getdata(s, NULL);
            c->strings  = h.sh_link;
            c->nsymbols = h.sh_size / h.sh_entsize;
        }
    }
}

static void read_info(Code *c)
{
    const uint8_t *p = c->info->d_buf;
    for (size_t at = 0, n = c->info->d_size; p && at + 4 <= n;) {
        uint16_t bytes = 0;
        uint32_t pair[2];
        if (p[at] == FORMAT_SIZED)
            memcpy(&bytes, p + at + 2, sizeof bytes);
        if (bytes == sizeof pair && at + 4 + bytes <= n) {
            memcpy(pair, p + at + 4, sizeof pair);
            if (pair[0] < c->nsymbols && p[at + 1] == ATTR_REGCOUNT)
                c->registers[pair[0]] = pair[1];
            if (pair[0] < c->nsymbols && p[at + 1] == ATTR_FRAME_SIZE)
                c->stack[pair[0]] = pair[1];
        }
        at += 4u + bytes;
    }
}

bool cubin_functions(const void *elf, size_t bytes, CubinEach *each, void *user)
{
    Code c = {0};
    elf_version(EV_CURRENT);
    c.elf = elf_memory((char *)(uintptr_t)elf, bytes);
    if (!c.elf)
        return false;
    find_sections(&c);
    bool ok = c.info && c.symbols;
    if (ok) {
        c.registers = xcalloc(c.nsymbols + 1, sizeof *c.registers);
        c.stack     = xcalloc(c.nsymbols + 1, sizeof *c.stack);
        read_info(&c);
    }
    for (size_t i = 0; ok && i < c.nsymbols; i++) {
        GElf_Sym    s;
        const char *name = gelf_getsym(c.symbols, (int)i, &s) ? elf_strptr(c.elf, c.strings, s.st_name) : NULL;
        if (name && c.registers[i])
            each(user, name, c.registers[i], c.stack[i]);
    }
    free(c.registers);
    free(c.stack);
    elf_end(c.elf);
    return ok;
}
#else
bool cubin_functions(const void *elf, size_t bytes, CubinEach *each, void *user)
{
    (void)elf;
    (void)bytes;
    (void)each;
    (void)user;
    return false;
}
#endif

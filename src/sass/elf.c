/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the table of sections, and nothing else, of
 *
 *     magic 7f 'E' 'L' 'F' | class u8 = 2 | order u8 = 1 | ... | abi u8 at 8 | machine u16 at 18 | table u64 at 40 | flags u32 at 48
 *     | bytes of a row u16 at 58 | rows u16 at 60 | names u16 at 62
 *     row: name u32 | type u32 | flags u64 | address u64 | offset u64 | bytes u64 | link u32 | info u32 | align u64 | entry u64
 *
 * Whoever reads a section's bytes may rely on their lying in the file.  Programs, segments and relocations are left out, and so are
 * files with 65280 sections or more, whose count stands elsewhere. */
#include "sass/elf.h"

#include <string.h>

enum { HEAD = 64, ROW = 64, MANY = 0xff00 };

uint16_t elf_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t elf_u32(const uint8_t *p)
{
    return elf_u16(p) | (uint32_t)elf_u16(p + 2) << 16;
}

uint64_t elf_u64(const uint8_t *p)
{
    return elf_u32(p) | (uint64_t)elf_u32(p + 4) << 32;
}

const char *elf_string(const ElfSection *table, uint64_t at)
{
    if (!table || !table->data || at >= table->bytes || !memchr(table->data + at, 0, table->bytes - at))
        return NULL;
    return (const char *)table->data + at;
}

const ElfSection *elf_find(const ElfFile *e, const char *name)
{
    for (size_t i = 0; i < e->sections; i++)
        if (!strcmp(e->section[i].name, name))
            return &e->section[i];
    return NULL;
}

static bool read_row(const uint8_t *file, size_t n, const uint8_t *row, ElfSection *s)
{
    uint64_t at = elf_u64(row + 24);
    *s          = (ElfSection){.name  = "",
                               .type  = elf_u32(row + 4),
                               .flags = elf_u64(row + 8),
                               .bytes = elf_u64(row + 32),
                               .link  = elf_u32(row + 40),
                               .info  = elf_u32(row + 44)};
    if (s->type == 0 || s->type == ELF_NOBITS)
        return true;
    if (at > n || s->bytes > n - at)
        return false;
    s->data = file + at;
    return true;
}

Status elf_read(Arena *a, const void *bytes, size_t n, ElfFile *out, Str *why)
{
    const uint8_t *f = bytes;
    if (n < HEAD || memcmp(f, "\177ELF\2\1", 6) != 0) {
        str_add(why, "it is not a 64-bit little-endian ELF file");
        return WW_ERR_INVALID;
    }
    uint64_t table = elf_u64(f + 40);
    unsigned rows = elf_u16(f + 60), names = elf_u16(f + 62);
    *out = (ElfFile){.machine = elf_u16(f + 18), .abi = f[8], .flags = elf_u32(f + 48), .sections = rows};
    if (elf_u16(f + 58) != ROW || rows == 0 || rows >= MANY || names >= rows || table > n || (n - table) / ROW < rows) {
        str_printf(why, "its table of %u sections at byte %llu does not lie in its %zu bytes", rows,
                   (unsigned long long)table, n);
        return WW_ERR_INVALID;
    }
    out->section = ARENA_ARRAY(a, ElfSection, rows);
    for (unsigned i = 0; i < rows; i++)
        if (!read_row(f, n, f + table + (size_t)i * ROW, &out->section[i])) {
            str_printf(why, "section %u does not lie in the file's %zu bytes: it is truncated", i, n);
            return WW_ERR_INVALID;
        }
    for (unsigned i = 0; i < rows; i++) {
        const char *name = elf_string(&out->section[names], elf_u32(f + table + (size_t)i * ROW));
        if (name)
            out->section[i].name = name;
    }
    return WW_OK;
}

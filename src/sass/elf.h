/* SPDX-License-Identifier: Apache-2.0
 *
 * The sections of a 64-bit little-endian ELF file in memory, each checked to lie in it. */
#ifndef WW_SASS_ELF_H
#define WW_SASS_ELF_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

enum { ELF_CUDA = 190, ELF_NOBITS = 8, ELF_SYMTAB = 2 };

typedef struct ElfSection {
    const char    *name;
    uint32_t       type, link, info;
    uint64_t       flags;
    const uint8_t *data;  /* in the file; NULL where it has no bytes there (NOBITS) */
    uint64_t       bytes; /* NOBITS: its size all the same */
} ElfSection;

typedef struct ElfFile {
    unsigned    machine, abi;
    uint32_t    flags;
    ElfSection *section; /* in the arena; they point into the file's bytes */
    size_t      sections;
} ElfFile;

/* Numbers as they stand in files. */
uint16_t elf_u16(const uint8_t *p);
uint32_t elf_u32(const uint8_t *p);
uint64_t elf_u64(const uint8_t *p);

/* WW_ERR_INVALID: it is no such file, or a table or section lies outside of it; *why says which. */
Status elf_read(Arena *a, const void *bytes, size_t n, ElfFile *out, Str *why);
/* The first section of that name; NULL: there is none. */
const ElfSection *elf_find(const ElfFile *e, const char *name);
/* The zero-terminated text at an offset of a table of strings; NULL: there is none. */
const char *elf_string(const ElfSection *table, uint64_t at);

#endif

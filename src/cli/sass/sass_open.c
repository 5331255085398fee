/* SPDX-License-Identifier: Apache-2.0
 *
 * From a file to machine code.  What it is, its first bytes say, not its name (but .cu, which is compiled):
 *
 *     an ELF file for a GPU       it is the code
 *     another ELF file            the fat binaries in its sections .nv_fatbin and __nv_relfatbin, each a module: its code for the card, else its PTX
 *     a fat binary                the same, once
 *     anything else               PTX
 *
 * PTX goes to the assembler.  Where there is none, or it refuses, the unit has PTX alone and the reason.  Several fat binaries may hold nothing for
 * the card: a file is refused only when none does. */
#include "cli/sass/sass.h"

#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "device/assemble.h"
#include "ptx/ptx.h"
#include "sass/elf.h"
#include "sass/fatbin.h"

static SassUnit *add_unit(SassFile *f)
{
    f->unit           = xrealloc(f->unit, (f->units + 1) * sizeof *f->unit);
    f->unit[f->units] = (SassUnit){0};
    return &f->unit[f->units++];
}

/* "sm_90a" of a text's .target line; empty: it has none. */
static void target_of(const char *ptx, char *out, size_t most)
{
    const char *at = strstr(ptx, ".target");
    out[0]         = 0;
    if (!at)
        return;
    at += strlen(".target");
    at += strspn(at, " \t");
    size_t n = strcspn(at, ", \t\r\n");
    if (n < most) {
        memcpy(out, at, n);
        out[n] = 0;
    }
}

static Status open_ptx(const char *ptx, size_t len, const Profile *p, SassFile *f)
{
    char      target[32], arch[32];
    SassUnit *u = add_unit(f);
    target_of(ptx, target, sizeof target);
    assemble_arch(p->arch->cc, target, arch, sizeof arch);
    u->assembled = true;
    if (assemble(ptx, len, arch, &u->code, &u->why) && cubin_open(u->code.s, u->code.len, &u->cubin, &u->why) == WW_OK)
        return WW_OK;
    str_addn(&u->ptx, ptx, len);
    return WW_OK;
}

static Status open_code(const void *code, size_t len, SassFile *f, Str *why)
{
    SassUnit *u = add_unit(f);
    str_addn(&u->code, code, len);
    return cubin_open(u->code.s, u->code.len, &u->cubin, why);
}

static Status open_fat(const uint8_t *data, size_t len, const Profile *p, SassFile *f, Str *why)
{
    Str    code = {0}, ptx = {0};
    Status s = WW_OK;
    if (fatbin_code(data, len, p->arch->cc, &code))
        s = open_code(code.s, code.len, f, why);
    else if ((s = fatbin_ptx(data, len, p->arch->cc, &ptx, why)) == WW_OK)
        s = open_ptx(ptx.s, ptx.len, p, f);
    str_free(&code);
    str_free(&ptx);
    return s;
}

/* All containers of a section, which stand one behind the other with zeros between them. */
static Status open_section(const ElfSection *s, const Profile *p, SassFile *f, Str *why)
{
    Status worst = WW_ERR_NOT_FOUND;
    for (uint64_t at = 0; s && s->data && at + 8 <= s->bytes;) {
        size_t n = fatbin_bytes(s->data + at, s->bytes - at);
        if (!n || n > s->bytes - at) {
            at += 8;
            continue;
        }
        Status one = open_fat(s->data + at, n, p, f, why);
        worst      = worst == WW_OK ? WW_OK : one;
        at += n;
    }
    return worst;
}

static Status open_elf(const char *bytes, size_t len, const Profile *p, SassFile *f, Str *why)
{
    Arena  *a = arena_new();
    ElfFile e;
    Status  s = elf_read(a, bytes, len, &e, why);
    if (s == WW_OK && e.machine == ELF_CUDA)
        s = open_code(bytes, len, f, why);
    else if (s == WW_OK) {
        Status plain = open_section(elf_find(&e, ".nv_fatbin"), p, f, why);
        s            = open_section(elf_find(&e, "__nv_relfatbin"), p, f, why);
        s            = plain == WW_OK ? WW_OK : s;
        if (s == WW_ERR_NOT_FOUND && !why->len)
            str_add(why, "no GPU code is embedded in it");
    }
    arena_free(a);
    return s;
}

Status sass_open(const char *path, const Profile *p, SassFile *out, Str *why)
{
    size_t len;
    *out       = (SassFile){0};
    char *text = check_source("sass", path, &len);
    if (!text)
        return WW_ERR_IO;
    Status s;
    if (len >= 4 && !memcmp(text, "\177ELF", 4))
        s = open_elf(text, len, p, out, why);
    else if (fatbin_is(text, len))
        s = open_fat((const uint8_t *)text, len, p, out, why);
    else if (strstr(text, ".version"))
        s = open_ptx(text, len, p, out);
    else {
        str_add(why, "it is neither PTX nor machine code, nor a program");
        s = WW_ERR_INVALID;
    }
    free(text);
    return s;
}

void sass_close(SassFile *f)
{
    for (size_t i = 0; i < f->units; i++) {
        cubin_free(f->unit[i].cubin);
        str_free(&f->unit[i].code);
        str_free(&f->unit[i].ptx);
        str_free(&f->unit[i].why);
    }
    free(f->unit);
}

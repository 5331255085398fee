/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins the PTX of relocatable device code into one text, which is what linking means as long as no two files give the same name to different
 * private things.  Declarations that another file defines are legal PTX in one module.
 * Deliberately not modelled: renaming of private symbols that clash (the parser then reports the second definition), and .file
 * numbers, which are dropped with the line information when there are several files. */
#include "cuda/relfatbin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cuda/fatbin.h"

static bool starts(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && !memcmp(p, word, n);
}

/* A line that may stand only once in a module, or that numbers files. */
static bool is_header(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return starts(p, end, ".version") || starts(p, end, ".target") || starts(p, end, ".address_size") ||
           starts(p, end, ".file") || starts(p, end, ".loc");
}

void ptx_join(Str *ptx, const char *text, size_t len)
{
    if (!ptx->len) {
        str_addn(ptx, text, len);
        return;
    }
    for (const char *p = text, *end = text + len; p < end;) {
        const char *line = p, *nl = memchr(p, '\n', (size_t)(end - p));
        p = nl ? nl + 1 : end;
        if (starts(line, p, "\t.section") || starts(line, p, ".section"))
            break; /* debug sections stand last */
        if (!is_header(line, p))
            str_addn(ptx, line, (size_t)(p - line));
    }
    str_addc(ptx, '\n');
}

static size_t join_section(const uint8_t *p, size_t n, unsigned arch, Str *ptx)
{
    size_t found = 0;
    for (size_t at = 0, len; at + 16 <= n; at += (len + 7) & ~(size_t)7) {
        Str text = {0}, why = {0};
        len = fatbin_bytes(p + at, n - at);
        if (!len) { /* padding between containers */
            len = 8;
            continue;
        }
        if (len <= n - at && fatbin_ptx(p + at, n - at, arch, &text, &why) == WW_OK) {
            ptx_join(ptx, str_text(&text), text.len);
            found++;
        }
        str_free(&text);
        str_free(&why);
    }
    return found;
}

static size_t search_file(int fd, unsigned arch, Str *ptx)
{
    size_t found = 0, names = 0;
    Elf   *e = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (e && elf_getshdrstrndx(e, &names) == 0)
        for (Elf_Scn *s = NULL; (s = elf_nextscn(e, s));) {
            GElf_Shdr   h;
            const char *name = gelf_getshdr(s, &h) ? elf_strptr(e, names, h.sh_name) : NULL;
            Elf_Data   *d    = name && !strcmp(name, "__nv_relfatbin") ? elf_rawdata(s, NULL) : NULL;
            if (d && d->d_buf)
                found += join_section(d->d_buf, d->d_size, arch, ptx);
        }
    if (e)
        elf_end(e);
    return found;
}

bool relfatbin_ptx(const void *inside, unsigned arch, Str *ptx)
{
    Dl_info info;
    int     fd = -1;
    if (dladdr(inside, &info) && info.dli_fname)
        fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    size_t found = fd >= 0 ? search_file(fd, arch, ptx) : 0;
    if (fd >= 0)
        close(fd);
    return found > 0;
}

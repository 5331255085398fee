/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the PTX of relocatable device code in the file it came from and links it: nvcc registers one fat binary of linked machine code for
 * all files, and leaves the PTX of each file in the section. */
#include "cuda/image/relfatbin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "ptx/link.h"
#include "sass/fatbin.h"

typedef struct Texts { /* the PTX found so far */
    Str   *text;
    size_t n;
} Texts;

static void gather(const uint8_t *p, size_t n, unsigned arch, Texts *t)
{
    for (size_t at = 0, len; at + 16 <= n; at += (len + 7) & ~(size_t)7) {
        Str text = {0}, why = {0};
        len = fatbin_bytes(p + at, n - at);
        if (!len) { /* padding between containers */
            len = 8;
            continue;
        }
        if (len <= n - at && fatbin_ptx(p + at, n - at, arch, &text, &why) == WW_OK) {
            t->text         = xrealloc(t->text, (t->n + 1) * sizeof *t->text);
            t->text[t->n++] = text;
        } else {
            str_free(&text);
        }
        str_free(&why);
    }
}

static void search(Elf *e, unsigned arch, Texts *t)
{
    size_t names = 0;
    if (elf_kind(e) == ELF_K_AR) { /* a library: its members, one after the other */
        Elf_Cmd command = ELF_C_READ;
        for (Elf *member; (member = elf_begin(-1, command, e)); elf_end(member)) {
            search(member, arch, t);
            command = elf_next(member);
        }
        return;
    }
    if (elf_getshdrstrndx(e, &names) != 0)
        return;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(e, s));) {
        GElf_Shdr   h;
        const char *name = gelf_getshdr(s, &h) ? elf_strptr(e, names, h.sh_name) : NULL;
        Elf_Data   *d    = name && !strcmp(name, "__nv_relfatbin") ? elf_rawdata(s, NULL) : NULL;
        if (d && d->d_buf)
            gather(d->d_buf, d->d_size, arch, t);
    }
}

static Status link_texts(const Texts *t, Str *ptx, Str *why)
{
    LinkInput *in    = xcalloc(t->n, sizeof *in);
    Str        names = {0};
    for (size_t i = 0; i < t->n; i++)
        str_printf(&names, "device code %zu%c", i + 1, 0);
    const char *name = str_text(&names);
    for (size_t i = 0; i < t->n; i++, name += strlen(name) + 1)
        in[i] = (LinkInput){name, str_text(&t->text[i]), t->text[i].len};
    Status s = ptx_link(in, t->n, ptx, why);
    str_free(&names);
    free(in);
    return s;
}

static Status finish(Texts *t, Str *ptx, Str *why)
{
    Status s = t->n ? link_texts(t, ptx, why) : WW_ERR_NOT_FOUND;
    for (size_t i = 0; i < t->n; i++)
        str_free(&t->text[i]);
    free(t->text);
    return s;
}

Status relfatbin_memory(const void *data, size_t bytes, unsigned arch, Str *ptx, Str *why)
{
    Texts t = {0};
    char *p = xmalloc(bytes ? bytes : 1); /* libelf may write to what it reads */
    memcpy(p, data, bytes);
    Elf *e = elf_version(EV_CURRENT) != EV_NONE ? elf_memory(p, bytes) : NULL;
    if (e) {
        search(e, arch, &t);
        elf_end(e);
    }
    free(p);
    return finish(&t, ptx, why);
}

/* The library that holds the address; the program itself, which the loader has no name for but that which it was called by. */
static int open_holder(const void *inside)
{
    Dl_info          info;
    struct link_map *map = NULL;
    int              fd  = -1;
    if (dladdr1(inside, &info, (void **)&map, RTLD_DL_LINKMAP) && map && map->l_name && *map->l_name)
        fd = open(map->l_name, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fd : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

Status relfatbin_ptx(const void *inside, unsigned arch, Str *ptx, Str *why)
{
    Texts t  = {0};
    int   fd = open_holder(inside);
    Elf  *e  = fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (e) {
        search(e, arch, &t);
        elf_end(e);
    }
    if (fd >= 0)
        close(fd);
    return finish(&t, ptx, why);
}

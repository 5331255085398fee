/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in the table of kernels, whose rows come from kernels/kernels.def, and in the stores with their texts.
 *
 * A store is opened when somebody first asks, by the loader's rules: the run path of whoever contains this file, then
 * LD_LIBRARY_PATH and the system's folders.  What was found is remembered; opening one twice would find the same, so
 * threads need not agree who is first. */
#include "kernels/kernels.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

#ifdef WW_HAVE_ZSTD
#include <zstd.h>
#endif

typedef const KernelText *const *Store;

#define LAB    "libwarpwright-kernels-lab.so.0"
#define MATRIX "libwarpwright-kernels-matrix.so.0"
#define ABSENT(name)                                                                                                   \
    {                                                                                                                  \
        .file = name, .compiler = "",                                                                                  \
        .reason = name " is not beside libwarpwright.so, nor on LD_LIBRARY_PATH (make build makes it)"                 \
    }

enum { STORES = 2 };
static const char *const store_names[STORES] = {LAB, MATRIX};
static const KernelText  absent[STORES]      = {ABSENT(LAB), ABSENT(MATRIX)};
static _Atomic(Store)    opened[STORES];

#define NAME_OF_(x) #x
#define NAME_OF(x)  NAME_OF_(x)

static const KernelEntry entries[] = {
#define KERNEL(entry, path, text) {#entry, "kernels/" path, text},
#include "kernels.def"
#undef KERNEL
};

size_t kernel_count(void)
{
    return sizeof entries / sizeof entries[0];
}

const KernelEntry *kernel_entry(size_t i)
{
    return i < kernel_count() ? &entries[i] : NULL;
}

const KernelEntry *kernel_find(const char *name)
{
    for (size_t i = 0; i < kernel_count(); i++)
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

/* NULL: it is not there. */
static Store store(size_t i)
{
    Store s = atomic_load(&opened[i]);
    if (s)
        return s;
    void *library = dlopen(store_names[i], RTLD_NOW | RTLD_LOCAL);
    s             = library ? (Store)dlsym(library, NAME_OF(KERNEL_STORE)) : NULL;
    atomic_store(&opened[i], s);
    return s;
}

const KernelText *kernel_text_at(size_t i)
{
    for (size_t j = 0; j < STORES; j++)
        for (Store s = store(j); s && *s; s++)
            if (i-- == 0)
                return *s;
    return NULL;
}

const KernelText *kernel_text(const KernelEntry *e, const char *compiler)
{
    for (size_t j = 0; j < STORES; j++)
        for (Store s = store(j); s && *s; s++)
            if (strcmp((*s)->file, e->file) == 0 && (!compiler || strcmp((*s)->compiler, compiler) == 0))
                return *s;
    return kernel_absent();
}

const KernelText *kernel_absent(void)
{
    for (size_t j = 0; j < STORES; j++)
        if (!store(j))
            return &absent[j];
    return NULL;
}

/* A store holds what the same build packed. */
static void unpack(char *out, const KernelText *t)
{
    size_t done = 0;
#ifdef WW_HAVE_ZSTD
    done = ZSTD_decompress(out, t->len, t->data, t->packed);
#endif
    assert(done == t->len);
    (void)out, (void)done;
}

char *kernel_ptx(const KernelText *t)
{
    char *text = xmalloc(t->len + 1);
    if (t->packed)
        unpack(text, t);
    else
        memcpy(text, t->data, t->len);
    text[t->len] = 0;
    return text;
}

const char *kernel_compiler(size_t i)
{
    for (size_t j = 0; kernel_text_at(j); j++) {
        const char *c    = kernel_text_at(j)->compiler;
        bool        seen = false;
        for (size_t k = 0; k < j && !seen; k++)
            seen = strcmp(kernel_text_at(k)->compiler, c) == 0;
        if (!seen && i-- == 0)
            return c;
    }
    return NULL;
}

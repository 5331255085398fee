/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in the table of embedded kernels.  The rows come from kernels/kernels.def, the texts from the build. */
#include "lab/kernels.h"

#include <string.h>

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

const KernelText *kernel_text(const KernelEntry *e, const char *compiler)
{
    for (size_t i = 0; kernel_texts[i]; i++) {
        const KernelText *t = kernel_texts[i];
        if (strcmp(t->file, e->file) == 0 && (!compiler || strcmp(t->compiler, compiler) == 0))
            return t;
    }
    return NULL;
}

const char *kernel_compiler(size_t i)
{
    size_t seen = 0;
    for (size_t j = 0; kernel_texts[j]; j++) {
        const char *c = kernel_texts[j]->compiler;
        if (j > 0 && strcmp(c, kernel_texts[j - 1]->compiler) == 0)
            continue;
        if (seen++ == i)
            return c;
    }
    return NULL;
}

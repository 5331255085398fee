/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of kernels/ as PTX and, where the build was asked for it, as machine code: which there are, from which
 * file, built by which compiler, and why one could not be built.  The texts lie in stores: shared libraries of data,
 * beside libwarpwright.so, one for all programs (kernels/CMakeLists.txt). */
#ifndef WW_LAB_KERNELS_H
#define WW_LAB_KERNELS_H

#include <stddef.h>

/* One file as one compiler built it. */
typedef struct KernelText {
    const char *file;     /* "kernels/aat/1_simple.cu" */
    const char *compiler; /* "nvcc" or "clang" */
    const char *data;     /* kernel_ptx reads it; NULL when it could not be built */
    size_t      packed;   /* bytes of data, as zstd made them; 0: data is the text itself */
    size_t      len;      /* of the text */
    const char *code;     /* machine code (DeviceText); NULL: none */
    int         level;    /* DeviceText's; the file's head comment says it */
    const char *reason;   /* why it could not, one line; NULL when it was */
} KernelText;

/* What a store exports: pointers, the files of the default compiler first, and NULL at the end. */
#define KERNEL_STORE ww_kernel_texts
extern const KernelText *const KERNEL_STORE[];

/* One entry point: a row of kernels/kernels.def. */
typedef struct KernelEntry {
    const char *name; /* of the .entry */
    const char *file; /* as KernelText.file */
    const char *what;
} KernelEntry;

size_t             kernel_count(void);
const KernelEntry *kernel_entry(size_t i);
/* NULL when there is no such entry point. */
const KernelEntry *kernel_find(const char *name);
/* The file of an entry point as `compiler` built it (NULL: the build's default compiler); NULL when the build did not
 * ask that compiler for it.  Where a store is not there: a text without data, with the reason. */
const KernelText *kernel_text(const KernelEntry *e, const char *compiler);
/* What stands for the texts of a store that is not there; NULL when all are. */
const KernelText *kernel_absent(void);
/* The PTX of a text that has data, with a zero behind it; the caller frees it. */
char             *kernel_ptx(const KernelText *t);
/* The i-th text of all stores, NULL past the last. */
const KernelText *kernel_text_at(size_t i);
/* The i-th compiler the build used, NULL past the last. */
const char       *kernel_compiler(size_t i);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of kernels/, embedded at build time as PTX and, where nvcc built them, as machine code: which there are,
 * from which file, built by which compiler, and why one could not be built.  The texts are constants of the program;
 * nothing here allocates. */
#ifndef WW_LAB_KERNELS_H
#define WW_LAB_KERNELS_H

#include <stddef.h>

/* One file as one compiler built it. */
typedef struct KernelText {
    const char *file;     /* "kernels/aat/1_simple.cu" */
    const char *compiler; /* "nvcc" or "clang" */
    const char *ptx;      /* NULL when it could not be built */
    size_t      len;      /* without the terminating zero */
    const char *code;     /* machine code (DeviceText); NULL: none */
    int         level;    /* DeviceText's; the file's head comment says it */
    const char *reason;   /* why it could not, one line; NULL when it was */
} KernelText;

/* Ends with NULL; the files of the default compiler come first. */
extern const KernelText *const kernel_texts[];

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
 * ask that compiler for it. */
const KernelText *kernel_text(const KernelEntry *e, const char *compiler);
/* The i-th compiler the build used, NULL past the last. */
const char *kernel_compiler(size_t i);

#endif

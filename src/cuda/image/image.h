/* SPDX-License-Identifier: Apache-2.0
 *
 * What the program registers or loads: images of device code, kernels and variables in them, known by name and by host address. */
#ifndef WW_CUDA_MODULE_H
#define WW_CUDA_MODULE_H

#include "cuda/process/context.h"

typedef struct Kernel Kernel;
typedef struct Symbol Symbol;

typedef struct Image { /* one fat binary or PTX text */
    const void *data;      /* fat binary in the program, or NULL */
    size_t      limit;     /* bytes of it that may be read */
    void       *own;       /* what data points to, if it is ours */
    const Context *context; /* a module: that was current when it was loaded; else NULL */
    bool        loaded;    /* by a call, not registered by the program */
    Str         why;       /* the message, once it failed */
    Str         ptx;       /* text once it was extracted */
    CuErr       failed;    /* why it cannot be used, once tried */
    char       *name;      /* for messages, with .ptx at its end; owned */
    WwModule   *on[MAX_DEVICES];
    bool        code_read[MAX_DEVICES]; /* its machine code, for registers */
    Kernel     *kernels;
    Symbol     *symbols;
} Image;

struct Kernel { /* cudaKernel_t, cudaFunction_t, CUfunction and CUkernel point here */
    Image   *image;        /* NULL: it was unloaded, and only nodes of graphs still name the kernel */
    size_t   nodes;        /* how many do */
    char    *name, *shown; /* symbol; as people read it */
    int      max_dynamic;  /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1 = not set */
    int      carveout, cache, cluster_policy, non_portable_cluster;
    const void *host;      /* the stub the program knows it by, or NULL */
    const Func *func[MAX_DEVICES]; /* on each device, once it was needed */
    struct KernelCode { bool asked, known; unsigned registers, stack; } code[MAX_DEVICES]; /* kernel_resources */
    struct StatefulLaunch *stateful; /* drv_stateful.c; owned; NULL until used */
    Kernel  *next;
};

struct Symbol {
    Image      *image;
    char       *name;
    const void *host;
    size_t      bytes;
    void      **managed;   /* where the program wants the address of a __managed__ variable, or NULL */
    Symbol     *next;
};

Image *image_new(const void *fatbin, const char *ptx, size_t len, const char *name);
void   image_free(Image *i);
/* The context is destroyed: what was loaded while it was current leaves its devices, variables and all; the images stay as handles of the past. */
void   image_end_context(const Context *c);
/* Does a text that the program hands over begin as PTX does? */
bool   image_begins_as_ptx(const char *s);
/* Is it an image that a call loaded and that was not unloaded? */
bool   image_registered(const Image *i); /* made by image_new and not forgotten, whatever the address is */
bool   image_known(const Image *i);
/* Every kernel of the image as a handle, in the module's order; fewer than n when there are fewer.  NULL list: only counts. */
CuErr  image_kernels(Image *i, Kernel **list, size_t n, size_t *count);
/* The image's module on device n, loaded on first use; NULL with *err. */
WwModule *image_module(Image *i, int n, CuErr *err);

Kernel *image_add_kernel(Image *i, const char *name, const void *host);
/* Kernel of that name: a registered one or one found in the PTX; NULL with *err = cudaErrorSymbolNotFound or the image's error. */
Kernel *image_kernel(Image *i, const char *name, CuErr *err);
/* A node of a graph names the kernel, and no longer does: it stays a kernel for so long, though not one that can be launched. */
void kernel_hold(Kernel *k);
void kernel_let_go(Kernel *k);
/* As people read it: demangled, without parameters. */
const char *kernel_shown(Kernel *k);
/* The PTX function behind a kernel on device n; NULL with *err, also when its module was unloaded. */
const Func *kernel_func(Kernel *k, int n, WwModule **module, CuErr *err);
/* What the program's own machine code for the card says of a kernel whose function kernel_func found: registers of a thread, bytes of a thread's stack.
 * False: it has none, or says nothing. */
bool        kernel_resources(Kernel *k, int n, unsigned *registers, unsigned *stack);
/* The kernel a stub or a handle stands for; NULL with *err = cudaErrorInvalidDeviceFunction. */
Kernel *kernel_find(const void *host, CuErr *err);

Symbol *image_add_symbol(Image *i, const char *name, const void *host, size_t bytes, void **managed);
Symbol *symbol_find(const void *host);
/* Address and size of a variable on device n. */
CuErr   image_variable(Image *i, int n, const char *name, WwPtr *address, size_t *bytes);
/* Where the managed variables of an image are, told to the program. */
CuErr   image_place_managed(Image *i);
/* What register.c calls when an image is gone from the program. */
void    image_forget(Image *i);

#endif

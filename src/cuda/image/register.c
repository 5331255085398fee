/* SPDX-License-Identifier: Apache-2.0
 *
 * What nvcc's generated host code calls before main: registration of fat binaries, kernels and variables.  It only takes notes; nothing is
 * decoded before it is needed.
 *
 *     __cudaRegisterFatBinary(wrapper) -> handle      wrapper: magic u32, version u32, container, file name or prelinked containers
 *     __cudaRegisterFunction / Var / ManagedVar       host address, name
 *     __cudaRegisterFatBinaryEnd */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "cuda/image/image.h"

enum { WRAPPER_MAGIC = 0x466243b1 };

typedef struct Wrapper {
    int         magic, version;
    const void *data;
    const void *more;
} Wrapper;

/* What messages call the device code: "vectorAdd.ptx". */
static const char *program_name(void)
{
    static char name[256];
    if (!*name)
        snprintf(name, sizeof name, "%s.ptx", program_invocation_short_name);
    return name;
}

void **rt___cudaRegisterFatBinary(void *wrapper)
{
    ENTER_ALWAYS();
    const Wrapper *w     = wrapper;
    bool           known = w && w->magic == WRAPPER_MAGIC;
    Image         *i     = image_new(known ? w->data : NULL, NULL, 0, program_name());
    if (!known) {
        i->failed = cudaErrorInvalidKernelImage;
        state_say("the program registers device code in a form that is not known");
    }
    void **handle = xcalloc(1, sizeof *handle);
    *handle       = i;
    return handle;
}

void rt___cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void rt___cudaUnregisterFatBinary(void **handle)
{
    ENTER_ALWAYS();
    if (handle && image_registered(*handle)) {
        image_forget(*handle); /* its memory stays: launches of other threads may still be on their way out */
        *handle = NULL;
    }
}

static Image *image_at(void **handle, const char *name)
{
    return handle && name && image_registered(*handle) ? *handle : NULL;
}

void rt___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                               void *bid, void *block, void *grid, int *warp)
{
    (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    ENTER_ALWAYS();
    if (image_at(handle, name))
        image_add_kernel(*handle, name, host);
}

void rt___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                          int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    ENTER_ALWAYS();
    if (image_at(handle, name))
        image_add_symbol(*handle, name, host, size, NULL);
}

void rt___cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                                 int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    ENTER_ALWAYS();
    if (image_at(handle, name))
        image_add_symbol(*handle, name, host, size, host);
}

void rt___cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size; /* a variable of the host that kernels do not see */
}

void rt___cudaRegisterUnifiedTable(void **handle, void *table)
{
    (void)handle, (void)table; /* only with unified function pointers, which this device says it does not have */
}

void rt___cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim, int norm,
                              int ext)
{
    (void)handle, (void)host, (void)device, (void)name, (void)dim, (void)norm, (void)ext;
    state_missing("__cudaRegisterTexture");
}

void rt___cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int ext)
{
    (void)handle, (void)host, (void)device, (void)name, (void)dim, (void)ext;
    state_missing("__cudaRegisterSurface");
}

char rt___cudaInitModule(void **handle)
{
    ENTER_ALWAYS();
    Image *i = handle ? *handle : NULL;
    if (image_registered(i))
        LEAVE(image_place_managed(i));
    return 1;
}

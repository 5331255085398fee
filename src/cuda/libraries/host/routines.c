/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's BLAS and LAPACK: the shared libraries that Debian's libopenblas0, or libblis4 or libblas3 with liblapack3, bring.  They are
 * loaded when the first routine is wanted, so a program that only makes a handle needs none.  Their integers have 32 bits: larger sizes are
 * not supported. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "cuda/libraries/host/host.h"
#include "cuda/libraries/library.h"

static const char *const libraries[] = {"libopenblas.so.0", "libblis.so.4", "libblas.so.3"};

static void          *library, *lapack; /* lapack: where the BLAS has no routines of that */
static const char    *library_name = "the host";
static pthread_once_t once         = PTHREAD_ONCE_INIT;

__attribute__((constructor)) static void begin(void)
{
    ww_cuda_library_is((void (*)(void))begin);
}

static void load(void)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !library; i++)
        if ((library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL)))
            library_name = libraries[i];
    if (!library)
        fprintf(stderr, "warpwright: the program computes with cuBLAS, which needs a BLAS of the host here: install "
                        "one (Debian: libopenblas0)\n");
    else if (!dlsym(library, "dpotrf_"))
        lapack = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
}

Routine host_routine(const char *name)
{
    Routine r = NULL;
    pthread_once(&once, load);
    if (library)
        *(void **)&r = dlsym(library, name);
    if (!r && lapack)
        *(void **)&r = dlsym(lapack, name);
    return r;
}

const char *host_file(void)
{
    return library_name;
}

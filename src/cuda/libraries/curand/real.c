/* SPDX-License-Identifier: Apache-2.0
 *
 * NVIDIA's libcurand.so.10.  This library has its name and was found before it, so it is looked for by paths: in the other folders of
 * LD_LIBRARY_PATH, beside libraries that are loaded and where Python's packages have it beside those, in the toolkit (CUDA_HOME, CUDA_PATH,
 * /usr/local/cuda), in the system's folder. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/libraries/curand/curand.h"

#define FILE_NAME "libcurand.so.10"

enum { MOST_PATH = 4096 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void          *library;
static char           path[MOST_PATH], own[MOST_PATH];

/* Is there such a file in the folder, and is it not this one?  n: bytes of the folder's name. */
static bool look(const char *folder, size_t n, const char *below)
{
    char file[MOST_PATH], whole[MOST_PATH];
    int  len = snprintf(file, sizeof file, "%.*s/%s%s", (int)n, folder, below, FILE_NAME);
    if (!n || len < 0 || (size_t)len >= sizeof file || access(file, R_OK) != 0 || !realpath(file, whole) ||
        !strcmp(whole, own))
        return false;
    strcpy(path, file);
    return true;
}

static bool look_in_list(const char *list)
{
    for (const char *p = list; p && *p;) {
        size_t n = strcspn(p, ":");
        if (look(p, n, ""))
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

static int look_beside(struct dl_phdr_info *o, size_t size, void *found)
{
    static const char *const below[] = {"", "../../nvidia/curand/lib/", "../../nvidia/cu13/lib/", "../../curand/lib/"};
    const char              *slash   = strrchr(o->dlpi_name, '/');
    (void)size;
    for (size_t i = 0; slash && i < sizeof below / sizeof *below && !*(bool *)found; i++)
        *(bool *)found = look(o->dlpi_name, (size_t)(slash - o->dlpi_name), below[i]);
    return *(bool *)found;
}

static bool find(void)
{
    static const char *const toolkit[] = {"CUDA_HOME", "CUDA_PATH"};
    static const char *const folders[] = {
        "/usr/local/cuda/lib64",      "/usr/local/cuda/lib", "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu", "/usr/lib64",          "/usr/lib"};
    bool found = look_in_list(getenv("LD_LIBRARY_PATH"));
    if (!found)
        dl_iterate_phdr(look_beside, &found);
    for (size_t i = 0; i < sizeof toolkit / sizeof *toolkit && !found; i++) {
        const char *home = getenv(toolkit[i]);
        found            = home && (look(home, strlen(home), "lib64/") || look(home, strlen(home), "lib/"));
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++)
        found = look(folders[i], strlen(folders[i]), "");
    return found;
}

/* dlopen is asked for by the C library's own name: the preloaded one would give this library again. */
static void *load(void)
{
    void *(*open)(const char *, int) = NULL;
    void *c                          = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    void *at                         = c ? dlsym(c, "dlopen") : NULL;
    memcpy(&open, &at, sizeof open);
    return open ? open(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void begin(void)
{
    Dl_info info;
    if (dladdr((void *)(uintptr_t)begin, &info) && info.dli_fname && !realpath(info.dli_fname, own))
        *own = 0;
    ww_cuda_library_is((void (*)(void))begin);
    if (find())
        library = load();
    if (!library)
        fprintf(stderr,
                "warpwright: the program draws random numbers with cuRAND, whose generators of the host make them "
                "here: NVIDIA's " FILE_NAME
                " was not found. It comes with the toolkit and needs no GPU; LD_LIBRARY_PATH may name its folder.\n");
}

Real real_function(const char *name)
{
    pthread_once(&once, begin);
    void *at = library ? dlsym(library, name) : NULL;
    Real  r  = NULL;
    memcpy(&r, &at, sizeof r);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs clang and ld on what emit.c wrote.  Text, bitcode and object are handed over as files without a name, so that nothing is left behind when the
 * program ends meanwhile; clang opens this process's, which no other program inherits.  dlopen needs a name of its own for each object, because
 * it takes equal names for one library: that of the cache, or of a file that is there for this moment only. */
#define _GNU_SOURCE /* memfd_create */
#include "emu/jit/native.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cache.h"
#include "base/command.h"
#include "base/file.h"
#include "base/temporary.h"
#include "emu/jit/pieces.h"

enum { CLANG_SECONDS = 60, CACHE_MIB = 256 };

struct NativeLib {
    void *handle;
};

/* As the bitcode was made (src/CMakeLists.txt). */
static const struct {
    const char *level;
    const char *flags[2];
} levels[] = {
    {"avx512", {"-march=x86-64-v4", "-mprefer-vector-width=512"}},
    {"avx2", {"-march=x86-64-v3"}},
    {"baseline", {"-march=x86-64"}},
};

static const char *const options[] = {
    "-x",
    "c",
    "-O1",
    "-fPIC",
    "-w",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-Xclang", /* hardly a variable stays in memory */
    "-disable-lifetime-markers",
    "-mllvm", /* rows are inlined before anything works on them, not simplified each for itself */
    "-enable-module-inliner"};
enum { OPTIONS = sizeof options / sizeof *options };

static int memory_file(const char *name, const void *data, size_t len)
{
    int fd = memfd_create(name, MFD_CLOEXEC); /* the program may start others meanwhile */
    for (size_t done = 0; fd >= 0 && done < len;) {
        ssize_t n = write(fd, (const char *)data + done, len - done);
        if (n <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)n;
    }
    return fd;
}

static bool read_all(int fd, Str *out)
{
    char    part[1 << 16];
    ssize_t n = 0;
    for (lseek(fd, 0, SEEK_SET); (n = read(fd, part, sizeof part)) > 0;)
        str_addn(out, part, (size_t)n);
    return n == 0 && out->len;
}

/* Object code of the text, and the library of it.  clang would do both, but then in a process of its own for each: a fifth of the time. */
static bool run_clang(char file[4][64], const char *const flags[2], int none, const char **why)
{
    const char *clang              = command_clang();
    const char *args[OPTIONS + 16] = {clang};
    const char *rest[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file[1], "-c", "-o", file[2], file[0]};
    bool        there  = true;
    int         n      = 1;
    for (int i = 0; i < OPTIONS; i++)
        args[n++] = options[i];
    for (int i = 0; i < 2 && flags[i]; i++)
        args[n++] = flags[i];
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        args[n++] = rest[i];
    *why = "clang failed at its native code";
    if (clang && command_run(clang, (char *const *)args, none, CLANG_SECONDS, &there))
        return true;
    if (!clang || !there)
        *why = "there is no clang in PATH";
    return false;
}

static bool run_linker(char file[4][64], int none, const char **why)
{
    const char *args[] = {"ld", "-shared", "-o", file[3], file[2], NULL};
    bool        there  = true;
    *why               = "ld failed at its native code";
    if (command_run("ld", (char *const *)args, none, CLANG_SECONDS, &there))
        return true;
    if (!there)
        *why = "there is no ld in PATH";
    return false;
}

/* What the text becomes. */
static bool compile(const char *text, size_t len, const void *rows, size_t bytes, const char *const flags[2],
                    Str *object, const char **why)
{
    char file[4][64];
    int  none  = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int  fd[4] = {memory_file("kernel", text, len), memory_file("rows", rows, bytes), memory_file("object", "", 0),
                  memory_file("native", "", 0)};
    bool ok    = none >= 0;
    *why       = "there is no room for its native code";
    for (int i = 0; i < 4; i++) {
        ok &= fd[i] >= 0;
        snprintf(file[i], sizeof file[i], "/proc/%ld/fd/%d", (long)getpid(), fd[i]);
    }
    ok = ok && run_clang(file, flags, none, why) && run_linker(file, none, why) && read_all(fd[3], object);
    for (int i = 0; i < 4; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    if (none >= 0)
        close(none);
    return ok;
}

static NativeLib *open_object(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return NULL;
    NativeLib *lib = xcalloc(1, sizeof *lib);
    lib->handle    = handle;
    return lib;
}

static Content key_of(const char *text, size_t len, const void *rows, size_t bytes, const char *level)
{
    ContentHash h = {0};
    content_text(&h, "2");
    content_text(&h, level);
    for (int i = 0; i < OPTIONS; i++)
        content_text(&h, options[i]);
    content_add(&h, rows, bytes);
    content_add(&h, text, len);
    return content_end(&h);
}

static NativeLib *open_cached(Cache *cache, Content key)
{
    Str        path = {0};
    NativeLib *lib  = cache_path(cache, key, &path) ? open_object(str_text(&path)) : NULL;
    str_free(&path);
    return lib;
}

static NativeLib *open_bytes(const Str *object)
{
    char      *name = NULL;
    int        fd   = temporary_file("native", &name);
    NativeLib *lib  = NULL;
    if (fd < 0)
        return NULL;
    if (write(fd, object->s, object->len) == (ssize_t)object->len)
        lib = open_object(name);
    unlink(name);
    close(fd);
    free(name);
    return lib;
}

static NativeLib *make(Cache *cache, Content key, const char *text, size_t len, size_t level, const Str *rows,
                       const char **why)
{
    Str        object = {0};
    NativeLib *lib    = NULL;
    if (compile(text, len, rows->s, rows->len, levels[level].flags, &object, why)) {
        *why = "the native code that clang made cannot be loaded";
        if (cache)
            cache_store(cache, key, object.s, object.len);
        lib = open_cached(cache, key);
        lib = lib ? lib : open_bytes(&object);
    }
    str_free(&object);
    return lib;
}

/* From the cache, or, where why is not NULL, else made. */
static NativeLib *find(const char *text, size_t len, const char *level, const char **why)
{
    NativeLib *lib = NULL;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        Str rows = {0}, reason = {0};
        if (strcmp(levels[i].level, level) == 0 && jit_rows(level, &rows)) {
            Cache  *cache = cache_open("code", (uint64_t)CACHE_MIB << 20, &reason);
            Content key   = key_of(text, len, rows.s, rows.len, level);
            lib           = open_cached(cache, key);
            if (!lib && why)
                lib = make(cache, key, text, len, i, &rows, why);
            cache_close(cache);
        }
        str_free(&rows);
        str_free(&reason);
    }
    return lib;
}

NativeLib *native_load(const char *text, size_t len, const char *level, const char **why)
{
    *why = "this build has no bitcode of the rows: it was made without clang";
    return find(text, len, level, why);
}

NativeLib *native_find(const char *text, size_t len, const char *level)
{
    return find(text, len, level, NULL);
}

void native_unload(NativeLib *lib)
{
    if (!lib)
        return;
    dlclose(lib->handle);
    free(lib);
}

UopFn native_function(NativeLib *lib, uint32_t index)
{
    UopFn fn;
    char  name[24];
    snprintf(name, sizeof name, "native%u", index);
    *(void **)&fn = dlsym(lib->handle, name);
    return fn;
}

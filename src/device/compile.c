/* SPDX-License-Identifier: Apache-2.0
 *
 * nvcc where there is one (on PATH, then in its usual place), else clang with the few CUDA words of kernels/clang_cuda.h, for sources that
 * hold kernels only; $WARPWRIGHT_CLANG asks for clang.  The compiler writes PTX into a temporary file; its messages go to another and come
 * back as text: nothing is printed here.
 *
 * A source that is a text and no file is compiled from a temporary file that begins with a #line of its name, so places name it. */
#include "device/compile.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/command.h"
#include "base/file.h"
#include "base/temporary.h"
#include "device/compiled.h"
#include "device/device.h"

enum { COMPILE_SECONDS = 900, MOST_PTX = 1 << 30, MOST_SAID = 1 << 20 };

extern const char compile_clang_header[]; /* made from kernels/clang_cuda.h when the project is built */

/* The path of a new file with this text; NULL: *said says why. */
static char *temporary(const char *what, const char *text, size_t n, Str *said)
{
    char *path;
    int   fd = temporary_file(what, &path);
    bool  ok = fd >= 0 && write(fd, text, n) == (ssize_t)n;
    if (!ok)
        str_printf(said, "cannot make a temporary file: %s\n", strerror(errno));
    if (fd >= 0)
        close(fd);
    if (ok || !path)
        return path;
    unlink(path);
    free(path);
    return NULL;
}

static void drop(char *path)
{
    if (path)
        unlink(path);
    free(path);
}

/* *there: the program could be started. */
static bool run(const char *const *args, Str *said, bool *there)
{
    char *path;
    int   fd = temporary_file("compiler", &path);
    *there   = false;
    if (fd < 0) {
        str_printf(said, "cannot make a temporary file: %s\n", strerror(errno));
        return false;
    }
    bool ok = command_run(args[0], (char *const *)(uintptr_t)args, fd, COMPILE_SECONDS, there);
    close(fd);
    file_text(path, MOST_SAID, said);
    drop(path);
    return ok;
}

static const char *const nvcc_options[] = {"-ptx", "-O3", "-lineinfo", "-arch=compute_90a", "-x", "cu", NULL};
enum { OPTIONS = sizeof nvcc_options / sizeof *nvcc_options - 1 };

/* `read`, where there is one, gets the names of the files that were read: at no cost, from the preprocessor that nvcc calls anyway. */
static bool with_nvcc(const char *file, const char *out, const char *read, Str *said, bool *there)
{
    const char *args[OPTIONS + 8] = {"nvcc"};
    Str         depend            = {0};
    int         n                 = 1 + OPTIONS;
    memcpy(args + 1, nvcc_options, OPTIONS * sizeof *args);
    if (read && !strchr(read, ',')) { /* a comma ends a word for nvcc */
        str_printf(&depend, "-MD,-MF,%s", read);
        args[n++] = "-Xcompiler";
        args[n++] = depend.s;
    }
    args[n++] = "-o", args[n++] = out, args[n] = file;
    bool ok = run(args, said, there);
    if (!*there) {
        args[0] = COMPILED_NVCC;
        ok      = run(args, said, there);
    }
    str_free(&depend);
    return ok;
}

static bool with_clang(const char *file, const char *out, Str *said, bool *there)
{
    char *header = temporary("clang", compile_clang_header, strlen(compile_clang_header), said);
    *there       = header != NULL;
    if (!header)
        return false;
    const char *clang  = command_clang();
    const char *args[] = {clang ? clang : "clang",
                          "-x",
                          "cuda",
                          "--cuda-device-only",
                          "--cuda-path=/nonexistent",
                          "-nocudainc",
                          "-nocudalib",
                          "-O3",
                          "-S",
                          "--cuda-gpu-arch=sm_70",
                          "-Xclang",
                          "-target-feature",
                          "-Xclang",
                          "+ptx63", /* without a toolkit clang writes an older language, without bar.warp.sync */
                          "-gline-directives-only",
                          "-Wno-unknown-cuda-version",
                          "-include",
                          header,
                          "-o",
                          out,
                          file,
                          NULL};
    bool ok = run(args, said, there);
    drop(header);
    return ok;
}

static Status compile_anew(const char *file, Compiled *c, Str *ptx, Str *said)
{
    char *out   = temporary("compile", "", 0, said);
    char *read  = c && out ? temporary("read", "", 0, said) : NULL;
    bool  there = false, ok = false;
    if (!out || (c && !read)) {
        drop(out);
        return WW_ERR_IO;
    }
    if (!getenv("WARPWRIGHT_CLANG"))
        ok = with_nvcc(file, out, read, said, &there);
    bool by_nvcc = there;
    if (!there)
        ok = with_clang(file, out, said, &there);
    Status s = ok ? WW_OK : there ? WW_ERR_PARSE : WW_ERR_UNAVAILABLE;
    if (ok && !file_text(out, MOST_PTX, ptx)) {
        str_printf(said, "cannot read what the compiler wrote: %s\n", file_error(errno));
        s = WW_ERR_IO;
    }
    if (s == WW_OK && by_nvcc)
        compiled_keep(c, read, ptx, said);
    drop(out);
    drop(read);
    return s;
}

Status compile_cuda(const char *file, bool nameless, Str *ptx, Str *said)
{
    Compiled *c = getenv("WARPWRIGHT_CLANG") ? NULL : compiled_begin(file, nameless, nvcc_options);
    Status    s = compiled_find(c, ptx, said) ? WW_OK : compile_anew(file, c, ptx, said);
    compiled_end(c);
    return s;
}

/* A name between quotes is a name and nothing else. */
static bool is_quotable(const char *name)
{
    return *name && !strpbrk(name, "\"\\\n");
}

/* nvcc writes absolute names: what #line said comes back without this folder. */
static void name_as_given(Str *ptx, const char *name)
{
    char cwd[PATH_MAX];
    Str  whole = {0}, out = {0};
    if (*name == '/' || !getcwd(cwd, sizeof cwd))
        return;
    str_printf(&whole, "\"%s%s%s\"", cwd, cwd[1] ? "/" : "", name);
    const char *at = str_text(ptx);
    for (const char *next; (next = strstr(at, whole.s)); at = next + whole.len) {
        str_addn(&out, at, (size_t)(next - at));
        str_printf(&out, "\"%s\"", name);
    }
    str_add(&out, at);
    str_free(&whole);
    str_free(ptx);
    *ptx = out;
}

static Status compile_text(WwDevice *d, const char *name, const char *source, size_t len, Str *ptx)
{
    Str text = {0}, said = {0};
    str_printf(&text, "#line 1 \"%s\"\n", name);
    str_addn(&text, source, len);
    char  *file = temporary("source", str_text(&text), text.len, &said);
    Status s    = file ? compile_cuda(file, true, ptx, &said) : WW_ERR_IO;
    if (s == WW_ERR_UNAVAILABLE)
        device_fail(d, s, "there is neither nvcc nor clang to compile %s; compile it elsewhere and load the PTX", name);
    else if (s != WW_OK)
        device_fail(d, s, "%s could not be compiled:\n%s", name, str_text(&said));
    if (s == WW_OK)
        name_as_given(ptx, name);
    drop(file);
    str_free(&text);
    str_free(&said);
    return s;
}

WwStatus ww_module_compile(WwDevice *d, const char *name, const char *source, size_t len, WwModule **out)
{
    Str ptx = {0};
    if (out)
        *out = NULL;
    if (!d)
        return WW_ERR_INVALID;
    if (!source || !out)
        return device_fail(d, WW_ERR_INVALID, "ww_module_compile needs a source and a place for the module");
    if (!name || !is_quotable(name))
        return device_fail(d, WW_ERR_INVALID,
                           "ww_module_compile: the name is empty, or has a quotation mark, a backslash or a new line");
    Status s = compile_text(d, name, source, len, &ptx);
    if (s == WW_OK)
        s = ww_module_load(d, name, str_text(&ptx), ptx.len, out);
    str_free(&ptx);
    return s;
}

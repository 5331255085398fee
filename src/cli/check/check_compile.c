/* SPDX-License-Identifier: Apache-2.0
 *
 * From a .cu file to PTX: nvcc where there is one, else clang with the few CUDA words of kernels/clang_cuda.h, for files that hold
 * kernels only.  A .ptx file is read as it is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary.h"
#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/compiler.h"

enum { NO_COMPILER = 127 };

extern const char check_clang_header[]; /* made from kernels/clang_cuda.h when the project is built */

static int run(const char *const *args)
{
    int   status = 0;
    pid_t pid    = fork();
    if (pid == 0) {
        compiler_environment();
        execvp(args[0], (char **)(uintptr_t)args);
        _exit(NO_COMPILER);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return NO_COMPILER;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : NO_COMPILER;
}

/* The path of a new file with this text; NULL after a message. */
static char *temporary(const char *what, const char *text)
{
    char  *path;
    int    fd = temporary_file(what, &path);
    size_t n  = strlen(text);
    bool   ok = fd >= 0 && write(fd, text, n) == (ssize_t)n;
    if (!ok)
        cli_error("check", "cannot make a temporary file: %s", strerror(errno));
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

static int with_clang(const char *source, const char *out)
{
    char *header = temporary("clang", check_clang_header);
    if (!header)
        return 1;
    const char *args[] = {"clang",
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
                          source,
                          NULL};
    int         code   = run(args);
    drop(header);
    return code;
}

static char *compile(const char *source, size_t *len)
{
    if (access(source, R_OK) != 0) {
        cli_error("check", "cannot open '%s': %s", source, strerror(errno));
        return NULL;
    }
    char *out = temporary("check", ""), *name = out ? compiler_source("check", source) : NULL, *text = NULL;
    if (!name) {
        drop(out);
        return NULL;
    }
    const char *args[] = {"nvcc", "-ptx", "-O3", "-lineinfo", "-arch=compute_90a", "-x", "cu", "-o", out, name, NULL};
    int         code   = getenv("WARPWRIGHT_CLANG") ? NO_COMPILER : run(args);
    if (code == NO_COMPILER && !getenv("WARPWRIGHT_CLANG")) {
        args[0] = "/usr/local/cuda/bin/nvcc";
        code    = run(args);
    }
    if (code == NO_COMPILER)
        code = with_clang(name, out);
    if (code == NO_COMPILER)
        cli_error("check", "there is neither nvcc nor clang to compile %s; compile it elsewhere and check the .ptx",
                  source);
    else if (code != 0)
        cli_error("check", "%s could not be compiled", source);
    else
        text = cli_read("check", out, len);
    compiler_done(name, source);
    drop(out);
    return text;
}

char *check_source(const char *file, size_t *len)
{
    size_t n = strlen(file);
    return n > 3 && !strcmp(file + n - 3, ".cu") ? compile(file, len) : cli_read("check", file, len);
}

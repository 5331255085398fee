/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright doctor: what this machine offers, what the program was built with, and what is missing for what.
 * Everything is looked at now, on this machine; nothing is remembered from the build but the embedded kernels and the compiled SIMD
 * levels (WW_LEVEL_LIST comes from CMake).  What is missing is not an error: the exit code is 0, since everything optional has another way. */
#include <gnu/libc-version.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/command.h"
#include "base/simd.h"
#include "cli/cli.h"
#include "device/device.h"
#include "emu/emu.h"
#include "kernels/kernels.h"
#include "model/profile.h"

static void row(const char *name, const char *value)
{
    printf("  %-12s%s\n", name, value);
}

/* The line of `COMMAND --version` that tells the version, without its end; false when the program is not there. */
static bool version_line(const char *command, char *out, size_t size)
{
    char run[128], line[512];
    snprintf(run, sizeof run, "%s --version 2>/dev/null </dev/null", command);
    FILE *p = popen(run, "r");
    if (!p)
        return false;
    bool found = false;
    while (fgets(line, sizeof line, p)) { /* to the end, so that the program is not cut short */
        if (found || (!strstr(line, "version") && !strstr(line, "release")))
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(out, size, "%s", line);
        found = true;
    }
    pclose(p);
    return found;
}

/* Prints the row of the first of the commands that answers; false when none does. */
static bool compiler_row(const char *name, const char *const *commands)
{
    char version[512];
    for (; *commands; commands++) {
        if (version_line(*commands, version, sizeof version)) {
            printf("  %-12s%s (%s)\n", name, version, *commands);
            return true;
        }
    }
    row(name, "not found");
    return false;
}

static void simd_section(void)
{
    Str here = {0};
    for (unsigned i = 0; emu_simd_level(i); i++)
        str_printf(&here, "%s%s", i ? " " : "", emu_simd_level(i));
    puts("simd");
    row("compiled", WW_LEVEL_LIST);
    row("available", str_text(&here));
    row("native code", ww_engine_missing() ? ww_engine_missing() : "by clang (--engine)");
    if (getenv(SIMD_VARIABLE))
        row("limited by", SIMD_VARIABLE);
    row("in use", emu_simd_level(0) ? emu_simd_level(0) : "none");
    printf("  %-12s%ld\n", "cores", sysconf(_SC_NPROCESSORS_ONLN));
    str_free(&here);
}

static void cache_row(void)
{
    Str where = {0}, why = {0};
    if (!cache_where(&where, &why))
        str_add(&where, why.len ? why.s : "off");
    row("cache", where.s);
    str_free(&where);
    str_free(&why);
}

static void library_section(void)
{
    puts("libraries");
    row("warpwright", ww_version());
    row("jansson", jansson_version_str());
    row("glibc", gnu_get_libc_version());
}

/* Counts the embedded kernels and names the files that are not there, with the reason. */
static void kernel_section(Str *missing)
{
    puts("kernels");
    for (size_t c = 0; kernel_compiler(c); c++) {
        size_t files = 0, built = 0, code = 0;
        for (size_t i = 0; kernel_text_at(i); i++) {
            const KernelText *t = kernel_text_at(i);
            if (strcmp(t->compiler, kernel_compiler(c)) != 0)
                continue;
            files++;
            built += t->data != NULL;
            code += t->code != NULL;
            if (!t->data)
                str_printf(missing, "  %s (%s): its experiments cannot run: %s\n", t->file, t->compiler, t->reason);
        }
        printf("  %-12s%zu of %zu files embedded%s", kernel_compiler(c), built, files, c ? "" : " (default)");
        if (code)
            printf(", %zu as machine code, too", code);
        putchar('\n');
    }
    if (kernel_absent())
        str_printf(missing, "  %s\n", kernel_absent()->reason);
    printf("  %-12s%zu\n", "entries", kernel_count());
}

int cmd_doctor(int argc, char **argv)
{
    static const char *const nvcc[]  = {"nvcc", "/usr/local/cuda/bin/nvcc", NULL};
    static const char *const ptxas[] = {"ptxas", "/usr/local/cuda/bin/ptxas", NULL};
    const char *const        clang[] = {command_clang(), NULL};
    CliArgs                  a;
    int                      code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    cli_free(&a);
    Str missing = {0}, gpu = {0};
    simd_section();
    puts("compilers");
    bool has_nvcc = compiler_row("nvcc", nvcc), has_clang = compiler_row("clang", clang);
    if (!has_nvcc && !has_clang)
        str_add(&missing, "  nvcc or clang: building the kernels (Debian: apt-get install clang)\n");
    compiler_row("ptxas", ptxas);
    cache_row();
    library_section();
    puts("gpu");
    bool has_gpu = cuda_describe(&gpu);
    printf("  %s%s", str_text(&gpu), gpu.len && gpu.s[gpu.len - 1] == '\n' ? "" : "\n");
    if (!has_gpu)
        str_add(&missing, "  a GPU with its driver (libcuda.so.1): measured times; counts need none\n");
    puts("profile");
    const Profile *p = profile_find(NULL);
    printf("  %-12s%s, %s\n", "default", p->name, p->title);
    kernel_section(&missing);
    printf("missing\n%s", missing.len ? str_text(&missing) : "  nothing\n");
    str_free(&missing);
    str_free(&gpu);
    return CLI_OK;
}

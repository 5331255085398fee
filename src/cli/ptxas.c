/* SPDX-License-Identifier: Apache-2.0
 *
 * The stand-in for NVIDIA's assembler, for machines without CUDA's toolkit: the executable under the name ptxas (lib/warpwright/bin).  It checks PTX
 * with the emulator's own parser and keeps it in a file that looks like machine code without any, which our loader takes as it takes code with line
 * information:
 *
 *     ELF header | names of sections | a table of no symbols | .nv_debug_ptx_txt: the PTX, a zero for each newline | table of sections
 *
 * It refuses to be an assembler for this project itself, which asks for registers and instructions: that call has none of `run`'s variables.  Options that
 * make code faster or slower change nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "ptx/ptx.h"
#include "sass/elf.h"

enum { HEADER = 64, SECTION = 64, SECTIONS = 4, SYMBOL = 24, ABI = 8, FAILED = 255 };

static const char names[] = "\0.shstrtab\0.nv_debug_ptx_txt\0.symtab";

typedef struct Asked {
    const char *in, *out, *arch;
    bool        says;
} Asked;

/* Numbers of a file, the least byte first. */
static void put(unsigned char *at, size_t bytes, uint64_t x)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(x >> 8 * i);
}

static void put_section(unsigned char *at, uint64_t name, uint64_t type, uint64_t offset, uint64_t bytes)
{
    put(at, 4, name);
    put(at + 4, 4, type);
    put(at + 24, 8, offset);
    put(at + 32, 8, bytes);
    put(at + 48, 8, 1);
}

/* "sm_90a", "compute_90": 90. */
static unsigned number_of(const char *arch)
{
    const char *digits = strchr(arch, '_');
    return digits ? (unsigned)strtoul(digits + 1, NULL, 10) : 0;
}

static bool write_file(const char *path, const char *ptx, size_t len, unsigned arch)
{
    unsigned char head[HEADER] = {0177, 'E', 'L', 'F', 2, 1, 1, 0x41, ABI}, table[SECTIONS * SECTION] = {0};
    unsigned char symbols[SYMBOL] = {0}; /* none but the first, which is empty */
    size_t        at_symbols = HEADER + sizeof names, text = at_symbols + SYMBOL, sections = text + len + 1;
    put(head + 16, 2, 2);
    put(head + 18, 2, ELF_CUDA);
    put(head + 20, 4, 1);
    put(head + 40, 8, sections);
    put(head + 48, 4, (uint64_t)arch << 8);
    put(head + 52, 2, HEADER);
    put(head + 58, 2, SECTION);
    put(head + 60, 2, SECTIONS);
    put(head + 62, 2, 1);
    put_section(table + SECTION, 1, 3, HEADER, sizeof names);
    put_section(table + 2 * SECTION, 11, 1, text, len + 1);
    put_section(table + 3 * SECTION, 29, ELF_SYMTAB, at_symbols, SYMBOL);
    put(table + 3 * SECTION + 40, 4, 1); /* their names' section */
    FILE *f  = fopen(path, "wbe");
    bool  ok = f && fwrite(head, sizeof head, 1, f) == 1 && fwrite(names, sizeof names, 1, f) == 1 &&
              fwrite(symbols, sizeof symbols, 1, f) == 1;
    for (size_t i = 0; ok && i < len; i++)
        ok = putc(ptx[i] == '\n' ? 0 : ptx[i], f) != EOF;
    ok = ok && putc(0, f) != EOF && fwrite(table, sizeof table, 1, f) == 1;
    return f && fclose(f) == 0 && ok;
}

/* Options that have a value behind them. */
static bool takes_value(const char *option)
{
    static const char *const with[] = {"-o", "--output-file", "-arch", "--gpu-name", "-maxrregcount", "--maxrregcount",
                                       "-O", "--opt-level",   "-e",    "--entry"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (!strcmp(option, with[i]))
            return true;
    return false;
}

static void take(Asked *a, const char *option, size_t n, const char *value)
{
    if (!strncmp(option, "-o", n) || !strncmp(option, "--output-file", n))
        a->out = value;
    else if (!strncmp(option, "-arch", n) || !strncmp(option, "--gpu-name", n))
        a->arch = value;
}

/* False: no file. */
static bool read_options(int argc, char **argv, Asked *a)
{
    for (int i = 1; i < argc; i++) {
        const char *equal = strchr(argv[i], '=');
        if (argv[i][0] != '-')
            a->in = argv[i];
        else if (equal)
            take(a, argv[i], (size_t)(equal - argv[i]), equal + 1);
        else if (takes_value(argv[i]) && i + 1 < argc) {
            take(a, argv[i], strlen(argv[i]), argv[i + 1]);
            i++;
        } else if (!strcmp(argv[i], "-v") || !strcmp(argv[i], "--verbose")) {
            a->says = true;
        }
    }
    return a->in != NULL;
}

static int assemble(const Asked *a, const char *text, size_t len)
{
    Str     said = {0};
    Module *m    = NULL;
    Diags   diags;
    diags_init(&diags);
    Status s = ptx_parse(a->in, text, len, &diags, &m);
    diags_render(&diags, &said);
    fputs(str_text(&said), stderr);
    unsigned made = a->arch ? number_of(a->arch) : 0, wants = s == WW_OK && m->target ? number_of(m->target) : 0;
    if (s == WW_OK && made && wants > made) {
        fprintf(stderr, "ptxas fatal   : %s is for %s, which is newer than %s\n", a->in, m->target, a->arch);
        s = WW_ERR_INVALID;
    }
    if (s == WW_OK && !write_file(a->out, text, len, made ? made : wants)) {
        fprintf(stderr, "ptxas fatal   : cannot write '%s'\n", a->out);
        s = WW_ERR_INVALID;
    }
    if (s == WW_OK && a->says)
        fputs("ptxas info    : PTX was checked and kept, not assembled: there are no registers to tell of\n", stderr);
    ptx_module_free(m);
    diags_free(&diags);
    str_free(&said);
    return s == WW_OK ? 0 : FAILED;
}

int cli_ptxas(int argc, char **argv)
{
    Asked a = {.out = "elf.o"};
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V")) {
            puts("ptxas: warpwright's stand-in for the PTX assembler, which checks PTX and keeps it\n"
                 "Cuda compilation tools, release 13.0, V13.0.0");
            return 0;
        }
    if (!getenv("WARPWRIGHT_PTXAS")) {
        fputs("ptxas fatal   : this is warpwright's stand-in, which assembles nothing; it works for programs under "
              "`warpwright run`\n",
              stderr);
        return FAILED;
    }
    if (!read_options(argc, argv, &a)) {
        fputs("ptxas fatal   : no input file\n", stderr);
        return FAILED;
    }
    size_t len;
    char  *text = cli_read("ptxas", a.in, &len);
    if (!text)
        return FAILED;
    int code = assemble(&a, text, len);
    free(text);
    return code;
}

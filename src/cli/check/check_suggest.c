/* SPDX-License-Identifier: Apache-2.0
 *
 * A command line to begin with, for a kernel that was given no arguments or no size: every parameter by its type, with sizes that are guesses.
 *
 * What a parameter is stands in the kernel's symbol (float const*, int); where it does not (extern "C"), PTX types are all there is, and eight
 * bytes of integer are taken for a pointer.  Names of parameters are in neither, so they are a, b, c. */
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "cli/check/check.h"

enum { GUESSED_COUNT = 1024 };

static const struct Guess {
    const char *source, *ptx, *type; /* as the source has it; as PTX has it; as --arg takes it */
    bool        is_float;
} guesses[] = {
    {"float", "f32", "float", true},      {"double", "f64", "double", true},
    {"int", "s32", "int", false},         {"unsigned int", "u32", "u32", false},
    {"long", "s64", "i64", false},        {"unsigned long", "u64", "u64", false},
    {"long long", "", "i64", false},      {"unsigned long long", "", "u64", false},
    {"short", "s16", "i16", false},       {"unsigned short", "u16", "u16", false},
    {"char", "s8", "i8", false},          {"signed char", "", "i8", false},
    {"unsigned char", "u8", "u8", false}, {"bool", "", "u8", false},
    {"__half", "f16", "f16", true},       {"__nv_bfloat16", "bf16", "bf16", true},
};

static const struct Guess *find(const char *source, const char *ptx)
{
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        if (source ? !strcmp(guesses[i].source, source) : *guesses[i].ptx && !strcmp(guesses[i].ptx, ptx))
            return &guesses[i];
    return NULL;
}

/* "float const*" -> "float"; false: no pointer. */
static bool pointee(char *type)
{
    static const char *const words[] = {" const", " volatile", " __restrict__"};
    size_t                   n       = strlen(type);
    bool                     pointer = n && type[n - 1] == '*';
    if (pointer)
        type[n - 1] = 0;
    for (bool cut = pointer; cut;) {
        cut = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t m = strlen(words[i]);
            n        = strlen(type);
            if (n > m && !strcmp(type + n - m, words[i])) {
                type[n - m] = 0;
                cut         = true;
            }
        }
    }
    return pointer;
}

static void argument(const WwModule *m, size_t kernel, size_t i, Str *out)
{
    char               *source  = mangled_parameter(ww_module_kernel_name(m, kernel), i);
    const char         *ptx     = ww_module_kernel_arg_type(m, kernel, i);
    size_t              bytes   = ww_module_kernel_arg_bytes(m, kernel, i);
    bool                pointer = source ? pointee(source) : bytes == 8 && (*ptx == 'u' || *ptx == 'b');
    const struct Guess *g       = find(source, pointer ? "f32" : ptx);
    str_printf(out, " --arg '%c:", (char)('a' + i % 26));
    if (pointer)
        str_printf(out, "%s[%d]=%s'", g ? g->type : "u8", g ? GUESSED_COUNT : 16 * GUESSED_COUNT,
                   g ? "random" : "zero");
    else if (!g && !(g = find(NULL, ptx)))
        str_printf(out, "u8[%zu]=zero'", bytes);
    else
        str_printf(out, "%s=%s'", g->type, g->is_float ? "1" : "1024");
    free(source);
}

void check_suggest(const WwModule *m, size_t kernel, const char *file, const char *grid, const char *block, Str *out)
{
    char *name = mangled_text(ww_module_kernel_name(m, kernel));
    str_printf(out,
               "A line to begin with; its sizes are guesses:\n  warpwright check %s --kernel '%s' --grid %s --block %s",
               file, name, grid ? grid : "4", block ? block : "256");
    for (size_t i = 0; i < ww_module_kernel_arg_count(m, kernel); i++)
        argument(m, kernel, i, out);
    str_addc(out, '\n');
    free(name);
}

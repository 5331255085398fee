/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person writes, in options, files and the environment.  The first byte says which kind the rest is: a letter of the table.
 * Whatever is refused is refused with a message; what is taken may be used.  Not here: PTX, suppressions and reports, which have targets
 * of their own. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr.h"
#include "base/file.h"
#include "base/mangle.h"
#include "base/pattern.h"
#include "base/value.h"
#include "check/rules.h"
#include "cli/access/access.h"
#include "cli/check/check.h"
#include "cli/cli.h"
#include "cuda/process/environment.h"
#include "lab/regression.h"
#include "report/fail.h"
#include "tests/fuzz/fuzz.h"

enum { LARGEST = 1 << 20 /* elements that a launch file of an input may ask for */ };

/* A refusal without a reason is one that nobody can act on. */
static void judge(bool taken, const char *what, const Str *why)
{
    if (!taken && why->len == 0)
        fuzz_fail("refused without a message", what);
}

static void expression(const uint8_t *d, size_t n)
{
    char     *text = fuzz_text(d, n);
    ExprError e;
    int64_t   v;
    for (int64_t lane = EXPR_NO_LANE; lane < 32; lane += 8)
        if (!expr_eval(text, lane, &v, &e) && (!e.text[0] || e.at > n))
            fuzz_fail("refused without a message or place", text);
    free(text);
}

static void access_file(const uint8_t *d, size_t n)
{
    char *text = fuzz_text(d, n);
    Str   out  = {0};
    Diags diags;
    diags_init(&diags);
    access_rows(profile_find("sm_90"), MODEL_L1_AUTO, "rows", text, n, &out, &diags, NULL);
    diags_render(&diags, &out);
    diags_free(&diags);
    str_free(&out);
    free(text);
}

/* Does the text ask for so much that the machine's memory would decide? */
static bool is_large(const char *text)
{
    ExprError e;
    for (const char *p = strchr(text, '['); p; p = strchr(p + 1, '[')) {
        char   *count = fuzz_text((const uint8_t *)p + 1, strcspn(p + 1, "]"));
        int64_t v;
        bool    large = expr_eval(count, EXPR_NO_LANE, &v, &e) && v > LARGEST;
        free(count);
        if (large)
            return true;
    }
    return strstr(text, "\\u") != NULL; /* a bracket may be written so */
}

static void launch_file(const uint8_t *d, size_t n, const char *end)
{
    CheckPlan p    = {.arena = arena_new(), .seed = 1};
    Str       why  = {0};
    char     *text = fuzz_text(d, n);
    if (!is_large(text)) {
        Status s = plan_read(&p, fuzz_file(d, n, end), &why);
        judge(s == WW_OK || s == WW_ERR_IO, "launch file", &why);
    }
    free(text);
    plan_free(&p);
    str_free(&why);
}

static void launch_json(const uint8_t *d, size_t n)
{
    launch_file(d, n, ".json");
}

static void launch_yaml(const uint8_t *d, size_t n)
{
    launch_file(d, n, ".yaml");
}

static void argument(const uint8_t *d, size_t n)
{
    CheckPlan p    = {.arena = arena_new(), .seed = 1};
    Str       why  = {0};
    char     *text = fuzz_text(d, n);
    size_t    i;
    WwDim3    dim;
    if (!is_large(text)) {
        judge(plan_argument(&p, text, &i, &why) == WW_OK, text, &why);
        str_clear(&why);
        judge(plan_out(&p, text, &why) == WW_OK, text, &why);
        plan_dim(text, &dim);
    }
    free(text);
    plan_free(&p);
    str_free(&why);
}

static void conditions(const uint8_t *d, size_t n)
{
    char   *text = fuzz_text(d, n);
    Str     why  = {0};
    Status  s    = fail_check(text, &why);
    Report *r    = report_new(false);
    judge(s == WW_OK, text, &why);
    if (s == WW_OK)
        report_fails(r, text, &why);
    report_free(r);
    str_free(&why);
    free(text);
}

static void rules(const uint8_t *d, size_t n)
{
    char   *text = fuzz_text(d, n);
    Str     why  = {0};
    RuleSet set;
    judge(rules_select(text, &set, &why) == WW_OK, text, &why);
    str_free(&why);
    free(text);
}

/* Against the values of every row of options.def. */
static void option_value(const uint8_t *d, size_t n)
{
    char            *text = fuzz_text(d, n);
    size_t           count;
    const CliOption *o   = cli_options(&count);
    Str              why = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t number;
        int      word;
        str_clear(&why);
        judge(o[i].kind != CLI_NUMBER || value_number(text, o[i].values, &number, &why), text, &why);
        judge(o[i].kind != CLI_CHOICE || value_choice(text, o[i].values, &word, &why), text, &why);
        judge(o[i].kind != CLI_HEX || value_hex(text, &number, &why), text, &why);
    }
    str_free(&why);
    free(text);
}

/* The first line is the verb, the others its arguments. */
static void command_line(const uint8_t *d, size_t n)
{
    char  *text = fuzz_text(d, n), *rest = text, *argv[32] = {0}, *said = NULL;
    int    argc = 0, code = -1;
    size_t bytes;
    FILE  *was = stderr, *out = stdout;
    while (rest && argc < 31)
        argv[argc++] = strsep(&rest, "\n");
    FILE *into = cli_find_verb(argv[0]) ? open_memstream(&said, &bytes) : NULL;
    if (into) {
        stderr = stdout = into;
        CliArgs a;
        bool    taken = cli_parse(&a, argc, argv, &code);
        if (taken)
            cli_free(&a);
        stderr = was;
        stdout = out;
        fclose(into);
        if (!taken && (code < 0 || (code == CLI_USAGE && !*said)))
            fuzz_fail("refused without a message", argv[0]);
    }
    free(said);
    free(text);
}

/* Lines NAME=VALUE, of variables WARPWRIGHT_NAME. */
static void environment(const uint8_t *d, size_t n)
{
    char *text = fuzz_text(d, n), *rest = text, name[32][48];
    Str   why  = {0};
    int   vars = 0;
    while (rest && vars < 32) {
        char  *line = strsep(&rest, "\n");
        size_t len  = strcspn(line, "=");
        if (!line[len] || len > 30 || !len)
            continue;
        snprintf(name[vars], sizeof *name, "WARPWRIGHT_%.*s", (int)len, line);
        setenv(name[vars++], line + len + 1, 1);
    }
    Options o = {0};
    judge(environment_read(&o, &why), "environment", &why);
    for (int i = 0; i < vars; i++)
        unsetenv(name[i]);
    str_free(&why);
    free(text);
}

static void kernel_filter(const uint8_t *d, size_t n)
{
    char   *text = fuzz_text(d, n), *name = text + strcspn(text, "\n");
    regex_t r;
    if (*name)
        *name++ = 0;
    Str why = {0};
    if (!pattern_compile(text, &r, &why)) {
        judge(false, text, &why);
    } else {
        (void)regexec(&r, name, 0, NULL, 0);
        regfree(&r);
    }
    str_free(&why);
    free(text);
}

static void regression(const uint8_t *d, size_t n)
{
    Lab         lab  = {.arena = arena_new()};
    Regression *r    = NULL;
    const char *path = fuzz_file(d, n, ".txt");
    if (regression_open(&lab, path, &r) != WW_OK)
        judge(false, "regression file", &lab.error);
    regression_seed(r, 1);
    regression_free(r);
    str_free(&lab.error);
    arena_free(lab.arena);
}

static void mangled(const uint8_t *d, size_t n)
{
    char *symbol = fuzz_text(d, n);
    free(mangled_text(symbol));
    for (size_t i = 0; i < 4; i++)
        free(mangled_parameter(symbol, i));
    size_t      len;
    const char *p = mangled_function(symbol, &len);
    if (p < symbol || p + len > symbol + n)
        fuzz_fail("a function's name lies outside its symbol", symbol);
    p = mangled_variable(symbol, &len);
    if (p < symbol || p + len > symbol + n)
        fuzz_fail("a variable's name lies outside its symbol", symbol);
    free(symbol);
}

static void numpy(const uint8_t *d, size_t n)
{
    static const ElementType types[] = {{"f32", 'f', 4, "<f4"}, {"u8", 'u', 1, "|u1"}, {"i64", 'i', 8, "<i8"}};
    const char              *path    = fuzz_file(d, n, ".npy");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (uint64_t count = 1; count <= 16; count *= 4) {
            uint8_t *out = malloc(count * types[i].bytes);
            Str      why = {0};
            judge(out && npy_read(path, &types[i], count, out, &why) == WW_OK, "npy", &why);
            str_free(&why);
            free(out);
        }
}

static size_t printed;

static void on_print(void *user, const char *text, size_t len)
{
    (void)user;
    for (size_t i = 0; i < len; i++)
        printed += (unsigned char)text[i];
}

static const char print_module[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".visible .entry k(.param .u64 f, .param .u64 a)\n{\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [f];\nld.param.u64 %rd2, [a];\n{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\n"
    "st.param.b64 [f], %rd1;\nst.param.b64 [a], %rd2;\ncall.uni (r), vprintf, (f, a);\n}\nret;\n}\n";

/* A format, a zero, then the arguments' bytes; the first argument is a string when its bytes begin with 's'. */
static void print_format(const uint8_t *d, size_t n)
{
    enum { FORMAT = 512, ARGS = 64 };
    static WwDevice *device;
    static WwModule *module;
    static WwPtr     memory;
    WwDeviceOptions  options = {.threads = 1, .memory = 16 << 20};
    if (!device && (ww_device_open("emulator", &options, &device, NULL) != WW_OK ||
                    ww_module_load(device, "print", print_module, sizeof print_module - 1, &module) != WW_OK ||
                    ww_alloc(device, FORMAT + ARGS, &memory) != WW_OK))
        fuzz_fail("no device to print", "");
    uint8_t     image[FORMAT + ARGS] = {0};
    size_t      format = strnlen((const char *)d, n), rest = n - format;
    const void *more = d + format + (rest > 0);
    memcpy(image, d, format < FORMAT ? format : FORMAT - 1);
    memcpy(image + FORMAT, more, rest > ARGS ? ARGS : rest > 0 ? rest - 1 : 0);
    if (image[FORMAT] == 's')
        memcpy(image + FORMAT, &memory, sizeof memory);
    WwPtr    at     = memory + FORMAT;
    void    *args[] = {&memory, &at};
    WwLaunch launch = {.grid             = {1, 1, 1},
                       .block            = {2, 1, 1},
                       .args             = args,
                       .arg_count        = 2,
                       .on_print         = on_print,
                       .max_instructions = 100};
    if (ww_copy_in(device, memory, image, sizeof image) != WW_OK ||
        (ww_launch(device, module, "k", &launch, NULL) != WW_OK && !*ww_device_error(device)))
        fuzz_fail("printf", ww_device_error(device));
}

static void (*const kinds[])(const uint8_t *, size_t) = {
    expression,   access_file, launch_json,   launch_yaml, argument, conditions, rules,       option_value,
    command_line, environment, kernel_filter, regression,  mangled,  numpy,      print_format}; /* 'a', 'b', ... */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        kinds[(uint8_t)(data[0] - 'a') % (sizeof kinds / sizeof *kinds)](data + 1, size - 1);
    return 0;
}

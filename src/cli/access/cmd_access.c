/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright access: the access model as a calculator.  One access from options, with figures and a picture; or --file with a row
 * for each access and a line of results for each (access_file.c).
 *
 * An access that the hardware would refuse (misaligned, ldmatrix outside shared memory, atomics on local memory) is an error, not
 * a number.  Offsets are relative to an allocation's aligned base, so they are never negative. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr.h"
#include "cli/access/access.h"
#include "cli/cli.h"
#include "cli/picture.h"
#include "report/doc.h"

/* 32 numbers rather than an expression: blanks or commas between digits, no operator. */
static bool is_list(const char *text)
{
    const char *s = text + strspn(text, " ,\t\n");
    size_t      n = strspn(s, "0123456789abcdefABCDEFxX");
    return n > 0 && isdigit((unsigned char)*s) && isdigit((unsigned char)s[n + strspn(s + n, " ,\t\n")]) &&
           strspn(s + n, " ,\t\n") > 0;
}

static bool list_offsets(CliAccess *a, const char *file, const char *text, Diags *d)
{
    const char *s = text;
    for (unsigned i = 0;; i++) {
        s += strspn(s, " ,\t\n");
        unsigned col = (unsigned)(s - text) + 1;
        if (!*s && i == MODEL_LANES)
            return true;
        if (!*s || i == MODEL_LANES) {
            diag_add(d, DIAG_ERROR, file, 1, col, text,
                     *s ? "32 offsets expected, found more" : "32 offsets expected, found %u", i);
            return false;
        }
        size_t    n     = strcspn(s, " ,\t\n");
        int64_t   value = 0;
        ExprError e;
        char      word[32] = {0};
        if (n < sizeof word)
            memcpy(word, s, n);
        if (!isdigit((unsigned char)*word) || !expr_eval(word, 0, &value, &e)) {
            diag_add(d, DIAG_ERROR, file, 1, col, text, "a number of bytes expected for lane %u", i);
            return false;
        }
        a->addr[i] = (uint64_t)value;
        s += n;
    }
}

/* 32 byte offsets from an expression of lane or from 32 numbers; false after a diagnostic in d. */
static bool access_offsets(CliAccess *a, const char *file, const char *text, Diags *d)
{
    if (is_list(text))
        return list_offsets(a, file, text, d);
    for (unsigned i = 0; i < MODEL_LANES; i++) {
        int64_t   v = 0;
        ExprError e;
        a->addr[i] = 0;
        if (!(a->model.mask >> i & 1) && i)
            continue; /* lane 0 is always computed, so that a malformed text is found whatever the mask */
        if (!expr_eval(text, i, &v, &e) && (a->model.mask >> i & 1 || !strstr(e.text, "for lane"))) {
            diag_add(d, DIAG_ERROR, file, 1, (unsigned)e.at + 1, text, "%s", e.text);
            return false;
        }
        if (v < 0 && a->model.mask >> i & 1) {
            diag_add(d, DIAG_ERROR, file, 1, 1, text, "the offset of lane %u is %" PRId64 "; offsets are not negative",
                     i, v);
            return false;
        }
        a->addr[i] = (uint64_t)v;
    }
    return true;
}

/* Prints what was found wrong and gives the exit code. */
static int refuse(const Diags *d)
{
    Str text = {0};
    diags_render(d, &text);
    fputs(str_text(&text), stderr);
    str_free(&text);
    return CLI_USAGE;
}

/* --html, where it is given. */
static int write_page(const CliArgs *args, json_t *list, const char *expression)
{
    const char *file = cli_text(args, "html", NULL);
    Str         out = {0}, why = {0};
    if (!file)
        return CLI_OK;
    access_page(list, expression, &out);
    int code = doc_write(file, &out, &why) ? CLI_OK : cli_error("access", "%s", str_text(&why));
    str_free(&out);
    str_free(&why);
    return code;
}

static int run_file(const CliArgs *args, const Profile *p, ModelL1 l1)
{
    static const char *const others[] = {"space", "op", "bytes", "offsets", "mask"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_has(args, others[i]))
            return cli_error("access", "--%s does not go with --file: every row of the file has its own", others[i]);
    const char *file = cli_text(args, "file", NULL);
    size_t      len;
    char       *text = cli_read("access", file, &len);
    if (!text)
        return CLI_USAGE;
    Diags d;
    Str   out = {0};
    diags_init(&d);
    json_t *page = json_array();
    access_rows(p, l1, file, text, len, &out, &d, cli_has(args, "html") ? page : NULL);
    int code = d.errors ? refuse(&d) : write_page(args, page, NULL);
    json_decref(page);
    if (!d.errors && out.len)
        (void)fwrite(out.s, 1, out.len, stdout);
    str_free(&out);
    diags_free(&d);
    free(text);
    return code;
}

/* The text of --offsets; 32 numbers may also stand unquoted, then all but the first are operands.  False after a message. */
static bool offsets_text(const CliArgs *args, Str *out)
{
    str_add(out, cli_text(args, "offsets", ""));
    bool list = args->noperands == MODEL_LANES - 1 && isdigit((unsigned char)*str_text(out));
    if (args->noperands && !list) {
        cli_error("access", "'%s' is one word too many: --offsets takes one expression or 32 numbers",
                  args->operand[0]);
        return false;
    }
    for (size_t i = 0; i < args->noperands; i++)
        str_printf(out, " %s", args->operand[i]);
    for (size_t i = 0; i < out->len; i++)
        if (isspace((unsigned char)out->s[i]))
            out->s[i] = ' '; /* one line, so that a column of it can be shown */
    return true;
}

/* The access of the options; false after a message. */
static bool access_of(const CliArgs *args, CliAccess *a, ModelL1 l1)
{
    static const char *const needed[] = {"space", "op", "bytes", "offsets"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!cli_has(args, needed[i])) {
            cli_error("access", "--%s is needed (or --file)", needed[i]);
            return false;
        }
    uint64_t mask = cli_number(args, "mask", UINT32_MAX);
    if (mask > UINT32_MAX) {
        cli_error("access", "--mask: a warp has 32 lanes, so at most ffffffff");
        return false;
    }
    const char *space = cli_text(args, "space", ""), *op = cli_text(args, "op", "");
    a->model   = (ModelAccess){(ModelSpace)model_space_word(space, strlen(space)),
                               (ModelOp)model_op_word(op, strlen(op)),
                               l1,
                               (unsigned)strtoul(cli_text(args, "bytes", ""), NULL, 10),
                               (uint32_t)mask,
                               a->addr};
    Str joined = {0};
    if (!offsets_text(args, &joined)) {
        str_free(&joined);
        return false;
    }
    const char *text = str_text(&joined);
    Diags       d;
    diags_init(&d);
    if (access_offsets(a, "--offsets", text, &d)) {
        int         lane;
        const char *why = model_impossible(&a->model, &lane);
        if (why && lane >= 0)
            diag_add(&d, DIAG_ERROR, "--offsets", 1, 1, text, "lane %d, offset %" PRIu64 ": %s", lane, a->addr[lane],
                     why);
        else if (why)
            diag_add(&d, DIAG_ERROR, "--op", 1, 1, op, "%s", why);
    }
    bool ok = d.errors == 0;
    if (!ok)
        (void)refuse(&d);
    diags_free(&d);
    str_free(&joined);
    return ok;
}

static int run(const CliArgs *args)
{
    const Profile *p  = cli_profile(args);
    ModelL1        l1 = MODEL_L1_AUTO;
    if (cli_has(args, "l1"))
        l1 = strcmp(cli_text(args, "l1", ""), "on") == 0 ? MODEL_L1_ON : MODEL_L1_OFF;
    if (cli_has(args, "file") && args->noperands)
        return cli_error("access", "takes no operands: '%s'", args->operand[0]);
    if (cli_has(args, "file"))
        return run_file(args, p, l1);
    CliAccess a;
    if (!access_of(args, &a, l1))
        return CLI_USAGE;
    Str     out = {0}, text = {0};
    json_t *page = json_array();
    access_picture(p, &a.model, &out);
    fputs(str_text(&out), strcmp(cli_text(args, "html", ""), "-") == 0 ? stderr : stdout);
    offsets_text(args, &text);
    access_page_add(page, str_text(&text), text.len, p, &a.model);
    int code = write_page(args, page, args->noperands ? NULL : str_text(&text));
    json_decref(page);
    str_free(&out);
    str_free(&text);
    return code;
}

int cmd_access(int argc, char **argv)
{
    CliArgs args;
    int     code;
    if (!cli_parse(&args, argc, argv, &code))
        return code;
    code = run(&args);
    cli_free(&args);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright sass: source, PTX and machine code side by side.  Kernels come in the order of the file.  What has no machine code here is shown as
 * PTX, after the reason. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mangle.h"
#include "base/pattern.h"
#include "cli/cli.h"
#include "cli/sass/sass.h"

typedef struct Shown {
    FILE    *out;
    json_t  *kernels;
    regex_t *only; /* NULL: all */
    size_t   n;
} Shown;

static bool wanted(const Shown *s, const char *name)
{
    if (!s->only)
        return true;
    char *shown = mangled_text(name);
    bool  is    = regexec(s->only, name, 0, NULL, 0) == 0 || regexec(s->only, shown, 0, NULL, 0) == 0;
    free(shown);
    return is;
}

static void show_unit(Shown *s, const SassUnit *u)
{
    if (!u->cubin) {
        fprintf(s->out, "PTX alone: %s\n%s\n", str_text(&u->why), str_text(&u->ptx));
        json_array_append_new(s->kernels, json_pack("{s:s, s:s, s:s}", "source", "ptx", "why", str_text(&u->why), "ptx",
                                                    str_text(&u->ptx)));
        s->n++;
        return;
    }
    if (u->cubin->note)
        fprintf(stderr, "warpwright sass: note: %s\n", u->cubin->note);
    for (size_t i = 0; i < u->cubin->funcs; i++) {
        const CubinFunc *f = &u->cubin->func[i];
        if (!wanted(s, f->name))
            continue;
        sass_print(s->out, u, f);
        json_array_append_new(s->kernels, sass_json(u, f));
        s->n++;
    }
}

static int write_json(const Shown *s, const char *path)
{
    json_t *doc = json_pack("{s:i, s:O}", "schema", 1, "kernels", s->kernels);
    FILE   *f   = file_create(path);
    bool    ok  = f && json_dumpf(doc, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF;
    ok          = f && fclose(f) == 0 && ok;
    json_decref(doc);
    return ok ? CLI_OK : cli_error("sass", "cannot write '%s'", path);
}

static int show(const CliArgs *a, regex_t *only)
{
    SassFile f;
    Str      why  = {0};
    Status   st   = sass_open(a->operand[0], cli_profile(a), &f, &why);
    int      code = st == WW_OK ? CLI_OK : CLI_USAGE;
    Shown    s    = {cli_table(a), json_array(), only, 0};
    if (st != WW_OK && why.len)
        cli_error("sass", "%s: %s", a->operand[0], str_text(&why));
    for (size_t i = 0; st == WW_OK && i < f.units; i++)
        if (f.unit[i].cubin || f.unit[i].ptx.len)
            show_unit(&s, &f.unit[i]);
    if (st == WW_OK && !s.n) {
        fprintf(stderr, "warpwright sass: error: %s has no kernel or function%s\n", a->operand[0],
                only ? " of such a name" : "");
        code = CLI_KERNEL;
    }
    if (st == WW_OK && cli_has(a, "json"))
        code = code ? code : write_json(&s, cli_text(a, "json", NULL));
    json_decref(s.kernels);
    sass_close(&f);
    str_free(&why);
    return code;
}

int cmd_sass(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    regex_t     only;
    Str         why  = {0};
    const char *text = cli_text(&a, "kernel", NULL);
    if (text && !pattern_compile(text, &only, &why))
        code = cli_error("sass", "--kernel '%s': %s", text, str_text(&why));
    else {
        code = show(&a, text ? &only : NULL);
        if (text)
            regfree(&only);
    }
    str_free(&why);
    cli_free(&a);
    return code;
}

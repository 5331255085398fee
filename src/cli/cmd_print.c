/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright print: what the PTX front end understood.  The module goes to standard output only when it is free of errors; the
 * located messages go to standard error.  --kernels gives one line for each kernel: name, tab, parameters with their types. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "ptx/ptx.h"

static void param_text(const Var *p, Str *out)
{
    str_add(out, type_text(p->type));
    if (p->vec)
        str_printf(out, "x%u", p->vec);
    for (unsigned i = 0; i < p->ndim; i++)
        str_printf(out, "[%" PRIu64 "]", p->dim[i]);
    str_printf(out, " %s", p->name);
}

static void kernels_text(const Module *m, Str *out)
{
    for (size_t i = 0; i < m->nfuncs; i++) {
        const Func *f = m->funcs[i];
        if (!f->entry || !f->has_body)
            continue;
        str_printf(out, "%s\t", f->name);
        for (size_t k = 0; k < f->nparams; k++) {
            str_add(out, k ? ", " : "");
            param_text(&f->params[k], out);
        }
        str_addc(out, '\n');
    }
}

int cmd_print(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    const char *path    = a.operand[0];
    bool        kernels = cli_has(&a, "kernels");
    cli_free(&a);
    size_t len;
    char  *text = cli_read("print", path, &len);
    if (!text)
        return CLI_USAGE;
    Str     out = {0};
    Module *m   = NULL;
    Diags   diags;
    diags_init(&diags);
    Status s = ptx_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, text, len, &diags, &m);
    diags_render(&diags, &out);
    fputs(str_text(&out), stderr);
    str_clear(&out);
    if (s == WW_OK) {
        if (kernels)
            kernels_text(m, &out);
        else
            ptx_print(m, &out);
        fwrite(str_text(&out), 1, out.len, stdout);
    }
    ptx_module_free(m);
    diags_free(&diags);
    str_free(&out);
    free(text);
    return s == WW_OK ? CLI_OK : CLI_USAGE;
}

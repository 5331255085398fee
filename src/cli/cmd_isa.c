/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright isa: the rows of isa.def that stand for PTX instructions, in the table's order.  Rows without a form are building
 * blocks of others and are not shown. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "ptx/op.h"
#include "ptx/ptx.h"

static const char *const classes[] = {"exact", "approximate", "unsupported"}; /* by Exactness */

/* Whether a form is one of this opcode's: "add.itype d, a, b" of "add". */
static bool form_of(const char *form, const char *opcode)
{
    size_t n = strlen(opcode);
    return strncmp(form, opcode, n) == 0 && strchr(".{ ", form[n]); /* strchr finds the end too: "trap" */
}

static size_t print_forms(const char *opcode, int only)
{
    size_t shown = 0;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        const Form *f = op_form((Op)op);
        if (!f || !f->form[0] || (only >= 0 && (int)f->exactness != only) || (opcode && !form_of(f->form, opcode)))
            continue;
        printf("%-11s  %s", classes[f->exactness], f->form);
        if (f->note && f->note[0])
            printf("  (%s)", f->note);
        putchar('\n');
        shown++;
    }
    return shown;
}

int cmd_isa(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    int only = cli_choice(&a, "only", -1); /* the row's choices are in the order of Exactness */
    if (!a.noperands)
        print_forms(NULL, only);
    for (size_t i = 0; i < a.noperands && code == CLI_OK; i++) {
        if (!print_forms(a.operand[i], only) && only < 0)
            code = cli_error("isa", "there is no opcode '%s'", a.operand[i]);
    }
    cli_free(&a);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * --engine of the verbs that run kernels. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "warpwright/warpwright.h"

const char *cli_engine(const CliArgs *a)
{
    const char *engine = cli_text(a, "engine", NULL), *why = ww_engine_missing();
    if (engine && strcmp(engine, "interpreter") != 0 && why)
        fprintf(stderr, "warpwright %s: note: no native code, %s; the interpreter runs everything\n", a->verb->name,
                why);
    return engine;
}

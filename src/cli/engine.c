/* SPDX-License-Identifier: Apache-2.0
 *
 * --engine and --time of the verbs that run kernels. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "model/time.h"
#include "warpwright/warpwright.h"

const char *cli_engine(const CliArgs *a)
{
    const char *engine = cli_text(a, "engine", NULL), *why = ww_engine_missing();
    if (engine && strcmp(engine, "interpreter") != 0 && why)
        fprintf(stderr, "warpwright %s: note: no native code, %s; the interpreter runs everything\n", a->verb->name,
                why);
    return engine;
}

bool cli_time(const CliArgs *a)
{
    const Profile *p = cli_profile(a);
    const char    *lacks;
    Timing         t;
    if (!cli_has(a, "time"))
        return false;
    if (!timing_of(p, &t, &lacks) && lacks)
        fprintf(stderr, "warpwright: note: no times are predicted: '%s' of %s is not known\n", lacks, p->name);
    else if (!timing_of(p, &t, NULL))
        fprintf(stderr, "warpwright: note: no times are predicted: what the model has to know of the %s is not known\n",
                p->name);
    return true;
}

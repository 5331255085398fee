/* SPDX-License-Identifier: Apache-2.0
 *
 * The project file .warpwright: defaults of options. */
#ifndef WW_CLI_PROJECT_H
#define WW_CLI_PROJECT_H

#include "cli/cli.h"

/* Puts the file's values before those of the command line, which so win; the texts live as long as *a.  False: *why says what is wrong. */
bool project_defaults(CliArgs *a, Str *why);

#endif

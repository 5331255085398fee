/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML and JSON files that people write: launch files, the project file. */
#ifndef WW_CLI_YAML_H
#define WW_CLI_YAML_H

#include <jansson.h>
#include <stddef.h>

#include "base/str.h"

/* The text of a file as JSON values: JSON where its name ends in .json, else YAML, whose scalars become texts.  NULL: *why has the place and what
 * is wrong; so also for YAML where this build has no libyaml. */
json_t *yaml_read(const char *file, const char *text, size_t len, Str *why);

/* A key that is not in the list, which ends with NULL; NULL: there is none. */
const char *yaml_stray_key(json_t *o, const char *const *known);

#endif

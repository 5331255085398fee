/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of `warpwright access` share: an access as text describes it, and what is shown of it. */
#ifndef WW_CLI_ACCESS_H
#define WW_CLI_ACCESS_H

#include <jansson.h>

#include "base/diag.h"
#include "base/str.h"
#include "model/model.h"

typedef struct CliAccess {
    ModelAccess model; /* model.addr == addr */
    uint64_t    addr[MODEL_LANES];
} CliAccess;

/* access_file.c: rows in, one line of results a row out; errors go to d, and then out is of no use.  page: NULL, or gets each row too. */
void access_rows(const Profile *p, ModelL1 l1, const char *file, const char *text, size_t len, Str *out, Diags *d, json_t *page);

/* access_html.c: the page of a list of accesses (cli/picture.h); expression: what made the offsets of a single one, or NULL. */
void access_page(json_t *list, const char *expression, Str *out);

/* access_picture.c: the figures of one access and where its lanes fall. */
void access_picture(const Profile *p, const ModelAccess *a, Str *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of a warp as pages show them. */
#ifndef WW_CLI_PICTURE_H
#define WW_CLI_PICTURE_H

#include <jansson.h>
#include <stdbool.h>

#include "model/model.h"

/* An access's space and kind by their words ("copy": as the load or the store that it is); false: there is none of that name. */
bool access_words(const char *space, const char *op, ModelAccess *a);
/* Adds one access to a list, with what the profile makes of it. */
void access_page_add(json_t *list, const char *name, size_t len, const Profile *p, const ModelAccess *a);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Links PTX modules into one: what nvlink and cuLink do with relocatable device code, done on the text. */
#ifndef WW_PTX_LINK_H
#define WW_PTX_LINK_H

#include "base/status.h"
#include "base/str.h"

typedef struct LinkInput {
    const char *name; /* for messages */
    const char *text;
    size_t      len;
} LinkInput;

/* Appends one module to *out.  WW_ERR_INVALID: two definitions of one name, or different address sizes; *why says which. */
Status ptx_link(const LinkInput *in, size_t n, Str *out, Str *why);

#endif

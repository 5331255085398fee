/* SPDX-License-Identifier: Apache-2.0
 *
 * The report's and the access calculator's pages as they were put together when the library was built (web/, cmake/page.cmake): HTML documents in
 * which the mark PAGE_MARK stands where the data goes. */
#ifndef WW_REPORT_PAGE_H
#define WW_REPORT_PAGE_H

#include <jansson.h>
#include <stddef.h>

#include "base/str.h"

#define PAGE_MARK "/*DATA*/"

extern const unsigned char page_template[], access_template[];
extern const size_t        page_template_bytes, access_template_bytes;

/* The template with the data in place of its mark. */
void page_fill(const unsigned char *template, size_t bytes, const json_t *data, Str *out);

#endif

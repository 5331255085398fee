/* SPDX-License-Identifier: Apache-2.0
 *
 * The report page as it was put together when the library was built (web/, cmake/page.cmake): one HTML document in which the mark
 * PAGE_MARK stands where the data goes. */
#ifndef WW_REPORT_PAGE_H
#define WW_REPORT_PAGE_H

#include <stddef.h>

#define PAGE_MARK "/*DATA*/"

extern const unsigned char page_template[];
extern const size_t        page_template_bytes;

#endif

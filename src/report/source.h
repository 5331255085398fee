/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of source files, for messages and the annotated page.  Each file is read once. */
#ifndef WW_REPORT_SOURCE_H
#define WW_REPORT_SOURCE_H

#include <stddef.h>

typedef struct Sources Sources;

Sources *sources_new(void);
void     sources_free(Sources *s);
/* Line n (from 1) of the file and its length, without the line's end; NULL: there is no such file or line. */
const char *source_line(Sources *s, const char *file, size_t n, size_t *len);

#endif

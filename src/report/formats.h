/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that a document is written to, each under the option of its name. */
#ifndef WW_REPORT_FORMATS_H
#define WW_REPORT_FORMATS_H

typedef enum DocFormat {
#define FORMAT(ID, option, writer) DOC_##ID,
#include "report/formats.def"
#undef FORMAT
    DOC_FORMATS
} DocFormat;

typedef struct DocFiles {
    const char *file[DOC_FORMATS]; /* names; %p is the process id; NULL: not asked for */
} DocFiles;

/* "json", "sarif", ...: without "--". */
const char *doc_format_option(DocFormat f);

#endif

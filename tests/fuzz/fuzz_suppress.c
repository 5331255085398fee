/* SPDX-License-Identifier: Apache-2.0
 *
 * Suppressions.  Any bytes as a suppression file and as a source with `ignore` comments; and a row that was written for a finding
 * suppresses that finding, whatever its names are: a baseline is made so. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/suppress.h"
#include "tests/fuzz/fuzz.h"

/* Any file: read or refused with a message; what is read is asked of a finding in it. */
static void read_any(const uint8_t *data, size_t size)
{
    Suppressions s    = {0};
    Str          why  = {0};
    const char  *path = fuzz_file(data, size, ".txt");
    if (suppressions_read(&s, path, &why) != WW_OK && why.len == 0)
        fuzz_fail("refused without a message", path);
    WwFinding f = {
        .rule = "leak", .category = "memory", .severity = "error", .kernel = "k", .file = path, .message = ""};
    for (f.line = 0; f.line < 6; f.line++)
        suppressions_match(&s, &f);
    suppressions_free(&s);
    str_free(&why);
}

/* Three lines: a kernel's name, a file's, the number of a line as its length. */
static void round_trip(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *file = text + strcspn(text, "\n"), *line;
    if (*file)
        *file++ = 0;
    line = file + strcspn(file, "\n");
    if (*line)
        *line++ = 0;
    WwFinding    f   = {.rule     = "race",
                        .category = "race",
                        .severity = "error",
                        .kernel   = *text ? text : NULL,
                        .file     = *file ? file : NULL,
                        .line     = (uint32_t)strlen(line),
                        .message  = ""};
    Suppressions s   = {0};
    Str          row = {0}, why = {0};
    suppression_row(&f, &row);
    const char *path = fuzz_file((const uint8_t *)str_text(&row), row.len, ".row");
    if (suppressions_read(&s, path, &why) != WW_OK)
        fuzz_fail("a row that was written is refused", str_text(&why));
    if (!suppressions_match(&s, &f))
        fuzz_fail("a row that was written does not suppress its finding", str_text(&row));
    suppressions_free(&s);
    str_free(&row);
    str_free(&why);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_any(data, size);
    round_trip(data, size);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * NumPy's .npy files, versions 1 and 2: magic, a header in Python's notation, then the elements.  Read: little-endian (or single
 * bytes), C order, any shape with the right number of elements.  Written: one dimension. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/check/check.h"

enum { MAX_HEADER = 65536 };

static Status bad(Str *why, const char *file, const char *what)
{
    str_printf(why, "%s: %s", file, what);
    return WW_ERR_INVALID;
}

/* The header's text, zero-terminated; false: not a .npy file. */
static bool read_header(FILE *f, char *text)
{
    uint8_t head[12];
    size_t  n;
    if (fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY", 6) != 0)
        return false;
    n = (size_t)head[8] | (size_t)head[9] << 8;
    if (head[6] > 1) {
        if (fread(head + 10, 1, 2, f) != 2)
            return false;
        n |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    }
    if (n >= MAX_HEADER || fread(text, 1, n, f) != n)
        return false;
    while (n && (text[n - 1] == '\n' || text[n - 1] == ' ')) /* it is padded */
        n--;
    text[n] = 0;
    return true;
}

/* Product of the numbers in "'shape': (2, 3)". */
static bool shape_count(const char *header, uint64_t *count)
{
    const char *p = strstr(header, "'shape'");
    p             = p ? strchr(p, '(') : NULL;
    *count        = 1;
    while (p && *p && *p != ')') {
        p += strcspn(p, "0123456789)");
        if (*p && *p != ')') {
            char *end;
            *count *= strtoull(p, &end, 10);
            p = end;
        }
    }
    return p && *p == ')';
}

Status npy_read(const char *file, const ElementType *type, uint64_t count, uint8_t *out, Str *why)
{
    char    *header = xmalloc(MAX_HEADER), want[16];
    uint64_t have;
    Status   s = WW_OK;
    FILE    *f = file_read(file);
    snprintf(want, sizeof want, "'%s'", type->npy);
    if (!f) {
        str_printf(why, "%s: %s", file, file_error(errno));
        s = WW_ERR_IO;
    } else if (!read_header(f, header) || !shape_count(header, &have)) {
        s = bad(why, file, "this is not a .npy file");
    } else if (strstr(header, "'fortran_order': True")) {
        s = bad(why, file, "its order is Fortran's; save it with numpy.ascontiguousarray");
    } else if (!strstr(header, want)) {
        str_printf(why, "%s: the elements are not %s (%s); its header is %s", file, type->name, type->npy, header);
        s = WW_ERR_INVALID;
    } else if (have != count) {
        str_printf(why, "%s: it holds %" PRIu64 " elements, the argument %" PRIu64, file, have, count);
        s = WW_ERR_INVALID;
    } else if (fread(out, type->bytes, (size_t)count, f) != count) {
        s = bad(why, file, "it ends too early");
    }
    if (f)
        fclose(f);
    free(header);
    return s;
}

Status npy_write(const char *file, const ElementType *type, uint64_t count, const void *data, Str *why)
{
    Str head = {0};
    str_printf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ",), }", type->npy, count);
    while ((head.len + 11) % 64)
        str_addc(&head, ' ');
    str_addc(&head, '\n');
    const uint8_t start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)head.len, (uint8_t)(head.len >> 8)};
    FILE         *f         = file_create(file);
    bool          ok        = f && fwrite(start, 1, 10, f) == 10 && fwrite(head.s, 1, head.len, f) == head.len &&
              fwrite(data, type->bytes, (size_t)count, f) == count;
    if (f)
        ok = fclose(f) == 0 && ok;
    if (!ok)
        str_printf(why, "cannot write %s: %s", file, file_error(errno));
    str_free(&head);
    return ok ? WW_OK : WW_ERR_IO;
}

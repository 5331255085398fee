/* SPDX-License-Identifier: Apache-2.0
 *
 * What a grid says when a call fails. */
#include <stdarg.h>

#include "grid/grid.h"

Status grid_fail(WwGrid *g, Status s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    str_clear(&g->error);
    str_vprintf(&g->error, fmt, args);
    va_end(args);
    return s;
}

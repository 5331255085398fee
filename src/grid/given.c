/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a matrix that the caller gives one?  In host memory: a pointer, lines that do not overlap, sizes that memory can have.  On the devices: a
 * distribution over just these devices, whose parts lie in their memory. */
#include "grid/grid.h"

#include <inttypes.h>

static Status check_size(WwGrid *g, const char *who, const GridGiven *m, size_t lines, size_t length, size_t ld,
                         size_t *bytes)
{
    size_t elements;
    if (ld < length || ld == 0)
        return grid_fail(g, WW_ERR_INVALID, "%s: ld%s = %zu is less than the %zu elements of a row or column of %s",
                         who, m->name, ld, length ? length : 1, m->name);
    if (__builtin_mul_overflow(lines, ld, &elements) || __builtin_mul_overflow(elements, m->element, bytes) ||
        *bytes > (size_t)PTRDIFF_MAX)
        return grid_fail(g, WW_ERR_INVALID, "%s: %s, %zu lines with ld%s = %zu, is larger than memory can be", who,
                         m->name, lines, m->name, ld);
    return WW_OK;
}

static Status check_part(WwGrid *g, const char *who, const GridGiven *m, const GridSpread *s, size_t i)
{
    size_t      worker = s->own + i, bytes = 0;
    size_t      lines = grid_local(s, 0, m->lines, worker), length = grid_local(s, 1, m->length, worker);
    WwPtr       at  = m->on->at[i];
    WwDevice   *d   = g->member[i].device;
    const char *why = "";
    if (lines == 0 || length == 0)
        return WW_OK;
    TRY(check_size(g, who, m, lines, length, m->on->ld, &bytes));
    if (!at || at % m->element)
        return grid_fail(g, WW_ERR_INVALID,
                         "%s: %s.at[%zu] = 0x%" PRIx64
                         " is no address of elements of %zu bytes; device %zu holds %zu x %zu of them",
                         who, m->name, i, at, m->element, i, lines, length);
    bytes -= (m->on->ld - length) * m->element; /* behind the last line there need be nothing */
    if (d->ops->holds && d->ops->holds(d, at, bytes, &why) != WW_OK)
        return grid_fail(g, WW_ERR_INVALID, "%s: device %zu does not hold its %zu bytes of %s at 0x%" PRIx64 ": %s",
                         who, i, bytes, m->name, at, why ? why : "no allocation is there");
    return WW_OK;
}

static Status check_spread(WwGrid *g, const char *who, WwLayout layout, const GridGiven *m)
{
    const WwGridArray *a = m->on;
    size_t             devices;
    if (!a->at)
        return grid_fail(g, WW_ERR_INVALID, "%s: %s.at is NULL", who, m->name);
    if ((a->down == 0) != (a->across == 0) || __builtin_mul_overflow(a->down, a->across, &devices) ||
        (a->down && devices != grid_workers(g)))
        return grid_fail(g, WW_ERR_INVALID, "%s: %s is spread over %zu x %zu devices, the grid has %zu", who, m->name,
                         a->down, a->across, grid_workers(g));
    if (a->down && (!a->block_rows || !a->block_columns || a->block_rows > SIZE_MAX / 2 / a->down ||
                    a->block_columns > SIZE_MAX / 2 / a->across))
        return grid_fail(g, WW_ERR_INVALID, "%s: blocks of %s are %zu x %zu: too small or too large", who, m->name,
                         a->block_rows, a->block_columns);
    GridSpread s = grid_spread(g, a, layout);
    for (size_t i = 0; i < g->n; i++)
        TRY(check_part(g, who, m, &s, i));
    return WW_OK;
}

Status grid_check(WwGrid *g, const char *who, WwLayout layout, const GridGiven *m)
{
    size_t bytes;
    if (m->on)
        return check_spread(g, who, layout, m);
    if (m->ld < m->length || m->ld == 0 || (m->lines && m->length))
        TRY(check_size(g, who, m, m->lines, m->length, m->ld, &bytes));
    if (m->lines == 0 || m->length == 0)
        return WW_OK;
    if (!m->at)
        return grid_fail(g, WW_ERR_INVALID, "%s: %s is a null pointer", who, m->name);
    if ((uintptr_t)m->at % m->element)
        return grid_fail(g, WW_ERR_INVALID, "%s: %s = %p is not aligned to the %zu bytes of an element", who, m->name,
                         m->at, m->element);
    return WW_OK;
}

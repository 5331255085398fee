/* SPDX-License-Identifier: Apache-2.0
 *
 * Nonzeros in order: coordinates by row or by column, the indices of each row or column of a compressed matrix; a permutation goes with them, so that the
 * values can be gathered afterwards.  Equal places keep their order. */
#include <stdlib.h>

#include "cuda/libraries/cusparse/cusparse.h"

typedef struct Sort {
    int       *first, *second, *order; /* order: NULL, or moved along */
    const int *offsets;                /* compressed: of the lines; first is not used */
    int        lines, nonzeros, base;
} Sort;

typedef struct Item {
    int first, second, order, at;
} Item;

static int compare(const void *a, const void *b)
{
    const Item *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void sort(const void *args)
{
    const Sort *s     = args;
    Item       *items = ww_cuda_library_memory((size_t)s->nonzeros * sizeof *items + 1);
    for (int i = 0, line = 0; i < s->nonzeros; i++) {
        while (s->offsets && line < s->lines && s->offsets[line + 1] - s->base <= i)
            line++;
        items[i] = (Item){s->offsets ? line : s->first[i], s->second[i], s->order ? s->order[i] : 0, i};
    }
    qsort(items, (size_t)s->nonzeros, sizeof *items, compare);
    for (int i = 0; i < s->nonzeros; i++) {
        if (!s->offsets)
            s->first[i] = items[i].first;
        s->second[i] = items[i].second;
        if (s->order)
            s->order[i] = items[i].order;
    }
    free(items);
}

static Sp give_sort(void *handle, const char *call, Sort s, int other)
{
    const Handle *h     = handle_of(handle);
    LibraryWork   w     = {0};
    size_t        bytes = (size_t)(s.nonzeros > 0 ? s.nonzeros : 0) * sizeof(int);
    if (!h)
        return SP_NOT_INITIALIZED;
    if (s.nonzeros < 0 || s.lines < 0 || other < 0 || (s.nonzeros && !s.second) ||
        (s.nonzeros && !s.first && !s.offsets))
        return SP_INVALID_VALUE;
    if (s.offsets)
        tell(&w, s.offsets, ((size_t)s.lines + 1) * sizeof(int), LIBRARY_READS);
    else
        tell(&w, s.first, bytes, LIBRARY_UPDATES);
    tell(&w, s.second, bytes, LIBRARY_UPDATES);
    if (s.order)
        tell(&w, s.order, bytes, LIBRARY_UPDATES);
    return give(h, &w, call, sort, &s, sizeof s);
}

Sp cusparseXcoosortByRow(void *h, int rows, int columns, int nonzeros, int *row, int *column, int *order, void *buffer)
{
    (void)buffer;
    return give_sort(h, "cusparseXcoosortByRow", (Sort){row, column, order, NULL, rows, nonzeros, 0}, columns);
}

Sp cusparseXcoosortByColumn(void *h, int rows, int columns, int nonzeros, int *row, int *column, int *order,
                            void *buffer)
{
    (void)buffer;
    return give_sort(h, "cusparseXcoosortByColumn", (Sort){column, row, order, NULL, columns, nonzeros, 0}, rows);
}

Sp cusparseXcsrsort(void *h, int rows, int columns, int nonzeros, const void *descr, const int *offsets, int *column,
                    int *order, void *buffer)
{
    (void)buffer;
    if (!offsets)
        return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;
    return give_sort(h, "cusparseXcsrsort", (Sort){NULL, column, order, offsets, rows, nonzeros, descr_base(descr)},
                     columns);
}

Sp cusparseXcscsort(void *h, int rows, int columns, int nonzeros, const void *descr, const int *offsets, int *row,
                    int *order, void *buffer)
{
    (void)buffer;
    if (!offsets)
        return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;
    return give_sort(h, "cusparseXcscsort", (Sort){NULL, row, order, offsets, columns, nonzeros, descr_base(descr)},
                     rows);
}

#define SPACE(name)                                                                                                    \
    Sp name##_bufferSizeExt(void *h, int rows, int columns, int nonzeros, const int *first, const int *second,         \
                            size_t *bytes)                                                                             \
    {                                                                                                                  \
        (void)rows, (void)columns, (void)nonzeros, (void)first, (void)second;                                          \
        return space(h, bytes);                                                                                        \
    }
SPACE(cusparseXcoosort)
SPACE(cusparseXcsrsort)
SPACE(cusparseXcscsort)

static void count_up(const void *args)
{
    const Sort *s = args;
    for (int i = 0; i < s->nonzeros; i++)
        s->order[i] = i;
}

Sp cusparseCreateIdentityPermutation(void *handle, int n, int *out)
{
    const Handle *h = handle_of(handle);
    LibraryWork   w = {0};
    Sort          s = {.order = out, .nonzeros = n};
    if (!h)
        return SP_NOT_INITIALIZED;
    if (n < 0 || (n && !out))
        return SP_INVALID_VALUE;
    tell(&w, out, (size_t)n * sizeof *out, LIBRARY_WRITES);
    return give(h, &w, "cusparseCreateIdentityPermutation", count_up, &s, sizeof s);
}

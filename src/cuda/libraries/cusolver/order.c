/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of a sparse matrix's rows and columns, in the host's memory: reverse Cuthill-McKee of our own, minimum degree by CXSparse (also where cuSOLVER
 * has nested dissection by METIS: a permutation as good as another, but not the same one); the diagonal without zeros; a matrix in
 * another order; is its structure symmetric? */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusolver/direct.h"

/* ---- reverse Cuthill-McKee ---- */

typedef struct Graph { /* of a + its transpose, without loops */
    int n, *offsets, *neighbours;
} Graph;

static Graph graph_of(const Rows *a)
{
    Graph g = {a->n, ww_cuda_library_memory(((size_t)a->n + 2) * sizeof *g.offsets),
               ww_cuda_library_memory(2 * (size_t)a->nonzeros * sizeof *g.neighbours)};
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < a->n; i++)
            for (int k = a->offsets[i] - a->base; k < a->offsets[i + 1] - a->base; k++) {
                int j = a->columns[k] - a->base;
                if (j == i)
                    continue;
                if (pass) {
                    g.neighbours[g.offsets[i + 1]++] = j;
                    g.neighbours[g.offsets[j + 1]++] = i;
                } else {
                    g.offsets[i + 2]++, g.offsets[j + 2]++;
                }
            }
        for (int i = 1; !pass && i <= a->n; i++)
            g.offsets[i + 1] += g.offsets[i];
    }
    return g;
}

static int degree(const Graph *g, int i)
{
    return g->offsets[i + 1] - g->offsets[i];
}

/* From `start` on, level after level, each one's neighbours with the fewest first; `seen` is marked.  Gives how many; *levels: how many levels. */
static int sweep(const Graph *g, int start, char *seen, int *queue, int *levels)
{
    int n = 1, level_end = 1;
    queue[0]    = start;
    seen[start] = 1;
    *levels     = 1;
    for (int at = 0; at < n; at++) {
        if (at == level_end)
            level_end = n, ++*levels;
        int first = n;
        for (int k = g->offsets[queue[at]]; k < g->offsets[queue[at] + 1]; k++) {
            int j = g->neighbours[k], to = n;
            if (seen[j])
                continue;
            seen[j] = 1;
            for (; to > first && degree(g, queue[to - 1]) > degree(g, j); to--)
                queue[to] = queue[to - 1];
            queue[to] = j;
            n++;
        }
    }
    return n;
}

/* A node at the edge of its component, from which there are many levels. */
static int edge_of(const Graph *g, int start, char *seen, int *queue)
{
    for (int levels = 0, more;; levels = more) {
        int n = sweep(g, start, seen, queue, &more);
        for (int i = 0; i < n; i++)
            seen[queue[i]] = 0;
        if (more <= levels)
            return start;
        start = queue[n - 1];
    }
}

static int *order_rcm(const Rows *a)
{
    Graph g    = graph_of(a);
    char *seen = ww_cuda_library_memory((size_t)a->n);
    int  *out = ww_cuda_library_memory((size_t)a->n * sizeof *out), n = 0, levels;
    for (int i = 0; i < a->n; i++)
        if (!seen[i])
            n += sweep(&g, edge_of(&g, i, seen, out + n), seen, out + n, &levels);
    for (int i = 0; i < n / 2; i++) {
        int other      = out[i];
        out[i]         = out[n - 1 - i];
        out[n - 1 - i] = other;
    }
    free(seen);
    free(g.offsets);
    free(g.neighbours);
    return out;
}

int *order_make(const Rows *a, int how)
{
    return how == 0 ? NULL : how == 1 ? order_rcm(a) : order_amd(a);
}

/* ---- the functions ---- */

static Sol check(void *handle, const char *call, const void *descriptor, Rows *a)
{
    if (!sparse_handle(handle))
        return SOL_NOT_INITIALIZED;
    if (a->m <= 0 || a->n <= 0 || a->nonzeros <= 0 || !a->offsets || !a->columns)
        return SOL_INVALID_VALUE;
    Sol e = sparse_describe(descriptor, a);
    if (e || !direct_rows_good(a))
        return e ? e : SOL_INVALID_VALUE;
    ww_cuda_library_count("cuSOLVER", call, direct_file() ? direct_file() : "warpwright");
    return SOL_SUCCESS;
}

static Sol order(void *handle, const char *call, const void *descriptor, Rows a, int how, int *p)
{
    Sol e = p || !sparse_handle(handle) ? check(handle, call, descriptor, &a) : SOL_INVALID_VALUE;
    if (e || !direct_file())
        return e ? e : SOL_NOT_SUPPORTED;
    int *made = order_make(&a, how);
    memcpy(p, made, (size_t)a.n * sizeof *p);
    free(made);
    return SOL_SUCCESS;
}

#define STRUCTURE(m, n) ((Rows){m, n, nonzeros, 0, R_64F, NULL, offsets, columns})
#define ORDER(name, how)                                                                                               \
    Sol cusolverSpX##name(void *h, int n, int nonzeros, const void *d, const int *offsets, const int *columns, int *p) \
    {                                                                                                                  \
        return order(h, "cusolverSpX" #name, d, STRUCTURE(n, n), how, p);                                              \
    }
ORDER(csrsymrcmHost, 1)
ORDER(csrsymmdqHost, 2)
ORDER(csrsymamdHost, 2)

Sol cusolverSpXcsrmetisndHost(void *h, int n, int nonzeros, const void *d, const int *offsets, const int *columns,
                              const int64_t *options, int *p)
{
    (void)options;
    return order(h, "cusolverSpXcsrmetisndHost", d, STRUCTURE(n, n), 3, p);
}

static Sol diagonal(void *handle, const char *call, const void *descriptor, Rows a, int *p, int *found)
{
    if (sparse_handle(handle) && (!p || !found || !a.values))
        return SOL_INVALID_VALUE;
    Sol e = check(handle, call, descriptor, &a);
    if (e || !direct_file())
        return e ? e : SOL_NOT_SUPPORTED;
    *found = order_diagonal(&a, p);
    return SOL_SUCCESS;
}

#define ZFD(L, T)                                                                                                      \
    Sol cusolverSp##L##csrzfdHost(void *h, int n, int nonzeros, const void *d, const void *values, const int *offsets, \
                                  const int *columns, int *p, int *found)                                              \
    {                                                                                                                  \
        return diagonal(h, "cusolverSp" #L "csrzfdHost", d, (Rows){n, n, nonzeros, 0, T, values, offsets, columns}, p, \
                        found);                                                                                        \
    }
ZFD(S, R_32F)
ZFD(D, R_64F)
ZFD(C, C_32F)
ZFD(Z, C_64F)

static bool has(const Rows *a, int row, int column)
{
    for (int k = a->offsets[row] - a->base; k < a->offsets[row + 1] - a->base; k++)
        if (a->columns[k] - a->base == column)
            return true;
    return false;
}

Sol cusolverSpXcsrissymHost(void *h, int m, int nonzeros, const void *d, const int *offsets, const int *ends,
                            const int *columns, int *out)
{
    Rows a = STRUCTURE(m, m);
    if (sparse_handle(h) && (!out || !ends))
        return SOL_INVALID_VALUE;
    Sol e = check(h, "cusolverSpXcsrissymHost", d, &a);
    if (e)
        return e;
    *out = 1;
    for (int i = 0; i < m && *out; i++)
        for (int k = offsets[i] - a.base; k < ends[i] - a.base && *out; k++)
            *out = has(&a, columns[k] - a.base, i);
    return SOL_SUCCESS;
}

Sol cusolverSpXcsrperm_bufferSizeHost(void *h, int m, int n, int nonzeros, const void *d, const int *offsets,
                                      const int *columns, const int *p, const int *q, size_t *bytes)
{
    Rows a = {m, n, nonzeros, 0, R_64F, NULL, offsets, columns};
    if (!sparse_handle(h))
        return SOL_NOT_INITIALIZED;
    if (m <= 0 || n <= 0 || nonzeros <= 0 || !offsets || !columns || !p || !q || !bytes)
        return SOL_INVALID_VALUE;
    Sol e = sparse_describe(d, &a);
    if (!e)
        *bytes = 16;
    return e;
}

/* Is it a permutation of 0 to n - 1?  inverse gets the place of each. */
static bool invert(const int *p, int n, int *inverse)
{
    for (int i = 0; i < n; i++)
        inverse[i] = -1;
    for (int i = 0; i < n; i++) {
        if (p[i] < 0 || p[i] >= n || inverse[p[i]] >= 0)
            return false;
        inverse[p[i]] = i;
    }
    return true;
}

/* Row i of the result is row p[i], its columns in ascending order; map follows. */
static void permute(const Rows *a, int *offsets, int *columns, const int *p, const int *column_to, int *map)
{
    size_t bytes = (size_t)a->nonzeros * sizeof(int);
    int   *from = ww_cuda_library_memory(((size_t)a->m + 1) * sizeof *from), *old = ww_cuda_library_memory(bytes),
        *numbers = ww_cuda_library_memory(bytes), n = 0;
    memcpy(from, offsets, ((size_t)a->m + 1) * sizeof *from);
    memcpy(old, columns, bytes);
    memcpy(numbers, map, bytes);
    for (int i = 0; i < a->m; i++) {
        int first  = n;
        offsets[i] = n + a->base;
        for (int k = from[p[i]] - a->base; k < from[p[i] + 1] - a->base; k++) {
            int column = column_to[old[k] - a->base] + a->base, to = n++;
            for (; to > first && columns[to - 1] > column; to--)
                columns[to] = columns[to - 1], map[to] = map[to - 1];
            columns[to] = column, map[to] = numbers[k];
        }
    }
    free(from);
    free(old);
    free(numbers);
}

Sol cusolverSpXcsrpermHost(void *h, int m, int n, int nonzeros, const void *d, int *offsets, int *columns, const int *p,
                           const int *q, int *map, void *buffer)
{
    Rows a = {m, n, nonzeros, 0, R_64F, NULL, offsets, columns};
    (void)buffer;
    if (sparse_handle(h) && (!p || !q || !map))
        return SOL_INVALID_VALUE;
    Sol e = check(h, "cusolverSpXcsrpermHost", d, &a);
    if (e)
        return e;
    int *rows = ww_cuda_library_memory((size_t)m * sizeof *rows), *to = ww_cuda_library_memory((size_t)n * sizeof *to);
    bool good = invert(p, m, rows) && invert(q, n, to);
    if (good)
        permute(&a, offsets, columns, p, to, map);
    free(rows);
    free(to);
    return good ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

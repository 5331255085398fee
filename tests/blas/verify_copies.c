/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies, byte by byte.
 *
 *   offsets   all 64 x 64 byte offsets of source and destination, for sizes around a vector, a warp's and a block's bytes
 *   guarded   on a GPU: ranges that begin where mapped memory begins or end where it ends, the pages around them reserved and not mapped,
 *             so that an access outside ends the program.  (On the emulator every allocation is such a range.)
 *   sizes     1 byte to `huge` bytes, by factors of about 4, odd sizes and offsets among them
 *   matrices  random shapes, leading dimensions, element widths, transposed or not; the bytes between rows stay
 *
 * What lies around the destination is compared too: GUARD bytes on each side, or all of it. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "device/cuda.h"
#include "tests/blas/verify.h"

enum { SIDE = 64, GUARD = 64, POISON = 0xee, SMALL = 1 << 17, MATRICES = 300 };

static uint8_t pattern(uint64_t i)
{
    return (uint8_t)((i * 0x9e3779b97f4a7c15u) >> 56);
}

static bool works(Verify *v, Row *r, WwStatus s)
{
    return s == WW_OK || wrong(r, "%s", ww_device_error(v->device));
}

/* `got`: dst - GUARD to dst + bytes + GUARD. */
static bool right(Row *r, const uint8_t *got, const uint8_t *want, size_t bytes, size_t from, size_t to)
{
    r->cases++;
    r->elements += bytes;
    if (memcmp(got + GUARD, want, bytes) != 0)
        return wrong(r, "%zu bytes from offset %zu to %zu are not the source's", bytes, from, to);
    for (size_t i = 0; i < GUARD; i++)
        if (got[i] != POISON || got[GUARD + bytes + i] != POISON)
            return wrong(r, "%zu bytes from offset %zu to %zu: a byte %s them was written", bytes, from, to,
                         got[i] != POISON ? "before" : "behind");
    return true;
}

static void offsets(Verify *v, size_t sizes)
{
    static const size_t size[] = {100, 1,  15,  16,  17,  31,  32,  33,  47,   48,   63,   64,
                                  65,  79, 127, 128, 255, 257, 511, 513, 4095, 4097, 8191, 65537};
    Row                *r      = row_of(v, "copy", "offsets", WW_I32);
    uint8_t            *data = xmalloc(SMALL), *got = xmalloc(SMALL);
    WwPtr               src, dst;
    bool ok = works(v, r, ww_alloc(v->device, SMALL, &src)) && works(v, r, ww_alloc(v->device, SMALL, &dst));
    for (size_t i = 0; i < SMALL; i++)
        data[i] = pattern(i);
    ok = ok && works(v, r, ww_copy_in(v->device, src, data, SMALL));
    for (size_t s = 0; ok && s < sizes && s < sizeof size / sizeof *size; s++)
        for (size_t from = 0; ok && from < SIDE; from++)
            for (size_t to = 0; ok && to < SIDE; to++) {
                WwPtr at = dst + GUARD + to;
                ok       = works(v, r, ww_fill(v->device, at - GUARD, POISON, size[s] + 2 * GUARD)) &&
                     works(v, r, ww_blas_copy(v->blas, at, src + from, size[s])) &&
                     works(v, r, ww_copy_out(v->device, got, at - GUARD, size[s] + 2 * GUARD)) &&
                     right(r, got, data + from, size[s], from, to);
            }
    ww_free(v->device, src);
    ww_free(v->device, dst);
    free(data);
    free(got);
}

static void huge_copies(Verify *v, uint64_t huge)
{
    Row     *r    = row_of(v, "copy", "sizes", WW_I32);
    size_t   room = huge + 2 * GUARD + SIDE;
    uint8_t *data = xmalloc(room), *got = xmalloc(room);
    WwPtr    src, dst;
    bool     ok = works(v, r, ww_alloc(v->device, room, &src)) && works(v, r, ww_alloc(v->device, room, &dst));
    for (size_t i = 0; i < room; i++)
        data[i] = pattern(i);
    ok = ok && works(v, r, ww_copy_in(v->device, src, data, room));
    for (uint64_t bytes = 1; ok && bytes <= huge; bytes = bytes == huge                  ? huge + 1
                                                          : bytes * 4 + bytes % 3 < huge ? bytes * 4 + bytes % 3
                                                                                         : huge) {
        size_t from = random_below(v, SIDE), to = random_below(v, SIDE);
        WwPtr  at = dst + GUARD + to;
        ok        = works(v, r, ww_fill(v->device, at - GUARD, POISON, bytes + 2 * GUARD)) &&
             works(v, r, ww_blas_copy(v->blas, at, src + from, bytes)) &&
             works(v, r, ww_copy_out(v->device, got, at - GUARD, bytes + 2 * GUARD)) &&
             right(r, got, data + from, bytes, from, to);
    }
    ww_free(v->device, src);
    ww_free(v->device, dst);
    free(data);
    free(got);
}

/* ---- pages that do not exist ---------------------------------------------------------------------------------------------------- */

typedef struct Location {
    int type, id;
} Location;

typedef struct Property { /* CUmemAllocationProp */
    int      type, handle_types;
    Location location;
    void    *metadata;
    uint8_t  flags[8];
} Property;

typedef struct Permission { /* CUmemAccessDesc */
    Location location;
    int      flags;
} Permission;

typedef struct Pages {
    int (*granularity)(size_t *out, const Property *p, int option);
    int (*reserve)(CuPtr *out, size_t bytes, size_t align, CuPtr at, unsigned long long flags);
    int (*create)(unsigned long long *out, size_t bytes, const Property *p, unsigned long long flags);
    int (*map)(CuPtr at, size_t bytes, size_t offset, unsigned long long handle, unsigned long long flags);
    int (*access)(CuPtr at, size_t bytes, const Permission *a, size_t count);
} Pages;

/* One granule of memory with an unmapped one on each side, never freed: its addresses then mean nothing else. */
static CuPtr lonely_granule(const Pages *p, int ordinal, size_t *bytes)
{
    enum { PINNED = 1, DEVICE = 1, READ_WRITE = 3, MINIMUM = 0 };
    Property           prop = {.type = PINNED, .location = {DEVICE, ordinal}};
    Permission         all  = {{DEVICE, ordinal}, READ_WRITE};
    CuPtr              at   = 0;
    unsigned long long handle;
    if (p->granularity(bytes, &prop, MINIMUM) || p->reserve(&at, 3 * *bytes, 0, 0, 0) ||
        p->create(&handle, *bytes, &prop, 0) || p->map(at + *bytes, *bytes, 0, handle, 0) ||
        p->access(at + *bytes, *bytes, &all, 1))
        return 0;
    return at + *bytes;
}

static bool find_pages(Pages *p)
{
    const char *name = getenv("WARPWRIGHT_CUDA_DRIVER");
    void       *lib  = dlopen(name ? name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return false;
    *(void **)&p->granularity = dlsym(lib, "cuMemGetAllocationGranularity");
    *(void **)&p->reserve     = dlsym(lib, "cuMemAddressReserve");
    *(void **)&p->create      = dlsym(lib, "cuMemCreate");
    *(void **)&p->map         = dlsym(lib, "cuMemMap");
    *(void **)&p->access      = dlsym(lib, "cuMemSetAccess");
    return p->granularity && p->reserve && p->create && p->map && p->access;
}

/* bytes at either end of one granule to either end of another. */
static bool guarded_copy(Verify *v, Row *r, CuPtr src, CuPtr dst, size_t granule, size_t bytes, unsigned ends,
                         const uint8_t *data, uint8_t *got)
{
    CudaDevice *c    = (CudaDevice *)v->device;
    size_t      from = ends & 1 ? granule - bytes : 0, to = ends & 2 ? granule - bytes : 0, span = bytes + GUARD;
    CuPtr       at = ends & 2 ? dst + granule - span : dst;
    bool        ok = works(v, r, cuda_check(c, c->drv.fill(at, POISON, span), "cuMemsetD8")) &&
              works(v, r, ww_blas_copy(v->blas, dst + to, src + from, bytes)) &&
              works(v, r, cuda_check(c, c->drv.copy_out(got, at, span), "cuMemcpyDtoH"));
    if (!ok)
        return false;
    r->cases++;
    r->elements += bytes;
    if (memcmp(got + (ends & 2 ? GUARD : 0), data + from, bytes) != 0)
        return wrong(r, "%zu bytes from offset %zu to %zu of pages with nothing beside them", bytes, from, to);
    for (size_t i = 0; i < GUARD; i++)
        if (got[ends & 2 ? i : bytes + i] != POISON)
            return wrong(r, "%zu bytes at offset %zu: a byte beside them was written", bytes, to);
    return true;
}

static void guarded(Verify *v, size_t most)
{
    Row   *r       = row_of(v, "copy", "beside unmapped pages", WW_I32);
    Pages  p       = {0};
    size_t granule = 0;
    if (!find_pages(&p)) {
        r->missing = true;
        return;
    }
    CudaDevice *c   = (CudaDevice *)v->device;
    CuPtr       src = lonely_granule(&p, c->ordinal, &granule), dst = lonely_granule(&p, c->ordinal, &granule);
    if (!src || !dst) {
        wrong(r, "no memory could be mapped");
        return;
    }
    uint8_t *data = xmalloc(granule), *got = xmalloc(granule);
    for (size_t i = 0; i < granule; i++)
        data[i] = pattern(i);
    bool ok = works(v, r, cuda_check(c, c->drv.copy_in(src, data, granule), "cuMemcpyHtoD"));
    for (size_t bytes = 1; ok && bytes <= most; bytes++)
        for (unsigned ends = 0; ok && ends < 4; ends++)
            ok = guarded_copy(v, r, src, dst, granule, bytes, ends, data, got);
    for (unsigned ends = 0; ok && ends < 4; ends++)
        ok = guarded_copy(v, r, src, dst, granule, granule - GUARD - 13, ends, data, got);
    free(data);
    free(got);
}

/* ---- matrices ------------------------------------------------------------------------------------------------------------------- */

static bool matrix(Verify *v, Row *r, size_t most)
{
    static const size_t width[] = {1, 2, 4, 8, 16, 3, 12};
    size_t              e       = width[random_below(v, 7)];
    WwCopy              c       = {.element = e,
                                   .trans   = e != 3 && e != 12 && random_below(v, 2),
                                   .rows    = 1 + random_below(v, most),
                                   .columns = 1 + random_below(v, most)};
    size_t              lines = c.trans ? c.columns : c.rows, length = c.trans ? c.rows : c.columns;
    c.ld_src    = c.columns + random_below(v, 9);
    c.ld_dst    = length + random_below(v, 9);
    size_t from = c.trans ? e * random_below(v, 4) : random_below(v, 16),
           to   = c.trans ? e * random_below(v, 4) : random_below(v, 16);
    size_t in = from + ((c.rows - 1) * c.ld_src + c.columns) * e, out = to + ((lines - 1) * c.ld_dst + length) * e,
           all    = out + GUARD * v->cuda;
    uint8_t *data = xmalloc(in), *got = xmalloc(all), *want = xmalloc(all);
    WwPtr    src, dst;
    for (size_t i = 0; i < in; i++)
        data[i] = pattern(i);
    memset(want, POISON, all);
    for (size_t i = 0; i < lines; i++)
        for (size_t j = 0; j < length; j++)
            memcpy(want + to + (i * c.ld_dst + j) * e,
                   data + from + (c.trans ? j * c.ld_src + i : i * c.ld_src + j) * e, e);
    bool ok = works(v, r, ww_alloc(v->device, in, &src)) && works(v, r, ww_alloc(v->device, all, &dst)) &&
              works(v, r, ww_copy_in(v->device, src, data, in)) && works(v, r, ww_fill(v->device, dst, POISON, all));
    c.src = src + from;
    c.dst = dst + to;
    ok    = ok && works(v, r, ww_blas_copy_matrix(v->blas, &c)) && works(v, r, ww_copy_out(v->device, got, dst, all));
    if (ok && memcmp(got, want, all) != 0)
        ok = wrong(r, "%zu x %zu of %zu bytes, trans %d, ld %zu to %zu, offsets %zu to %zu", c.rows, c.columns, e,
                   c.trans, c.ld_src, c.ld_dst, from, to);
    r->cases++;
    r->elements += lines * length;
    ww_free(v->device, src);
    ww_free(v->device, dst);
    free(data);
    free(got);
    free(want);
    return ok;
}

void verify_copies(Verify *v, size_t sizes, uint64_t huge)
{
    uint64_t found = v->findings;
    Row     *r     = row_of(v, "copy", "matrices", WW_I32);
    if (sizes == 0)
        return;
    for (int i = 0; i < MATRICES && matrix(v, r, v->cuda ? 700 : 90); i++)
        continue;
    offsets(v, sizes);
    if (v->cuda)
        guarded(v, sizes > 1 ? 700 : 70);
    if (huge)
        huge_copies(v, huge);
    if (v->findings != found)
        wrong(r, "%llu findings of the checkers", (unsigned long long)(v->findings - found));
}

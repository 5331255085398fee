/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: batches of copies.  All of a batch is looked at before any of it is begun, so a batch that is refused did nothing. */
#include "base/sizes.h"
#include "cuda/memory/array.h"
#include "cuda/work/stream.h"
#include "cuda/work/work.h"

enum { ORDER_STREAM = 1, ORDER_ANY = 3, FLAGS = 1 /* prefer overlap with kernels */, POINTER = 1, ARRAY = 2 };

typedef struct CopyAttributes { /* cudaMemcpyAttributes */
    int      order, src_hint[2], dst_hint[2];
    unsigned flags;
} CopyAttributes;
_Static_assert(sizeof(CopyAttributes) == 24, "layout of cudaMemcpyAttributes");

typedef struct BatchOperand { /* cudaMemcpy3DOperand */
    int type;
    union {
        struct {
            void  *at;
            size_t row, layer;
            int    hint[2];
        } pointer; /* row: elements; layer: rows */
        struct {
            void *array;
            Pos   offset;
        } array;
    };
} BatchOperand;
typedef struct BatchCopy { /* cudaMemcpy3DBatchOp */
    BatchOperand src, dst;
    Extent       extent;
    int          order;
    unsigned     flags;
} BatchCopy;
_Static_assert(sizeof(BatchCopy) == 112, "layout of cudaMemcpy3DBatchOp");

static bool usable(void *stream)
{
    return stream && stream != (void *)STREAM_LEGACY &&
           stream != (void *)STREAM_PER_THREAD; /* the interface refuses the default streams */
}

static bool order_valid(int order, unsigned flags)
{
    return order >= ORDER_STREAM && order <= ORDER_ANY && !(flags & ~(unsigned)FLAGS);
}

CuErr rt_cudaMemcpyBatchAsync(void *const *dst, const void *const *src, const size_t *bytes, size_t n,
                              const CopyAttributes *attrs, const size_t *first, size_t nattrs, void *stream)
{
    ENTER();
    bool ok = dst && src && bytes && attrs && first && nattrs && n && nattrs <= n && usable(stream) && !first[0];
    for (size_t i = 0; ok && i < nattrs; i++)
        ok = order_valid(attrs[i].order, attrs[i].flags) && first[i] < n && (!i || first[i] > first[i - 1]);
    CuErr e = ok ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; e == cudaSuccess && i < n; i++)
        e = bytes[i] ? devmem_check_copy(dst[i], bytes[i], src[i], bytes[i], COPY_DEFAULT) : cudaErrorInvalidValue;
    for (size_t i = 0; e == cudaSuccess && i < n; i++)
        e = stream_copy(dst[i], 0, src[i], 0, bytes[i], 1, COPY_DEFAULT, stream);
    return LEAVE(e);
}

/* CUDA 12 also says which copy was refused: here none in particular. */
CuErr rt_cudaMemcpyBatchAsync_12(void *const *dst, const void *const *src, const size_t *bytes, size_t n,
                                 const CopyAttributes *attrs, const size_t *first, size_t nattrs, size_t *failed,
                                 void *stream)
{
    CuErr e = rt_cudaMemcpyBatchAsync(dst, src, bytes, n, attrs, first, nattrs, stream);
    if (e != cudaSuccess && failed)
        *failed = SIZE_MAX;
    return e;
}

/* One end as cudaMemcpy3DParms has it: pitches in bytes of `texel`. */
static bool operand(const BatchOperand *o, const Extent *e, size_t texel, void **array, Pos *pos, PitchedPtr *p)
{
    *array = NULL;
    *pos   = (Pos){0};
    *p     = (PitchedPtr){0};
    if (o->type == ARRAY) {
        *array = o->array.array;
        *pos   = o->array.offset;
        return array_of(o->array.array) != NULL;
    }
    size_t row = o->pointer.row ? o->pointer.row : e->width, layer = o->pointer.layer ? o->pointer.layer : e->height;
    *p = (PitchedPtr){o->pointer.at, size_mul(row, texel), row, layer};
    return o->type == POINTER && o->pointer.at && row >= e->width && layer >= e->height;
}

static CuErr plan(const BatchCopy *b, NodeCopy *out)
{
    CopyParms3D  c     = {.extent = b->extent, .kind = COPY_DEFAULT};
    const Array *a     = b->src.type == ARRAY   ? array_of(b->src.array.array)
                         : b->dst.type == ARRAY ? array_of(b->dst.array.array)
                                                : NULL;
    size_t       texel = a ? texel_bytes(&a->format) : 1;
    if (!b->extent.width || !b->extent.height || !b->extent.depth || !order_valid(b->order, b->flags) ||
        !operand(&b->src, &b->extent, texel, &c.src_array, &c.src_pos, &c.src) ||
        !operand(&b->dst, &b->extent, texel, &c.dst_array, &c.dst_pos, &c.dst))
        return cudaErrorInvalidValue;
    return array_copy_parms(&c, out);
}

CuErr rt_cudaMemcpy3DBatchAsync(size_t n, const BatchCopy *list, unsigned long long flags, void *stream)
{
    ENTER();
    NodeCopy c;
    CuErr    e = n && list && !flags && usable(stream) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; e == cudaSuccess && i < n; i++)
        e = plan(&list[i], &c);
    for (size_t i = 0; e == cudaSuccess && i < n; i++) {
        e = plan(&list[i], &c);
        e = e == cudaSuccess ? stream_copy_node(&c, stream) : e;
    }
    return LEAVE(e);
}

CuErr rt_cudaMemcpy3DBatchAsync_12(size_t n, const BatchCopy *list, size_t *failed, unsigned long long flags,
                                   void *stream)
{
    CuErr e = rt_cudaMemcpy3DBatchAsync(n, list, flags, stream);
    if (e != cudaSuccess && failed)
        *failed = SIZE_MAX;
    return e;
}

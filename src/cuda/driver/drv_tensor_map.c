/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's tensor maps.  The 128 bytes are ours (emu/async/tensormap.h), since NVIDIA's are not documented: a map made
 * here works here only, and kernels change it with tensormap.replace, not byte by byte. */
#include "cuda/process/state.h"
#include "emu/async/tensormap.h"

static CuErr encode(const TensorMapAsk *ask, TensorMap *map)
{
    return !map || tensormap_encode(ask, map) ? cudaErrorInvalidValue
                                              : cudaSuccess; /* the driver takes maps at any address */
}

CuErr drv_cuTensorMapEncodeTiled(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *dim,
                                 const uint64_t *stride, const uint32_t *box, const uint32_t *element_stride,
                                 int interleave, int swizzle, int promotion, int fill)
{
    ENTER_ALWAYS();
    return encode(&(TensorMapAsk){.type           = (uint32_t)type,
                                  .rank           = rank,
                                  .address        = (uintptr_t)address,
                                  .dim            = dim,
                                  .stride         = stride,
                                  .box            = box,
                                  .element_stride = element_stride,
                                  .interleave     = (uint32_t)interleave,
                                  .swizzle        = (uint32_t)swizzle,
                                  .l2_promotion   = (uint32_t)promotion,
                                  .fill           = (uint32_t)fill},
                  map);
}

CuErr drv_cuTensorMapEncodeIm2col(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *dim,
                                  const uint64_t *stride, const int *lower, const int *upper, uint32_t channels,
                                  uint32_t pixels, const uint32_t *element_stride, int interleave, int swizzle,
                                  int promotion, int fill)
{
    ENTER_ALWAYS();
    return encode(&(TensorMapAsk){.type           = (uint32_t)type,
                                  .rank           = rank,
                                  .address        = (uintptr_t)address,
                                  .dim            = dim,
                                  .stride         = stride,
                                  .element_stride = element_stride,
                                  .interleave     = (uint32_t)interleave,
                                  .swizzle        = (uint32_t)swizzle,
                                  .l2_promotion   = (uint32_t)promotion,
                                  .fill           = (uint32_t)fill,
                                  .im2col         = true,
                                  .lower          = lower,
                                  .upper          = upper,
                                  .channels       = channels,
                                  .pixels         = pixels},
                  map);
}

/* The driver makes the map of cuTensorMapEncodeIm2col, byte for byte, for a card without the wide modes: corners along
 * W alone, the mode is looked at and forgotten. */
CuErr drv_cuTensorMapEncodeIm2colWide(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *dim,
                                      const uint64_t *stride, int lower, int upper, uint32_t channels, uint32_t pixels,
                                      const uint32_t *element_stride, int interleave, int mode, int swizzle,
                                      int promotion, int fill)
{
    const int from[TENSOR_DIMS - 2] = {lower}, to[TENSOR_DIMS - 2] = {upper};
    if (mode < 0 || mode > 1)
        return cudaErrorInvalidValue;
    return drv_cuTensorMapEncodeIm2col(map, type, rank, address, dim, stride, from, to, channels, pixels,
                                       element_stride, interleave, swizzle, promotion, fill);
}

CuErr drv_cuTensorMapReplaceAddress(TensorMap *map, void *address)
{
    ENTER_ALWAYS();
    return !map || tensormap_set_address(map, (uintptr_t)address) ? cudaErrorInvalidValue : cudaSuccess;
}

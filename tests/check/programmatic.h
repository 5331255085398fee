/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch of one block of 64 threads that may begin before the kernel in front of it has ended. */
#pragma once
#include "run.h"

template <typename... Params, typename... Args> static void launch_programmatic(void (*kernel)(Params...), Args... args)
{
    cudaLaunchConfig_t  c = {};
    cudaLaunchAttribute p = {};
    p.id                  = cudaLaunchAttributeProgrammaticStreamSerialization;
    p.val.programmaticStreamSerializationAllowed = 1;
    c.gridDim                                    = 1;
    c.blockDim                                   = 64;
    c.attrs                                      = &p;
    c.numAttrs                                   = 1;
    if (cudaLaunchKernelEx(&c, kernel, Params(args)...) != cudaSuccess)
        exit(3);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's first way to launch: a function remembers block shape, shared memory and parameters; and the count of a context's users. */
#include <cuda.h>

#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define OKD(call) CHECK((call) == CUDA_SUCCESS)

static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".extern .shared .align 4 .b8 tile[];\n"
                          ".visible .entry fill(.param .u64 out, .param .u32 base, .param .f32 f)\n{\n"
                          ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .f32 %f<3>;\n"
                          "ld.param.u64 %d0, [out]; ld.param.u32 %r0, [base]; ld.param.f32 %f0, [f];\n"
                          "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r7, %ctaid.y;\n"
                          "mov.u32 %r8, %nctaid.x; mad.lo.u32 %r2, %r7, %r8, %r2; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
                          "cvt.rzi.u32.f32 %r5, %f0; add.u32 %r5, %r5, %r4; add.u32 %r5, %r5, %r0;\n"
                          "mov.u32 %r6, tile; mad.lo.u32 %r6, %r1, 4, %r6; st.shared.u32 [%r6], %r5; ld.shared.u32 %r5, [%r6];\n"
                          "mul.wide.u32 %d1, %r4, 4; add.u64 %d2, %d0, %d1; st.global.u32 [%d2], %r5; ret;\n}\n";

int main()
{
    CUdevice    device;
    CUcontext   context, same;
    CUmodule    module;
    CUfunction  fill;
    CUdeviceptr out;
    unsigned    host[64];
    OKD(cuInit(0));
    OKD(cuDeviceGet(&device, 0));
#if CUDA_VERSION >= 13000
    OKD(cuCtxCreate(&context, NULL, 0, device));
#else
    OKD(cuCtxCreate(&context, 0, device));
#endif
    OKD(cuCtxAttach(&same, 0));
    CHECK(same == context && cuCtxAttach(&same, 1) == CUDA_ERROR_INVALID_VALUE);
    OKD(cuModuleLoadData(&module, ptx));
    OKD(cuModuleGetFunction(&fill, module, "fill"));
    OKD(cuMemAlloc(&out, sizeof host));
    OKD(cuFuncSetBlockShape(fill, 16, 1, 1));
    CHECK(cuFuncSetBlockShape(fill, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
    OKD(cuFuncSetSharedSize(fill, 64));
    OKD(cuParamSetv(fill, 0, &out, sizeof out));
    OKD(cuParamSeti(fill, 8, 100));
    OKD(cuParamSetf(fill, 12, 7.5f));
    OKD(cuParamSetSize(fill, 16));
    CHECK(cuParamSetSize(fill, 5000) == CUDA_ERROR_INVALID_VALUE);
    OKD(cuLaunchGrid(fill, 2, 2));
    OKD(cuMemcpyDtoH(host, out, sizeof host));
    for (unsigned i = 0; i < 64; i++)
        CHECK(host[i] == i + 107);
    OKD(cuParamSeti(fill, 8, 200));
    OKD(cuLaunch(fill));
    OKD(cuLaunchGridAsync(fill, 1, 1, 0));
    OKD(cuMemcpyDtoH(host, out, sizeof host));
    CHECK(host[15] == 15 + 207 && host[16] == 16 + 107);
    int grid = 0, block = 0;
    OKD(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill, NULL, 0, 0));
    CHECK(block == 1024 && grid == 2 * 132);
    OKD(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, fill, NULL, 0, 100, CU_OCCUPANCY_DEFAULT));
    CHECK(block <= 100 && block % 32 == 0 && grid > 0);
    CUdevice current = -1;
    OKD(cuCtxGetDevice_v2(&current, context));
    CHECK(current == device);
    OKD(cuCtxSynchronize_v2(context));
    OKD(cuCtxDetach(context));
    CHECK(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
    return passed();
}

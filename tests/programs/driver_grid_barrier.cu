/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: PTX that calls the device runtime's barrier of the grid, as numba's does, linked with a libcudadevrt.a that is not there; and
 * before any cooperative launch, where there is nothing to wait at.
 * varies: blocks wait for each other in loops */
#include <cuda.h>
#include "check.h"

static const char text[] = R"(.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry around(.param .u64 from, .param .u64 to, .param .u64 status)
{
    .reg .b32 %r<12>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd0, [from];
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd8, [status];
    {
    .param .b32 p0;
    .param .b64 r0;
    st.param.b32 [p0], 1;
    call.uni (r0), cudaCGGetIntrinsicHandle, (p0);
    ld.param.b64 %rd2, [r0];
    }
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r0, %r3, %r1;
    mul.wide.u32 %rd3, %r4, 4;
    add.u64 %rd4, %rd0, %rd3;
    st.global.u32 [%rd4], %r4;
    {
    .param .b64 p0;
    .param .b32 p1;
    .param .b32 r0;
    st.param.b64 [p0], %rd2;
    st.param.b32 [p1], 0;
    call.uni (r0), cudaCGSynchronize, (p0, p1);
    ld.param.b32 %r8, [r0];
    }
    st.global.u32 [%rd8], %r8;
    add.u32 %r5, %r0, 1;
    rem.u32 %r5, %r5, %r2;
    mad.lo.u32 %r6, %r5, %r3, %r1;
    mul.wide.u32 %rd5, %r6, 4;
    add.u64 %rd6, %rd0, %rd5;
    ld.global.u32 %r7, [%rd6];
    add.u64 %rd7, %rd1, %rd3;
    st.global.u32 [%rd7], %r7;
    ret;
})";

int main()
{
    CUdevice    device;
    CUcontext   context;
    CUmodule    module;
    CUfunction  f;
    CUlinkState link;
    CUdeviceptr from, to, status;
    void       *cubin;
    size_t      bytes;
    int         h[128], s;
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
    CU(cuLinkCreate(0, nullptr, nullptr, &link));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text, sizeof text, "text", 0, nullptr, nullptr));
    CU(cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, "/nowhere/libcudadevrt.a", 0, nullptr, nullptr));
    CU(cuLinkComplete(link, &cubin, &bytes));
    CU(cuModuleLoadData(&module, cubin));
    CU(cuLinkDestroy(link));
    CU(cuModuleGetFunction(&f, module, "around"));
    CU(cuMemAlloc(&from, sizeof h));
    CU(cuMemAlloc(&to, sizeof h));
    CU(cuMemAlloc(&status, sizeof s));
    void *args[] = {&from, &to, &status};
    CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    CU(cuMemcpyDtoH(&s, status, sizeof s));
    CHECK(s == CUDA_ERROR_INVALID_VALUE);
    CU(cuLaunchCooperativeKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, args));
    CU(cuMemcpyDtoH(h, to, sizeof h));
    CU(cuMemcpyDtoH(&s, status, sizeof s));
    CHECK(s == 0);
    for (int i = 0; i < 128; i++)
        CHECK(h[i] == (i + 32) % 128);
    return passed();
}

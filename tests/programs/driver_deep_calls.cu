/* SPDX-License-Identifier: Apache-2.0
 *
 * A module of 100 000 functions, each of which calls the next: loading it takes no stack of the processor's for each, a kernel that does not
 * enter the chain runs, one that does overflows its own stack, and is told so.
 * fails: 1
 * slow: its module is large, and ptxas reads it where performance is checked */
#include <cuda.h>

#include <string>

#include "check.h"

enum { FUNCTIONS = 100000 };

static std::string chain()
{
    std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n"
                      ".func (.reg .u32 r) f0(.reg .u32 a) { add.u32 r, a, 1; ret; }\n";
    for (int i = 1; i < FUNCTIONS; i++)
        ptx += ".func (.reg .u32 r) f" + std::to_string(i) + "(.reg .u32 a) { call (r), f" + std::to_string(i - 1) + ", (a); ret; }\n";
    return ptx + ".visible .entry k(.param .u64 p, .param .u32 enters) {\n"
                 ".reg .u64 %p; .reg .u32 %r<3>; .reg .pred %q;\n"
                 "ld.param.u64 %p, [p]; ld.param.u32 %r1, [enters]; setp.eq.u32 %q, %r1, 0; mov.u32 %r2, 7;\n"
                 "@%q bra over; call (%r2), f" + std::to_string(FUNCTIONS - 1) + ", (%r1);\n"
                 "over: st.global.u32 [%p], %r2; ret; }\n";
}

int main()
{
    CUdevice    d;
    CUcontext   c;
    CUmodule    m;
    CUfunction  f;
    CUdeviceptr p;
    unsigned    enters = 0, got = 0;
    void       *args[] = {&p, &enters};
    CU(cuInit(0));
    CU(cuDeviceGet(&d, 0));
    CU(cuDevicePrimaryCtxRetain(&c, d));
    CU(cuCtxSetCurrent(c));
    CU(cuModuleLoadData(&m, chain().c_str()));
    CU(cuModuleGetFunction(&f, m, "k"));
    CU(cuMemAlloc(&p, sizeof got));
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    CU(cuMemcpyDtoH(&got, p, sizeof got));
    CHECK(got == 7);
    enters = 1;
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    CHECK(cuCtxSynchronize() != CUDA_SUCCESS);
    return passed();
}

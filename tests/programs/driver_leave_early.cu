/* SPDX-License-Identifier: Apache-2.0
 *
 * The program ends while the thread of a stream still runs one kernel after the other: it rests while the report is written.  By the driver
 * interface, because the runtime has an exit handler of its own that waits for its turn.
 * varies: it ends while kernels are under way */
#include <cuda.h>
#include <semaphore.h>

#include "check.h"

enum { BEFORE = 2000, BEHIND = 10000 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n) {\n"
                          ".reg .u64 %a<2>; .reg .u32 %r<3>;\n"
                          "ld.param.u64 %a1, [p]; ld.param.u32 %r1, [n];\n"
                          "atom.global.add.u32 %r2, [%a1], %r1; ret;\n}\n";

static sem_t go;

static void CUDA_CB let_go(void *)
{
    sem_post(&go);
}

int main()
{
    CUdevice    device;
    CUcontext   context;
    CUmodule    module;
    CUfunction  f;
    CUdeviceptr p, word;
    CUstream    s;
    unsigned    one = 1;
    CHECK(sem_init(&go, 0, 0) == 0);
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&context, nullptr, 0, device));
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&f, module, "add"));
    CU(cuMemAlloc(&p, 4));
    CU(cuMemAlloc(&word, 4));
    CU(cuMemsetD32(word, 0, 1));
    CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    void *args[] = {&p, &one};
    CU(cuStreamWaitValue32(s, word, 1, CU_STREAM_WAIT_VALUE_GEQ));
    for (int i = 0; i < BEFORE + BEHIND; i++) {
        if (i == BEFORE)
            CU(cuLaunchHostFunc(s, let_go, nullptr));
        CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, nullptr));
    }
    CU(cuMemsetD32Async(word, 1, 1, 0));
    CHECK(sem_wait(&go) == 0);
    return passed();
}

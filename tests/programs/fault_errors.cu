/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program is told of each way in which a kernel stops (the column of rules.def).  An error stays until the process ends, so each
 * has a process of its own.
 * fails: 8 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void stray(int *p)
{
    p[1 << 28] = 1;
}

__global__ void null(int *p)
{
    *(int *)(size_t)*p = 1;
}

__global__ void misaligned(char *p)
{
    *(int *)(p + 1) = 1;
}

__global__ void other_space(int *p)
{
    __shared__ int here;
    here = 1;
    asm volatile("st.global.u32 [%0], 1;" ::"l"(&here));
    *p = here;
}

__global__ void asserted(int *p)
{
    assert(*p != 0);
}

__global__ void trapped()
{
    __trap();
}

__global__ void count(int *p)
{
    asm volatile("bar.sync 1, %0;" ::"r"(*p + 33));
}

__global__ void waits(int *p)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 96;");
    *p = 1;
}

static cudaError_t outcome(int which)
{
    int *p;
    OK(cudaMalloc(&p, 4096));
    OK(cudaMemset(p, 0, 4096));
    switch (which) {
    case 0: stray<<<1, 1>>>(p); break;
    case 1: null<<<1, 1>>>(p); break;
    case 2: misaligned<<<1, 1>>>((char *)p); break;
    case 3: other_space<<<1, 1>>>(p); break;
    case 4: asserted<<<1, 1>>>(p); break;
    case 5: trapped<<<1, 1>>>(); break;
    case 6: count<<<1, 64>>>(p); break;
    default: waits<<<1, 64>>>(p); break;
    }
    return cudaDeviceSynchronize();
}

int main()
{
    static const cudaError_t want[] = {cudaErrorIllegalAddress,      cudaErrorIllegalAddress, cudaErrorMisalignedAddress,
                                       cudaErrorInvalidAddressSpace, cudaErrorAssert,         cudaErrorLaunchFailure,
                                       cudaErrorIllegalInstruction,  cudaErrorLaunchTimeout};
    for (int i = 0; i < (int)(sizeof want / sizeof *want); i++) {
        int   status = -1;
        pid_t child  = fork();
        if (!child) {
            cudaError_t got = outcome(i);
            if (got != want[i])
                fprintf(stderr, "case %d: %s\n", i, cudaGetErrorName(got));
            exit(got == want[i] ? 0 : 1);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return passed();
}

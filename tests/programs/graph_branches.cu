/* SPDX-License-Identifier: Apache-2.0
 *
 * Branches of a graph run side by side: kernels of one graph that wait for each other end, and what joins them comes behind all. */
#include "check.h"

/* Two that meet: each tells the other, `rounds` times. */
static __global__ void meet(volatile int *mine, volatile int *other, int rounds)
{
    for (int i = 1; i <= rounds; i++) {
        *mine = i;
        __threadfence();
        while (*other < i)
            ;
    }
}

static __global__ void sum(int *flags, int *out)
{
    *out += flags[0] + flags[32];
}

static __global__ void follow(volatile int *flag, int *out)
{
    while (!*flag)
        ;
    *out = 1;
}

static cudaGraphNode_t add(cudaGraph_t g, const void *f, void **args, cudaGraphNode_t *deps, size_t n)
{
    cudaGraphNode_t      node;
    cudaKernelNodeParams k = {};
    k.func                 = const_cast<void *>(f);
    k.gridDim = k.blockDim = 1;
    k.kernelParams         = args;
    OK(cudaGraphAddKernelNode(&node, g, deps, n, &k));
    return node;
}

int main()
{
    int *flags, *out, h = 0, rounds = 3;
    OK(cudaMalloc(&flags, 256));
    OK(cudaMallocHost(&out, 16));
    out[0] = out[1] = out[2] = 0;
    int            *other = flags + 32;
    cudaGraph_t     g;
    cudaGraphExec_t x;
    cudaStream_t    s, t;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t  clear, pair[2];
    cudaMemsetParams m = {};
    m.dst              = flags;
    m.elementSize      = 1;
    m.width            = 256;
    m.height           = 1;
    OK(cudaGraphAddMemsetNode(&clear, g, nullptr, 0, &m));
    void *first[] = {&flags, &other, &rounds}, *second[] = {&other, &flags, &rounds}, *both[] = {&flags, &out};
    pair[0]       = add(g, (const void *)meet, first, &clear, 1);
    pair[1]       = add(g, (const void *)meet, second, &clear, 1);
    add(g, (const void *)sum, both, pair, 2);
    OK(cudaGraphInstantiate(&x, g, 0));
    for (cudaStream_t in : {s, (cudaStream_t)0, t}) { /* also twice in a row, and with work behind it */
        OK(cudaGraphLaunch(x, in));
        OK(cudaGraphLaunch(x, in));
        OK(cudaMemcpyAsync(&h, out, 4, cudaMemcpyHostToHost, in));
        OK(cudaStreamSynchronize(in));
    }
    CHECK(out[0] == 6 * 2 * rounds);

    /* roots without a dependency, one of them in the way of nobody: the host opens it */
    cudaGraph_t     loose;
    cudaGraphExec_t y;
    int            *open = out + 1, *seen = out + 2;
    void           *waits[] = {&open, &seen};
    OK(cudaGraphCreate(&loose, 0));
    add(loose, (const void *)follow, waits, nullptr, 0);
    add(loose, (const void *)sum, both, nullptr, 0);
    OK(cudaGraphInstantiate(&y, loose, 0));
    OK(cudaGraphLaunch(y, s));
    while (*(volatile int *)out != 7 * 2 * rounds)
        ;
    CHECK(cudaStreamQuery(s) == cudaErrorNotReady);
    *(volatile int *)open = 1;
    OK(cudaStreamSynchronize(s));
    CHECK(*seen == 1);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphExecDestroy(y));
    return passed();
}

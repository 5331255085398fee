/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounds of compare-and-swap that warps of a block lose to each other in one sum: from the kernel's beginning, from a barrier, behind a load.  The
 * counters of an H200 are tests/data/golden/swaps_h200.tsv; alone it prints the clocks until the block's last warp is done. */
#include <cstdio>

enum { THREADS = 1024, LANES = 32, TURNS = 3, START = 0, BARRIER = 1, LOAD = 2 };

template <class T, int WORDS, int WAY> __global__ void sums(const int *in, T *out, long long *clocks)
{
    __shared__ T s[LANES];
    long long    t0 = clock64();
    int          i  = threadIdx.x % WORDS;
    if (WAY == BARRIER) {
        if (threadIdx.x < LANES)
            s[threadIdx.x] = 0;
        __syncthreads();
    }
    if (WAY == LOAD)
        i = in[threadIdx.x] % WORDS;
    atomicAdd(&s[i], T(1));
    long long t1 = clock64();
    if (threadIdx.x % LANES == 0)
        atomicMax((unsigned long long *)clocks, (unsigned long long)(t1 - t0));
    if (out)
        out[threadIdx.x] = s[i];
}

template <class T, int WORDS, int WAY> static void run(const char *type, const char *way)
{
    int       *in, h[THREADS];
    long long *c;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&c, sizeof *c);
    for (int k = 0; k < THREADS; k++)
        h[k] = k;
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    for (int warps = 1; warps <= THREADS / LANES; warps *= 2) {
        long long best = 1ll << 60;
        for (int k = 0; k < TURNS; k++) {
            long long v;
            cudaMemset(c, 0, sizeof *c);
            sums<T, WORDS, WAY><<<1, LANES * warps>>>(in, nullptr, c);
            cudaMemcpy(&v, c, sizeof v, cudaMemcpyDeviceToHost);
            best = v < best ? v : best;
        }
        printf("%s\t%d\t%s\t%d\t%lld\n", type, WORDS, way, warps, best);
    }
    cudaFree(in);
    cudaFree(c);
}

template <class T, int WORDS> static void all(const char *type)
{
    run<T, WORDS, START>(type, "start");
    run<T, WORDS, BARRIER>(type, "barrier");
    run<T, WORDS, LOAD>(type, "load");
}

int main()
{
    puts("type\twords\tway\twarps\tclocks");
    all<float, 1>("float");
    all<float, 4>("float");
    all<float, 32>("float");
    all<double, 1>("double");
    all<double, 4>("double");
    all<double, 32>("double");
    return cudaGetLastError();
}

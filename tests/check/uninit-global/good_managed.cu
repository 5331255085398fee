/* SPDX-License-Identifier: Apache-2.0 */
/* The host writes managed and pinned memory in every way that it has, also while a kernel waits for it; padding stays as it was. */
#include "../run.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

struct Member { double d; int i; };

struct alignas(16) Point { float x, y, z; };

enum { N = 40000 };

__global__ void sum(const unsigned *x, int n, unsigned *to)
{
    unsigned s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += x[i];
    atomicAdd(to, s);
}

__global__ void copy(const Member *m, Member *to, const Point *p, Point *q)
{
    to[threadIdx.x] = m[threadIdx.x];
    q[threadIdx.x]  = p[threadIdx.x];
}

__global__ void bytes(const unsigned char *x, unsigned *to)
{
    atomicAdd(to, x[threadIdx.x]);
}

__global__ void wait(volatile int *flag, volatile int *data, int *to)
{
    while (!*flag)
        ;
    __threadfence_system();
    *to = *data + 1;
}

static unsigned *x;

static void *zero(void *)
{
    for (int i = N / 2; i < N; i++)
        x[i] = 0;
    return nullptr;
}

int main()
{
    unsigned *to;
    unsigned char *c;
    int *flag, *data, *result;
    Member *m, *n, copied[32];
    Point *p, *q;
    pthread_t thread;
    cudaMallocManaged(&x, N * sizeof *x);
    cudaMallocManaged(&to, sizeof *to);
    cudaMallocManaged(&m, 32 * sizeof *m);
    cudaMallocManaged(&n, 32 * sizeof *n);
    cudaMallocManaged(&p, 32 * sizeof *p);
    cudaMallocManaged(&q, 32 * sizeof *q);
    cudaMallocHost(&c, 4096);
    cudaMallocHost(&flag, sizeof *flag);
    cudaMallocHost(&data, sizeof *data);
    cudaMallocManaged(&result, sizeof *result);
    *to = 0;
    int file = open("/dev/zero", O_RDONLY);
    if (read(file, x, N / 2 * sizeof *x) < 0)
        return 1;
    close(file);
    pthread_create(&thread, nullptr, zero, nullptr);
    pthread_join(thread, nullptr);
    sum<<<1, 256>>>(x, N, to);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++) {
        m[i].d = m[i].i = i;
        p[i].x = p[i].y = p[i].z = 1;
    }
    copy<<<1, 32>>>(m, n, p, q);
    cudaMemcpy(copied, n, sizeof copied, cudaMemcpyDefault);
    memset(c, 0, 256);
    bytes<<<1, 256>>>(c, to);
    cudaDeviceSynchronize();
    *flag = 0;
    wait<<<1, 1>>>(flag, data, result);
    *data = 5;
    __sync_synchronize();
    *(volatile int *)flag = 1;
    cudaDeviceSynchronize();
    int bad = *to != 0 || *result != 6 || copied[31].i != 31;
    cudaFree(x);
    cudaFree(to);
    cudaFree(m);
    cudaFree(n);
    cudaFree(p);
    cudaFree(q);
    cudaFreeHost(c);
    cudaFreeHost(flag);
    cudaFreeHost(data);
    cudaFree(result);
    return finish() + bad;
}

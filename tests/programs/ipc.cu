/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and events between two processes: the child, started anew, opens what the parent gives it, and a pool's pointer. */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

typedef struct Message {
    cudaIpcMemHandle_t         memory;
    cudaIpcEventHandle_t       event;
    cudaMemPoolPtrExportData   pointer;
} Message;

__global__ void add(int *p, int n)
{
    p[threadIdx.x] += n;
}

static int child(void)
{
    Message     m;
    cudaEvent_t e;
    cudaMemPool_t pool;
    int        *p, *q;
    CHECK(read(0, &m, sizeof m) == (ssize_t)sizeof m);
    OK(cudaIpcOpenMemHandle((void **)&p, m.memory, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenEventHandle(&e, m.event));
    OK(cudaStreamWaitEvent(0, e, 0));
    OK(cudaEventSynchronize(e));
    add<<<1, 64>>>(p, 1000);
    OK(cudaDeviceSynchronize());
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, p + 3));
    CHECK(a.type == cudaMemoryTypeDevice);
    FAILS(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaIpcCloseMemHandle(p));
    FAILS(cudaIpcCloseMemHandle(p), cudaErrorInvalidValue);
    OK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(size_t)3, cudaMemHandleTypePosixFileDescriptor, 0));
    OK(cudaMemPoolImportPointer((void **)&q, pool, &m.pointer));
    add<<<1, 64>>>(q, 5);
    OK(cudaDeviceSynchronize());
    OK(cudaFree(q));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child();
    Message m;
    int    *p, *q, h[64], pipes[2], status, fd;
    cudaEvent_t e;
    OK(cudaMalloc(&p, sizeof h));
    for (int i = 0; i < 64; i++)
        h[i] = i;
    OK(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaIpcGetMemHandle(&m.memory, p));
    OK(cudaIpcGetEventHandle(&m.event, e));
    int *twice;
    FAILS(cudaIpcOpenMemHandle((void **)&twice, m.memory, cudaIpcMemLazyEnablePeerAccess), cudaErrorDeviceUninitialized);
    cudaMemPoolProps props = {};
    props.allocType   = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location    = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync((void **)&q, 1 << 20, pool, 0));
    OK(cudaMemsetAsync(q, 0, 1 << 20, 0));
    OK(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    OK(cudaMemPoolExportPointer(&m.pointer, q));
    add<<<1, 64>>>(p, 1);
    OK(cudaEventRecord(e));
    CHECK(pipe(pipes) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[0], 0);
        dup2(fd, 3);
        execl("/proc/self/exe", argv[0], "child", (char *)nullptr);
        _exit(127);
    }
    CHECK(write(pipes[1], &m, sizeof m) == (ssize_t)sizeof m);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK(h[i] == i + 1001);
    OK(cudaMemcpy(h, q, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[63] == 5);
    OK(cudaFreeAsync(q, 0));
    OK(cudaFree(p));
    return passed();
}

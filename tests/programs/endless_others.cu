/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that wait for memory which somebody changes at last, and must not be ended before.  In each process only one thing is left that can
 * do it: another thread of the program, a handler of a signal, another process; it comes when the note about the wait has been printed.
 * varies: others of the process write what kernels wait for */
#include <csignal>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void wait_for(const volatile int *flag, int value)
{
    while (*flag != value)
        ;
}

static int  notes[2]; /* a pipe: what the process says on stderr */
static int *flag;

/* Until the note is there: what must be in it. */
static void await_note(const char *why)
{
    char   text[2000];
    size_t n = 0;
    while (n < sizeof text - 1 && read(notes[0], text + n, 1) == 1 && text[n] != '\n')
        n++;
    text[n] = 0;
    if (!strstr(text, "note: wait_for (launch 0)") || !strstr(text, "endless_others.cu:") || !strstr(text, why)) {
        printf("the note: %s\n", text);
        exit(1);
    }
}

static void host_flag(void)
{
    OK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    *flag = 0;
}

static void *set_mapped(void *)
{
    await_note("a thread of the program does not wait for the device");
    *(volatile int *)flag = 1;
    return nullptr;
}

static void a_thread_writes(void)
{
    pthread_t t;
    host_flag();
    CHECK(pthread_create(&t, nullptr, set_mapped, nullptr) == 0);
    wait_for<<<2, 64>>>(flag, 1);
    OK(cudaDeviceSynchronize());
    CHECK(pthread_join(t, nullptr) == 0);
}

static void *set_by_copy(void *)
{
    int          one = 1;
    cudaStream_t s;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    await_note("a thread of the program does not wait for the device");
    OK(cudaMemcpyAsync(flag, &one, sizeof one, cudaMemcpyHostToDevice, s));
    return nullptr;
}

static void a_thread_copies(void)
{
    pthread_t t;
    OK(cudaMalloc(&flag, sizeof *flag));
    OK(cudaMemset(flag, 0, sizeof *flag));
    CHECK(pthread_create(&t, nullptr, set_by_copy, nullptr) == 0);
    wait_for<<<2, 64>>>(flag, 1);
    OK(cudaDeviceSynchronize());
    CHECK(pthread_join(t, nullptr) == 0);
}

static void on_signal(int)
{
    *(volatile int *)flag = 1;
}

static void a_handler_writes(void)
{
    pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        await_note("the program handles signals");
        kill(self, SIGUSR1);
        _exit(0);
    }
    signal(SIGUSR1, on_signal);
    host_flag();
    wait_for<<<2, 64>>>(flag, 1);
    OK(cudaDeviceSynchronize());
}

static void a_process_writes(void)
{
    int                pipes[2];
    cudaIpcMemHandle_t handle;
    CHECK(pipe(pipes) == 0);
    if (fork() == 0) {
        int one = 1;
        CHECK(read(pipes[0], &handle, sizeof handle) == (ssize_t)sizeof handle);
        OK(cudaIpcOpenMemHandle((void **)&flag, handle, cudaIpcMemLazyEnablePeerAccess));
        await_note("memory is shared");
        OK(cudaMemcpy(flag, &one, sizeof one, cudaMemcpyHostToDevice));
        exit(0);
    }
    OK(cudaMalloc(&flag, sizeof *flag));
    OK(cudaMemset(flag, 0, sizeof *flag));
    OK(cudaIpcGetMemHandle(&handle, flag));
    wait_for<<<2, 64>>>(flag, 1);
    CHECK(write(pipes[1], &handle, sizeof handle) == (ssize_t)sizeof handle);
    OK(cudaDeviceSynchronize());
}

static void CUDART_CB set_in_stream(void *)
{
    await_note("other work goes on");
    *(volatile int *)flag = 1;
}

static void a_host_function_writes(void)
{
    cudaStream_t s;
    host_flag();
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    wait_for<<<2, 64>>>(flag, 1);
    OK(cudaLaunchHostFunc(s, set_in_stream, nullptr));
    OK(cudaDeviceSynchronize());
}

/* The program asks and asks, and then sets the flag itself. */
static void who_asks_copies(void)
{
    int          one = 1;
    cudaStream_t s;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaMalloc(&flag, sizeof *flag));
    OK(cudaMemset(flag, 0, sizeof *flag));
    CHECK(fcntl(notes[0], F_SETFL, O_NONBLOCK) == 0);
    wait_for<<<2, 64>>>(flag, 1);
    char first;
    while (read(notes[0], &first, 1) != 1)
        FAILS(cudaStreamQuery(0), cudaErrorNotReady);
    OK(cudaMemcpyAsync(flag, &one, sizeof one, cudaMemcpyHostToDevice, s));
    OK(cudaDeviceSynchronize());
}

int main()
{
    static void (*const all[])(void) = {a_thread_writes,  a_thread_copies,        a_handler_writes,
                                        a_process_writes, a_host_function_writes, who_asks_copies};
    for (auto one : all)
        if (fork() == 0) {
            alarm(90); /* who waits for ever fails */
            CHECK(pipe(notes) == 0 && dup2(notes[1], STDERR_FILENO) >= 0);
            one();
            exit(0);
        }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int status;
        CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return passed();
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * parity [SECTION...]: runs every section (or those named) in a child process, since many errors stay until the process ends. */
#include "parity.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

Section  *Section::first;
Section **Section::last = &Section::first;

static CUresult not_there()
{
    return CUDA_ERROR_NOT_FOUND;
}

void *driver_entry(const char *name)
{
    static void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void        *p       = library ? dlsym(library, name) : nullptr;
    if (!p)
        printf("(no %s) ", name);
    return p ? p : reinterpret_cast<void *>(not_there);
}

const char *code_name(cudaError_t e)
{
    return cudaGetErrorName(e);
}

const char *code_name(CUresult e)
{
    const char *s = nullptr;
    D(cuGetErrorName)(e, &s);
    return s ? s : "?";
}

sigjmp_buf            crash;
volatile sig_atomic_t in_call;

static void on_crash(int)
{
    if (!in_call)
        _exit(3); /* outside of any call that is asked about */
    in_call = 0;
    siglongjmp(crash, 1);
}

static void in_child(const Section *s)
{
    printf("== %s\n", s->name);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, on_crash);
        alarm(20);
        s->run();
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("(ended by signal %d)\n", WTERMSIG(status));
}

int main(int argc, char **argv)
{
    setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
    for (const Section *s = Section::first; s; s = s->next) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= !strcmp(argv[i], s->name);
        if (wanted)
            in_child(s);
    }
    return 0;
}

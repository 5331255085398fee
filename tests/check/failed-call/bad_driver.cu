/* SPDX-License-Identifier: Apache-2.0 */
/* The driver has no last error: a result that is not printed is lost (host lines). */
#include "../run.h"
#include <dlfcn.h>

int main()
{
    int (*init)(unsigned), (*destroy)(void *);
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    *(void **)&init = dlsym(lib, "cuInit");
    *(void **)&destroy = dlsym(lib, "cuStreamSynchronize");
    init(0);
    cudaFree(0);
    destroy((void *)0x10); // expect: failed-call
    return finish();
}

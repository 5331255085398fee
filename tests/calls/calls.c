/* SPDX-License-Identifier: Apache-2.0
 *
 * Every entry point of the API tables with every argument NULL, zero, one, maximal or stale: the answer is a status, never a signal, never
 * the end of the process, and it comes.  The table is made by signatures.py.
 *
 *     calls LIBRARY [NAME]      all of them, or those whose name begins with NAME; prints what ended badly
 *
 * Each function gets a child process, which uses CUDA for the first time there.  It makes one object of each kind, then calls the function
 * with each argument in turn at each of its extremes and the others plain, and then with mixed ones, the same ones in every run.
 * Out pointers are NULL or good: nobody could tell a wild one.  Handles may be anything.
 * Left out: WAIT_FOR_EVER, whose functions wait for what other calls would bring about. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/memory/ipc.h"

typedef void (*Function)(void);
typedef union Value {
    uint64_t   u;
    float      f;
    Extent     Extent;
    PitchedPtr PitchedPtr;
    WwDim3     WwDim3;
    IpcHandle  IpcHandle;
} Value;

typedef enum Kind {
    NO_KIND,
    FLOAT,
    STRUCT,
    FUNCTION,
    STREAM,
    EVENT,
    GRAPH,
    NODE,
    EXEC,
    POOL,
    MIPMAP,
    ARRAY,
    CONTEXT,
    OTHER,
    SYMBOL,
    STUB,
    MODULE,
    KERNEL,
    DEVICE,
    TEXT,
    BUFFER,
    INT,
    SIZE,
    COUNT,
    PLAIN,
    KINDS
} Kind;

enum { MOST = 16, EXTREMES = 6, MIXED = 200, NODES = 8, SECONDS = 60 };

typedef struct Call {
    const char *name, *symbol;
    void (*call)(Function f, const Value *v);
    int  rows, n; /* of the tables; parameters */
    Kind kind[MOST];
} Call;

#include <calls.inc>

static void    *library;
static uint64_t good[KINDS], node[NODES]; /* good[NODE] is one after the other of them */
static char    *buffer[MOST];
enum { BUFFER_BYTES = 1 << 16 };

/* ---- one object of each kind ---- */

static void callback(void *user)
{
    (void)user;
}

static int ask(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    int (*f)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) = NULL;
    *(void **)&f                                               = dlsym(library, name);
    return f(a, b, c, d, 0);
}

/* A node that begins its graph. */
static int add_node(const char *name, int i, uint64_t a, uint64_t b, uint64_t bytes, uint64_t direction)
{
    int (*f)(uint64_t *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) = NULL;
    *(void **)&f                                                                               = dlsym(library, name);
    return f(&node[i], good[GRAPH], 0, 0, a, b, bytes, direction);
}

static uint64_t at(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static const char module_text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .u32 g;\n.visible .entry k(){ret;}\n";

/* A kernel and a variable, registered as nvcc's code does: a fat binary with one entry of text. */
static int make_program(void)
{
    static uint64_t   fat[512];
    static const char stub, variable;
    static struct {
        uint32_t    magic, version;
        const void *data, *more;
    } wrapper                       = {0x466243b1, 1, fat, NULL};
    static const uint32_t head[4]   = {0xba55ed50, 16 << 16 | 1, 64 + sizeof module_text, 0};
    uint32_t              entry[16] = {1 << 16 | 1, 64, sizeof module_text, 0, 0, 0, 0, 75};
    memcpy(fat, head, sizeof head);
    memcpy(fat + 2, entry, sizeof entry);
    memcpy(fat + 10, module_text, sizeof module_text);
    void **(*begin)(void *) = NULL;
    *(void **)&begin        = dlsym(library, "rt___cudaRegisterFatBinary");
    void **handle           = begin(&wrapper);
    void (*add)(void **, const void *, const char *, const char *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                uint64_t)   = NULL;
    *(void **)&add          = dlsym(library, "rt___cudaRegisterFunction");
    add(handle, &stub, "k", "k", UINT64_MAX, 0, 0, 0, 0, 0);
    *(void **)&add = dlsym(library, "rt___cudaRegisterVar");
    add(handle, &variable, "g", "g", 0, 4, 0, 0, 0, 0);
    good[STUB]   = at(&stub);
    good[SYMBOL] = at(&variable);
    size_t size;
    return ask("rt_cudaGetSymbolSize", at(&size), good[SYMBOL], 0, 0) |
           ask("rt_cudaFuncSetCacheConfig", good[STUB], 0, 0, 0);
}

static void make_objects(void)
{
    static const int desc[5] = {32, 0, 0, 0, 2}, props[22] = {1, 0, 1, 0};
    static struct {
        size_t   w, h, d;
        unsigned format, channels, flags;
    } shape = {16, 16, 0, 0x20, 1, 0};
    int bad =
        ask("drv_cuInit", 0, 0, 0, 0) | ask("rt_cudaFree", 0, 0, 0, 0) |
        ask("rt_cudaMalloc", at(&good[DEVICE]), 4096, 0, 0) | ask("rt_cudaStreamCreate", at(&good[STREAM]), 0, 0, 0) |
        ask("rt_cudaEventCreate", at(&good[EVENT]), 0, 0, 0) | ask("rt_cudaGraphCreate", at(&good[GRAPH]), 0, 0, 0) |
        ask("rt_cudaMemPoolCreate", at(&good[POOL]), at(props), 0, 0) |
        ask("rt_cudaMallocArray", at(&good[ARRAY]), at(desc), 16, 16) |
        ask("drv_cuMipmappedArrayCreate", at(&good[MIPMAP]), at(&shape), 3, 0) |
        ask("drv_cuCtxGetCurrent", at(&good[CONTEXT]), 0, 0, 0) |
        ask("drv_cuModuleLoadData", at(&good[MODULE]), at(module_text), 0, 0) |
        ask("drv_cuModuleGetFunction", at(&good[KERNEL]), good[MODULE], at("k"), 0) | make_program();
    static struct {
        const void *func;
        WwDim3      grid, block;
        unsigned    shared;
        void      **args, **extra;
    } kernel = {NULL, {1, 1, 1}, {1, 1, 1}, 0, 0, 0};
    static struct {
        uint64_t dst;
        size_t   pitch;
        unsigned value, element;
        size_t   width, height;
    } set = {0, 64, 0, 1, 64, 1};
    static struct {
        void (*fn)(void *);
        void *user;
    } host         = {callback, NULL};
    uint64_t other = 0;
    memcpy(&kernel.func, &good[STUB], sizeof kernel.func);
    set.dst = good[DEVICE];
    bad = bad | ask("rt_cudaGraphCreate", at(&other), 0, 0, 0) | add_node("rt_cudaGraphAddEmptyNode", 0, 0, 0, 0, 0) |
          add_node("rt_cudaGraphAddKernelNode", 1, at(&kernel), 0, 0, 0) |
          add_node("rt_cudaGraphAddMemsetNode", 2, at(&set), 0, 0, 0) |
          add_node("rt_cudaGraphAddMemcpyNode1D", 3, good[DEVICE], good[DEVICE] + 512, 64, 3) |
          add_node("rt_cudaGraphAddEventRecordNode", 4, good[EVENT], 0, 0, 0) |
          add_node("rt_cudaGraphAddEventWaitNode", 5, good[EVENT], 0, 0, 0) |
          add_node("rt_cudaGraphAddHostNode", 6, at(&host), 0, 0, 0) |
          add_node("rt_cudaGraphAddChildGraphNode", 7, other, 0, 0, 0) |
          ask("rt_cudaGraphInstantiate", at(&good[EXEC]), good[GRAPH], 0, 0);
    good[NODE] = node[0];
    if (bad) {
        printf("the objects could not be made: %d\n", bad);
        exit(2);
    }
    good[OTHER]        = good[STREAM];
    void (*fn)(void *) = callback;
    memcpy(&good[FUNCTION], &fn, sizeof fn);
}

/* ---- values ---- */

/* A structure of numbers and handles: zeros, -1, sizes, ones, and what is whole pages of a device. */
static void *fill(void *p, int e)
{
    static const uint64_t words[EXTREMES] = {
        0, 0, UINT64_MAX, UINT64_C(1) << 62, UINT64_C(0x100000001), UINT64_C(2) << 20};
    uint64_t *w = p;
    for (int i = 0; i < 32; i++)
        w[i] = words[e];
    return p;
}

/* Extreme e of argument i; 0 is the plain one. */
static Value value(Kind k, int i, int e)
{
    static const uint64_t ints[EXTREMES]  = {0, 1, UINT32_MAX, INT32_MAX, UINT64_C(0x80000000), 2};
    static const uint64_t sizes[EXTREMES] = {
        8, 0, UINT64_MAX, UINT64_C(1) << 62, UINT64_C(1) << 63, (UINT64_C(1) << 62) + 16};
    static const char *texts[EXTREMES] = {"k", "", ".", "/dev/zero", "/dev/stdin", "nothing/there"};
    Value              v               = {0};
    if (k == INT)
        v.u = ints[e];
    else if (k == SIZE)
        v.u = sizes[e];
    else if (k == PLAIN && e != 1)
        v.u = at(fill(buffer[i], e));
    else if (k == COUNT)
        v.u = (uint64_t)e % 3;
    else if (k == DEVICE && e == 4) /* across the end */
        v.u = good[k] + 4090;
    else if (k == FLOAT)
        v.f = e ? __builtin_inff() : 1;
    else if (k == STRUCT)
        memset(&v, e == 1 ? 0xff : e == 2 ? 0x7f : 0, sizeof v);
    else if (k == TEXT && e < 5)
        v.u = e == 1 ? 0 : at(strcpy(buffer[i], texts[e]));
    else if (k == BUFFER || k == TEXT || k == PLAIN)
        v.u = e == 1 ? 0 : at(buffer[i]);
    else if (k == FUNCTION)
        v.u = e == 1 ? 0 : good[k];
    else /* a handle, or an address */
        v.u = e == 0   ? good[k]
              : e == 1 ? 0
              : e == 2 ? UINT64_MAX
              : e == 3 ? at(buffer[i])
              : e == 4 ? 0x7ffff0000001
                       : good[STREAM + e];
    if (k == STRUCT && e == 0)
        v.WwDim3 = (WwDim3){1, 1, 1};
    return v;
}

/* ---- calls ---- */

static const Call *now;
static int         extreme[MOST];

static void say(const char *how, int code)
{
    char line[512];
    int  n = snprintf(line, sizeof line, "%s: %s %d with extremes", now->name, how, code);
    for (int i = 0; i < now->n && n < 400; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %d", extreme[i]);
    line[n++] = '\n';
    if (write(1, line, (size_t)n) < 0)
        _exit(4);
}

static void on_signal(int sig)
{
    say("signal", sig);
    _exit(3);
}

static void call(void)
{
    static Function f;
    Value           v[MOST] = {0};
    *(void **)&f            = dlsym(library, now->symbol);
    for (int i = 0; i < now->n; i++) {
        memset(buffer[i], 0, 4096);
        v[i] = value(now->kind[i], i, extreme[i]);
    }
    now->call(f, v);
}

static void call_all(void)
{
    uint32_t random = 1;
    memset(extreme, 0, sizeof extreme);
    call();
    for (int i = 0; i < now->n; i++)
        for (int e = 1; e < EXTREMES; e++) {
            memset(extreme, 0, sizeof extreme);
            extreme[i] = e;
            call();
        }
    for (int e = 1; e < EXTREMES; e++) {
        for (int i = 0; i < now->n; i++)
            extreme[i] = e;
        call();
    }
    for (int m = 0; now->n > 1 && m < MIXED; m++) {
        for (int i = 0; i < now->n; i++) {
            random     = random * 1664525u + 1013904223u;
            extreme[i] = (random >> 16) % 3 ? 0 : (int)((random >> 20) % EXTREMES);
        }
        call();
    }
}

static void left_early(void)
{
    say("the process ended inside the call, code", 0);
    _exit(3);
}

static bool takes(const Call *c, Kind k)
{
    for (int i = 0; i < c->n; i++)
        if (c->kind[i] == k)
            return true;
    return false;
}

static void child(const Call *c)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
    now                        = c;
    for (int i = 0; i < MOST; i++) {
        char *p = mmap(NULL, 2 * BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || mprotect(p + BUFFER_BYTES, BUFFER_BYTES, PROT_NONE) != 0) /* nothing lies behind it */
            _exit(4);
        buffer[i] = p;
    }
    make_objects();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], on_signal);
    atexit(left_early);
    alarm(SECONDS);
    for (int i = 0; i < NODES; i++) {
        good[NODE] = node[i];
        if (!i || takes(c, NODE))
            call_all();
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    int rows = 0, bad = 0, functions = 0, sizes = 0;
    library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "calls: %s\n", argc > 1 ? dlerror() : "the library's path is missing");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int status = 0;
        if (argc > 2 && strncmp(calls[i].name, argv[2], strlen(argv[2])) != 0)
            continue;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0)
            child(&calls[i]);
        if (pid < 0 || waitpid(pid, &status, 0) < 0)
            return 2;
        if (WIFSIGNALED(status))
            printf("%s: the process was killed by signal %d\n", calls[i].name, WTERMSIG(status));
        bad += status != 0;
        sizes += takes(&calls[i], SIZE);
        rows += calls[i].rows;
        functions++;
    }
    printf("%d rows of the tables, %d functions, %d of them with sizes: %d ended badly\n", rows, functions, sizes, bad);
    return bad != 0;
}

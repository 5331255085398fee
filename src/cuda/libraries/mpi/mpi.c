/* SPDX-License-Identifier: Apache-2.0
 *
 * Device memory that a program gives to MPI.  Memory of the emulated devices is memory of the host, so any MPI library sends from it and receives into
 * it, as a CUDA-aware one does on a card; nothing of that is done here.  Checkers alone have to be told what it read and wrote: `run` loads this
 * library first in processes that are ranks, and each call goes on to the MPI library's own function.
 *
 * Handles (types, communicators) are numbers in one MPI library and pointers in another.  Every argument is passed on as the word that came, so
 * nothing here depends on which library it is; their sizes are asked of the library.
 * Types with gaps: what is read is not looked at, what is written is all from the first to the last byte.
 * A request's memory counts as written when the call that makes it returns, before it is.  Left out: what calls.def does. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/libraries/outside.h"

enum { MOST_ARGUMENTS = 12 };
typedef uintptr_t Word;
typedef int       Call(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

/* ---- the library itself ------------------------------------------------------------------------------------------ */

typedef struct Wanted {
    const char *name;
    void       *found;
} Wanted;

/* One that a module of Python brought is in no list that the linker looks through by itself. */
static int look_in(struct dl_phdr_info *o, size_t size, void *user)
{
    Wanted     *w    = user;
    const char *name = o->dlpi_name ? strrchr(o->dlpi_name, '/') : NULL;
    (void)size;
    if (!name ||
        (strncmp(name, "/libmpi", strlen("/libmpi")) != 0 && strncmp(name, "/libpmpi", strlen("/libpmpi")) != 0))
        return 0;
    void *handle = dlopen(o->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    w->found     = handle ? dlsym(handle, w->name) : NULL;
    return w->found != NULL;
}

static void *find(const char *name)
{
    Wanted w = {name, dlsym(RTLD_NEXT, name)};
    if (!w.found)
        dl_iterate_phdr(look_in, &w);
    return w.found;
}

/* Every call has this one's error, where there is no MPI library: MPI_ERR_OTHER of none in particular. */
static int nowhere(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, Word l)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j, (void)k, (void)l;
    return 1;
}

static Call *call_of(void **kept, const char *name)
{
    void *f = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (!f) {
        f = find(name);
        f = f ? f : (void *)(uintptr_t)nowhere;
        __atomic_store_n(kept, f, __ATOMIC_RELEASE);
    }
    return (Call *)(uintptr_t)f;
}

typedef struct Type {
    size_t size, extent; /* bytes; equal: no gaps */
} Type;

static Type type_of(Word type)
{
    static void *size_call, *extent_call;
    int          size  = 0;
    intptr_t     lower = 0, extent = 0;
    int (*ask_size)(Word, int *) = (int (*)(Word, int *))(uintptr_t)call_of(&size_call, "MPI_Type_size");
    int (*ask_extent)(Word, intptr_t *, intptr_t *) =
        (int (*)(Word, intptr_t *, intptr_t *))(uintptr_t)call_of(&extent_call, "MPI_Type_get_extent");
    if (ask_size(type, &size) != 0 || ask_extent(type, &lower, &extent) != 0 || lower || size < 0 || extent < 0)
        return (Type){0, 0};
    return (Type){(size_t)size, (size_t)extent};
}

static int asked(void **kept, const char *name, Word comm)
{
    int n                   = 0;
    int (*ask)(Word, int *) = (int (*)(Word, int *))(uintptr_t)call_of(kept, name);
    return ask(comm, &n) == 0 ? n : 0;
}

static bool is_root(Word root, Word comm)
{
    static void *kept;
    return asked(&kept, "MPI_Comm_rank", comm) == (int)root;
}

static int ranks_of(Word comm)
{
    static void *kept;
    return asked(&kept, "MPI_Comm_size", comm);
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

typedef struct Told {
    const char *name;
    const Word *a;
    bool        after; /* the call has been made: now what it wrote */
} Told;

static void span(const Told *t, bool writes, Word at, size_t count, Word type)
{
    if (writes != t->after || !count)
        return;
    Type is = type_of(type);
    if (writes)
        ww_cuda_outside_writes((const void *)at, is.extent * count);
    else if (is.size == is.extent)
        ww_cuda_outside_reads(t->name, (const void *)at, is.size * count);
}

static size_t count_of(Word n, int times)
{
    return (int)n > 0 && times > 0 ? (size_t)(int)n * (size_t)times : 0;
}

static void spans(const Told *t, bool writes, const Word at[5])
{
    const int *counts = (const int *)at[1], *places = (const int *)at[2];
    size_t     extent = writes == t->after && counts && places ? type_of(at[3]).extent : 0;
    for (int i = 0, n = extent ? ranks_of(at[4]) : 0; i < n; i++)
        span(t, writes, at[0] + (Word)((intptr_t)places[i] * (intptr_t)extent), count_of((Word)counts[i], 1), at[3]);
}

/* MPI_IN_PLACE is 1 in Open MPI, -1 in MPICH. */
static bool in_place(Word at)
{
    return at == 1 || at == (Word)-1;
}

#define R(b, c, t) span(told, false, told->a[b], count_of(told->a[c], 1), told->a[t]);
#define W(b, c, t) span(told, true, told->a[b], count_of(told->a[c], 1), told->a[t]);
#define R2(b, w, c, t)                                                                                                 \
    span(told, false, told->a[in_place(told->a[b]) ? (w) : (b)], count_of(told->a[c], 1), told->a[t]);
#define MANY_R              false
#define MANY_W              true
#define MANY(m, k, b, c, t) span(told, MANY_##k, told->a[b], count_of(told->a[c], ranks_of(told->a[m])), told->a[t]);
#define RV(b, c, p, t, m)                                                                                              \
    spans(told, false, (const Word[]){told->a[b], told->a[c], told->a[p], told->a[t], told->a[m]});
#define WV(b, c, p, t, m) spans(told, true, (const Word[]){told->a[b], told->a[c], told->a[p], told->a[t], told->a[m]});
#define TO(root, comm, x)                                                                                              \
    if (is_root(told->a[root], told->a[comm])) {                                                                       \
        x                                                                                                              \
    }
#define FROM(root, comm, x)                                                                                            \
    if (!is_root(told->a[root], told->a[comm])) {                                                                      \
        x                                                                                                              \
    }

/* Twelve arguments are taken and passed on whatever the function has: what is behind its own is never looked at. */
#define CALL(fn, n, what)                                                                                              \
    static void tell_##fn(const Told *told)                                                                            \
    {                                                                                                                  \
        what                                                                                                           \
    }                                                                                                                  \
    int fn(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, Word l)             \
    {                                                                                                                  \
        static void *kept;                                                                                             \
        const Word   all[MOST_ARGUMENTS] = {a, b, c, d, e, f, g, h, i, j, k, l};                                       \
        Told         told                = {.name = #fn, .a = all};                                                    \
        bool         heard               = ww_cuda_outside_checked();                                                  \
        if (heard)                                                                                                     \
            tell_##fn(&told);                                                                                          \
        int e_     = call_of(&kept, #fn)(a, b, c, d, e, f, g, h, i, j, k, l);                                          \
        told.after = true;                                                                                             \
        if (heard && e_ == 0)                                                                                          \
            tell_##fn(&told);                                                                                          \
        return e_;                                                                                                     \
    }
#include "cuda/libraries/mpi/calls.def"
#undef CALL

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static int begun; /* MPI_Init was called, MPI_Finalize was not */

int MPI_Init(int *argc, char ***argv)
{
    static void *kept;
    int          e = ((int (*)(int *, char ***))(uintptr_t)call_of(&kept, "MPI_Init"))(argc, argv);
    __atomic_store_n(&begun, e == 0, __ATOMIC_RELAXED);
    return e;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    static void *kept;
    int e = ((int (*)(int *, char ***, int, int *))(uintptr_t)call_of(&kept, "MPI_Init_thread"))(argc, argv, required,
                                                                                                 provided);
    __atomic_store_n(&begun, e == 0, __ATOMIC_RELAXED);
    return e;
}

int MPI_Finalize(void)
{
    static void *kept;
    __atomic_store_n(&begun, 0, __ATOMIC_RELAXED);
    return ((int (*)(void))(uintptr_t)call_of(&kept, "MPI_Finalize"))();
}

/* `run` learns of it from its status file (src/cli/outcome.h): the launcher, which would end the others, does not see this process. */
__attribute__((destructor)) static void end(void)
{
    static const char row[]  = "unfinished\n";
    const char       *status = getenv("WARPWRIGHT_STATUS");
    int               fd     = begun && status ? open(status, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, row, sizeof row - 1) < 0)
        begun = 0; /* nobody to tell */
    if (fd >= 0)
        close(fd);
}

__attribute__((constructor)) static void begin(void)
{
    ww_cuda_outside_is((void (*)(void))(uintptr_t)MPI_Send);
}

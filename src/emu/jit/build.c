/* SPDX-License-Identifier: Apache-2.0
 *
 * A build's thread blocks all signals, which are the program's, and is never joined: a process that ends does not wait for clang. */
#include "emu/jit/build.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/arena.h"

enum { STACK = 1 << 20 };

struct Build {
    Str         text;
    const char *level, *why;
    NativeLib  *lib;
    bool        done;   /* atomic; lib is there from then on */
    int         owners; /* atomic */
};

void build_drop(Build *b)
{
    if (!b || __atomic_sub_fetch(&b->owners, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    native_unload(b->lib);
    str_free(&b->text);
    free(b);
}

static void make(Build *b)
{
    b->lib = native_load(str_text(&b->text), b->text.len, b->level, &b->why);
    __atomic_store_n(&b->done, true, __ATOMIC_RELEASE);
}

static void *build_main(void *arg)
{
    setpriority(PRIO_PROCESS, 0, 10); /* this thread's, and so clang's: who computes meanwhile goes first */
    make(arg);
    build_drop(arg);
    return NULL;
}

static bool in_thread(Build *b)
{
    sigset_t       all, old;
    pthread_t      thread;
    pthread_attr_t attributes;
    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool ok = pthread_create(&thread, &attributes, build_main, b) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return ok;
}

Build *build_start(Str *text, const char *level, bool waits)
{
    Build *b  = xcalloc(1, sizeof *b);
    b->text   = *text;
    b->level  = level;
    b->owners = waits ? 1 : 2;
    *text     = (Str){0};
    if (waits)
        make(b);
    else if (!in_thread(b))
        b->owners = 1; /* it is never done */
    return b;
}

Build *build_find(Str *text, const char *level)
{
    NativeLib *lib = native_find(str_text(text), text->len, level);
    if (!lib)
        return NULL;
    Build *b  = xcalloc(1, sizeof *b);
    b->text   = *text;
    b->level  = level;
    b->lib    = lib;
    b->owners = 1;
    b->done   = true;
    *text     = (Str){0};
    return b;
}

NativeLib *build_result(Build *b)
{
    return b && __atomic_load_n(&b->done, __ATOMIC_ACQUIRE) ? b->lib : NULL;
}

const char *build_failed(const Build *b)
{
    return b && __atomic_load_n(&b->done, __ATOMIC_ACQUIRE) && !b->lib ? b->why : NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of one process as the CUDA interfaces see it: devices, errors, the lock, and the record of launches.
 *
 * Every entry point has the form
 *     CuErr rt_cudaX(...)
 *     {
 *         ENTER();                      // takes the lock until the function returns; a sticky error answers at once
 *         return LEAVE(x_do(...));      // remembers an error as the thread's last one
 *     }
 * ENTER_ANYWAY() does not look at the sticky error; ENTER_ALWAYS() takes the lock only, for what a card answers even where it refuses the rest:
 * in the child of a process that had used CUDA, and in a function of the host that a stream calls (state_refusal).
 *
 * Work runs inside the call that asks for it, unless it must wait (queue.h).  An error that a kernel causes is
 * therefore known too early: it is kept aside (state_fail_later) until the next call that a real device would report it
 * from, then it is sticky: every later call gives it back until the process ends. */
#ifndef WW_CUDA_STATE_H
#define WW_CUDA_STATE_H

#include "base/str.h"
#include "cuda/process/caller.h"
#include "cuda/process/types.h"
#include "device/emulator.h"
#include "report/formats.h"
#include "report/progress.h"
#include "report/report.h"

enum { MAX_DEVICES = 16 };

typedef struct Options { /* of `warpwright run`, from the environment */
    bool        report;  /* print the table at the end */
    const char *json, *profile, *kernels, *status;
    int         rank; /* of several whose report `run` tells as one; -1: none */
    unsigned    devices, threads;
    uint64_t    seed, skip, count;
    uint64_t    memory;  /* bytes of a device; 0: the profile's */
    uint64_t    print_limit; /* findings; 0: all */
    uint64_t    max_seconds, max_instructions; /* of a launch; 0: no limit */
    uint64_t    keep_launches;                 /* that stand alone in a document */
    const char *fail_on;
    const char *async;      /* when asynchronous copies land; NULL: at once */
    const char *blocks;     /* of a launch that run; NULL: all */
    const char *check;      /* rules; NULL: nothing is checked */
    bool        nvtx;       /* tell of ranges in the texts */
    const char *nvtx_include, *nvtx_exclude; /* expressions (report/ranges.h), one a line; NULL: none */
    const char *only;       /* globs of files; NULL: all */
    DocFiles    files;      /* but for JSON, with %p; else `warpwright run` renders the JSON of all processes */
    const char *log_file;   /* where texts go; NULL: standard error */
    bool        verbose;    /* a line for each launch */
    const char *suppressions, *write_suppressions;
    bool        coloured;
    bool        time;         /* of launches is predicted */
    bool        force;        /* the JSON file may hold something else */
} Options;

typedef struct State {
    Options   options;
    const struct Profile *profile; /* opened at first use */
    WwDevice *device[MAX_DEVICES]; /* the same */
    int       count;
    int       runtime;             /* of CUDA 11, 12 or 13 */
    bool      runtime_used;
    bool      forked;              /* from a process that had used CUDA: nothing of it works here */
    CuErr     sticky, later;
    Progress  progress;            /* of the launch that runs; the line is gone when a call returns to the program */
    Str       printed;             /* device printf that no synchronisation has flushed */
    bool collected; /* a framework frees memory when it likes: what is left at the end is no leak */
    Report   *report;
    volatile int stop;             /* the signal that ends the process */
    volatile bool leaving;         /* the report is written at exit: streams rest meanwhile */
} State;

extern State state;

typedef struct LeakSite { /* allocations that were not freed, of one call */
    Caller caller;
    size_t n, bytes, largest;
} LeakSite;

/* What the rooms above do for the process.  Each file that has a part sets it when the library is loaded. */
typedef struct StateParts {
    bool   (*work_left)(void);   /* does any stream have work? */
    void   (*work_settle)(int device); /* waits for the work of a device; -1: of all */
    void   (*work_end)(void);    /* the process ends: kernels that have begun are stopped, the rest is dropped */
    void   (*work_forget)(void); /* after fork: the child has no work */
    const WorkOrder *(*work_current)(void); /* the work that what happens to memory belongs to; NULL: nothing is kept */
    const WorkOrder *(*host_order)(void); /* what the host has waited for; NULL: nothing is kept */
    const Caller *(*work_caller)(void); /* who submitted that; NULL: the call that is made now */
    size_t (*leaks)(LeakSite **list); /* to be freed */
    void   (*entered)(void);     /* a call of the program has begun, */
    void   (*left)(void);        /* and ends: the state is locked still */
} StateParts;

extern StateParts state_parts;
#define STATE_PART(part, function)                                                                                     \
    __attribute__((constructor)) static void part_##part(void)                                                         \
    {                                                                                                                  \
        state_parts.part = (function);                                                                                 \
    }

/* The program's runtime is CUDA 11's or 12's, which have other codes for some refusals. */
static inline bool state_before_13(void)
{
    return state.runtime && state.runtime < 13;
}

/* The thread has used the runtime for what needs a context: the device's primary one is current then (context.c). */
extern _Thread_local bool state_runtime_context;
/* During a driver call: its errors are not the runtime's last one. */
extern _Thread_local bool state_in_driver;
/* During a call whose default stream is the thread's own (the _ptsz and _ptds variants, entry_points.c). */
extern _Thread_local bool state_per_thread;
void ww_set_per_thread(void);

/* The lock of all state, which a thread may take several times.  `unused`: what a cleanup function is called with. */
int  state_lock(void);
void state_unlock(int *unused);
/* The same for so many seconds at most; false: another thread held it all the time. */
bool state_lock_for(int seconds);
/* From a signal's handler: false, another thread has it.  The call is none of the program's. */
bool state_try(void);
void state_leave_try(void);
/* The lock alone, for our own work between the program's calls. */
void state_hold(void);
void state_let(void);
/* Gives up the lock altogether, for calls into the program; state_retake takes it as often again. */
unsigned state_release(void);
void     state_retake(unsigned depth);
/* Gives up the lock until another thread calls state_wake. */
void     state_wait(void);
/* The same for so many microseconds at most. */
void     state_wait_for(uint64_t us);
void     state_wake(void);

#define ENTER_ALWAYS() __attribute__((cleanup(state_unlock), unused)) int locked_ = state_lock()
#define ENTER_ANYWAY()                               \
    ENTER_ALWAYS();                                  \
    do {                                             \
        CuErr refused_ = state_refusal();            \
        if (refused_ != cudaSuccess)                 \
            return LEAVE(refused_);                  \
    } while (0)
#define ENTER()                                      \
    ENTER_ANYWAY();                                  \
    do {                                             \
        CuErr sticky_ = state_sticky();              \
        if (sticky_ != cudaSuccess)                  \
            return LEAVE(sticky_);                   \
    } while (0)
#define LEAVE(err)      state_leave(err)
#define LEAVE_BARE(err) state_leave_bare(err) /* of runtime calls that need no context */

/* Nothing is accepted here: the process was forked from one that had used CUDA, or a stream called this function of the host.  Says so once;
 * cudaSuccess: it is. */
CuErr state_refusal(void);
/* The thread runs a function of the host for a stream. */
extern _Thread_local bool state_in_callback;

/* Makes the kept error sticky and gives it; cudaSuccess when there is none. */
CuErr state_sticky(void);
/* Keeps an error aside until state_sticky. */
void  state_fail_later(CuErr e);
/* Remembers e as the thread's last error unless it is cudaSuccess or cudaErrorNotReady; returns e. */
CuErr state_leave(CuErr e);
/* The same after a runtime call that needs no context. */
CuErr state_leave_bare(CuErr e);
/* What cudaDeviceReset does to the error state. */
CuErr state_reset(void);
/* The thread's last error; reset: it is cudaSuccess afterwards. */
CuErr state_last_error(bool reset);

/* Device n, opened when it was not yet; NULL with *err. */
WwDevice *state_device(int n, CuErr *err);
/* The calling thread's current device. */
int  state_current(void);
void state_set_current(int n);
/* The device of threads that chose none. */
void state_set_first(int n);
const Profile *state_profile(void);
Limits         state_limits(void); /* of its card */

/* Flushes device printf to stdout: every synchronising call does. */
void state_flush(void);
/* One line on stderr: "warpwright: ...". */
void state_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Findings of this thread are of that place and not of the call that is made; NULL: of the call. */
void state_caller_is(const Caller *c);
/* The program's call that this is a part of; NULL: none that is known. */
void *state_call(void);
/* Gives a finding its place.  call NULL: the one that this is a part of. */
void  state_place(WwFinding *f, void *call);
/* A finding outside any kernel, when findings are asked for. */
void state_finding(const char *rule, uint64_t address, uint64_t count, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The same, with everything but the rule's own words given. */
void state_add_finding(const char *rule, WwFinding f);
/* Writes the report, once (ending.c). */
void state_finish(int code);
/* An entry point that is not implemented was called. */
CuErr state_missing(const char *name);
/* "cudaErrorInvalidValue", or for the driver "CUDA_ERROR_INVALID_VALUE"; and its sentence. */
const char *error_name(int code, bool driver);
const char *error_text(int code);
/* An answer to a question: no failure (errors.def). */
bool        error_is_answer(int code);

#endif

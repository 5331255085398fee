/* SPDX-License-Identifier: Apache-2.0
 *
 * One interface for everything that can run a kernel: memory, modules, launches.  emulator.c and cuda.c implement DeviceOps;
 * api.c puts the public ww_ functions over it; the lab, the matrix library and the drop-in runtime use either.
 *
 * Division of work.  api.c checks what can be checked without the device (null pointers, zero sizes, kernel names, number and
 * sizes of arguments, zero dimensions), parses PTX once for both devices, and owns the lists of modules.  An implementation
 * sees valid requests only, and answers with a Status and, through device_fail, one message.
 *
 *   WwDevice   first member of the implementation's own struct        WwModule  likewise
 *   WwResult   common to both (result.c); everything in it is copied into its own arena, so it outlives device and module
 *
 * Every call is complete when it returns, except what is put on a WwStream of the cuda device.  The emulator's streams are names only;
 * src/cuda builds streams of its own on top. */
#ifndef WW_DEVICE_DEVICE_H
#define WW_DEVICE_DEVICE_H

#include "base/arena.h"
#include "base/parcel.h"
#include "base/status.h"
#include "base/str.h"
#include "emu/observer.h"
#include "emu/async/tensormap.h"
#include "model/limits.h"
#include "ptx/ptx.h"

/* Of a launch whose blocks are shared out among processes, a stretch of the grid to each, this one's part.  Each makes the same launch of the same module on
 * a device with the same memory, and goes on from the same memory.  The result is whole on rank 0; the others have what their own blocks did. */
typedef struct DeviceShare {
    unsigned rank, ranks;
    bool     memory;  /* what it leaves in memory is looked at by somebody */
    /* Every rank gets what every other one gave (ranks.h).  What it returns ends the launch. */
    Status (*exchange)(void *user, const Parcel *mine, Parcel *theirs, Str *why);
    void    *user;
    bool     broken;  /* the exchange failed, as `refused` says: perhaps here alone */
    Str      refused; /* not empty: why the launch is not one that can be shared out, or could not be; nothing of it is to be used */
} DeviceShare;

/* A launch as an implementation receives it: the public request, checked, and what only the inside of the library may add. */
typedef struct DeviceLaunch {
    const WwLaunch *w;
    /* Emulator only: */
    Observer              **observers; /* attached besides those that w->observe asks for */
    size_t                  nobservers;
    const struct WorkOrder *work;      /* what it comes behind (check/check.h); NULL: it is ordered with everything */
    const bool             *held;      /* EmuLaunch.held */
    DeviceShare            *share;     /* NULL: all blocks run here */
} DeviceLaunch;

struct WwStream {
    WwDevice *device;
    void     *native; /* CUstream; NULL on the emulator */
    bool      owned;
    bool      first; /* what is on it goes before what waits on other streams, where the hardware can choose */
};

/* What a module is loaded from; a GPU takes the machine code where it can, and has its driver compile the PTX otherwise. */
typedef struct DeviceText {
    const char *name, *ptx;
    size_t      len;
    bool        bodies_later; /* each kernel's code is read when device_kernel first asks for it, and compiled at its first launch where they stand alone */
    int         level;        /* how far a GPU's driver may optimise, 1 to 4; 0: as far as it likes */
    const char *code;         /* of the same PTX, at that level: a fat binary; NULL: none */
} DeviceText;

/* Rows of `bytes` bytes in host memory and on a device, pitch bytes apart; in: to the device. */
typedef struct DeviceRows {
    bool     in;
    char    *host; /* only read when `in` */
    uint64_t host_pitch;
    WwPtr    at;
    uint64_t pitch, bytes, rows;
} DeviceRows;

/* Rows of `bytes` bytes from one device's memory to another's (or its own), the ranges apart. */
typedef struct DeviceAcross {
    WwDevice *from, *to;
    WwPtr     src, dst;
    uint64_t  src_pitch, dst_pitch, bytes, rows;
} DeviceAcross;

typedef struct DeviceOps {
    const char *kind;     /* "emulator", "cuda" */
    unsigned    observes; /* WwObserve bits it can honour */
    void   (*close)(WwDevice *d); /* frees d; modules are unloaded before */
    Status (*alloc)(WwDevice *d, uint64_t bytes, WwPtr *out);
    Status (*release)(WwDevice *d, WwPtr p);
    /* Does the range lie in one allocation?  *why says what is there instead (the device's text).  NULL: this device does not know. */
    Status (*holds)(WwDevice *d, WwPtr at, uint64_t bytes, const char **why);
    Status (*copy_in)(WwDevice *d, WwPtr dst, const void *src, uint64_t bytes);
    Status (*copy_out)(WwDevice *d, void *dst, WwPtr src, uint64_t bytes);
    /* Put on the stream; NULL: row by row by copy_in and copy_out. */
    Status (*copy_rows)(WwDevice *d, const WwStream *s, const DeviceRows *r);
    /* Put on a stream of d, which is one of both, of one kind with d.  NULL: by way of the host. */
    Status (*copy_across)(WwDevice *d, const WwStream *s, const DeviceAcross *a);
    /* Lets d reach the other's memory directly, where the hardware can; copies work in any case.  NULL: there is nothing to do. */
    void   (*reach)(WwDevice *d, WwDevice *other);
    /* Memory of the host that all GPUs copy from and to without staging it; NULL: any is. */
    Status (*host_alloc)(WwDevice *d, size_t bytes, void **out);
    void   (*host_free)(WwDevice *d, void *p);
    Status (*copy)(WwDevice *d, WwPtr dst, WwPtr src, uint64_t bytes); /* ranges that do not overlap */
    Status (*fill)(WwDevice *d, WwPtr dst, uint8_t value, uint64_t bytes, const WwStream *s); /* s may be NULL */
    /* ptx: the text, parsed.  Takes ownership of it, also on failure. */
    Status (*load)(WwDevice *d, Module *ptx, const DeviceText *t, WwModule **out);
    void   (*unload)(WwDevice *d, WwModule *m); /* frees m */
    Status (*variable)(WwDevice *d, WwModule *m, const Var *v, WwPtr *address, uint64_t *bytes);
    Status (*tensor_map)(WwDevice *d, const TensorMapAsk *ask, void *map);
    /* Fills r, also when it fails.  r is NULL where nobody asked for it and the launch is left on a stream. */
    Status (*launch)(WwDevice *d, WwModule *m, const Func *kernel, const DeviceLaunch *l, WwResult *r);
    /* NULL: launches on streams are complete when they return.  open: native is set, or to be made. */
    Status (*stream_open)(WwDevice *d, WwStream *s);
    Status (*stream_wait)(WwDevice *d, const WwStream *s);
    void   (*stream_close)(WwDevice *d, WwStream *s); /* a native stream of the caller's may be gone: it is not touched */
    /* A mark behind what is on the stream now (*mark NULL: it is made), and waiting for one: on a stream, or (s NULL) by the caller. */
    Status (*mark)(WwDevice *d, const WwStream *s, void **mark);
    Status (*follow)(WwDevice *d, const WwStream *s, void *mark);
    void   (*mark_free)(WwDevice *d, void *mark);
    /* Is what was before the mark done? */
    Status (*passed)(WwDevice *d, void *mark, bool *done);
    /* call(user) with the device as the one that other libraries of CUDA use on this thread.  NULL: it is no GPU. */
    Status (*with)(WwDevice *d, int (*call)(void *user), void *user, int *result);
} DeviceOps;

struct WwDevice {
    const DeviceOps *ops;
    char            *name;         /* owned: malloc */
    char            *profile_name; /* owned: malloc */
    const Profile   *profile;      /* owned: profile_close; NULL: a GPU's own, which is no profile of ours */
    /* a GPU's own, or of the profile's card: multiprocessors, compute capability times ten, bytes of shared memory that a block may ask for */
    unsigned         sms, cc, block_shared;
    Str              error;        /* the last failure's message */
    char             refused[REFUSAL_TEXT]; /* the limit of the card by which it refused the last launch; "": it did not */
    WwModule        *modules;      /* loaded ones, newest first */
    void           (*seen)(void *user, const char *kernel, const WwResult *r); /* ww_device_on_result; NULL: nobody */
    void            *seen_user;
    void           (*progress)(void *user, const char *kernel, uint64_t done, uint64_t blocks); /* device_on_progress */
    void            *progress_user;
};

struct WwModule {
    WwDevice     *device;
    WwModule     *next, *before;
    const Module *ptx;     /* owned by the implementation */
    const Func  **kernels; /* .entry functions with a body, in the file's order; owned: malloc */
    size_t        nkernels;
};

typedef struct Inexact { /* an opcode that ran and is approximate or unsupported */
    const char *opcode;
    bool        unsupported;
    uint64_t    executed;
} Inexact;

struct WwResult {
    Arena               *arena;
    const char          *kernel;
    WwCounters           total;
    WwLine              *lines; size_t nlines;
    WwInstructionClasses classes;
    Inexact             *inexact;
    size_t               ninexact;
    WwFinding           *findings; size_t nfindings;
    WwPattern           *patterns; size_t npatterns;
    WwResources          resources; bool resources_known;
    WwSample             sample;      /* of 0 blocks: nothing else than all was asked for */
    WwPrediction         prediction; bool predicted;
    double               median_ms, min_ms;
    unsigned             runs, batch; /* runs = 0: not measured */
    const char          *left;        /* ww_result_interpreted */
    uint64_t             spent, compiled; /* ww_result_native */
    bool                 went_on;     /* WW_ERR_FAULT, but faulty accesses were left out and the launch ran to its end */
};

/* Sets the device's message and returns s. */
Status device_fail(WwDevice *d, Status s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The common part of a new device; name is copied, the profile taken over; without one the device is of that name. */
void device_init(WwDevice *d, const DeviceOps *ops, const char *name, const Profile *profile, const char *own);
/* Frees the common part. */
void device_done(WwDevice *d);
/* Fills in the common part of a new module and puts it on the device's list; module_done takes it off. */
void module_init(WwModule *m, WwDevice *d, const Module *ptx);
void module_done(WwModule *m);
/* A copy between host and device on a stream; what it reads must stay until ww_stream_wait. */
Status device_copy_rows(WwDevice *d, const WwStream *s, const DeviceRows *r);
/* Between two devices, on a stream of d, which is one of them; complete when it returns where it goes by way of the host. */
Status device_copy_across(WwDevice *d, const WwStream *s, const DeviceAcross *a);
/* ww_stream_open of a stream of our own, which goes first (WwStream). */
Status device_stream_first(WwDevice *d, WwStream **out);
/* ww_fill on a stream; NULL: complete when it returns. */
Status device_fill(WwDevice *d, WwPtr dst, uint8_t value, uint64_t bytes, const WwStream *s);
/* Launches that begin from now on call progress now and then while they run: so many of their blocks have ended.  It is called by threads of
 * the emulator, by one at a time, before ww_launch returns and not while a launch pauses; the cuda device never calls it.  NULL: nobody. */
void   device_on_progress(WwDevice *d, void (*progress)(void *user, const char *kernel, uint64_t done, uint64_t blocks), void *user);
/* ww_module_load */
Status device_load(WwDevice *d, const DeviceText *t, WwModule **out);
/* The kernel of that name, with its body; NULL: WW_ERR_NOT_FOUND, or its text is wrong (WW_ERR_PARSE). */
Status device_kernel(WwDevice *d, const WwModule *m, const char *name, const Func **out);
/* ww_launch, with observers of the caller's own, of a kernel that device_kernel found. */
Status device_launch_kernel(WwDevice *d, WwModule *m, const Func *kernel, const DeviceLaunch *l, WwResult **out);

/* Implementations.  On failure *why is filled with a message. */
Status emulator_open(const WwDeviceOptions *o, WwDevice **out, Str *why);
Status cuda_open(const WwDeviceOptions *o, WwDevice **out, Str *why);

/* The profile of that name, or in that file, for profile_close; NULL: there is none, and *why lists those there are, or says what is wrong. */
const Profile *device_profile(const char *name, Str *why);
/* What the driver says of the card of a cuda device: the figures of figures.def's rows CARD_FIGURE, 0 where it does not say.  Other devices: false. */
bool cuda_card(const WwDevice *d, Profile *out);
/* Appends one line about the driver and each GPU, or what is missing; false: no GPU can be used. */
bool cuda_describe(Str *out);

/* ---- results (result.c) ---- */
WwResult *result_new(const char *kernel);
/* Appends a zeroed finding for the kernel, severity "error"; fill in the rest with strings from r->arena. */
WwFinding *result_finding(WwResult *r, const char *rule, const char *category);
/* Appends findings whose texts live as long as r. */
void       result_findings(WwResult *r, const WwFinding *more, size_t n);

#endif

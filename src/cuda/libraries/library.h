/* SPDX-License-Identifier: Apache-2.0
 *
 * For drop-ins of libraries that programs call (cuBLAS): work that the host computes on a device's memory, in the order of a stream.  The
 * library's own file calls no CUDA; it asks here.
 *
 * Such work is part of the stream as a host function is: it waits for what is before it, a graph that is captured holds it.  The memory it
 * reads and writes is told beforehand: it is checked to be allocated, and checkers hear of it.  At the program's end every call is named with how
 * often it was made, because none of it was emulated. */
#ifndef WW_CUDA_LIBRARY_H
#define WW_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Nothing of them: it must be allocated, and parts of it may be read. */
typedef enum LibraryUse { LIBRARY_HOLDS = 0, LIBRARY_READS = 1, LIBRARY_WRITES = 2, LIBRARY_UPDATES = LIBRARY_READS | LIBRARY_WRITES } LibraryUse;

/* Of a matrix by columns, which are the span's rows. */
typedef enum LibraryPart { LIBRARY_WHOLE, LIBRARY_UPPER, LIBRARY_LOWER } LibraryPart;

typedef struct LibrarySpan { /* rows of memory */
    const void *at;
    size_t      pitch, width, height; /* bytes from row to row, bytes of a row, rows; the pitch of one row is not looked at */
    LibraryUse  use;
    LibraryPart part;                 /* not the whole: of this triangle, diagonal included, */
    size_t      element;              /* whose elements have so many bytes */
    const void *factor;               /* not NULL: it is read only where these bytes of device memory are not all zero */
    size_t      factor_bytes;
} LibrarySpan;

enum { LIBRARY_SPANS = 12 }; /* two factors and three arrays of each of three matrices (csrgeam2), and one more */

typedef struct LibraryWork {
    const char *library, *call;           /* names, as the library's documentation has them; static */
    const char *by;                       /* what computes it: a file of the host; static */
    void      (*compute)(const void *args); /* by any thread, under no lock */
    const void *args; size_t bytes;       /* copied */
    LibrarySpan span[LIBRARY_SPANS]; unsigned nspans;
    double      operations;               /* for the report; 0: not told */
} LibraryWork;

/* Gives it to the stream (NULL: the default one).  false: the stream is none, or the process can use CUDA no more. */
bool ww_cuda_library_do(void *stream, const LibraryWork *w);
/* Waits for the stream; false: as above, or what it waited for failed. */
bool ww_cuda_library_wait(void *stream);
/* The call is refused, with that status of the library's (names as above): said, for a program that does not look at it. */
void ww_cuda_library_refused(const char *call, const char *status, const char *why);
/* While work is computed, for memory that was not known before: is it allocated?  If not, a finding names the call, and the process's CUDA fails
 * as after an illegal access.  Checkers hear of it if it is read. */
bool ww_cuda_library_uses(const char *call, const LibrarySpan *s);
/* The work on it is done: checkers hear of it if it was written. */
void ww_cuda_library_wrote(const LibrarySpan *s);
typedef struct LibraryCopy { /* rows between the host and a device */
    void       *to;
    const void *from;
    size_t      to_pitch, from_pitch, width, height;
    int         kind; /* cudaMemcpyKind */
} LibraryCopy;
/* In the stream; waits: it is done on return.  false: as cudaMemcpy2D fails. */
bool ww_cuda_library_copy(const LibraryCopy *c, bool waits, void *stream);
/* Of a device, without using CUDA: a process that has asked no more may fork. */
typedef struct LibraryCard {
    char          name[128];
    unsigned char uuid[16];
    size_t        total, used; /* bytes of its memory */
    int           capability;  /* 90: 9.0 */
} LibraryCard;

int  ww_cuda_library_devices(void);
int  ww_cuda_library_driver(void); /* the version of CUDA that the driver is of: 13000 */
/* false: there is no such device. */
bool ww_cuda_library_card(int device, LibraryCard *out);
/* By the number that cudaDeviceGetAttribute takes; false: there is no such device or attribute. */
bool ww_cuda_library_attribute(int device, int attribute, int *value);
/* The device that the calling thread's calls are of; `set` less than 0: it stays, else it becomes that one.  Gives which it was; less than 0: there
 * is none of that number. */
int  ww_cuda_library_device(int set);
/* Memory of that device; false: as cudaMalloc and cudaFree fail. */
bool ww_cuda_library_allocate(void **out, size_t bytes);
bool ww_cuda_library_free(void *p);
/* Memory of the host, zeros, to be freed; ends the process when there is none, as the host's part of everything does. */
void *ww_cuda_library_memory(size_t bytes);
/* For a framework of another language, whose operations the host computes at once: everything given to the current device before has ended on
 * return; else the CUDA error that says why it cannot (a stream is being captured, say). */
int  ww_cuda_library_settle(void);
/* Such an operation was made: names as in LibraryWork, copied. */
void ww_cuda_library_count(const char *library, const char *call, const char *by);
/* Does anyone want to hear what memory is read and written (ww_cuda_library_uses, ww_cuda_library_wrote)? */
bool ww_cuda_library_checked(void);
/* Memory is the framework's to free, when it likes: what is left at the end of the process is no leak. */
void ww_cuda_library_collects(void);
/* Handles that a library has given out and has not destroyed: a pointer that is none of them is never read.  kind: an address of the library's
 * own, so that no handle is taken for one of another kind.  A handle has the least number that is free among its kind (a library whose
 * handles are numbers gives that out); less than 0: no memory. */
int   ww_cuda_library_keep(const void *kind, void *handle);
bool  ww_cuda_library_has(const void *kind, const void *handle);
void *ww_cuda_library_numbered(const void *kind, int number); /* NULL: there is none */
/* No more; false: it was none. */
bool  ww_cuda_library_drop(const void *kind, const void *handle);
/* The kind of cuBLAS's handles, which cublasLt takes as well. */
extern const char ww_cuda_library_blas_handles;
/* The kind of cuSPARSE's descriptors of matrices, which cuSOLVER takes as well. */
extern const char ww_cuda_library_descriptors;
typedef struct LibraryDescriptor {
    int type, fill, diag, base; /* as cuSPARSE numbers them */
} LibraryDescriptor;
/* The library that this address of code belongs to is a drop-in: whoever called it made the call. */
void ww_cuda_library_is(void (*code)(void));
/* A function of the library that is not there: it is named at the end. */
void ww_cuda_library_missing(const char *call);

#endif

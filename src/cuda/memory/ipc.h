/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of a device for other processes, and words for the events between them. */
#ifndef WW_CUDA_IPC_H
#define WW_CUDA_IPC_H

#include "cuda/process/state.h"

typedef struct IpcHandle { /* as large as cudaIpcMemHandle_t, which programs copy around */
    uint32_t magic;
    int32_t  pid, fd, device;
    uint64_t offset, first;  /* of the pages in the file; of the allocation in the pages */
    uint64_t bytes, inside;  /* of the allocation; of the address in it */
    uint32_t event, pad[3];
} IpcHandle;
_Static_assert(sizeof(IpcHandle) == 64, "CUDA_IPC_HANDLE_SIZE");

/* A word that processes share; the file behind it, in the process that made it. */
typedef struct IpcWord {
    volatile uint32_t *at; /* NULL: none */
    int                fd;
} IpcWord;

CuErr     ipc_word_new(IpcWord *w);
IpcHandle ipc_word_handle(const IpcWord *w);
CuErr     ipc_word_open(const IpcHandle *h, IpcWord *w);

/* Files without a name that stand for something in other processes: what for is in the name they do not have.  The descriptor, or -1. */
#define IPC_FILE_MEMORY "warpwright"
#define IPC_FILE_POOL   "warpwright-pool"
#define IPC_FILE_TEAM   "warpwright-multicast"
int       ipc_file_new(const char *what);
/* cudaSuccess: the descriptor stands for `what`; else what a card says of a wrong one. */
CuErr     ipc_file_check(int fd, const char *what);

/* A handle for the allocation that holds p. */
CuErr ipc_share(const void *p, IpcHandle *out);
CuErr ipc_open(const IpcHandle *h, void **out);
CuErr ipc_close(void *p);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * From CUDA C to PTX, with a compiler of this machine. */
#ifndef WW_DEVICE_COMPILE_H
#define WW_DEVICE_COMPILE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"

/* Compiles a file whose name is plain (base/file.h); nameless: it means nothing (a temporary file).  *said gets what the compiler wrote,
 * warnings as well.  What nvcc made is kept on disk (compiled.h): the same text with the same headers is not compiled again.  WW_ERR_PARSE: it
 * could not be compiled; WW_ERR_UNAVAILABLE: there is no compiler; WW_ERR_IO: no temporary file could be made (*said says why). */
Status compile_cuda(const char *file, bool nameless, Str *ptx, Str *said);

#endif

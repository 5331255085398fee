/* SPDX-License-Identifier: Apache-2.0
 *
 * The error log that programs may read (cuLogs, cudaLogs). */
#ifndef WW_CUDA_LOGS_H
#define WW_CUDA_LOGS_H

/* A message without a line's end. */
void logs_add(const char *text);

#endif

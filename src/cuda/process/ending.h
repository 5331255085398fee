/* SPDX-License-Identifier: Apache-2.0
 *
 * The reports of a process. */
#ifndef WW_CUDA_ENDING_H
#define WW_CUDA_ENDING_H

/* code: the exit code, or 128 and the signal that ends the process. */
void ending_write(int code);

#endif

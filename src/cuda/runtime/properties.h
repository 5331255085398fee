/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device says of itself, for both interfaces. */
#ifndef WW_CUDA_DEVICE_H
#define WW_CUDA_DEVICE_H

#include "cuda/process/state.h"

enum { DRIVER_VERSION = 13000 };

/* False: there is no such attribute. */
bool     device_attribute(int attribute, int ordinal, int *value);
uint64_t device_memory(void);
void     device_title(int ordinal, char *out, size_t cap);
void     device_uuid(int ordinal, unsigned char out[16]);
/* cudaDeviceReset: the limits are as at first again. */
void     limits_reset(int device);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Random inputs: the i-th value of a stream is a function of seed, stream and i alone, so any part can be made
 * again. */
#ifndef WW_LAB_INPUTS_H
#define WW_LAB_INPUTS_H

#include <stddef.h>
#include <stdint.h>

uint64_t inputs_at(uint64_t seed, uint64_t stream, uint64_t i);
/* Uniform in [-1, 1), multiples of 2^-23. */
void inputs_unit(float *v, size_t n, uint64_t seed, uint64_t stream);
/* Any 32 bits. */
void inputs_bits(uint32_t *v, size_t n, uint64_t seed, uint64_t stream);
/* The same, by all of this machine's cores. */
void inputs_unit_shared(float *v, size_t n, uint64_t seed, uint64_t stream);
void inputs_bits_shared(uint32_t *v, size_t n, uint64_t seed, uint64_t stream);

#endif

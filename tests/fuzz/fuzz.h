/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share.  A target is a file fuzz_<target>.c with LLVMFuzzerTestOneInput and a row of targets.tsv.  An input is bad
 * news when it ends the process, when a sanitizer speaks, when it takes too long, and when a property of the target does not hold. */
#ifndef WW_TESTS_FUZZ_H
#define WW_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property does not hold: says which and ends the process. */
void fuzz_fail(const char *what, const char *text) __attribute__((noreturn));

/* Exactly these bytes, so that a read behind them is seen; zero-terminated: one byte more.  The caller frees them. */
uint8_t *fuzz_bytes(const uint8_t *data, size_t size);
char    *fuzz_text(const uint8_t *data, size_t size);

/* A file with these bytes whose name ends so; it is the process's only one with that end and goes with it.  Its path stays valid. */
const char *fuzz_file(const uint8_t *data, size_t size, const char *end);

/* counters.c: the counters of edges, n of them; none without libFuzzer. */
uint8_t *fuzz_counters(size_t *n);

#endif

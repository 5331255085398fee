/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of the build: compresses one file with zstd, for kernels/embed.cmake.  kernel_ptx (src) unpacks it.
 *     pack IN OUT */
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

/* A tenth less than levels 16 to 18, in three times their time: 8 s instead of 2.3 for the 6 MB of a file of eight products on tensor cores. */
enum { LEVEL = 19 };

static char *read_all(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return NULL;
    *len       = (size_t)ftell(f);
    char *text = malloc(*len + 1);
    rewind(f);
    size_t got = text ? fread(text, 1, *len, f) : 0;
    fclose(f);
    return got == *len ? text : NULL;
}

int main(int argc, char **argv)
{
    size_t len  = 0;
    char  *text = argc == 3 ? read_all(argv[1], &len) : NULL;
    char  *out  = text ? malloc(ZSTD_compressBound(len)) : NULL;
    size_t done = out ? ZSTD_compress(out, ZSTD_compressBound(len), text, len, LEVEL) : 0;
    FILE  *f    = out && !ZSTD_isError(done) ? fopen(argv[2], "wb") : NULL;
    if (!f || fwrite(out, 1, done, f) != done || fclose(f) != 0) {
        fprintf(stderr, "pack: %s cannot be read or packed\n", argc > 1 ? argv[1] : "IN");
        return 1;
    }
    free(out);
    free(text);
    return 0;
}

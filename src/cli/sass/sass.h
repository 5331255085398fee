/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside `warpwright sass`: finding the code of a file, and showing it. */
#ifndef WW_CLI_SASS_H
#define WW_CLI_SASS_H

#include <jansson.h>
#include <stdio.h>

#include "base/status.h"
#include "model/profile.h"
#include "sass/cubin.h"

typedef struct SassUnit { /* one module of the file */
    Cubin *cubin;
    Str    code;        /* its bytes */
    bool   assembled;   /* here, from PTX; else the file's own */
    Str    ptx;         /* its PTX, where there is no machine code; else empty */
    Str    why;         /* why there is none */
} SassUnit;

typedef struct SassFile {
    SassUnit *unit;
    size_t    units;
} SassFile;

/* Reads what the file holds for that card.  WW_ERR_INVALID, WW_ERR_NOT_FOUND, WW_ERR_IO: *why says what is wrong; empty where somebody already
 * said it.  sass_close it in any case. */
Status sass_open(const char *path, const Profile *p, SassFile *out, Str *why);
void   sass_close(SassFile *f);

/* sass_show.c */
void    sass_print(FILE *out, const SassUnit *u, const CubinFunc *f);
json_t *sass_json(const SassUnit *u, const CubinFunc *f);

#endif

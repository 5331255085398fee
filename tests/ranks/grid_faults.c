/* SPDX-License-Identifier: Apache-2.0
 *
 * A product of several ranks of MPI in which rank 1 is not as the others (faults.py): its matrix has another size, its library another version, its device
 * too little memory.  All of them have to end with a message and exit code 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpwright/grid.h"

enum { N = 500, K = 300, TEXT = 512 };
static int32_t a[N * K], c[N * N];

/* Has every rank the product that rank 0 has? */
static int agree(const WwGrid *g, const WwGridSyrk *p, int rank, const char *how)
{
    char own[TEXT] = "", first[TEXT];
    int  same, all;
    ww_grid_syrk_text(g, p, own, sizeof own);
    if (rank == 1 && !strcmp(how, "version"))
        own[strcspn(own, "0123456789")] = '9';
    memcpy(first, own, sizeof own);
    MPI_Bcast(first, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
    same = !strcmp(own, first);
    if (!same)
        fprintf(stderr, "rank %d: not the product of rank 0: %s here; %s there\n", rank, own, first);
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (same && !all)
        fprintf(stderr, "rank %d: another rank has another product\n", rank);
    return all;
}

int main(int argc, char **argv)
{
    int         rank, ranks, good, all;
    const char *how = argc > 1 ? argv[1] : "";
    WwDevice   *d   = NULL;
    WwGrid     *g   = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    WwDeviceOptions o       = {.memory = rank == 1 && !strcmp(how, "memory") ? 1 << 20 : 0};
    const char     *message = "another rank failed";
    ww_device_open("emulator", &o, &d, &message);
    WwGridSyrk p = {.type = WW_I32, .n = N, .k = K, .alpha.i32 = 1, .a = a, .c = c, .lda = K, .ldc = N};
    p.k -= rank == 1 && !strcmp(how, "shape");
    p.ranks = (size_t)ranks;
    p.rank  = (size_t)rank;
    good    = d && ww_grid_open(&d, 1, &g, &message) == WW_OK;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all && agree(g, &p, rank, how)) {
        good = ww_grid_syrk(g, &p) == WW_OK;
        MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (!good)
            fprintf(stderr, "rank %d: %s\n", rank, ww_grid_error(g));
        else if (!all)
            fprintf(stderr, "rank %d: another rank failed\n", rank);
    } else {
        if (!all)
            fprintf(stderr, "rank %d: %s\n", rank, message);
        all = 0;
    }
    ww_grid_close(g);
    ww_device_close(d);
    MPI_Finalize();
    return !all;
}

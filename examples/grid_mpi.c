/* SPDX-License-Identifier: Apache-2.0 */
/* C = A A^T by all ranks of MPI, a GPU each, or an emulated device where there is none: every rank computes its tiles of C and tells the others. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "warpwright/grid.h"

enum { N = 500, K = 300, TEXT = 512 };
static int32_t a[N * K], c[N * N];
static char    own[TEXT], first[TEXT];
static void    send_block(size_t row, size_t col, size_t rows, size_t cols, int from)
{
    MPI_Datatype block;
    MPI_Type_vector((int)rows, (int)cols, N, MPI_INT32_T, &block);
    MPI_Type_commit(&block);
    MPI_Bcast(c + row * N + col, 1, block, from, MPI_COMM_WORLD);
    MPI_Type_free(&block);
}

int main(int argc, char **argv)
{
    int        rank, ranks, good, all;
    WwDevice  *d = NULL;
    WwGrid    *g = NULL;
    WwGridTile t;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < N * K; i++)
        a[i] = i % 1009 - 504;
    if (ww_device_open("cuda", &(WwDeviceOptions){.ordinal = (unsigned)rank}, &d, NULL) != WW_OK)
        ww_device_open("emulator", NULL, &d, NULL);
    WwGridSyrk p = {.type = WW_I32, .n = N, .k = K, .alpha.i32 = 1, .a = a, .c = c, .lda = K, .ldc = N};
    p.ranks      = (size_t)ranks;
    p.rank       = (size_t)rank;
    good         = d && ww_grid_open(&d, 1, &g, NULL) == WW_OK;
    ww_grid_syrk_text(g, &p, own, TEXT);
    ww_grid_syrk_text(g, &p, first, TEXT);
    MPI_Bcast(first, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD); /* has rank 0 the same product, and the same library? */
    good = good && !strcmp(own, first) && ww_grid_syrk(g, &p) == WW_OK;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD); /* nobody waits for tiles that will not come */
    for (size_t i = 0; all && ww_grid_tile(g, i, &t) == WW_OK; i++) {
        send_block(t.row, t.col, t.rows, t.cols, (int)t.rank);
        if (t.mirrored)
            send_block(t.col, t.row, t.cols, t.rows, (int)t.rank);
    }
    for (int i = 0; all && i < N * N; i++) {
        int32_t sum = 0;
        for (int l = 0; l < K; l++)
            sum += a[i / N * K + l] * a[i % N * K + l];
        good &= c[i] == sum;
    }
    printf("rank %d of %d: %s\n", rank, ranks, all && good ? "all right" : good ? "WRONG" : g ? ww_grid_error(g) : own);
    ww_grid_close(g);
    ww_device_close(d);
    MPI_Finalize();
    return !(all && good);
}

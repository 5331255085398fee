/* SPDX-License-Identifier: Apache-2.0 */
/* C = A A^T whose matrices lie in bands of rows on the devices of all ranks of MPI: over NCCL between GPUs, else through MPI. */
#include <mpi.h>
#include <stdio.h>

#include "warpwright/grid.h"

enum { N = 301, K = 200 };
static int32_t a[N * K], c[N * N];
static int     gather(void *user, const void *mine, size_t bytes, void *all)
{
    return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, *(MPI_Comm *)user);
}
static int move(void *user, const WwGridMessage *m, size_t n)
{
    MPI_Request r[n + 1]; /* what goes wrong here ends an MPI program */
    for (size_t i = 0; i < n; i++)
        if (m[i].send)
            MPI_Isend(m[i].at, (int)m[i].bytes, MPI_BYTE, (int)m[i].peer, 0, *(MPI_Comm *)user, &r[i]);
        else
            MPI_Irecv(m[i].at, (int)m[i].bytes, MPI_BYTE, (int)m[i].peer, 0, *(MPI_Comm *)user, &r[i]);
    MPI_Waitall((int)n, r, MPI_STATUSES_IGNORE);
    return 0;
}

int main(int argc, char **argv)
{
    int       rank, ranks;
    MPI_Comm  world = MPI_COMM_WORLD;
    WwDevice *d     = NULL;
    WwGrid   *g     = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    for (int i = 0; i < N * K; a[i] = i % 1009 - 504, i++)
        ;
    size_t      all = (size_t)ranks, own = (size_t)rank, band = (N + all - 1) / all;
    WwPtr       at_a = 0, at_c = 0;
    WwGridLink  link = {.ranks = all, .rank = own, .user = &world, .gather = gather, .move = move};
    WwGridArray on_a = {.at = &at_a, .block_rows = band, .block_columns = K, .down = all, .across = 1, .ld = K};
    WwGridArray on_c = {.at = &at_c, .block_rows = band, .block_columns = N, .down = all, .across = 1, .ld = N};
    WwGridSyrk  p    = {.type = WW_I32, .n = N, .k = K, .alpha.i32 = 1, .on_a = &on_a, .on_c = &on_c};
    if ((ww_device_open("cuda", &(WwDeviceOptions){.ordinal = (unsigned)rank}, &d, NULL) &&
         ww_device_open("emulator", NULL, &d, NULL)) ||
        ww_alloc(d, sizeof *a * band * K, &at_a) || ww_alloc(d, sizeof *c * band * N, &at_c) ||
        ww_grid_open(&d, 1, &g, NULL) != WW_OK)
        MPI_Abort(world, 1);
    int good = !ww_grid_link(g, &link) &&
               !ww_grid_scatter(g, &(WwGridCopy){&on_a, WW_ROW_MAJOR, sizeof *a, N, K, a, K}) && !ww_grid_syrk(g, &p) &&
               !ww_grid_gather(g, &(WwGridCopy){&on_c, WW_ROW_MAJOR, sizeof *c, N, N, c, N});
    for (size_t i = own * band * N; good && i < N * N && i < (own + 1) * band * N; good &= c[i++] == 0)
        for (size_t l = 0; l < K; l++)
            c[i] -= a[i / N * K + l] * a[i % N * K + l];
    printf("rank %d of %d: %s\n", rank, ranks, good ? "all right" : *ww_grid_error(g) ? ww_grid_error(g) : "WRONG");
    ww_grid_close(g);
    ww_device_close(d);
    MPI_Finalize();
    return !good;
}

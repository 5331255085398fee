/* SPDX-License-Identifier: Apache-2.0
 *
 * NCCL between emulated devices of one process (all types and operations, every collective, messages in a circle, splits) and of several, which learn
 * the identifier through a pipe; ranks that call different things, and a rank that ends. */
#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum { RANKS = 4, N = 100000 }; /* more than a slot holds */

static ncclComm_t   comm[RANKS];
static cudaStream_t stream[RANKS];

static void open_all(void)
{
    int devices[RANKS] = {0, 1, 2, 3};
    GOOD(ncclCommInitAll(comm, RANKS, devices));
    for (int r = 0; r < RANKS; r++) {
        GOOD(cudaSetDevice(r));
        GOOD(cudaStreamCreate(&stream[r]));
    }
}

static void wait_all(void)
{
    for (int r = 0; r < RANKS; r++) {
        GOOD(cudaSetDevice(r));
        GOOD(cudaStreamSynchronize(stream[r]));
    }
}

static void close_all(void)
{
    for (int r = 0; r < RANKS; r++) {
        ncclResult_t e;
        GOOD(ncclCommGetAsyncError(comm[r], &e));
        GOOD(e);
        GOOD(ncclCommDestroy(comm[r]));
        GOOD(cudaStreamDestroy(stream[r]));
    }
}

/* An array of each device, of n floats; rank r's element i is r + i % 7 + 1. */
static void arrays(float *p[RANKS], size_t n)
{
    float *host = malloc(n * sizeof *host);
    for (int r = 0; r < RANKS; r++) {
        for (size_t i = 0; i < n; i++)
            host[i] = (float)r + (float)(i % 7) + 1;
        GOOD(cudaSetDevice(r));
        p[r] = device(host, n * sizeof *host);
    }
    free(host);
}

static void free_all(float *p[RANKS])
{
    for (int r = 0; r < RANKS; r++)
        GOOD(cudaFree(p[r]));
}

static void collectives(void)
{
    float *in[RANKS], *out[RANKS], *host = malloc((size_t)RANKS * N * sizeof *host);
    open_all();
    arrays(in, (size_t)RANKS * N), arrays(out, (size_t)RANKS * N);
#define EACH(call)                                                                                                     \
    GOOD(ncclGroupStart());                                                                                            \
    for (int r = 0; r < RANKS; r++)                                                                                    \
        GOOD(call);                                                                                                    \
    GOOD(ncclGroupEnd());                                                                                              \
    wait_all()
#define CHECK(rank, n, value)                                                                                          \
    fetch(host, out[rank], (size_t)(n) * sizeof *host);                                                                \
    for (int i = 0, wrong = 0; i < (n) && !wrong; i++)                                                                 \
    EXPECT(!(wrong = host[i] != (float)(value)))
    EACH(ncclAllReduce(in[r], out[r], N, ncclFloat, ncclSum, comm[r], stream[r]));
    CHECK(0, N, 4 * (i % 7 + 1) + 6);
    CHECK(3, N, 4 * (i % 7 + 1) + 6);
    EACH(ncclReduce(in[r], out[r], N, ncclFloat, ncclMax, 2, comm[r], stream[r]));
    CHECK(2, N, i % 7 + 4);
    CHECK(1, N, 4 * (i % 7 + 1) + 6); /* as it was */
    EACH(ncclBroadcast(in[r], out[r], N, ncclFloat, 1, comm[r], stream[r]));
    CHECK(0, N, i % 7 + 2);
    EACH(ncclAllGather(in[r], out[r], N, ncclFloat, comm[r], stream[r]));
    CHECK(1, RANKS * N, i / N + i % N % 7 + 1);
    EACH(ncclReduceScatter(in[r], out[r], N, ncclFloat, ncclSum, comm[r], stream[r]));
    CHECK(3, N, 4 * ((i + 3 * N) % 7 + 1) + 6);
    EACH(ncclAlltoAll(in[r], out[r], N, ncclFloat, comm[r], stream[r]));
    CHECK(2, RANKS * N, i / N + (i % N + 2 * N) % 7 + 1);
    EACH(ncclGather(in[r], out[r], N, ncclFloat, 0, comm[r], stream[r]));
    CHECK(0, RANKS * N, i / N + i % N % 7 + 1);
    EACH(ncclScatter(in[r], out[r], N, ncclFloat, 1, comm[r], stream[r]));
    CHECK(3, N, 1 + (i + 3 * N) % 7 + 1);
    for (int r = 0; r < RANKS; r++) { /* without a group, in place, behind work of the stream */
        GOOD(cudaSetDevice(r));
        GOOD(cudaMemsetAsync(out[r], 0, N * 4, stream[r]));
        GOOD(cudaMemcpyAsync(out[r], in[r], 4, cudaMemcpyDefault, stream[r]));
        GOOD(ncclAllReduce(out[r], out[r], N, ncclFloat, ncclSum, comm[r], stream[r]));
    }
    wait_all();
    CHECK(0, N, i ? 0 : 10);
    free_all(in), free_all(out), free(host);
    close_all();
}

static void types(void)
{
    static const struct {
        ncclDataType_t type;
        size_t         bytes;
        uint64_t       two, three, sum, product, most; /* of 2, 3, 2, 3; the least is 2, the average of integers 2 */
    } all[] = {{ncclInt8, 1, 2, 3, 10, 36, 3},
               {ncclUint8, 1, 2, 3, 10, 36, 3},
               {ncclInt32, 4, 2, 3, 10, 36, 3},
               {ncclUint32, 4, 2, 3, 10, 36, 3},
               {ncclInt64, 8, 2, 3, 10, 36, 3},
               {ncclUint64, 8, 2, 3, 10, 36, 3},
               {ncclFloat16, 2, 0x4000, 0x4200, 0x4900, 0x5080, 0x4200},
               {ncclFloat32, 4, 0x40000000, 0x40400000, 0x41200000, 0x42100000, 0x40400000},
               {ncclFloat64, 8, 0x4000000000000000, 0x4008000000000000, 0x4024000000000000, 0x4042000000000000,
                0x4008000000000000},
               {ncclBfloat16, 2, 0x4000, 0x4040, 0x4120, 0x4210, 0x4040},
               {ncclFloat8e4m3, 1, 0x40, 0x44, 0x52, 0x61, 0x44},
               {ncclFloat8e5m2, 1, 0x40, 0x42, 0x49, 0x50, 0x42}};
    open_all();
    for (size_t t = 0; t < sizeof all / sizeof *all; t++)
        for (int op = ncclSum; op <= ncclMin; op++) {
            void *p[RANKS];
            GOOD(ncclGroupStart());
            for (int r = 0; r < RANKS; r++) {
                GOOD(cudaSetDevice(r));
                p[r] = device(r % 2 ? &all[t].three : &all[t].two, 8);
                GOOD(ncclAllReduce(p[r], p[r], 1, all[t].type, (ncclRedOp_t)op, comm[r], stream[r]));
            }
            GOOD(ncclGroupEnd());
            wait_all();
            uint64_t got = 0, want = op == ncclSum    ? all[t].sum
                                     : op == ncclProd ? all[t].product
                                     : op == ncclMax  ? all[t].most
                                                      : all[t].two;
            fetch(&got, p[1], all[t].bytes);
            expect_at(got == want, "a type's operation", (int)(1000 * (t + 1)) + op);
            for (int r = 0; r < RANKS; r++)
                GOOD(cudaFree(p[r]));
        }
    float *p[RANKS], got, factor = 0.5F;
    arrays(p, 1);
    for (int r = 0; r < RANKS; r++) {
        ncclRedOp_t half;
        GOOD(ncclAllReduce(p[r], p[r], 1, ncclFloat, ncclAvg, comm[r], stream[r])); /* 2.5 */
        GOOD(ncclRedOpCreatePreMulSum(&half, &factor, ncclFloat, ncclScalarHostImmediate, comm[r]));
        GOOD(ncclAllReduce(p[r], p[r], 1, ncclFloat, half, comm[r], stream[r]));
        GOOD(ncclRedOpDestroy(half, comm[r]));
    }
    wait_all();
    fetch(&got, p[3], sizeof got);
    EXPECT(got == 5);
    free_all(p);
    close_all();
}

static void messages(void)
{
    float *in[RANKS], *out[RANKS], *host = malloc(N * sizeof *host);
    open_all();
    arrays(in, N), arrays(out, N);
    GOOD(ncclGroupStart()); /* a ring in one group: everyone sends first */
    for (int r = 0; r < RANKS; r++) {
        GOOD(ncclSend(in[r], N, ncclFloat, (r + 1) % RANKS, comm[r], stream[r]));
        GOOD(ncclRecv(out[r], N, ncclFloat, (r + RANKS - 1) % RANKS, comm[r], stream[r]));
    }
    GOOD(ncclGroupEnd());
    wait_all();
    CHECK(0, N, 3 + i % 7 + 1);
    CHECK(2, N, 1 + i % 7 + 1);
    GOOD(ncclRecv(out[1], N / 2, ncclFloat, 3, comm[1], stream[1])); /* no group: the stream waits, the call does not */
    GOOD(ncclRecv(out[1] + N / 2, N / 2, ncclFloat, 3, comm[1], stream[1]));
    GOOD(ncclSend(in[3], N / 2, ncclFloat, 1, comm[3], stream[3]));
    GOOD(ncclSend(in[3] + N / 2, N / 2, ncclFloat, 1, comm[3], stream[3]));
    wait_all();
    CHECK(1, N, 3 + i % 7 + 1);
    ncclComm_t half[RANKS];
    GOOD(ncclGroupStart());
    for (int r = 0; r < RANKS; r++)
        GOOD(ncclCommSplit(comm[r], r % 2, -r, &half[r], NULL));
    GOOD(ncclGroupEnd());
    int rank, ranks;
    GOOD(ncclCommUserRank(half[3], &rank)), GOOD(ncclCommCount(half[3], &ranks));
    EXPECT(rank == 0 && ranks == 2);
    for (int r = 0; r < RANKS; r++)
        GOOD(ncclAllReduce(in[r], out[r], N, ncclFloat, ncclSum, half[r], stream[r]));
    wait_all();
    CHECK(0, N, 2 * (i % 7 + 1) + 2);
    CHECK(1, N, 2 * (i % 7 + 1) + 4);
    for (int r = 0; r < RANKS; r++)
        GOOD(ncclCommDestroy(half[r]));
    free_all(in), free_all(out), free(host);
    close_all();
}

/* ---- several processes ---- */

static int rank_of_many(int rank, int from)
{
    ncclUniqueId id;
    ncclComm_t   c;
    float        x = (float)rank + 1, *p;
    if (read(from, &id, sizeof id) != sizeof id)
        return 1;
    p = device(&x, sizeof x);
    GOOD(ncclCommInitRank(&c, 3, id, rank));
    GOOD(ncclAllReduce(p, p, 1, ncclFloat, ncclSum, c, NULL));
    fetch(&x, p, sizeof x);
    EXPECT(x == 6);
    if (rank == 0)
        GOOD(ncclSend(p, 1, ncclFloat, 2, c, NULL));
    else if (rank == 2)
        GOOD(ncclRecv(p, 1, ncclFloat, 0, c, NULL));
    GOOD(cudaDeviceSynchronize());
    GOOD(ncclCommDestroy(c));
    GOOD(cudaFree(p));
    return failures != 0;
}

static void processes(void)
{
    int          pipes[3][2], status;
    ncclUniqueId id;
    fflush(stdout);
    for (int r = 0; r < 3; r++) { /* before this process uses CUDA */
        EXPECT(!pipe(pipes[r]));
        if (!fork())
            _Exit(rank_of_many(r, pipes[r][0]));
    }
    GOOD(ncclGetUniqueId(&id));
    for (int r = 0; r < 3; r++)
        EXPECT(write(pipes[r][1], &id, sizeof id) == sizeof id);
    for (int r = 0; r < 3; r++)
        EXPECT(wait(&status) > 0 && status == 0);
}

/* A rank that never comes: its process ends. */
static void gone(void)
{
    int          pipes[2], status;
    ncclUniqueId id;
    ncclComm_t   c;
    ncclResult_t e;
    float        x = 1, *p;
    EXPECT(!pipe(pipes));
    pid_t child = fork();
    if (!child) {
        EXPECT(read(pipes[0], &id, sizeof id) == sizeof id);
        GOOD(ncclCommInitRank(&c, 2, id, 1));
        _Exit(0);
    }
    GOOD(ncclGetUniqueId(&id));
    EXPECT(write(pipes[1], &id, sizeof id) == sizeof id);
    EXPECT(waitpid(child, &status, 0) == child);
    p = device(&x, sizeof x);
    GOOD(ncclCommInitRank(&c, 2, id, 0));
    GOOD(ncclAllReduce(p, p, 1, ncclFloat, ncclSum, c, NULL));
    GOOD(cudaDeviceSynchronize());
    GOOD(ncclCommGetAsyncError(c, &e));
    EXPECT(e == ncclRemoteError);
    GOOD(ncclCommAbort(c));
    GOOD(cudaFree(p));
}

static void statuses(void)
{
    float       *p[RANKS];
    ncclUniqueId id = {"nonsense"};
    ncclComm_t   c;
    ncclResult_t e;
    int          version;
    open_all();
    arrays(p, 8);
    EXPECT(ncclAllReduce(p[0], p[0], 8, ncclNumTypes, ncclSum, comm[0], stream[0]) == ncclInvalidArgument);
    EXPECT(ncclAllReduce(p[0], p[0], 8, ncclFloat, (ncclRedOp_t)77, comm[0], stream[0]) == ncclInvalidArgument);
    EXPECT(ncclAllReduce(NULL, p[0], 8, ncclFloat, ncclSum, comm[0], stream[0]) == ncclInvalidArgument);
    EXPECT(ncclBroadcast(p[0], p[0], 8, ncclFloat, RANKS, comm[0], stream[0]) == ncclInvalidArgument);
    EXPECT(ncclAllReduce(p[0], p[0], 8, ncclFloat, ncclSum, (ncclComm_t)(void *)p[0], stream[0]) ==
           ncclInvalidArgument);
    EXPECT(ncclSend(p[0], 8, ncclFloat, -1, comm[0], stream[0]) == ncclInvalidArgument);
    EXPECT(ncclCommInitRank(&c, 2, id, 0) == ncclInvalidArgument);
    EXPECT(ncclGroupEnd() == ncclInvalidUsage);
    GOOD(ncclGetVersion(&version));
    EXPECT(version >= 20000);
    for (int r = 0; r < RANKS; r++) /* ranks that do not agree */
        GOOD(ncclAllReduce(p[r], p[r], r == 2 ? 4 : 8, ncclFloat, ncclSum, comm[r], stream[r]));
    wait_all();
    GOOD(ncclCommGetAsyncError(comm[0], &e));
    EXPECT(e == ncclInvalidUsage);
    for (int r = 0; r < RANKS; r++)
        GOOD(ncclCommAbort(comm[r]));
    free_all(p);
}

/* A tool that stands before NCCL's functions, as this program does before one, reaches them by the names with a p. */
static unsigned watched;

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t c,
                           cudaStream_t s)
{
    watched++;
    return pncclBroadcast(from, to, count, type, root, c, s);
}

static void twins(void)
{
    float *p[RANKS], one[8], first[8];
    open_all();
    arrays(p, 8);
    fetch(first, p[1], sizeof first);
    for (int r = 0; r < RANKS; r++)
        GOOD(ncclBroadcast(p[r], p[r], 8, ncclFloat, 1, comm[r], stream[r]));
    wait_all();
    EXPECT(watched == RANKS);
    fetch(one, p[3], sizeof one);
    EXPECT(!memcmp(one, first, sizeof one));
    EXPECT(!strcmp(pncclGetErrorString(ncclSuccess), ncclGetErrorString(ncclSuccess)));
    free_all(p);
    close_all();
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"collectives", collectives},
                                 {"types", types},
                                 {"messages", messages},
                                 {"processes", processes},
                                 {"gone", gone},
                                 {"statuses", statuses},
                                 {"twins", twins}};
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}

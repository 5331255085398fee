/* SPDX-License-Identifier: Apache-2.0
 *
 * Joined grids whose ranks are threads: one product by bands and by blocks, against one grid of as many devices; what is refused, and that every rank
 * is told.  tests/ranks/joined.c does it with processes, and over NCCL. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "grid_fixture.h"

enum { WORDS = 1 << 14, M = 150, K = 130 };

/* ---- threads that meet ---- */

typedef struct Mail {
    const void *at;
    size_t      bytes;
} Mail;

static struct {
    pthread_barrier_t all;
    char              word[MOST][WORDS];
    Mail              mail[MOST][MOST]; /* from, to: of one message at a time */
    const void       *messages[MOST];
    size_t            n[MOST];
    bool              broken; /* gather fails */
} hall;

typedef struct Rank {
    size_t      rank, ranks, devices;
    const char *how;
    WwStatus    link, call, again;
    char        error[2048];
    int32_t     c[M * M];
} Rank;

static int gather(void *user, const void *mine, size_t bytes, void *all)
{
    const Rank *r = user;
    assert_true(bytes <= WORDS);
    memcpy(hall.word[r->rank], mine, bytes);
    pthread_barrier_wait(&hall.all);
    for (size_t i = 0; i < r->ranks; i++)
        memcpy((char *)all + i * bytes, hall.word[i], bytes);
    pthread_barrier_wait(&hall.all);
    return hall.broken;
}

/* The k-th message from the peer to this rank. */
static const WwGridMessage *sent(size_t peer, size_t to, size_t k)
{
    const WwGridMessage *m = hall.messages[peer];
    for (size_t i = 0; i < hall.n[peer]; i++)
        if (m[i].send && m[i].peer == to && k-- == 0)
            return &m[i];
    return NULL;
}

static int move(void *user, const WwGridMessage *m, size_t n)
{
    const Rank *r          = user;
    size_t      seen[MOST] = {0};
    hall.messages[r->rank] = m;
    hall.n[r->rank]        = n;
    pthread_barrier_wait(&hall.all);
    for (size_t i = 0; i < n; i++)
        if (!m[i].send) {
            const WwGridMessage *from = sent(m[i].peer, r->rank, seen[m[i].peer]++);
            assert_non_null(from);
            assert_int_equal(from->bytes, m[i].bytes);
            memcpy(m[i].at, from->at, m[i].bytes);
        }
    pthread_barrier_wait(&hall.all);
    return 0;
}

/* ---- a product ---- */

static int32_t a[M * K], want[M * M];

static void on_grid(WwGrid *g, WwDevice *const *d, size_t own, size_t n, size_t workers, const char *how, WwStatus *s,
                    int32_t *c)
{
    WwPtr       at[MOST] = {0}, ct[MOST] = {0};
    bool        bands = strcmp(how, "blocks") != 0;
    WwGridArray on_a  = {at, bands ? (M + workers - 1) / workers : 20, bands ? K : 30, workers, 1, K};
    WwGridArray on_c  = {
         ct, bands ? (M + workers - 1) / workers : 40, bands ? M : 24, bands ? workers : 1, bands ? 1 : workers, M};
    WwGridSyrk p = {
        .type = WW_I32, .n = M, .k = K, .alpha.i32 = 1, .on_a = &on_a, .on_c = &on_c, .tile = 64, .panel = 64};
    p.k -= !strcmp(how, "k") && own == 1;
    p.ranks = !strcmp(how, "ranks") ? 2 : 0;
    for (size_t i = 0; i < n; i++)
        if (ww_alloc(d[i], sizeof a, &at[i]) != WW_OK || ww_alloc(d[i], sizeof want, &ct[i]) != WW_OK)
            *s = WW_ERR_NO_MEMORY;
    ww_grid_scatter(g, &(WwGridCopy){&on_a, WW_ROW_MAJOR, 4, M, K, a, K});
    *s = ww_grid_syrk(g, !strcmp(how, "null") && own == 1 ? NULL : &p);
    if (*s == WW_OK)
        ww_grid_gather(g, &(WwGridCopy){&on_c, WW_ROW_MAJOR, 4, M, M, c, M});
    for (size_t i = 0; i < n; i++) {
        ww_free(d[i], at[i]);
        ww_free(d[i], ct[i]);
    }
}

/* ---- a device that fails after so many copies ---- */

static DeviceOps usual, failing;
static int       copies_left;

static Status failing_copy(WwDevice *d, void *dst, WwPtr src, uint64_t bytes)
{
    return copies_left-- > 0 ? usual.copy_out(d, dst, src, bytes) : device_fail(d, WW_ERR_DEVICE, "the device broke");
}

static void break_device(WwDevice *d)
{
    usual            = *d->ops;
    failing          = usual;
    failing.copy_out = failing_copy;
    copies_left      = 30;
    d->ops           = &failing;
}

static void *run_rank(void *user)
{
    Rank      *r       = user;
    WwDevice  *d[MOST] = {0};
    WwGrid    *g       = NULL;
    size_t     n       = r->devices - (!strcmp(r->how, "devices") && r->rank == 1);
    WwGridLink l = {.ranks = r->ranks, .rank = r->rank, .user = r, .gather = gather, .move = move, .way = WW_GRID_ANY};
    l.way        = !strcmp(r->how, "nccl") || (!strcmp(r->how, "ways") && r->rank == 1) ? WW_GRID_NCCL : l.way;
    l.move       = !strcmp(r->how, "no move") && r->rank == 1 ? NULL : move;
    r->call      = WW_ERR_DEVICE;
    memcpy(r->c, want, sizeof want); /* what it does not hold is not looked at */
    for (size_t i = 0; i < n; i++)
        if (ww_device_open("emulator", &(WwDeviceOptions){.threads = 1}, &d[i], NULL) != WW_OK)
            return NULL;
    if (ww_grid_open(d, n, &g, NULL) != WW_OK)
        return NULL;
    r->link = ww_grid_link(g, &l);
    if (r->link == WW_OK) {
        WwDevice        *last = d[n - 1];
        const DeviceOps *ops  = last->ops;
        if (!strcmp(r->how, "fails") && r->rank == 1)
            break_device(last);
        on_grid(g, d, r->rank * n, n, r->ranks * n, r->how, &r->call, r->c);
        snprintf(r->error, sizeof r->error, "%s", ww_grid_error(g));
        last->ops = ops;
        on_grid(g, d, r->rank * n, n, r->ranks * n, "bands", &r->again, r->c); /* whatever failed, the link goes on */
    } else {
        snprintf(r->error, sizeof r->error, "%s", ww_grid_error(g));
    }
    ww_grid_close(g);
    for (size_t i = 0; i < n; i++)
        ww_device_close(d[i]);
    return NULL;
}

static Rank rank[MOST];

static void all_ranks(size_t n, size_t devices, const char *how)
{
    pthread_t thread[MOST];
    pthread_barrier_init(&hall.all, NULL, (unsigned)n);
    for (size_t i = 0; i < n; i++) {
        memset(&rank[i], 0, sizeof rank[i]);
        rank[i].rank    = i;
        rank[i].ranks   = n;
        rank[i].devices = devices;
        rank[i].how     = how;
        assert_int_equal(pthread_create(&thread[i], NULL, run_rank, &rank[i]), 0);
    }
    for (size_t i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&hall.all);
}

static void products(void **state)
{
    (void)state;
    for (int i = 0; i < M * K; i++)
        a[i] = i % 1009 - 504;
    for (int i = 0; i < M * M; i++)
        for (int l = 0; l < K; l++)
            want[i] += a[i / M * K + l] * a[i % M * K + l];
    for (size_t n = 1; n <= MOST; n++)
        for (size_t devices = 1; devices <= 2 && n * devices <= 4; devices++)
            for (int blocks = 0; blocks < 2; blocks++) {
                all_ranks(n, devices, blocks ? "blocks" : "bands");
                for (size_t i = 0; i < n; i++) {
                    assert_int_equal(rank[i].call, WW_OK);
                    assert_int_equal(rank[i].again, WW_OK);
                    assert_memory_equal(rank[i].c, want, sizeof want);
                }
            }
}

static void told(void **state)
{
    static const struct Fault {
        const char *how, *words;
    } fault[] = {
        {"k", "the ranks have different products"}, {"null", "ww_grid_syrk needs a problem"}, {"ranks", "leave it 0"}};
    (void)state;
    for (size_t f = 0; f < sizeof fault / sizeof *fault; f++) {
        all_ranks(2, 1, fault[f].how);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(rank[i].call, WW_ERR_INVALID);
            assert_non_null(strstr(rank[i].error, fault[f].words));
            assert_int_equal(rank[i].again, WW_OK);
        }
    }
    assert_non_null(strstr(rank[0].error, "ww_grid_syrk: ranks = 2"));
}

/* In the midst of the call; the other two do not wait for it. */
static void device_fails(void **state)
{
    (void)state;
    for (size_t devices = 1; devices <= 2; devices++) {
        size_t ranks = devices == 1 ? 3 : 2;
        all_ranks(ranks, devices, "fails");
        for (size_t i = 0; i < ranks; i++) {
            assert_int_equal(rank[i].call, WW_ERR_DEVICE);
            assert_ptr_equal(strstr(rank[i].error, i == 1 ? "device 0: " : "rank 1: device 0: "), rank[i].error);
            assert_non_null(strstr(rank[i].error, "the device broke")); /* or what it has of the other's memory */
            assert_int_equal(rank[i].again, WW_OK);
            assert_memory_equal(rank[i].c, want, sizeof want);
        }
        assert_true(copies_left < 0);
    }
}

static void not_joined(void **state)
{
    static const struct Fault {
        const char *how, *words;
        WwStatus    status;
    } fault[] = {{"ways", "the ranks differ", WW_ERR_INVALID},
                 {"devices", "with 2 devices", WW_ERR_INVALID},
                 {"nccl", "a device is no GPU", WW_ERR_UNAVAILABLE},
                 {"no move", "a rank has no `move`", WW_ERR_UNAVAILABLE}};
    (void)state;
    for (size_t f = 0; f < sizeof fault / sizeof *fault; f++) {
        all_ranks(2, 2, fault[f].how);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(rank[i].link, fault[f].status);
            assert_non_null(strstr(rank[i].error, fault[f].words));
        }
    }
    hall.broken = true;
    all_ranks(2, 1, "bands");
    hall.broken = false;
    assert_int_equal(rank[0].link, WW_ERR_UNAVAILABLE);
    assert_non_null(strstr(rank[1].error, "the exchange between the ranks failed"));
}

static void refused(void **state)
{
    Rank       alone = {.ranks = 1};
    WwGridLink l     = {.ranks = 1, .user = &alone, .gather = gather, .move = move};
    (void)state;
    assert_int_equal(ww_grid_link(NULL, &l), WW_ERR_INVALID);
    assert_int_equal(ww_grid_way(NULL), WW_GRID_ANY);
    pthread_barrier_init(&hall.all, NULL, 1);
    open_grid(1, 0);
    assert_int_equal(ww_grid_link(grid, NULL), WW_OK);
    assert_int_equal(ww_grid_link(grid, &l), WW_OK);
    assert_int_equal(ww_grid_way(grid), WW_GRID_HOST);
    l.rank = 1;
    assert_int_equal(ww_grid_link(grid, &l), WW_ERR_INVALID);
    assert_int_equal(ww_grid_way(grid), WW_GRID_ANY);
    l.rank   = 0;
    l.gather = NULL;
    assert_int_equal(ww_grid_link(grid, &l), WW_ERR_INVALID);
    close_grid();
    pthread_barrier_destroy(&hall.all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(told),
                                       cmocka_unit_test(device_fails), cmocka_unit_test(not_joined),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses of a launch, with workers that only count: while on_pause runs nobody else does; it comes when everybody only waits, or after so
 * many instructions, or when the launch never ends; what a worker remembered of memory is forgotten; a worker that has left is not waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "emu/core/run.h"

enum { WORKERS = 3, INSTRUCTIONS = 4, ROUNDS = 1000 };

typedef struct Bench {
    Launch    l;
    Program   prog;
    EmuLaunch ask;
    Worker    worker[WORKERS];
    Lookup    lookup[WORKERS][INSTRUCTIONS];
    uint8_t   theirs[8], ours[8]; /* parameters: the launch's, and the device's copy */
    int       running;            /* atomic: workers that are not at rest */
    int       pauses, overlaps, told_waits, told_stands;
    bool      end;  /* the answer */
    bool      over; /* atomic: what everybody waits for has come */
} Bench;

static void on_pause(void *user, WwPause *p)
{
    Bench *b = user;
    b->overlaps += __atomic_load_n(&b->running, __ATOMIC_SEQ_CST) != 0;
    b->pauses++;
    b->told_waits += p->waits;
    b->told_stands += p->stands;
    p->end = b->end;
    memset(b->ours, 9, sizeof b->ours); /* another launch's */
    __atomic_store_n(&b->over, true, __ATOMIC_SEQ_CST);
}

static void begin(Bench *b, unsigned workers, uint64_t after)
{
    *b      = (Bench){.theirs = {1, 2, 3}};
    b->prog = (Program){.ninstr = INSTRUCTIONS};
    b->ask  = (EmuLaunch){.on_pause = on_pause, .user = b, .pause_after = after, .params = b->theirs};
    b->l    = (Launch){.prog        = &b->prog,
                       .ask         = &b->ask,
                       .nworkers    = workers,
                       .worker      = b->worker,
                       .params      = b->ours,
                       .param_bytes = sizeof b->ours};
    pthread_mutex_init(&b->l.lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &b->l.started);
    pause_init(&b->l);
    for (unsigned i = 0; i < workers; i++) {
        b->worker[i] = (Worker){.launch = &b->l, .index = i, .lookup = b->lookup[i]};
        memset(b->lookup[i], 1, sizeof b->lookup[i]);
    }
}

static void end(Bench *b)
{
    for (unsigned i = 0; i < b->l.nworkers; i++)
        endless_done(&b->worker[i]);
    pause_done(&b->l);
    pthread_mutex_destroy(&b->l.lock);
}

static void rest(Worker *k, Bench *b)
{
    __atomic_sub_fetch(&b->running, 1, __ATOMIC_SEQ_CST);
    pause_rest(k);
    __atomic_add_fetch(&b->running, 1, __ATOMIC_SEQ_CST);
}

/* A worker of blocks that wait until `over`, then compute a while. */
static void *waits_then_computes(void *arg)
{
    Worker *k = arg;
    Bench  *b = k->launch->ask->user;
    __atomic_add_fetch(&b->running, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&b->over, __ATOMIC_SEQ_CST)) {
        pause_note(k, false, 1);
        if (pause_wanted(&k->launch->pause))
            rest(k, b);
    }
    for (int i = 0; i < ROUNDS; i++) {
        pause_note(k, true, 1);
        if (pause_wanted(&k->launch->pause))
            rest(k, b);
    }
    __atomic_sub_fetch(&b->running, 1, __ATOMIC_SEQ_CST);
    pause_leave(k);
    return NULL;
}

static void run(Bench *b, unsigned workers, void *(*body)(void *))
{
    for (unsigned i = 1; i < workers; i++)
        assert_int_equal(pthread_create(&b->worker[i].thread, NULL, body, &b->worker[i]), 0);
    body(&b->worker[0]);
    for (unsigned i = 1; i < workers; i++)
        pthread_join(b->worker[i].thread, NULL);
}

static void comes_when_all_wait(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= WORKERS; n++) {
        Bench b;
        begin(&b, n, UINT64_MAX);
        run(&b, n, waits_then_computes);
        assert_true(b.pauses >= 1);
        assert_int_equal(b.told_waits, b.pauses);
        assert_int_equal(b.overlaps, 0);
        assert_memory_equal(b.ours, b.theirs, sizeof b.ours);
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < INSTRUCTIONS; j++)
                assert_int_equal(b.lookup[i][j].base | b.lookup[i][j].limit, 0);
        end(&b);
    }
}

static void not_while_one_computes(void **state)
{
    (void)state;
    Bench b;
    begin(&b, 2, UINT64_MAX);
    for (int i = 0; i < ROUNDS; i++) {
        pause_note(&b.worker[0], false, 1);
        pause_note(&b.worker[1], true, 1);
        assert_false(pause_wanted(&b.l.pause));
    }
    for (int i = 0; i < ROUNDS && !pause_wanted(&b.l.pause); i++)
        pause_note(&b.worker[1], false, 1);
    assert_true(pause_wanted(&b.l.pause));
    end(&b);
}

static void comes_after_so_many_instructions(void **state)
{
    (void)state;
    Bench b;
    begin(&b, 1, 500);
    pause_tick(&b.l, 400);
    assert_false(pause_wanted(&b.l.pause));
    for (uint64_t spent = 600; spent <= 1200; spent += 600) { /* counted from the last pause */
        pause_tick(&b.l, spent - 100);
        assert_false(pause_wanted(&b.l.pause));
        pause_tick(&b.l, b.l.spent = spent);
        assert_true(pause_wanted(&b.l.pause));
        pause_rest(&b.worker[0]);
        assert_false(pause_wanted(&b.l.pause));
    }
    assert_int_equal(b.pauses, 2);
    assert_int_equal(b.told_waits, 0);
    end(&b);
}

static void never_without_on_pause(void **state)
{
    (void)state;
    Bench b;
    begin(&b, 1, 0);
    b.ask.on_pause = NULL;
    for (int i = 0; i < ROUNDS; i++)
        pause_note(&b.worker[0], false, 1);
    pause_tick(&b.l, 1000000);
    assert_false(pause_wanted(&b.l.pause));
    end(&b);
}

/* The strongest wish is told, and a launch that stands ends when the answer says so, or nobody is there to answer. */
static void ends_where_nobody_is_left(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        Bench b;
        begin(&b, 1, 0);
        b.l.fault_order = UINT64_MAX;
        b.end           = i & 1;
        if (i & 2)
            b.ask.on_pause = NULL;
        pause_stands(&b.l);
        for (int j = 0; j < ROUNDS; j++)
            pause_note(&b.worker[0], false, 1);
        pause_rest(&b.worker[0]);
        assert_int_equal(b.pauses, i & 2 ? 0 : 1);
        assert_int_equal(b.told_stands, b.pauses);
        assert_int_equal(b.l.aborted, i != 0);
        assert_int_equal(b.l.fault.kind, i ? FAULT_ENDLESS : FAULT_NONE);
        assert_false(pause_wanted(&b.l.pause));
        end(&b);
    }
}

/* Worker 0 has no blocks; it serves the pauses of the others until they have left. */
static void *leaves_at_once(void *arg)
{
    Worker *k = arg;
    if (k->index)
        return waits_then_computes(arg);
    pause_leave(k);
    return NULL;
}

static void the_first_serves_the_others(void **state)
{
    (void)state;
    Bench b;
    begin(&b, WORKERS, UINT64_MAX);
    run(&b, WORKERS, leaves_at_once);
    assert_true(b.pauses >= 1);
    assert_int_equal(b.overlaps, 0);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_when_all_wait),
        cmocka_unit_test(not_while_one_computes),
        cmocka_unit_test(comes_after_so_many_instructions),
        cmocka_unit_test(never_without_on_pause),
        cmocka_unit_test(the_first_serves_the_others),
        cmocka_unit_test(ends_where_nobody_is_left),
    };
    return cmocka_run_group_tests_name("emu_pause", tests, NULL, NULL);
}

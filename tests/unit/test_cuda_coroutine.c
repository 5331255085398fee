/* SPDX-License-Identifier: Apache-2.0
 *
 * Coroutines: what a function keeps across pauses, several at a time, stacks that are used again, another thread that goes on,
 * and the signals that do not come there. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* as the drop-in libraries are compiled */
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "cuda/process/coroutine.c" /* it is in the drop-in libraries, which show nothing of it */

void signals_of_program(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
}

enum { PAUSES = 5, MANY = 20 }; /* more than stacks are kept */

typedef struct Counter {
    Coroutine *self;
    int        reached, sum;
} Counter;

static void count(void *arg)
{
    Counter *c         = arg;
    int      local[64] = {0};
    for (int i = 0; i < PAUSES; i++) {
        local[i] = i + 1;
        c->reached++;
        coroutine_pause(c->self);
    }
    for (int i = 0; i < 64; i++)
        c->sum += local[i];
}

static void keeps_its_stack(void **state)
{
    (void)state;
    Counter c = {0};
    c.self    = coroutine_new(count, &c);
    assert_int_equal(c.reached, 0); /* nothing runs before it is asked to */
    for (int i = 1; i <= PAUSES; i++) {
        assert_false(coroutine_run(c.self));
        assert_int_equal(c.reached, i);
    }
    assert_true(coroutine_run(c.self));
    assert_int_equal(c.sum, 15);
}

static void many_take_turns(void **state)
{
    (void)state;
    Counter c[MANY] = {0};
    for (int again = 0; again < 2; again++) { /* then on stacks that others have used */
        for (int i = 0; i < MANY; i++) {
            c[i]      = (Counter){0};
            c[i].self = coroutine_new(count, &c[i]);
        }
        for (int turn = 1; turn <= PAUSES; turn++)
            for (int i = 0; i < MANY; i++) {
                assert_false(coroutine_run(c[i].self));
                assert_int_equal(c[i].reached, turn);
            }
        for (int i = MANY; i--;) {
            assert_true(coroutine_run(c[i].self));
            assert_int_equal(c[i].sum, 15);
        }
        assert_int_equal(nkept, KEPT);
    }
}

static void *go_on(void *arg)
{
    return coroutine_run(arg) ? arg : NULL;
}

static void another_thread_goes_on(void **state)
{
    (void)state;
    Counter   c = {0};
    pthread_t t;
    void     *ended;
    c.self = coroutine_new(count, &c);
    for (int i = 0; i < PAUSES; i++)
        assert_false(coroutine_run(c.self));
    assert_int_equal(pthread_create(&t, NULL, go_on, c.self), 0);
    assert_int_equal(pthread_join(t, &ended), 0);
    assert_non_null(ended);
    assert_int_equal(c.sum, 15);
}

static void inner(void *arg)
{
    Counter *c = arg;
    c->sum += 100;
}

static void outer(void *arg)
{
    Counter   *c = arg;
    Coroutine *i = coroutine_new(inner, c);
    coroutine_pause(c->self);
    c->sum += coroutine_run(i);
}

static void one_in_another(void **state)
{
    (void)state;
    Counter c = {0};
    c.self    = coroutine_new(outer, &c);
    assert_false(coroutine_run(c.self));
    assert_int_equal(c.sum, 0);
    assert_true(coroutine_run(c.self));
    assert_int_equal(c.sum, 101);
}

static bool interruptible(void)
{
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    return !sigismember(&now, SIGINT);
}

static void looks(void *arg)
{
    Counter *c = arg;
    c->sum += interruptible();
    coroutine_pause(c->self);
    c->sum += interruptible();
}

/* Neither on the thread that begins it nor on the one that goes on; and each keeps its own mask. */
static void takes_no_signals(void **state)
{
    (void)state;
    Counter   c = {0};
    pthread_t t;
    c.self = coroutine_new(looks, &c);
    assert_false(coroutine_run(c.self));
    assert_true(interruptible());
    assert_int_equal(pthread_create(&t, NULL, go_on, c.self), 0);
    assert_int_equal(pthread_join(t, NULL), 0);
    assert_int_equal(c.sum, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_its_stack), cmocka_unit_test(many_take_turns),  cmocka_unit_test(another_thread_goes_on),
        cmocka_unit_test(one_in_another),  cmocka_unit_test(takes_no_signals),
    };
    return cmocka_run_group_tests_name("cuda_coroutine", tests, NULL, NULL);
}

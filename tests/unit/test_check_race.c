/* SPDX-License-Identifier: Apache-2.0
 *
 * The race checker's idea of order, event by event: what each kind of synchronisation orders and what it leaves open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/race/race_order.h"

enum { THREADS = 128 };

typedef struct World {
    Serials    *serials;
    RaceBlock  *a, *b;
    SyncObject *objects;
} World;

static int set_up(void **state)
{
    World *w   = calloc(1, sizeof *w);
    w->serials = serials_new();
    w->a       = order_new(w->serials, THREADS, 4096);
    w->b       = order_new(w->serials, THREADS, 4096);
    order_start(w->a, 0, 0);
    order_start(w->b, 1, 0);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    World *w = *state;
    order_free(w->a);
    order_free(w->b);
    order_drop_objects(&w->objects);
    serials_free(w->serials);
    free(w);
    return 0;
}

static Stamp touch(const RaceBlock *b, unsigned thread)
{
    return stamp_make(b->now, thread, 1, BY_THREAD, STRENGTH_WEAK);
}

static Stamp copy(RaceBlock *b, unsigned thread)
{
    order_copies(b, COPY_LOADS, thread / LANES);
    return stamp_make(b->now, thread, 1, BY_COPY, STRENGTH_WEAK);
}

static bool before(const RaceBlock *b, unsigned thread, Stamp s)
{
    return order_before(b, thread, s, 0, false, true);
}

/* Every thread of warps first to last (exclusive) arrives and waits. */
static void barrier(RaceBlock *b, uint32_t id, uint32_t first, uint32_t last)
{
    for (uint32_t w = first; w < last; w++)
        order_bar_arrive(b, id, w, UINT32_MAX, true);
    order_bar_done(b, id);
}

static void program_order_only(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5);
    assert_true(before(w->a, 5, s));
    assert_false(before(w->a, 6, s)); /* the same warp */
    assert_false(before(w->a, 40, s));
    assert_false(before(w->b, 5, s)); /* another block */
    assert_true(order_before(w->b, 5, s, serials_floor(w->serials), false, true));
}

static void a_barrier_orders_the_block(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5);
    barrier(w->a, 0, 0, 4);
    assert_true(before(w->a, 100, s));
    assert_false(before(w->b, 100, s));
    assert_false(before(w->a, 100, touch(w->a, 5)));
}

static void exited_threads_do_not_hold_a_barrier_up(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 70);
    order_exit(w->a, 2, UINT32_MAX);
    order_bar_arrive(w->a, 0, 0, UINT32_MAX, true);
    order_bar_arrive(w->a, 0, 1, UINT32_MAX, true);
    order_bar_arrive(w->a, 0, 3, UINT32_MAX, true);
    order_bar_done(w->a, 0);
    assert_true(before(w->a, 1, s));
}

static void a_named_barrier_orders_who_takes_part(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5), far = touch(w->a, 100);
    barrier(w->a, 1, 0, 2);
    assert_true(before(w->a, 40, s));
    assert_false(before(w->a, 100, s));
    assert_false(before(w->a, 40, far));
    /* and by a second one, further on */
    barrier(w->a, 2, 1, 4);
    assert_true(before(w->a, 100, s));
    assert_false(before(w->a, 5, far));
}

static void arriving_releases_and_does_not_acquire(void **state)
{
    World *w    = *state;
    Stamp  made = touch(w->a, 5), used = touch(w->a, 40);
    order_bar_arrive(w->a, 1, 0, UINT32_MAX, false);
    Stamp late = touch(w->a, 5);
    order_bar_arrive(w->a, 1, 1, UINT32_MAX, true);
    order_bar_done(w->a, 1);
    assert_true(before(w->a, 40, made));
    assert_false(before(w->a, 40, late)); /* behind its arrival */
    assert_false(before(w->a, 5, used));
}

static void syncwarp_orders_its_lanes(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5), far = touch(w->a, 40);
    order_warp_sync(w->a, 0, UINT32_MAX);
    assert_true(before(w->a, 6, s));
    assert_false(before(w->a, 40, s));
    assert_false(before(w->a, 6, far));
    assert_false(before(w->a, 6, touch(w->a, 5)));
}

static void syncwarp_of_a_part(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 1);
    order_warp_sync(w->a, 0, 0x000000ff);
    assert_true(before(w->a, 7, s));
    assert_false(before(w->a, 8, s));
    Stamp late = touch(w->a, 1);
    order_warp_sync(w->a, 0, 0x0000ff80); /* lane 7 hands on what it knows, not what came later */
    assert_true(before(w->a, 15, s));
    assert_false(before(w->a, 15, late));
    assert_false(before(w->a, 16, s));
}

static void time_goes_on_when_ticks_run_out(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 1);
    for (unsigned i = 0; i < 2 * TICKS + 5; i++)
        order_tick(w->a);
    assert_int_not_equal(stamp_serial(touch(w->a, 1)), stamp_serial(s));
    assert_true(before(w->a, 1, s));
    assert_false(before(w->a, 2, s));
    order_warp_sync(w->a, 0, UINT32_MAX);
    assert_true(before(w->a, 2, s));
    assert_false(before(w->b, 1, s));
    assert_int_equal(serials_info(w->serials, stamp_serial(touch(w->a, 1)))->block, 0);
}

/* ---- fences and flags ---- */

static void publish(World *w, RaceBlock *b, unsigned thread, bool rmw, Sem sem, Scope scope)
{
    order_strong(b, &w->objects, 0x1000, thread, rmw, true, sem, scope);
}

static void look(World *w, RaceBlock *b, unsigned thread, Sem sem, Scope scope)
{
    order_strong(b, &w->objects, 0x1000, thread, true, false, sem, scope);
}

static void fence_and_flag(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5);
    order_fence(w->a, 0, 1u << 5, SEM_SC, SCOPE_GPU);
    Stamp late = touch(w->a, 5);
    publish(w, w->a, 5, false, SEM_RELAXED, SCOPE_GPU);
    look(w, w->b, 9, SEM_RELAXED, SCOPE_GPU);
    assert_false(before(w->b, 9, s)); /* no fence behind the read yet */
    assert_true(order_before(w->b, 9, s, 0, true, true));
    order_fence(w->b, 0, 1u << 9, SEM_SC, SCOPE_GPU);
    assert_true(before(w->b, 9, s));
    assert_false(before(w->b, 9, late));
    assert_false(before(w->b, 10, s));
}

static void a_flag_without_a_fence_orders_nothing(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5);
    publish(w, w->a, 5, true, SEM_RELAXED, SCOPE_GPU);
    look(w, w->b, 9, SEM_ACQUIRE, SCOPE_GPU);
    assert_false(before(w->b, 9, s));
}

static void release_and_acquire(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5);
    publish(w, w->a, 5, false, SEM_RELEASE, SCOPE_GPU);
    look(w, w->b, 9, SEM_ACQUIRE, SCOPE_GPU);
    assert_true(before(w->b, 9, s));
}

static void cta_scope_stays_in_the_block(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5);
    publish(w, w->a, 5, false, SEM_RELEASE, SCOPE_CTA);
    look(w, w->b, 9, SEM_ACQUIRE, SCOPE_GPU);
    assert_false(before(w->b, 9, s));
    look(w, w->a, 99, SEM_ACQUIRE, SCOPE_CTA);
    assert_true(before(w->a, 99, s));
    publish(w, w->a, 5, false, SEM_RELEASE, SCOPE_GPU);
    look(w, w->b, 10, SEM_ACQUIRE, SCOPE_CTA); /* the reader's scope is too narrow */
    assert_false(before(w->b, 10, s));
}

static void a_narrow_fence_narrows_the_pattern(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5);
    order_fence(w->a, 0, 1u << 5, SEM_SC, SCOPE_CTA);
    publish(w, w->a, 5, true, SEM_RELAXED, SCOPE_GPU);
    look(w, w->b, 9, SEM_ACQUIRE, SCOPE_GPU);
    assert_false(before(w->b, 9, s));
}

static void read_modify_writes_carry_a_release_on(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5);
    publish(w, w->a, 5, false, SEM_RELEASE, SCOPE_GPU);
    publish(w, w->a, 70, true, SEM_RELAXED, SCOPE_GPU); /* an atomicAdd of somebody else */
    look(w, w->b, 9, SEM_ACQUIRE, SCOPE_GPU);
    assert_true(before(w->b, 9, s));
    publish(w, w->a, 71, false, SEM_RELAXED, SCOPE_GPU); /* a plain atomic store does not */
    look(w, w->b, 40, SEM_ACQUIRE, SCOPE_GPU);
    assert_false(before(w->b, 40, s));
}

static void a_release_hands_on_what_a_barrier_ordered(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 100);
    barrier(w->a, 0, 0, 4);
    order_fence(w->a, 0, 1, SEM_SC, SCOPE_GPU);
    publish(w, w->a, 0, true, SEM_RELAXED, SCOPE_GPU);
    look(w, w->b, 0, SEM_RELAXED, SCOPE_GPU);
    order_fence(w->b, 0, 1, SEM_SC, SCOPE_GPU);
    assert_true(before(w->b, 0, s));
    assert_false(before(w->b, 77, s));
    barrier(w->b, 0, 0, 4); /* a grid barrier is no more than this */
    assert_true(before(w->b, 77, s));
}

/* ---- copies and mbarriers ---- */

static void copies_must_be_waited_for(void **state)
{
    World *w     = *state;
    Stamp  first = copy(w->a, 5);
    assert_false(before(w->a, 5, first));
    order_commit(w->a, 0, UINT32_MAX, COPY_LOADS);
    Stamp second = copy(w->a, 5);
    order_commit(w->a, 0, UINT32_MAX, COPY_LOADS);
    order_wait(w->a, 0, UINT32_MAX, COPY_LOADS, 1);
    assert_true(before(w->a, 5, first));
    assert_false(before(w->a, 5, second));
    assert_false(before(w->a, 6, first)); /* waited for, not ordered */
    order_warp_sync(w->a, 0, UINT32_MAX);
    assert_true(before(w->a, 6, first));
    assert_false(before(w->a, 40, first));
    barrier(w->a, 0, 0, 4);
    assert_true(before(w->a, 40, first));
    assert_false(before(w->a, 40, second)); /* a barrier waits for no copy */
    order_wait(w->a, 0, UINT32_MAX, COPY_LOADS, ALL_COPIES);
    assert_true(before(w->a, 5, second));
}

static void mbarriers_order_arrivals_before_waits(void **state)
{
    World   *w          = *state;
    uint32_t off[LANES] = {0};
    Stamp    s = touch(w->a, 5), c = copy(w->a, 6);
    order_mbarrier_init(w->a, 0);
    order_mbarrier_copies(w->a, 0, 1u << 6, off);
    order_mbarrier_arrive(w->a, 0, UINT32_MAX, w->a, 0);
    Stamp late = touch(w->a, 5);
    order_mbarrier_done(w->a, 0);
    order_mbarrier_waited(w->a, 2, 1u << 3, off);
    assert_true(before(w->a, 67, s));
    assert_true(before(w->a, 67, c));
    assert_false(before(w->a, 67, late));
    assert_false(before(w->a, 68, s));
}

static void waits_see_phases_that_are_over(void **state)
{
    World   *w          = *state;
    uint32_t off[LANES] = {0};
    Stamp    s          = touch(w->a, 5);
    order_mbarrier_init(w->a, 0);
    order_mbarrier_done(w->a, 0);
    order_mbarrier_arrive(w->a, 0, UINT32_MAX, w->a, 0);
    order_mbarrier_waited(w->a, 2, UINT32_MAX, off); /* of the phase before */
    assert_false(before(w->a, 67, s));
    order_mbarrier_done(w->a, 0);
    order_mbarrier_waited(w->a, 2, UINT32_MAX, off);
    assert_true(before(w->a, 67, s));
}

static Stamp bulk(RaceBlock *owner, uint32_t mbar)
{
    return stamp_make(owner->now, order_agent(owner, mbar), 1, BY_AGENT, STRENGTH_WEAK);
}

static void copies_complete_at_their_mbarrier(void **state)
{
    World   *w          = *state;
    uint32_t off[LANES] = {0};
    Stamp    first = bulk(w->a, 0), other = bulk(w->a, 8);
    order_mbarrier_done(w->a, 0);
    Stamp next = bulk(w->a, 0);
    assert_false(before(w->a, 5, first)); /* not even the thread that issued it knows */
    order_mbarrier_waited(w->a, 0, UINT32_MAX, off);
    assert_true(before(w->a, 5, first));
    assert_false(before(w->a, 5, other));
    assert_false(before(w->a, 5, next));
    assert_false(before(w->a, 40, first));
    barrier(w->a, 0, 0, 4);
    assert_true(before(w->a, 40, first));
    assert_false(before(w->a, 40, other));
}

static void groups_read_before_they_write(void **state)
{
    World *w = *state;
    order_copies(w->a, COPY_READS, 0);
    order_copies(w->a, COPY_WRITES, 0);
    Stamp s = stamp_make(w->a->now, 5, 1, BY_GROUP, STRENGTH_WEAK);
    order_commit(w->a, 0, 1u << 5, COPY_READS);
    order_commit(w->a, 0, 1u << 5, COPY_WRITES);
    order_wait(w->a, 0, 1u << 5, COPY_READS, 0);
    assert_true(order_before(w->a, 5, s, 0, false, false));
    assert_false(order_before(w->a, 5, s, 0, false, true));
    assert_false(order_before(w->a, 40, s, 0, false, false));
    order_wait(w->a, 0, 1u << 5, COPY_WRITES, 0);
    assert_true(order_before(w->a, 5, s, 0, false, true));
}

static void products_belong_to_the_warpgroup(void **state)
{
    World *w    = *state;
    Time   time = order_product(w->a, 1, 0);
    Stamp  s    = stamp_make(time, AGENT_WARPGROUP, 1, BY_AGENT, STRENGTH_WEAK);
    order_wgmma_commit(w->a, 0);
    order_tick(w->a);
    assert_true(order_product(w->a, 2, 0) == time); /* a slower warp's share is the same product */
    Stamp next = stamp_make(order_product(w->a, 0, 1), AGENT_WARPGROUP, 1, BY_AGENT, STRENGTH_WEAK);
    order_wgmma_commit(w->a, 0);
    assert_false(before(w->a, 0, s));
    order_wgmma_wait(w->a, 0, 1);
    assert_true(before(w->a, 0, s));
    assert_false(before(w->a, 0, next));
    assert_false(before(w->a, 40, s));
}

static void the_async_proxy_sees_what_is_fenced(void **state)
{
    World *w = *state;
    Stamp  s = touch(w->a, 5), t = touch(w->a, 40);
    assert_false(order_proxied(w->a, w->a, s));
    order_proxy(w->a, 0, UINT32_MAX); /* the writer itself */
    assert_true(order_proxied(w->a, w->a, s));
    assert_false(order_proxied(w->a, w->a, t));
    barrier(w->a, 0, 0, 4);
    order_proxy(w->a, 3, 1); /* somebody who knows */
    assert_true(order_proxied(w->a, w->a, t));
    assert_false(order_proxied(w->a, w->a, touch(w->a, 40)));
}

static void cluster_barriers_release_and_acquire(void **state)
{
    World        *w    = *state;
    ClusterOrder *list = NULL;
    order_cluster_join(w->a, &list, 0, 0);
    order_cluster_join(w->b, &list, 0, 1);
    Stamp s = touch(w->a, 5), r = touch(w->a, 40);
    order_cluster_arrive(w->a, 0, UINT32_MAX, true);
    order_cluster_arrive(w->a, 1, UINT32_MAX, false); /* relaxed */
    Stamp late = touch(w->a, 5);
    order_cluster_done(w->a);
    order_cluster_done(w->b);
    assert_false(before(w->b, 7, s));
    order_cluster_wait(w->b, 0, UINT32_MAX);
    assert_true(before(w->b, 7, s));
    assert_false(before(w->b, 7, r));
    assert_false(before(w->b, 7, late));
    assert_false(before(w->b, 40, s));
    order_cluster_leave(w->a, &list);
    order_cluster_leave(w->b, &list);
    assert_null(list);
}

/* ---- clocks ---- */

static void clocks_join(void **state)
{
    (void)state;
    ClockEntry x[] = {{who_thread(7, 1), 10}, {who_block(7), 5}, {who_thread(7, 1), 12}}, y[] = {{who_block(7), 9}};
    Clock     *a = clock_new(x, 3), *b = clock_new(y, 1), *same = a;
    assert_int_equal(clock_size(a), 2);
    assert_int_equal(clock_get(a, who_thread(7, 1)), 12);
    clock_join(&a, b);
    assert_int_equal(clock_get(a, who_block(7)), 9);
    assert_int_equal(clock_get(a, who_thread(7, 1)), 12);
    assert_int_equal(clock_get(a, who_thread(7, 2)), 0);
    same = a;
    clock_join(&a, b); /* nothing new */
    assert_ptr_equal(a, same);
    assert_null(clock_of_block(a, 8));
    clock_drop(a);
    clock_drop(b);
}

int main(void)
{
#define ON_BLOCKS(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ON_BLOCKS(program_order_only),
        ON_BLOCKS(a_barrier_orders_the_block),
        ON_BLOCKS(exited_threads_do_not_hold_a_barrier_up),
        ON_BLOCKS(a_named_barrier_orders_who_takes_part),
        ON_BLOCKS(arriving_releases_and_does_not_acquire),
        ON_BLOCKS(syncwarp_orders_its_lanes),
        ON_BLOCKS(syncwarp_of_a_part),
        ON_BLOCKS(time_goes_on_when_ticks_run_out),
        ON_BLOCKS(fence_and_flag),
        ON_BLOCKS(a_flag_without_a_fence_orders_nothing),
        ON_BLOCKS(release_and_acquire),
        ON_BLOCKS(cta_scope_stays_in_the_block),
        ON_BLOCKS(a_narrow_fence_narrows_the_pattern),
        ON_BLOCKS(read_modify_writes_carry_a_release_on),
        ON_BLOCKS(a_release_hands_on_what_a_barrier_ordered),
        ON_BLOCKS(copies_must_be_waited_for),
        ON_BLOCKS(mbarriers_order_arrivals_before_waits),
        ON_BLOCKS(waits_see_phases_that_are_over),
        ON_BLOCKS(copies_complete_at_their_mbarrier),
        ON_BLOCKS(groups_read_before_they_write),
        ON_BLOCKS(products_belong_to_the_warpgroup),
        ON_BLOCKS(the_async_proxy_sees_what_is_fenced),
        ON_BLOCKS(cluster_barriers_release_and_acquire),
        cmocka_unit_test(clocks_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

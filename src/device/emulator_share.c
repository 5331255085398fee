/* SPDX-License-Identifier: Apache-2.0
 *
 * What ranks give each other after a launch, in this order: why it cannot be shared out (or nothing), where memory lies, what was touched, with the
 * bytes; then, read by rank 0 alone, the result, counters, patterns, what checkers saw, what was printed, what was found.
 *
 * Everybody comes to the same verdict, because everybody looks at the same parcels.  A launch is refused that is cooperative, whose blocks wait for
 * others, launch kernels, reach surfaces or leave blocks of the device-side heap in use, and one of which two ranks' blocks touch a byte in a way
 * that depends on the order (touched.h); and, where its memory is looked at afterwards, one that a fault stopped, or that reduces to one place from
 * several ranks.
 * The rest is as if each rank were a worker thread: states are joined in the order of ranks by the code that joins workers. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulator_own.h"

static void gather_print(void *user, const char *text, size_t len)
{
    str_addn(&((Shared *)user)->printed, text, len);
}

bool shared_begin(Shared *s, WwDevice *d, const DeviceLaunch *l, const CheckLaunch *check, EmuLaunch *request)
{
    uint64_t heap, bytes;
    s->share  = l->share;
    s->device = (Emulator *)d;
    str_clear(&l->share->refused);
    if (l->w->cooperative) {
        str_add(&l->share->refused, "it is cooperative, so all of its blocks have to be in one place");
        return false;
    }
    emu_heap(s->device->emu, &heap, &bytes);
    s->touched                                = touched_new(check, heap);
    request->observers[request->nobservers++] = s->touched; /* there is room: watchers_new */
    request->rank                             = l->share->rank;
    request->ranks                            = l->share->ranks;
    if (l->share->rank) {
        request->on_print    = gather_print;
        request->user        = s;
        request->on_progress = NULL;
    }
    return true;
}

/* Of this rank alone; NULL: nothing stands against it. */
static const char *reason(const Shared *s, const SharedLaunch *l)
{
    uint64_t blocks, bytes;
    emu_heap_used(s->device->emu, &blocks, &bytes);
    if (l->result->sample.whole == SAMPLE_WAITS)
        return "some of its blocks wait for others";
    if (l->result->nchild)
        return "its blocks launch kernels";
    if (blocks)
        return "memory of the device-side heap is in use when it has ended";
    return touched_beyond(s->touched);
}

static bool is_stopped(const SharedLaunch *l)
{
    return l->status != WW_OK && !l->result->went_on;
}

static void put(const Shared *s, SharedLaunch *l, Parcel *p)
{
    uint64_t base, bytes, used;
    emu_reserved(s->device->emu, &base, &bytes, &used);
    parcel_put_text(p, reason(s, l));
    parcel_put_number(p, base);
    parcel_put_number(p, is_stopped(l));
    touched_put(s->touched, s->share->memory, p);
    emu_result_put(l->result, l->status, p);
    parcel_put_number(p, l->count != NULL);
    if (l->count)
        count_put(l->count, p);
    parcel_put_number(p, l->patterns != NULL);
    if (l->patterns)
        patterns_put(l->patterns, p);
    parcel_put_number(p, l->time != NULL);
    if (l->time)
        emulator_time_put(l->time, p);
    emulator_sample_put(l->rounds, l->result, p);
    checks_put(s->device->checks, l->check, p);
    parcel_put_text(p, str_text(&s->printed));
}

/* What the head of a parcel says against it. */
static void look_at_head(Shared *s, unsigned rank, uint64_t mine, bool sampled, Parcel *p)
{
    Str        *why     = &s->share->refused;
    const char *against = parcel_text(p);
    uint64_t    base    = parcel_number(p);
    bool        stopped = parcel_number(p) != 0;
    if (why->len)
        return;
    if (against)
        str_printf(why, "%s", against);
    else if (base != mine)
        str_printf(why, "device memory lies elsewhere on rank %u", rank);
    else if (stopped && s->share->memory)
        str_printf(why, "it failed, on rank %u, and what it leaves in memory is looked at afterwards", rank);
    else if (stopped && sampled)
        str_printf(why, "it failed, on rank %u, and blocks that are chosen are not in the order of ranks", rank);
}

static void tell_shared(const TouchedAll *all, Str *why)
{
    const char *name;
    uint64_t    offset, bytes = touched_shared(all, &name, &offset);
    if (bytes)
        str_printf(why,
                   "blocks of several ranks add floats, or add in several ways, to %" PRIu64
                   " bytes, the first of them byte %" PRIu64
                   " of %s, and what is there in the end is looked at afterwards",
                   bytes, offset, name ? name : "an allocation");
}

/* Memory becomes the same everywhere, or the launch is refused.  mine: read from its beginning. */
static void meet_memory(Shared *s, const SharedLaunch *l, Parcel *mine)
{
    DeviceShare *share = s->share;
    TouchedAll  *all   = touched_all_new();
    Parcel      *took  = xcalloc(share->ranks, sizeof *took);
    uint64_t     base, bytes, used;
    emu_reserved(s->device->emu, &base, &bytes, &used);
    for (unsigned i = 0; i < share->ranks; i++) {
        Parcel *p = i == share->rank ? mine : &s->theirs[i];
        look_at_head(s, i, base, l->result->sample.sampled, p);
        took[i] = *p;
        if (!share->refused.len)
            touched_meet(all, i, p, &share->refused);
    }
    if (!share->refused.len && share->memory)
        tell_shared(all, &share->refused);
    for (unsigned i = 0; i < share->ranks && share->memory && !share->refused.len; i++)
        if (i != share->rank)
            touched_take(&took[i], l->wrote, s->device);
    free(took);
    touched_all_free(all);
}

/* Rank 0: what the rank's blocks did is added; false: a fault of an earlier one stopped the launch. */
static bool add_rank(const Shared *s, SharedLaunch *l, Parcel *p)
{
    if (!emu_result_add(l->result, &l->status, p))
        return false;
    if (parcel_number(p) && l->count)
        count_add(l->count, p);
    if (parcel_number(p) && l->patterns)
        patterns_add(l->patterns, p);
    if (parcel_number(p) && l->time)
        emulator_time_add(l->time, p);
    emulator_sample_add(l->rounds, l->result, p);
    checks_add(s->device->checks, l->check, p);
    const char *text = parcel_text(p);
    if (text && *text && l->w->on_print)
        l->w->on_print(l->w->user, text, strlen(text));
    return !p->bad;
}

void shared_meet(Shared *s, SharedLaunch *l)
{
    DeviceShare *share = s->share;
    Parcel       mine  = {0};
    put(s, l, &mine);
    if (share->rank) {
        l->ends(s->device, l);
        findings_put(l->found, "perf", &mine);
    }
    s->theirs  = xcalloc(share->ranks, sizeof *s->theirs);
    Str    why = {0};
    Status got = share->exchange(share->user, &mine, s->theirs, &why);
    if (got == WW_OK)
        meet_memory(s, l, &mine);
    else
        str_printf(&share->refused, "%s", str_text(&why));
    share->broken = got != WW_OK;
    s->ranks      = 1;
    while (!share->rank && !share->refused.len && s->ranks < share->ranks && add_rank(s, l, &s->theirs[s->ranks]))
        s->ranks++;
    if (share->refused.len)
        l->status = WW_ERR_LAUNCH;
    str_free(&why);
    parcel_free(&mine);
}

void shared_findings(Shared *s, SharedLaunch *l)
{
    for (unsigned i = 1; i < s->ranks && !s->share->rank; i++)
        findings_add(l->found, &s->theirs[i]);
}

void shared_end(Shared *s)
{
    for (unsigned i = 0; s->theirs && i < s->share->ranks; i++)
        parcel_free(&s->theirs[i]);
    free(s->theirs);
    touched_free(s->touched);
    str_free(&s->printed);
}

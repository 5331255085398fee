/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of allocations and the checked copies.  Ranges are sorted by base and never overlap, so a lookup is a binary search.
 * The two ends of a copy must be what its kind says: device memory where it says device, memory the host may touch where it says
 * host; a copy that reaches past its allocation is cudaErrorInvalidValue, as on the driver.
 * Every byte moves with memmove on host addresses, because device addresses are host addresses. */
#include "cuda/memory/devmem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "cuda/process/context.h"
#include "emu/emu.h"

typedef struct List { /* sorted by base; pointers, so that 100 000 are moved aside quickly */
    Range **at;
    size_t  n, cap;
} List;

static List all, shared; /* shared: those that devmem_next_shared tells of */

static size_t above(const List *l, uint64_t address)
{
    size_t lo = 0, hi = l->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (l->at[mid]->base <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void insert(List *l, Range *r)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->at  = xrealloc(l->at, l->cap * sizeof(Range *));
    }
    size_t i = above(l, r->base);
    memmove(l->at + i + 1, l->at + i, (l->n - i) * sizeof(Range *));
    l->at[i] = r;
    l->n++;
}

/* The range that begins there, no longer in the list; NULL: none does. */
static Range *take(List *l, uint64_t base)
{
    size_t i = above(l, base);
    Range *r = i && l->at[i - 1]->base == base ? l->at[i - 1] : NULL;
    if (!r)
        return NULL;
    memmove(l->at + i - 1, l->at + i, (l->n - i) * sizeof(Range *));
    l->n--;
    return r;
}

static uint64_t version;

uint64_t devmem_version(void)
{
    return version;
}

const Range *devmem_next_shared(uint64_t from)
{
    size_t i = from ? above(&shared, from - 1) : 0;
    return i < shared.n ? shared.at[i] : NULL;
}

const Range *devmem_next(uint64_t from)
{
    size_t i = from ? above(&all, from - 1) : 0;
    return i < all.n ? all.at[i] : NULL;
}

size_t devmem_host_memory(HostRange **out)
{
    size_t n = 0;
    *out     = xcalloc(all.n + 1, sizeof **out);
    for (size_t i = 0; i < all.n; i++) {
        const Range *r = all.at[i];
        if (r->bytes && (r->kind == MEMORY_HOST || r->kind == MEMORY_MANAGED))
            (*out)[n++] = (HostRange){.from  = r->base,
                                      .to    = r->base + r->bytes,
                                      .moves = r->kind == MEMORY_MANAGED && r->preferred != DEVICE_HOST};
    }
    return n;
}

void devmem_note(Range r)
{
    version++;
    static uint64_t ids;
    r.preferred = r.prefetched = DEVICE_NONE;
    r.id                       = ++ids;
    r.context                  = context_now();
    if (state.options.check)
        r.caller = caller_now();
    Range *kept = xmalloc(sizeof r);
    *kept       = r;
    insert(&all, kept);
    if (r.kind != MEMORY_DEVICE && (!r.registered || r.closable))
        insert(&shared, kept);
}

const Range *devmem_range(uint64_t address)
{
    return devmem_entry(address);
}

Range *devmem_entry(uint64_t address)
{
    size_t i = above(&all, address);
    return i && (address - all.at[i - 1]->base < all.at[i - 1]->bytes || address == all.at[i - 1]->base) ? all.at[i - 1]
                                                                                                         : NULL;
}

void devmem_drop(uint64_t base)
{
    version++;
    take(&shared, base);
    free(take(&all, base));
}

void devmem_drop_device(int n)
{
    for (size_t i = all.n; i--;)
        if (all.at[i]->device == n && !all.at[i]->registered && !all.at[i]->variable && !all.at[i]->mapped &&
            !all.at[i]->imported) {
            ww_free(state.device[n], all.at[i]->base);
            devmem_drop(all.at[i]->base);
        }
}

void devmem_drop_context(const void *context)
{
    for (size_t i = all.n; i--;) {
        const Range *r = all.at[i];
        if (r->context == context && !r->registered && !r->variable && !r->mapped && !r->imported && !r->graphs &&
            !r->pool)
            devmem_free((void *)(uintptr_t)r->base, r->kind);
    }
}

bool devmem_host_writes(void)
{
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i]->kind != MEMORY_DEVICE)
            return true;
    return false;
}

size_t devmem_used(int n)
{
    size_t sum = 0;
    for (size_t i = 0; i < all.n; i++)
        sum += all.at[i]->device == n && all.at[i]->kind != MEMORY_HOST ? all.at[i]->bytes : 0;
    return sum;
}

static bool sees[MAX_DEVICES][MAX_DEVICES];

bool devmem_sees(int device, int other)
{
    return sees[device][other];
}

/* Another device may use it without a word. */
static void tell_shared(int owner, uint64_t base, uint64_t bytes)
{
    emulator_tell(state.device[owner], MEMORY_WRITE, base, 0, bytes);
    emulator_tell(state.device[owner], MEMORY_SEEN, base, 0, bytes);
}

CuErr devmem_share(int to, int from, bool on)
{
    CuErr e;
    sees[to][from] = on;
    WwDevice *d    = state_device(to, &e);
    for (size_t i = 0; d && i < all.n; i++)
        if (all.at[i]->device == from && all.at[i]->kind == MEMORY_DEVICE && all.at[i]->bytes) {
            if (on) {
                emu_adopt(emulator_emu(d), all.at[i]->base, all.at[i]->bytes);
                tell_shared(all.at[i]->device, all.at[i]->base, all.at[i]->bytes);
            } else
                emu_disown(emulator_emu(d), all.at[i]->base);
        }
    return e;
}

void devmem_share_pool(const void *pool, int to, bool on)
{
    CuErr     e;
    WwDevice *d = state_device(to, &e);
    for (size_t i = 0; d && i < all.n; i++)
        if (all.at[i]->pool == pool && all.at[i]->device != to && all.at[i]->bytes) {
            if (on) {
                emu_adopt(emulator_emu(d), all.at[i]->base, all.at[i]->bytes);
                tell_shared(all.at[i]->device, all.at[i]->base, all.at[i]->bytes);
            } else
                emu_disown(emulator_emu(d), all.at[i]->base);
        }
}

/* ---- allocation ---- */

CuErr devmem_new(int kind, size_t bytes, unsigned flags, void **out)
{
    CuErr     err;
    WwPtr     p = 0;
    int       n = state_current();
    WwDevice *d = state_device(n, &err);
    if (!d)
        return err;
    uint64_t want = bytes ? bytes : 1; /* pages that the host's code may be kept from hold nothing else of the host's */
    bool     pages = state.options.check && kind != MEMORY_DEVICE;
    Status   s     = pages ? emulator_alloc_page(d, want, &p) : ww_alloc(d, want, &p);
    if (s != WW_OK)
        return cudaErrorMemoryAllocation;
    devmem_note((Range){.base = p, .bytes = bytes, .kind = kind, .device = n, .flags = flags});
    bool known = kind != MEMORY_DEVICE;
    for (int i = 0; i < state.count; i++)
        if (i != n && (kind != MEMORY_DEVICE || devmem_sees(i, n)) && (d = state_device(i, &err))) {
            emu_adopt(emulator_emu(d), p, bytes ? bytes : 1);
            known = true;
        }
    if (known && kind == MEMORY_DEVICE)
        tell_shared(n, p, bytes ? bytes : 1);
    else if (known)
        emulator_tell(state.device[n], MEMORY_SHOWN, p, 0, bytes ? bytes : 1);
    *out = (void *)(uintptr_t)p;
    return cudaSuccess;
}

CuErr devmem_free(void *p, int kind)
{
    uint64_t     at = (uint64_t)(uintptr_t)p;
    const Range *r  = devmem_range(at);
    if (!p)
        return cudaSuccess;
    bool fits = r && r->base == at && !r->registered && !r->variable && !r->mapped && !r->imported &&
                (kind == MEMORY_HOST) == (r->kind == MEMORY_HOST);
    if (!fits) {
        const char *why  = !r              ? "is not an allocation, or was freed before"
                           : r->base != at ? "lies inside an allocation, not at its start"
                           : r->variable   ? "is a variable"
                           : r->registered ? "is memory of the host that was only registered"
                           : r->mapped     ? "was mapped with cuMemMap"
                           : r->imported   ? "belongs to another process"
                                           : "was allocated by another kind of call";
        const char *call = kind == MEMORY_HOST ? "cudaFreeHost" : "cudaFree";
        state_say("%s of %p, which %s", call, p, why);
        state_finding("bad-free", at, 1, "%s of an address that %s", call, why);
        return cudaErrorInvalidValue;
    }
    if (r->graphs) {
        CuErr e = r->asleep ? cudaErrorInvalidValue : cudaSuccess;
        devmem_sleep(p);
        return e;
    }
    int device = r->device;
    for (int i = 0; i < state.count; i++)
        if (i != device && state.device[i])
            emu_disown(emulator_emu(state.device[i]), at);
    devmem_drop(at);
    return ww_free(state.device[device], at) == WW_OK ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- memory of graphs ---- */

/* Bytes: in use, reserved; the most of each. */
static struct {
    uint64_t now[2], high[2];
} graphs[MAX_DEVICES];

void devmem_of_graphs(int n, bool reserved, uint64_t *now, uint64_t *high)
{
    *now  = graphs[n].now[reserved];
    *high = graphs[n].high[reserved];
}

void devmem_graphs_reset(int n)
{
    memcpy(graphs[n].high, graphs[n].now, sizeof graphs[n].high);
}

void devmem_graphs_trim(int n)
{
    graphs[n].now[1] = graphs[n].now[0];
}

static void use_for_graphs(int n, uint64_t bytes, bool free)
{
    uint64_t *now = graphs[n].now, *high = graphs[n].high;
    now[0] = free ? now[0] - bytes : now[0] + bytes;
    now[1] = now[0] > now[1] ? now[0] : now[1];
    for (int i = 0; i < 2; i++)
        high[i] = now[i] > high[i] ? now[i] : high[i];
}

/* On every device that sees it.  What it holds when it wakes up nobody wrote. */
static void rest(const Range *r, bool rests)
{
    bool seen = false;
    for (int i = 0; i < state.count; i++) {
        EmuDevice *d = state.device[i] ? emulator_emu(state.device[i]) : NULL;
        seen |= i != r->device && devmem_sees(i, r->device);
        if (d && i == r->device)
            emu_rest(d, r->base, rests);
        else if (d && rests)
            emu_disown(d, r->base);
        else if (d && devmem_sees(i, r->device))
            emu_adopt(d, r->base, r->bytes);
    }
    if (!rests && !seen) /* what others see counts as written */
        emulator_tell(state.device[r->device], MEMORY_AGAIN, r->base, 0, r->bytes);
}

static void set_asleep(void *p, bool asleep)
{
    Range *r = devmem_entry((uint64_t)(uintptr_t)p);
    if (!r || !r->graphs || r->asleep == asleep)
        return;
    r->asleep = asleep;
    rest(r, asleep);
    use_for_graphs(r->device, r->bytes, asleep);
}

void devmem_give_to_graph(void *p)
{
    Range *r = devmem_entry((uint64_t)(uintptr_t)p);
    bool new = !r->graphs++;
    if (new) {
        r->asleep = true;
        rest(r, true);
    }
}

void devmem_take_from_graph(void *p)
{
    Range *r = devmem_entry((uint64_t)(uintptr_t)p);
    if (!r || !r->graphs || --r->graphs)
        return;
    if (r->asleep)
        devmem_free(p, MEMORY_DEVICE);
    else /* it becomes the program's own */
        use_for_graphs(r->device, r->bytes, true);
}

void devmem_sleep(void *p)
{
    set_asleep(p, true);
}

bool devmem_asleep(const void *p)
{
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    return !r || !r->graphs || r->asleep;
}

/* Memory that a graph has not allocated yet, or has freed. */
static bool graph_lacks(const void *p)
{
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    if (!r || !r->graphs || !r->asleep)
        return false;
    state_say("%p is memory of a graph that is not allocated at the moment", p);
    return true;
}

void devmem_wake(void *p)
{
    set_asleep(p, false);
}

/* ---- copies ---- */

/* Is [p, p + bytes) memory of a device?  Variables are found through the devices themselves. */
static bool in_device(uint64_t p, size_t bytes, bool *outside)
{
    const char  *why;
    const Range *r = devmem_range(p);
    *outside       = true;
    if (r && r->asleep) { /* a graph's nodes may name it; whether it is awake is asked where it is used */
        *outside = false;
        return bytes <= r->base + r->bytes - p;
    }
    for (int i = 0; i < state.count; i++) {
        if (!state.device[i] || emu_range(emulator_emu(state.device[i]), p, 1, &why) != WW_OK)
            continue;
        *outside = false;
        if (emu_range(emulator_emu(state.device[i]), p, bytes, &why) == WW_OK)
            return true;
    }
    return false;
}

bool devmem_is_device(const void *p)
{
    bool outside;
    in_device((uint64_t)(uintptr_t)p, 1, &outside);
    return !outside;
}

/* Device memory proper may not be the host end of a copy; pinned, registered and managed memory may be either. */
static CuErr check_end(const void *ptr, size_t bytes, bool device, const char *which)
{
    uint64_t     p = (uint64_t)(uintptr_t)ptr;
    bool         outside;
    const Range *r = devmem_range(p);
    if (!size_fits(p, bytes)) {
        state_say("copy: %zu bytes at the %s (%p) are more than there are addresses", bytes, which, ptr);
        return cudaErrorInvalidValue;
    }
    if (!device) {
        if (ptr && (!r || r->kind != MEMORY_DEVICE))
            return cudaSuccess;
        state_say("copy: the %s (%p) is %s, and the kind of the copy says host memory", which, ptr,
                  ptr ? "device memory" : "a null pointer");
        return cudaErrorInvalidValue;
    }
    if (in_device(p, bytes, &outside))
        return cudaSuccess;
    if (outside)
        state_say("copy: the %s (%p) is not device memory, and the kind of the copy says that it is", which, ptr);
    else
        state_say("copy: %zu bytes at the %s (%p) reach past the end of their allocation", bytes, which, ptr);
    if (!outside)
        state_finding("out-of-bounds", p, 1, "a copy of %zu bytes reaches past the end of its %s's allocation", bytes,
                      which);
    return cudaErrorInvalidValue;
}

CuErr devmem_check_copy(const void *dst, size_t dbytes, const void *src, size_t sbytes, int kind)
{
    bool outside;
    if (kind < COPY_HOST_TO_HOST || kind > COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    bool to   = kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE;
    bool from = kind == COPY_DEVICE_TO_HOST || kind == COPY_DEVICE_TO_DEVICE;
    if (kind == COPY_DEFAULT) {
        in_device((uint64_t)(uintptr_t)dst, 1, &outside);
        to = !outside;
        in_device((uint64_t)(uintptr_t)src, 1, &outside);
        from = !outside;
    }
    CuErr e = check_end(dst, dbytes, to, "destination");
    return e == cudaSuccess ? check_end(src, sbytes, from, "source") : e;
}

/* Tells the checkers what a copy did.  Each end may be memory of any device, or of none. */
static void tell_copy(const void *dst, const void *src, size_t bytes)
{
    uint64_t to = (uint64_t)(uintptr_t)dst, from = (uint64_t)(uintptr_t)src;
    bool     device = devmem_is_device(dst), read = devmem_is_device(src);
    for (int i = 0; i < state.count && state.options.check; i++) {
        if (!state.device[i])
            continue;
        if (device)
            emulator_tell_work(state.device[i], read ? MEMORY_COPY : MEMORY_WRITE, to, from, bytes,
                               state_parts.work_current());
        else if (read)
            emulator_tell_work(state.device[i], MEMORY_READ, from, 0, bytes, state_parts.work_current());
    }
}

void devmem_tell_written(const void *dst, size_t bytes)
{
    for (int i = 0; i < state.count && state.options.check; i++)
        if (state.device[i])
            emulator_tell_work(state.device[i], MEMORY_WRITE, (uint64_t)(uintptr_t)dst, 0, bytes,
                               state_parts.work_current());
}

void devmem_tell_read(const char *by, const void *src, size_t bytes)
{
    for (int i = 0; i < state.count && state.options.check; i++)
        if (state.device[i])
            emulator_tell_read(state.device[i], by, (uint64_t)(uintptr_t)src, bytes, state_parts.work_current());
}

CuErr devmem_tell_rows(CuErr e, const void *p, size_t pitch, size_t width)
{
    const Range *r = e == cudaSuccess ? devmem_range((uint64_t)(uintptr_t)p) : NULL;
    if (r && state.device[r->device])
        emulator_tell(state.device[r->device], MEMORY_ROWS, r->base, width, pitch);
    return e;
}

void devmem_tell_ordered(const void *p, bool given)
{
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    for (int i = 0; r && i < state.count && state.options.check; i++)
        if (state.device[i])
            emulator_tell_work(state.device[i], given ? MEMORY_GIVEN : MEMORY_TAKEN, r->base, 0, r->bytes,
                               state_parts.work_current());
}

CuErr devmem_copy(void *dst, const void *src, size_t bytes, int kind)
{
    if (!bytes)
        return cudaSuccess;
    CuErr e =
        graph_lacks(dst) || graph_lacks(src) ? cudaErrorInvalidValue : devmem_check_copy(dst, bytes, src, bytes, kind);
    if (e == cudaSuccess) {
        memmove(dst, src, bytes);
        tell_copy(dst, src, bytes);
    }
    return e;
}

CuErr devmem_copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind)
{
    if (!width || !height)
        return cudaSuccess;
    if (height > 1 && (dpitch < width || spitch < width))
        return cudaErrorInvalidPitchValue;
    CuErr e = devmem_check_copy(dst, size_rows(dpitch, height, width), src, size_rows(spitch, height, width), kind);
    for (size_t y = 0; e == cudaSuccess && y < height; y++) {
        memmove((char *)dst + y * dpitch, (const char *)src + y * spitch, width);
        tell_copy((char *)dst + y * dpitch, (const char *)src + y * spitch, width);
    }
    return e;
}

CuErr devmem_check_node(const NodeCopy *c)
{
    size_t dst = size_rows(c->dpitch, c->height, c->width), src = size_rows(c->spitch, c->height, c->width);
    if (c->height > 1 && (c->dpitch < c->width || c->spitch < c->width))
        return cudaErrorInvalidPitchValue;
    if (c->depth > 1 && (c->dslice < dst || c->sslice < src))
        return cudaErrorInvalidValue;
    return devmem_check_copy(c->dst, size_rows(c->dslice, c->depth, dst), c->src, size_rows(c->sslice, c->depth, src),
                             c->kind);
}

CuErr devmem_copy_3d(const NodeCopy *c)
{
    if (!c->width || !c->height || !c->depth)
        return cudaSuccess;
    CuErr e = devmem_check_node(c);
    for (size_t z = 0; e == cudaSuccess && z < c->depth; z++) {
        char       *dst = (char *)c->dst + z * c->dslice;
        const char *src = (const char *)c->src + z * c->sslice;
        e               = c->height == 1 ? devmem_copy(dst, src, c->width, c->kind)
                                         : devmem_copy_2d(dst, c->dpitch, src, c->spitch, c->width, c->height, c->kind);
    }
    return e;
}

/* ---- sets ---- */

/* From so many bytes on, zeros may be pages that are not there: programs that measure clear a buffer of the size of the L2 cache each time. */
enum { CLEARED = 1 << 20 };

static void set_row(char *p, unsigned value, unsigned element, size_t count)
{
    const Range *r = !value && count >= CLEARED / element ? devmem_range((uint64_t)(uintptr_t)p) : NULL;
    if (r && r->kind == MEMORY_DEVICE && state.device[r->device])
        emu_clear(emulator_emu(state.device[r->device]), (uint64_t)(uintptr_t)p, count * element);
    else if (element == 1)
        memset(p, (int)(value & 0xff), count);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(p + i * element, &value, element);
}

CuErr devmem_set_2d(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height)
{
    if (!width || !height)
        return cudaSuccess;
    size_t row = size_mul(width, element);
    if (height > 1 && pitch < row)
        return cudaErrorInvalidValue;
    CuErr e =
        graph_lacks(dst) ? cudaErrorInvalidValue : check_end(dst, size_rows(pitch, height, row), true, "destination");
    for (size_t y = 0; e == cudaSuccess && y < height; y++) {
        set_row((char *)dst + y * pitch, value, element, width);
        devmem_tell_written((char *)dst + y * pitch, row);
    }
    return e;
}

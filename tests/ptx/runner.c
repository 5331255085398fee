/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_runner: runs PTX files that carry their launch and expectations (case.h) on every device at hand: the emulator at each SIMD
 * level of this machine, with one and with several worker threads, with asynchronous copies that land early, late and at random, and a GPU where
 * there is one.
 *
 *   ptx_runner [--device emulator|cuda] [--simd LEVEL] FILE...
 *
 * One line per file, then "N passed, N failed"; the exit code is 1 when one failed.  A file that runs nowhere here is said, not
 * counted as passed. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "case.h"

enum { MAX_DEVICES = 12, SHOWN = 4, SEVERAL = 4 };

typedef struct Device {
    WwDevice   *dev;
    const char *name;
    bool        cuda;
    unsigned    threads;
    const char *async; /* NULL: a GPU */
} Device;

static void on_print(void *user, const char *text, size_t len)
{
    str_addn(user, text, len);
}

/* ---- one file on one device: NULL, or what is wrong ---- */

static const char *place_arguments(PtxCase *c, Device *d, void **args)
{
    for (size_t k = 0; k < c->nargs; k++) {
        Argument *a     = &c->arg[k];
        size_t    bytes = a->count * a->type->bytes;
        args[k]         = a->pointer ? (void *)&a->address : a->initial;
        if (!a->pointer)
            continue;
        if (ww_alloc(d->dev, bytes, &a->address) || ww_copy_in(d->dev, a->address, a->initial, bytes))
            return ww_device_error(d->dev);
        if (a->freed && ww_free(d->dev, a->address))
            return ww_device_error(d->dev);
    }
    for (size_t k = 0; k < c->nargs; k++) {
        Argument *a = &c->arg[k], *of = a->holds ? case_argument(c, a->holds, strlen(a->holds)) : NULL;
        if (!a->holds)
            continue;
        if (!of)
            return "a tensor map describes no argument";
        uint8_t map[WW_TENSOR_MAP_BYTES] __attribute__((aligned(WW_TENSOR_MAP_ALIGN)));
        a->map.address = of->address;
        if (ww_tensor_map(d->dev, &a->map, map))
            return ww_device_error(d->dev);
        memcpy(a->initial, map, sizeof map);
    }
    return NULL;
}

static int by_bytes(const void *a, const void *b, unsigned bytes)
{
    uint64_t x = 0, y = 0;
    memcpy(&x, a, bytes);
    memcpy(&y, b, bytes);
    return (x > y) - (x < y);
}

static void sort_elements(uint8_t *v, size_t count, unsigned bytes)
{
    uint8_t t[8];
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && by_bytes(v + (k - 1) * bytes, v + k * bytes, bytes) > 0; k--) {
            memcpy(t, v + k * bytes, bytes);
            memcpy(v + k * bytes, v + (k - 1) * bytes, bytes);
            memcpy(v + (k - 1) * bytes, t, bytes);
        }
}

static const char *check_expect(const PtxCase *c, const Expect *e)
{
    const Argument *a     = e->arg;
    unsigned        bytes = a->type->bytes, wrong = 0;
    uint8_t        *want = arena_alloc(c->arena, a->count * bytes);
    const char     *why  = NULL;
    Str             text = {0};
    if (!values_fill(c, e->values, a->type, a->count, want, &why))
        return arena_printf(c->arena, "%s (in the expectation of %s)", why, a->name);
    if (e->sorted)
        sort_elements(a->after, a->count, bytes);
    for (size_t k = 0; k < a->count; k++) {
        if (memcmp(a->after + k * bytes, want + k * bytes, bytes) == 0 || wrong++ >= SHOWN)
            continue;
        str_printf(&text, "%s%s[%zu] is %s, expected %s", text.len ? "; " : "", a->name, k,
                   value_text(c->arena, a->type, a->after + k * bytes),
                   value_text(c->arena, a->type, want + k * bytes));
    }
    if (wrong > SHOWN)
        str_printf(&text, "; and %u more", wrong - SHOWN);
    why = wrong ? arena_strdup(c->arena, str_text(&text)) : NULL;
    str_free(&text);
    return why;
}

static const char *check_status(const PtxCase *c, const Device *d, WwStatus s)
{
    const char *message = s ? ww_device_error(d->dev) : "";
    if (s != c->status)
        return arena_printf(c->arena, "%s, expected %s%s%s", ww_status_text(s), ww_status_text(c->status),
                            s ? ": " : "", message);
    if (c->fails && !s)
        return "it did not fail";
    if (c->fails && fnmatch(c->fails, message, 0) != 0)
        return arena_printf(c->arena, "message '%s', expected '%s'", message, c->fails);
    return NULL;
}

static const char *check_results(const PtxCase *c, const Device *d, const Str *printed)
{
    for (size_t k = 0; k < c->nargs; k++) {
        const Argument *a = &c->arg[k];
        if (a->pointer && !a->freed && ww_copy_out(d->dev, a->after, a->address, a->count * a->type->bytes))
            return ww_device_error(d->dev);
    }
    for (size_t k = 0; k < c->nexpects; k++) {
        const char *why = check_expect(c, &c->expect[k]);
        if (why)
            return why;
    }
    if (c->prints && !d->cuda && strcmp(str_text(printed), c->prints) != 0)
        return arena_printf(c->arena, "printed '%s', expected '%s'", str_text(printed), c->prints);
    return NULL;
}

static const char *launch(PtxCase *c, Device *d, WwModule *m)
{
    void       *args[MAX_ARGS];
    Str         printed = {0};
    WwLaunch    l       = {c->grid,           c->block,
                           c->shared,         args,
                           c->nargs,          .max_instructions = c->max_instructions,
                           .max_seconds = 60, .on_print = on_print,
                           .user = &printed,  .cluster = c->cluster};
    const char *kernel  = c->kernel ? c->kernel : ww_module_kernel_name(m, 0);
    const char *why     = place_arguments(c, d, args);
    if (!why)
        why = check_status(c, d, ww_launch(d->dev, m, kernel, &l, NULL));
    if (!why)
        why = check_results(c, d, &printed);
    for (size_t k = 0; k < c->nargs; k++)
        if (c->arg[k].pointer && !c->arg[k].freed)
            ww_free(d->dev, c->arg[k].address);
    str_free(&printed);
    return why;
}

static const char *run_case(PtxCase *c, Device *d)
{
    WwModule   *m     = NULL;
    const char *slash = strrchr(c->path, '/');
    WwStatus    s     = ww_module_load(d->dev, slash ? slash + 1 : c->path, c->text, c->len, &m);
    if (s || c->status == WW_ERR_PARSE)
        return check_status(c, d, s);
    const char *why = launch(c, d, m);
    ww_module_unload(d->dev, m);
    return why;
}

/* ---- all files on all devices ---- */

static bool runs_on(const PtxCase *c, const Device *d)
{
    if (d->cuda)
        return c->cuda;
    return c->emulator && (!c->threads || c->threads == d->threads) && (!c->async || strcmp(c->async, d->async) == 0);
}

static bool run_file(Device *dev, size_t ndev, const char *path, size_t *ran)
{
    Arena      *a     = arena_new();
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *why = NULL;
    PtxCase     c;
    *ran = 0;
    if (!case_read(a, path, &c, &why)) {
        printf("FAIL %s: %s\n", name, why);
        arena_free(a);
        return false;
    }
    for (size_t k = 0; k < ndev && !why; k++) {
        if (!runs_on(&c, &dev[k]))
            continue;
        ++*ran;
        why = run_case(&c, &dev[k]);
        if (why)
            printf("FAIL %s on %s, %u threads, %s: %s\n", name, dev[k].name, dev[k].threads,
                   dev[k].async ? dev[k].async : "gpu", why);
    }
    if (!why)
        printf(*ran ? "ok   %s (%zu devices)\n" : "none %s runs on no device here\n", name, *ran);
    arena_free(a);
    return !why;
}

static size_t open_devices(Device *dev, const char *only, const char *level)
{
    static const char *const levels[] = {"avx512", "avx2", "baseline"}, *const others[] = {"late", "random"};
    size_t n = 0;
    for (int k = 0; k < 2 && (!only || strcmp(only, "emulator") == 0); k++) {
        WwDeviceOptions o = {.simd = level, .threads = 1, .async = others[k]};
        Device          d = {.threads = 1, .async = others[k]};
        if (ww_device_open("emulator", &o, &d.dev, NULL) == WW_OK) {
            d.name   = ww_device_name(d.dev);
            dev[n++] = d;
        }
    }
    for (int k = 0; k < 3 && (!only || strcmp(only, "emulator") == 0); k++)
        for (unsigned threads = 1; threads <= SEVERAL; threads += SEVERAL - 1) {
            WwDeviceOptions o = {.simd = levels[k], .threads = threads};
            Device          d = {.threads = threads, .async = "eager"};
            if ((level && strcmp(level, levels[k]) != 0) || ww_device_open("emulator", &o, &d.dev, NULL))
                continue;
            d.name   = ww_device_name(d.dev);
            dev[n++] = d;
        }
    Device gpu = {.cuda = true};
    if ((!only || strcmp(only, "cuda") == 0) && !ww_device_open("cuda", NULL, &gpu.dev, NULL)) {
        gpu.name = ww_device_name(gpu.dev);
        dev[n++] = gpu;
    }
    return n;
}

int main(int argc, char **argv)
{
    Device      dev[MAX_DEVICES];
    const char *only = NULL, *level = NULL;
    int         k      = 1;
    size_t      passed = 0, failed = 0, none = 0, ran;
    for (; k + 1 < argc && strncmp(argv[k], "--", 2) == 0; k += 2) {
        only  = strcmp(argv[k], "--device") == 0 ? argv[k + 1] : only;
        level = strcmp(argv[k], "--simd") == 0 ? argv[k + 1] : level;
    }
    size_t ndev = open_devices(dev, only, level);
    if (!ndev)
        fprintf(stderr, "no device\n");
    for (; ndev && k < argc; k++) {
        bool ok = run_file(dev, ndev, argv[k], &ran);
        passed += ok && ran;
        none += ok && !ran;
        failed += !ok;
    }
    for (size_t i = 0; i < ndev; i++)
        ww_device_close(dev[i].dev);
    if (none)
        printf("%zu ran nowhere\n", none);
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed || !passed;
}

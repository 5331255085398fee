/* SPDX-License-Identifier: Apache-2.0
 *
 * One kernel on one engine.  Devices stay open from kernel to kernel, as those of a long process do; the emulator has a second one with
 * all checkers. */
#include "tests/engines/engine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulator.h"
#include "report/doc.h"

struct Engine {
    char      name[40];
    bool      gpu;
    WwDevice *dev[2]; /* [1]: with all checkers */
    WwPtr     in[2], out[2];
};

enum { OUT_MOST = 8 << 20 };

static bool open_one(Engine *e, int checked, const char *kind, const WwDeviceOptions *options, const char **why)
{
    if (ww_device_open(kind, options, &e->dev[checked], why) != WW_OK)
        return false;
    *why = "no memory";
    return ww_alloc(e->dev[checked], IN_BYTES, &e->in[checked]) == WW_OK &&
           ww_alloc(e->dev[checked], OUT_MOST, &e->out[checked]) == WW_OK;
}

Engine *engine_open(const char *name, const char **why)
{
    Engine         *e       = xcalloc(1, sizeof *e);
    const char     *colon   = strchr(name, ':');
    char            who[16] = {0};
    WwDeviceOptions options = {.threads = 1, .memory = 64 << 20, .engine = who, .simd = colon ? colon + 1 : NULL};
    snprintf(e->name, sizeof e->name, "%s", name);
    snprintf(who, sizeof who, "%.*s", (int)strcspn(name, ":"), name);
    e->gpu        = strcmp(name, "cuda") == 0;
    bool ok       = e->gpu ? open_one(e, 0, "cuda", NULL, why) : open_one(e, 0, "emulator", &options, why);
    options.check = "-low-occupancy,-local-memory"; /* the others ask no assembler */
    if (ok && !e->gpu)
        ok = open_one(e, 1, "emulator", &options, why);
    if (ok)
        return e;
    engine_close(e);
    return NULL;
}

void engine_close(Engine *e)
{
    if (!e)
        return;
    ww_device_close(e->dev[0]);
    ww_device_close(e->dev[1]);
    free(e);
}

const char *engine_name(const Engine *e)
{
    return e->name;
}

bool engine_is_gpu(const Engine *e)
{
    return e->gpu;
}

/* Takes numbers out that are a process's own: addresses in messages, and the findings' "address". */
static void add_plain(Str *out, const char *json)
{
    static const char address[] = "\"address\": ";
    while (*json) {
        size_t hex = strncmp(json, "0x", 2) == 0 ? strspn(json + 2, "0123456789abcdef") : 0;
        if (hex >= 9) {
            str_add(out, "somewhere");
            json += 2 + hex;
        } else if (strncmp(json, address, sizeof address - 1) == 0) {
            str_add(out, address);
            for (json += sizeof address - 1; isdigit((unsigned char)*json);)
                json++;
        } else {
            str_addc(out, *json++);
        }
    }
}

static void tell(const Kernel *k, const WwResult *r, WwStatus s, const char *why, Str *out)
{
    Report      *report = report_new(1);
    ReportLaunch l      = {.kernel  = "k",
                           .symbol  = "k",
                           .grid    = {k->grid[0], k->grid[1], 1},
                           .block   = {k->block[0], k->block[1], k->block[2]},
                           .outcome = s == WW_OK ? LAUNCH_OK : LAUNCH_FAILED,
                           .why     = s == WW_OK ? NULL : why,
                           .result  = r};
    report_add(report, &l);
    report_sort(report);
    json_t *doc  = doc_of(report, NULL, -1);
    char   *text = json_dumps(doc, JSON_INDENT(1) | JSON_SORT_KEYS);
    if (text)
        add_plain(out, text);
    free(text);
    json_decref(doc);
    report_free(report);
}

void engine_run(Engine *e, const Kernel *k, const Str *text, Watch watch, Outcome *o)
{
    static uint8_t in[IN_BYTES];
    int            checked = watch == WATCH_ALL && !e->gpu;
    uint32_t       n       = (uint32_t)(k->seed % 4);
    WwDevice      *d       = e->dev[checked];
    WwModule      *m       = NULL;
    WwResult      *r       = NULL;
    uint64_t       bytes   = kernel_out_bytes(k);
    WwLaunch       l       = {.grid             = {k->grid[0], k->grid[1], 1},
                              .block            = {k->block[0], k->block[1], k->block[2]},
                              .args             = (void *[]){&e->in[checked], &e->out[checked], &n},
                              .arg_count        = 3,
                              .observe          = watch == WATCH_NOTHING || e->gpu ? WW_OBSERVE_NOTHING : WW_OBSERVE_COUNTERS,
                              .max_instructions = e->gpu ? 0 : 50000000};
    *o                     = (Outcome){.out = xcalloc(1, bytes)};
    kernel_input(k->seed, in);
    o->status = ww_copy_in(d, e->in[checked], in, IN_BYTES);
    if (!o->status)
        o->status = ww_fill(d, e->out[checked], 0x5a, bytes);
    if (!o->status)
        o->status = ww_module_load(d, "random.ptx", str_text(text), text->len, &m);
    if (!o->status &&
        !e->gpu) /* what an assembler would say, which takes longer than all else: arrays in registers, or on the stack */
        emulator_resources_are(d, m, "k", 32, k->seed / WATCHES % 2 ? 0 : 16);
    if (!o->status)
        o->status = ww_launch(d, m, "k", &l, &r);
    if (o->status)
        str_printf(&o->told, "%s\n", ww_device_error(d));
    else
        o->status = ww_copy_out(d, o->out, e->out[checked], bytes);
    if (r && !e->gpu)
        tell(k, r, o->status, ww_device_error(d), &o->told);
    ww_result_free(r);
    ww_module_unload(d, m);
}

void outcome_free(Outcome *o)
{
    str_free(&o->told);
    free(o->out);
    *o = (Outcome){0};
}

/* The first lines of two texts that differ. */
static void add_difference(const char *a, const char *b, Str *how)
{
    size_t line = 0, i = 0;
    for (; a[i] && a[i] == b[i]; i++)
        line = a[i] == '\n' ? i + 1 : line;
    str_printf(how, "report: \"%.*s\" or \"%.*s\"", (int)strcspn(a + line, "\n"), a + line,
               (int)strcspn(b + line, "\n"), b + line);
}

bool outcome_differs(const Kernel *k, const Outcome *a, const Outcome *b, bool gpu, Str *how)
{
    uint64_t bytes = kernel_out_bytes(k);
    if (a->status != b->status) {
        str_printf(how, "status: %s or %s (%.200s%.200s)", ww_status_text(a->status), ww_status_text(b->status),
                   a->status ? str_text(&a->told) : "", b->status ? str_text(&b->told) : "");
        return true;
    }
    for (uint64_t i = 0; !a->status && i < bytes; i += 8)
        if (memcmp(a->out + i, b->out + i, 8) != 0) {
            uint64_t x, y;
            memcpy(&x, a->out + i, 8);
            memcpy(&y, b->out + i, 8);
            str_add(how, "memory: ");
            kernel_place(k, i, how);
            str_printf(how, ": %016llx or %016llx", (unsigned long long)x, (unsigned long long)y);
            return true;
        }
    if (gpu || (a->told.len == b->told.len && strcmp(str_text(&a->told), str_text(&b->told)) == 0))
        return false;
    add_difference(str_text(&a->told), str_text(&b->told), how);
    return true;
}

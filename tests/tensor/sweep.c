/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_sweep: tensor copies (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor), one a line, each in a kernel of its own: what they leave in
 * shared or global memory and how many bytes they complete, written, or compared with what another device left.
 *
 *   tensor_sweep [--device emulator|cuda] --list FILE [--from N] [--write FILE] [--compare]
 *
 * A line: NAME OP TYPE key values ...; the keys are WwTensorMap's fields (step: element_stride, fill nan), "at" and "offset" the
 * instruction's operands, "data mixed" edge values.  Behind a tab stands the result: the bytes that were completed (loads), then what
 * was written, as runs of 32-bit words: "-*N" N words untouched, "V*N" N times V, "V+N" V, V + 1 ... (N of them), numbers in hex; or
 * "error", where the device refuses the map or the copy.  A copy that fails ends a GPU's context: the program then
 * writes its line and ends with exit code 3; --from N goes on behind it (--write then appends). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "warpwright/warpwright.h"

enum { WORDS = 8192, GLOBAL_WORDS = 65536, EXPECTED = 65536, MAX_LINE = 1 << 20 };
static const uint32_t UNTOUCHED = 0xeeeeeeee;

typedef struct Case {
    char        op[16], type[16];
    WwTensorMap map;
    int         at[5], offset[3];
    bool        mixed; /* data: edge values instead of 0, 1, 2 ... */
} Case;

/* ---- a case from its line ---- */

static unsigned numbers(const char *s, int64_t *n)
{
    unsigned k = 0;
    for (char *end; k < 5 && *s; s = *end ? end + 1 : end, k++)
        n[k] = strtoll(s, &end, 0);
    return k;
}

static bool set_key(Case *c, const char *key, const char *value)
{
    int64_t  n[5] = {0};
    unsigned k    = numbers(value, n);
    for (unsigned i = 0; i < 5; i++) {
        if (!strcmp(key, "dim"))
            c->map.dim[i] = (uint64_t)n[i], c->map.rank = k;
        else if (!strcmp(key, "stride") && i < 4)
            c->map.stride[i] = (uint64_t)n[i];
        else if (!strcmp(key, "box"))
            c->map.box[i] = (uint32_t)n[i];
        else if (!strcmp(key, "step"))
            c->map.element_stride[i] = (uint32_t)n[i];
        else if (!strcmp(key, "at"))
            c->at[i] = (int)n[i];
        else if (!strcmp(key, "offset") && i < 3)
            c->offset[i] = (int)n[i];
        else if (!strcmp(key, "lower") && i < 3)
            c->map.lower[i] = (int)n[i], c->map.im2col = true;
        else if (!strcmp(key, "upper") && i < 3)
            c->map.upper[i] = (int)n[i];
    }
    if (!strcmp(key, "swizzle"))
        c->map.swizzle = (uint32_t)n[0];
    else if (!strcmp(key, "interleave"))
        c->map.interleave = (uint32_t)n[0];
    else if (!strcmp(key, "fill"))
        c->map.fill_nan = !strcmp(value, "nan");
    else if (!strcmp(key, "channels"))
        c->map.channels = (uint32_t)n[0];
    else if (!strcmp(key, "pixels"))
        c->map.pixels = (uint32_t)n[0];
    else if (!strcmp(key, "data"))
        c->mixed = !strcmp(value, "mixed");
    else
        return strstr(" dim stride box step at offset lower upper ", key) != NULL;
    return true;
}

static bool read_case(const char *line, Case *c)
{
    char text[512], *save = NULL, *key, *value;
    bool ok = true;
    memset(c, 0, sizeof *c);
    if (strlen(line) >= sizeof text)
        return false;
    strcpy(text, line);
    const char *name = strtok_r(text, " ", &save), *op = strtok_r(NULL, " ", &save), *type = strtok_r(NULL, " ", &save);
    if (!name || !op || !type || strlen(op) > 15 || strlen(type) > 15)
        return false;
    strcpy(c->op, op), strcpy(c->type, type);
    while ((key = strtok_r(NULL, " ", &save)) && (value = strtok_r(NULL, " ", &save)))
        ok &= set_key(c, key, value);
    c->map.type = c->type;
    return ok;
}

/* ---- its kernel ---- */

static void coordinates(Str *s, const Case *c)
{
    str_add(s, "[%rd3, {");
    for (unsigned i = 0; i < c->map.rank; i++)
        str_printf(s, "%s%d", i ? ", " : "", c->at[i]);
    str_add(s, "}]");
}

static void copy_text(Str *s, const Case *c)
{
    bool load = !strcmp(c->op, "load"), store = !strcmp(c->op, "store");
    if (load) {
        str_printf(s, "cp.async.bulk.tensor.%ud.shared::cluster.global%s.mbarrier::complete_tx::bytes [%%r2], ",
                   c->map.rank, c->map.im2col ? ".im2col" : "");
        coordinates(s, c);
        str_add(s, ", [%r3]");
        for (unsigned i = 0; c->map.im2col && i + 2 < c->map.rank; i++)
            str_printf(s, "%s%d%s", i ? ", " : ", {", c->offset[i], i + 3 == c->map.rank ? "}" : "");
        str_add(s, ";\n");
        return;
    }
    str_printf(s, "cp%s.async.bulk.tensor.%ud.global.shared::cta%s%s%s.bulk_group ", store ? "" : ".reduce",
               c->map.rank, store ? "" : ".", store ? "" : c->op, c->map.im2col ? ".im2col_no_offs" : "");
    coordinates(s, c);
    str_add(s, ", [%r2];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
}

/* Thread 0 copies; a load's bytes are counted by completing the rest of what is expected, 16 at a time. */
static void kernel_text(Str *s, const Case *c)
{
    str_printf(s,
               ".version 8.6\n.target sm_90\n.address_size 64\n.shared .align 8 .b8 bar[8];\n.shared .align 1024 .b8 "
               "tile[%d];\n"
               ".visible .entry k(.param .align 64 .b8 m[128], .param .u64 buf)\n{\n"
               ".reg .pred %%p<4>;\n.reg .b32 %%r<16>;\n.reg .b64 %%rd<8>;\n"
               "ld.param.u64 %%rd1, [buf];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, tile;\nmov.u32 %%r3, bar;\n"
               "mov.b64 %%rd3, m;\ncvta.param.u64 %%rd3, %%rd3;\n"
               "mul.wide.u32 %%rd2, %%r1, 4;\nadd.u64 %%rd2, %%rd1, %%rd2;\nshl.b32 %%r4, %%r1, 2;\nadd.u32 %%r4, "
               "%%r2, %%r4;\n"
               "mov.u32 %%r5, 0;\n"
               "in:\nld.global.u32 %%r6, [%%rd2];\nst.shared.u32 [%%r4], %%r6;\nadd.u64 %%rd2, %%rd2, 512;\nadd.u32 "
               "%%r4, %%r4, 512;\n"
               "add.u32 %%r5, %%r5, 128;\nsetp.lt.u32 %%p1, %%r5, %d;\n@%%p1 bra in;\n"
               "fence.proxy.async;\nbar.sync 0;\nsetp.ne.u32 %%p0, %%r1, 0;\nmov.u32 %%r7, 0;\n@%%p0 bra out;\n",
               WORDS * 4, WORDS);
    if (!strcmp(c->op, "load"))
        str_printf(s,
                   "mbarrier.init.shared::cta.b64 [%%r3], 1;\nfence.mbarrier_init.release.cluster;\n"
                   "mbarrier.arrive.expect_tx.shared::cta.b64 %%rd4, [%%r3], %d;\n",
                   EXPECTED);
    copy_text(s, c);
    if (!strcmp(c->op, "load"))
        str_add(s, "nanosleep.u32 100000;\nnanosleep.u32 100000;\n"
                   "count:\nmbarrier.test_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@%p2 bra out;\n"
                   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], 16;\nadd.u32 %r7, %r7, 16;\nbra count;\n");
    str_printf(s,
               "out:\nbar.sync 0;\nmov.u32 %%r5, 0;\nmul.wide.u32 %%rd2, %%r1, 4;\nadd.u64 %%rd2, %%rd1, %%rd2;\n"
               "shl.b32 %%r4, %%r1, 2;\nadd.u32 %%r4, %%r2, %%r4;\n"
               "@!%%p0 st.global.u32 [%%rd1+%d], %%r7;\n"
               "back:\nld.shared.u32 %%r6, [%%r4];\nst.global.u32 [%%rd2], %%r6;\nadd.u64 %%rd2, %%rd2, 512;\nadd.u32 "
               "%%r4, %%r4, 512;\n"
               "add.u32 %%r5, %%r5, 128;\nsetp.lt.u32 %%p1, %%r5, %d;\n@%%p1 bra back;\nret;\n}\n",
               WORDS * 4, WORDS);
}

/* ---- data ---- */

/* Words that are edge values as f32, as pairs of f16 or bf16, as halves of f64 and as integers. */
static uint32_t mixed(uint32_t i)
{
    static const uint32_t edge[] = {
        0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f801000, 0x3f801001, 0x3f800fff, 0x3f803000,
        0x3f802fff, 0x3f803001, 0xbf801000, 0xbf803000, 0x00000001, 0x007fffff, 0x80400000, 0x00800000,
        0x00801000, 0x007ff000, 0x007ff001, 0x7f7fffff, 0x7f7ff000, 0x7f7fefff, 0xff7fffff, 0x7f800000,
        0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x7fffffff, 0x7f801000, 0x00001000, 0x00003000,
        0x3c003c00, 0x00010001, 0x03ff8001, 0x7c00fc00, 0x7e007c01, 0x7bff7bff, 0x3f803f80, 0x00800080,
        0x7f807fc0, 0xff80ffff, 0x40490fdb, 0xc0490fdb, 0x42c80000, 0x4b000001, 0x12345678, 0xdeadbeef,
        0x7ff00000, 0xfff00000, 0x7ff80000, 0x7fefffff, 0x000fffff, 0xffffffff, 0x7fffffff, 0x80000001,
        0x00000007, 0x0000ffff, 0xffff0000, 0x8000ffff, 0x01010101, 0x3f7fffff, 0xbf7fffff, 0x34000000};
    enum { EDGES = sizeof edge / sizeof *edge };
    return edge[i % EDGES];
}

static void make_data(const Case *c, uint32_t *global, uint32_t *shared)
{
    bool load = !strcmp(c->op, "load");
    for (uint32_t i = 0; i < GLOBAL_WORDS; i++)
        global[i] = !c->mixed ? i : load ? mixed(i) : mixed(i * 7 + i / 64 + 3);
    for (uint32_t i = 0; i < WORDS; i++)
        shared[i] = load ? UNTOUCHED : c->mixed ? mixed(i * 13 + i / 64 * 5 + 1) : 0x100000 + i;
}

/* ---- results ---- */

static void add_runs(Str *s, const uint32_t *w, const uint32_t *before, uint32_t n)
{
    for (uint32_t i = 0, k; i < n; i += k) {
        bool same = w[i] == before[i];
        for (k = 1; same && i + k < n && w[i + k] == before[i + k];)
            k++;
        if (same) {
            if (i + k < n)
                str_printf(s, " -*%x", k);
            continue;
        }
        uint32_t equal = 1, rising = 1;
        while (i + equal < n && w[i + equal] == w[i] && w[i + equal] != before[i + equal])
            equal++;
        while (i + rising < n && w[i + rising] == w[i] + rising && w[i + rising] != before[i + rising])
            rising++;
        k = equal >= rising ? equal : rising;
        str_printf(s, equal >= rising ? " %x*%x" : " %x+%x", w[i], k);
    }
}

typedef struct Buffers {
    uint32_t global[GLOBAL_WORDS], shared[WORDS + 1], before[GLOBAL_WORDS], shared_before[WORDS + 1];
} Buffers;

/* false: the device is of no more use. */
static bool run_case(WwDevice *d, Case *c, Buffers *b, Str *result)
{
    _Alignas(64) uint8_t map[WW_TENSOR_MAP_BYTES];
    WwPtr                global = 0, buf = 0;
    WwModule            *m    = NULL;
    Str                  text = {0};
    WwLaunch             l = {.grid = {1, 1, 1}, .block = {128, 1, 1}, .args = (void *[]){map, &buf}, .arg_count = 2};
    bool                 usable = true;
    make_data(c, b->before, b->shared_before);
    kernel_text(&text, c);
    if (ww_alloc(d, sizeof b->global, &global) || ww_alloc(d, sizeof b->shared, &buf) ||
        ww_copy_in(d, global, b->before, sizeof b->before) ||
        ww_copy_in(d, buf, b->shared_before, sizeof b->shared_before) ||
        ww_module_load(d, "tensor.ptx", str_text(&text), text.len, &m)) {
        fprintf(stderr, "%s\n", ww_device_error(d));
        exit(1);
    }
    c->map.address = global;
    if (ww_tensor_map(d, &c->map, map)) {
        str_add(result, "error (map)");
    } else if (ww_launch(d, m, "k", &l, NULL) || ww_copy_out(d, b->global, global, sizeof b->global) ||
               ww_copy_out(d, b->shared, buf, sizeof b->shared)) {
        str_add(result, "error");
        usable = false;
    } else {
        bool load = !strcmp(c->op, "load");
        str_printf(result, "%u", load ? EXPECTED - b->shared[WORDS] : 0);
        add_runs(result, load ? b->shared : b->global, load ? b->shared_before : b->before,
                 load ? WORDS : GLOBAL_WORDS);
    }
    str_free(&text);
    if (!usable)
        return false;
    ww_module_unload(d, m);
    ww_free(d, global), ww_free(d, buf);
    return true;
}

/* ---- main ---- */

static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return i + 1 < argc ? argv[i + 1] : "";
    return otherwise;
}

static WwDevice *open_device(const char *name)
{
    WwDeviceOptions o   = {.threads = 1};
    WwDevice       *d   = NULL;
    const char     *why = "";
    if (ww_device_open(name, &o, &d, &why)) {
        fprintf(stderr, "tensor_sweep: %s\n", why);
        exit(1);
    }
    return d;
}

int main(int argc, char **argv)
{
    static Buffers b;
    static char    line[MAX_LINE];
    const char    *device = option(argc, argv, "--device", "emulator"), *to = option(argc, argv, "--write", NULL);
    unsigned       from = (unsigned)strtoul(option(argc, argv, "--from", "0"), NULL, 10), n = 0, bad = 0;
    bool           compare = option(argc, argv, "--compare", NULL) != NULL, emulator = !strcmp(device, "emulator");
    FILE          *list = fopen(option(argc, argv, "--list", ""), "r"), *f = to ? fopen(to, from ? "a" : "w") : NULL;
    WwDevice      *d = open_device(device);
    if (!list || (to && !f)) {
        fprintf(stderr, "tensor_sweep: no list, or no file to write\n");
        return 1;
    }
    while (fgets(line, sizeof line, list)) {
        Case c;
        line[strcspn(line, "\n")] = 0;
        char *expected            = strchr(line, '\t');
        if (!line[0] || line[0] == '#' || n++ < from)
            continue;
        if (expected)
            *expected++ = 0;
        if (!read_case(line, &c)) {
            fprintf(stderr, "tensor_sweep: cannot read %s\n", line);
            return 1;
        }
        Str  result = {0};
        bool usable = run_case(d, &c, &b, &result);
        if (compare && (!expected || strcmp(expected, str_text(&result)) != 0)) {
            printf("%s\n  expected %.400s\n  got      %.400s\n", line, expected ? expected : "?", str_text(&result));
            if (!usable)
                printf("  %s\n", ww_device_error(d));
            bad++;
        }
        if (f)
            fprintf(f, "%s\t%s\n", line, str_text(&result)), fflush(f);
        str_free(&result);
        if (!usable && !emulator) {
            printf("%u\n", n);
            return 3;
        }
        if (!usable)
            ww_device_close(d), d = open_device(device);
    }
    if (compare)
        printf("%u copies compared, %u differ\n", n - from, bad);
    ww_device_close(d);
    fclose(list);
    if (f)
        fclose(f);
    return bad != 0;
}

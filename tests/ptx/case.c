/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a PTX file's head (case.h).  A line that looks like `// word:` but is not a key is an error: a misspelt expectation must not
 * pass. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

static const ElementType types[] = {
    {"u8", 1, 'u'},  {"s8", 1, 's'},  {"u16", 2, 'u'}, {"s16", 2, 's'}, {"u32", 4, 'u'},
    {"s32", 4, 's'}, {"u64", 8, 'u'}, {"s64", 8, 's'}, {"f32", 4, 'f'}, {"f64", 8, 'f'},
};

static bool file_read(Arena *a, const char *path, const char **text, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return false;
    long  n = ftell(f);
    char *s = arena_alloc(a, (size_t)n + 1);
    rewind(f);
    *len  = fread(s, 1, (size_t)n, f);
    *text = s;
    fclose(f);
    return *len == (size_t)n;
}

/* "x", "x,y" or "x,y,z" */
static WwDim3 dims(const char *s)
{
    uint32_t v[3] = {1, 1, 1};
    char    *end  = NULL;
    for (int k = 0; k < 3; k++, s = end + 1) {
        v[k] = (uint32_t)strtoul(s, &end, 10);
        if (*end != ',')
            break;
    }
    return (WwDim3){v[0], v[1], v[2]};
}

static bool launch_line(PtxCase *c, const char *s, const char **why)
{
    while (*(s += strspn(s, " "))) {
        if (strncmp(s, "grid ", 5) == 0)
            c->grid = dims(s += 5);
        else if (strncmp(s, "block ", 6) == 0)
            c->block = dims(s += 6);
        else if (strncmp(s, "cluster ", 8) == 0)
            c->cluster = dims(s += 8);
        else if (strncmp(s, "shared ", 7) == 0)
            c->shared = (uint32_t)strtoul(s += 7, NULL, 10);
        else {
            *why = "launch: expected grid X,Y,Z, block X,Y,Z, cluster X,Y,Z or shared BYTES";
            return false;
        }
        s += strcspn(s, " ");
    }
    return true;
}

static bool arg_line(PtxCase *c, const char *s, const char **why)
{
    Argument *a = &c->arg[c->nargs];
    size_t    n = strcspn(s, " "), k = s[n] ? strcspn(s + n + 1, " [(=") : 0;
    *why = "expected NAME TYPE, NAME TYPE[COUNT] or NAME TYPE(COUNT)";
    if (c->nargs == MAX_ARGS || !k)
        return false;
    a->name = arena_strndup(c->arena, s, n);
    s += n + 1;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strlen(types[t].name) == k && memcmp(types[t].name, s, k) == 0)
            a->type = &types[t];
    s += k;
    a->pointer = *s == '[';
    a->count   = *s == '[' || *s == '(' ? (size_t)strtoull(s + 1, NULL, 10) : 1;
    s += *s == '[' || *s == '(' ? strcspn(s, "])") + 1 : 0;
    if (!a->type || !a->count)
        return false;
    a->initial = arena_alloc(c->arena, a->count * a->type->bytes);
    a->after   = arena_alloc(c->arena, a->count * a->type->bytes);
    s += strspn(s, " ");
    a->freed = strcmp(s, "freed") == 0;
    if (*s == '=' && !values_fill(c, s + 1 + strspn(s + 1, " "), a->type, a->count, a->initial, why))
        return false;
    c->nargs++;
    return *s == '=' || *s == 0 || a->freed;
}

Argument *case_argument(PtxCase *c, const char *name, size_t n)
{
    for (size_t k = 0; k < c->nargs; k++)
        if (strlen(c->arg[k].name) == n && memcmp(c->arg[k].name, name, n) == 0)
            return &c->arg[k];
    return NULL;
}

/* Up to n numbers with commas between them; how many there were. */
static uint32_t numbers(const char *s, int64_t *v, uint32_t n)
{
    uint32_t k = 0;
    char    *end;
    for (; k < n; s = end + 1) {
        v[k++] = strtoll(s, &end, 0);
        if (*end != ',')
            break;
    }
    return k;
}

static bool map_field(WwTensorMap *m, const char *key, const char *value)
{
    int64_t  v[5] = {0};
    uint32_t n    = numbers(value, v, 5);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(key, "dim") == 0)
            m->dim[i] = (uint64_t)v[i], m->rank = n;
        else if (strcmp(key, "stride") == 0 && i < 4)
            m->stride[i] = (uint64_t)v[i];
        else if (strcmp(key, "box") == 0)
            m->box[i] = (uint32_t)v[i];
        else if (strcmp(key, "step") == 0)
            m->element_stride[i] = (uint32_t)v[i];
        else if (strcmp(key, "swizzle") == 0)
            m->swizzle = (uint32_t)v[0];
        else if (strcmp(key, "interleave") == 0)
            m->interleave = (uint32_t)v[0];
        else if (strcmp(key, "fill") == 0)
            m->fill_nan = strcmp(value, "nan") == 0;
        else if (strcmp(key, "lower") == 0 && i < 3)
            m->lower[i] = (int)v[i], m->im2col = true;
        else if (strcmp(key, "upper") == 0 && i < 3)
            m->upper[i] = (int)v[i];
        else if (strcmp(key, "channels") == 0)
            m->channels = (uint32_t)v[0];
        else if (strcmp(key, "pixels") == 0)
            m->pixels = (uint32_t)v[0];
        else
            return false;
    }
    return true;
}

static bool map_line(PtxCase *c, char *s, const char **why)
{
    static const ElementType byte = {"u8", 1, 'u'};
    Argument                *a    = &c->arg[c->nargs];
    char                    *rest = NULL, *name = strtok_r(s, " ", &rest), *type = strtok_r(NULL, " ", &rest),
         *of = strtok_r(NULL, " ", &rest);
    *why     = "map: expected NAME TYPE BUFFER and fields: dim, stride, box, step, swizzle, interleave, fill, lower, "
               "upper, channels, pixels";
    if (!of || c->nargs == MAX_ARGS)
        return false;
    *a = (Argument){.name = name, .type = &byte, .count = WW_TENSOR_MAP_BYTES, .holds = of, .map = {.type = type}};
    for (char *key; (key = strtok_r(NULL, " ", &rest)) != NULL;) {
        const char *value = strtok_r(NULL, " ", &rest);
        if (!value || !map_field(&a->map, key, value))
            return false;
    }
    a->initial = arena_alloc(c->arena, WW_TENSOR_MAP_BYTES);
    a->after   = a->initial;
    c->nargs++;
    return true;
}

static bool expect_line(PtxCase *c, const char *s, bool sorted, const char **why)
{
    size_t n = strcspn(s, " =");
    *why     = "expect: expected NAME = VALUES, NAME one of the arguments before it";
    for (size_t k = 0; k < c->nargs && c->nexpects < MAX_EXPECTS; k++)
        if (strlen(c->arg[k].name) == n && memcmp(c->arg[k].name, s, n) == 0) {
            s += n + strspn(s + n, " =");
            c->expect[c->nexpects++] = (Expect){&c->arg[k], s, sorted};
            return true;
        }
    return false;
}

static const char *unescape(Arena *a, const char *before, const char *s)
{
    char *out = arena_alloc(a, strlen(before) + strlen(s) + 1), *at = out + strlen(before);
    memcpy(out, before, strlen(before));
    for (; *s; s++)
        if (*s == '\\' && s[1] == 'n') {
            *at++ = '\n';
            s++;
        } else {
            *at++ = *s;
        }
    return out;
}

static bool status_line(PtxCase *c, const char *s, const char **why)
{
    static const struct {
        const char *name;
        WwStatus    status;
    } names[] = {
        {"fault", WW_ERR_FAULT}, {"unsupported", WW_ERR_UNSUPPORTED},
        {"limit", WW_ERR_LIMIT}, {"launch", WW_ERR_LAUNCH},
        {"parse", WW_ERR_PARSE},
    };
    *why = "status: fault, unsupported, limit, launch or parse";
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k].name, s) == 0) {
            c->status = names[k].status;
            c->cuda   = false;
            return true;
        }
    return false;
}

static bool device_line(PtxCase *c, const char *s, const char **why)
{
    bool all    = strcmp(s, "all") == 0;
    c->emulator = all || strcmp(s, "emulator") == 0;
    c->cuda     = all || strcmp(s, "cuda") == 0;
    *why        = "device: emulator, cuda or all";
    return c->emulator || c->cuda;
}

static bool key_line(PtxCase *c, const char *key, const char *s, const char **why)
{
    if (strcmp(key, "launch") == 0)
        return launch_line(c, s, why);
    if (strcmp(key, "arg") == 0 || strcmp(key, "out") == 0)
        return arg_line(c, s, why);
    if (strcmp(key, "expect") == 0 || strcmp(key, "expect_sorted") == 0)
        return expect_line(c, s, key[6] != 0, why);
    if (strcmp(key, "status") == 0)
        return status_line(c, s, why);
    if (strcmp(key, "device") == 0)
        return device_line(c, s, why);
    if (strcmp(key, "map") == 0)
        return map_line(c, arena_strdup(c->arena, s), why);
    if (strcmp(key, "async") == 0)
        c->async = s;
    else if (strcmp(key, "prints") == 0)
        c->prints = unescape(c->arena, c->prints ? c->prints : "", s);
    else if (strcmp(key, "fails") == 0)
        c->fails = s;
    else if (strcmp(key, "kernel") == 0)
        c->kernel = s;
    else if (strcmp(key, "max_instructions") == 0)
        c->max_instructions = strtoull(s, NULL, 10);
    else if (strcmp(key, "threads") == 0)
        c->threads = (unsigned)strtoul(s, NULL, 10);
    else
        return (*why = "unknown key") == NULL;
    return true;
}

bool case_read(Arena *a, const char *path, PtxCase *c, const char **why)
{
    *c = (PtxCase){.arena = a, .path = path, .grid = {1, 1, 1}, .block = {32, 1, 1}, .emulator = true, .cuda = true};
    if (!file_read(a, path, &c->text, &c->len)) {
        *why = "cannot be read";
        return false;
    }
    for (const char *s = c->text; strncmp(s, "//", 2) == 0; s += strcspn(s, "\n"), s += *s == '\n') {
        const char *line = arena_strndup(a, s, strcspn(s, "\n"));
        const char *word = line + 2 + strspn(line + 2, " ");
        size_t      n    = 0;
        while (islower((unsigned char)word[n]) || word[n] == '_')
            n++;
        if (n == 0 || word[n] != ':')
            continue;
        const char *problem = NULL, *rest = word + n + 1 + strspn(word + n + 1, " ");
        if (!key_line(c, arena_strndup(a, word, n), rest, &problem)) {
            *why = arena_printf(a, "%s (in '%s')", problem, line);
            return false;
        }
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins the entries of launches (launches.h).  Entries are JSON, so that launches of this process, of documents that several processes
 * write, and of documents that are read are joined by one piece of code.
 *
 * Of the entries that join: counts, seconds and lines are added; grid, block, ranges, process and message stay where they are equal (a kernel's sums keep the
 * first message); accesses and opcodes that are not implemented are gathered; resources are the first that are known. */
#include "report/launches.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct Launches {
    size_t  alone, kinds; /* most entries of each; kinds: so many there are */
    json_t *list, *at;    /* at: what an entry is of -> the entry */
    bool    joined;
};

Launches *launches_new(size_t alone)
{
    Launches *l = xcalloc(1, sizeof *l);
    l->alone    = alone;
    l->list     = json_array();
    l->at       = json_object();
    return l;
}

void launches_free(Launches *l)
{
    if (!l)
        return;
    json_decref(l->at);
    json_decref(l->list);
    free(l);
}

json_t *launches_list(const Launches *l)
{
    return l->list;
}

bool launches_joined(const Launches *l)
{
    return l->joined;
}

json_int_t launches_of(const json_t *entry)
{
    json_int_t n = json_integer_value(json_object_get(entry, "launches"));
    return n > 1 ? n : 1;
}

json_t *launches_sum(const json_t *a, const json_t *b)
{
    json_int_t x = json_integer_value(a), y = json_integer_value(b), sum;
    if (__builtin_add_overflow(x, y, &sum))
        sum = x < 0 ? INT64_MIN : INT64_MAX;
    return json_integer(sum);
}

/* ---- what is added ---- */

static void add_number(json_t *to, const char *key, const json_t *value)
{
    const json_t *old = json_object_get(to, key);
    if (json_is_integer(value) && (!old || json_is_integer(old)))
        json_object_set_new(to, key, launches_sum(old, value));
    else if (json_is_number(value))
        json_object_set_new(to, key, json_real(json_number_value(old) + json_number_value(value)));
}

/* Every number of an object but a line's, and of the objects in it. */
static void add_counts(json_t *to, json_t *from)
{
    const char *key;
    json_t     *value;
    json_object_foreach(from, key, value)
    {
        if (json_is_object(value) && !json_object_get(to, key))
            json_object_set_new(to, key, json_deep_copy(value));
        else if (json_is_object(value))
            add_counts(json_object_get(to, key), value);
        else if (strcmp(key, "line") != 0)
            add_number(to, key, value);
    }
}

void launches_sum_counts(json_t *row, const json_t *entry)
{
    json_t *more = json_integer(launches_of(entry));
    json_object_set_new(row, "launches", launches_sum(json_object_get(row, "launches"), more));
    add_counts(json_object_get(row, "counters"), json_object_get(entry, "counters"));
    json_decref(more);
}

static const char *file_of(const json_t *line)
{
    const char *file = json_string_value(json_object_get(line, "file"));
    return file ? file : "";
}

static int by_place(const json_t *a, const json_t *b)
{
    json_int_t x = json_integer_value(json_object_get(a, "line")), y = json_integer_value(json_object_get(b, "line"));
    int        c = !a ? 1 : !b ? -1 : strcmp(file_of(a), file_of(b));
    return c ? c : (x > y) - (x < y);
}

/* Both are sorted by file and line: a merge. */
static void add_lines(json_t *to, const json_t *from)
{
    const json_t *old = json_object_get(to, "lines"), *more = json_object_get(from, "lines");
    size_t        n = json_array_size(old), m = json_array_size(more), i = 0, j = 0;
    json_t       *all = json_array();
    while (i < n || j < m) {
        json_t *a = json_array_get(old, i), *b = json_array_get(more, j);
        int     c = by_place(a, b);
        if (c == 0)
            add_counts(a, b);
        json_array_append(all, c <= 0 ? a : b);
        i += c <= 0;
        j += c >= 0;
    }
    json_object_set_new(to, "lines", all);
}

/* Appends what the list `key` of `from` has; once: only what is not there. */
static void gather(json_t *to, const json_t *from, const char *key, bool once)
{
    json_t *more = json_object_get(from, key), *list = json_object_get(to, key), *v;
    size_t  i;
    if (!json_array_size(more))
        return;
    if (!json_is_array(list))
        json_object_set_new(to, key, list = json_array());
    json_array_foreach(more, i, v)
    {
        bool    known = false;
        size_t  k;
        json_t *have;
        if (once)
            json_array_foreach(list, k, have) known |= json_equal(have, v) != 0;
        if (!known)
            json_array_append(list, v);
    }
}

/* ---- joining ---- */

/* Does each launch of one have the counts of each launch of the other? */
static bool are_alike(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "counters"), *y = json_object_get(b, "counters"), *v;
    json_int_t    n = launches_of(a), m = launches_of(b);
    const char   *key;
    bool          alike = json_object_size(x) == json_object_size(y) && !json_is_false(json_object_get(a, "alike")) &&
                 !json_is_false(json_object_get(b, "alike"));
    json_object_foreach((json_t *)(uintptr_t)x, key, v)
    {
        const json_t *w = json_object_get(y, key);
        alike &= json_is_integer(w) && (__int128)json_integer_value(v) * m == (__int128)json_integer_value(w) * n;
    }
    return alike;
}

static void keep_equal(json_t *to, const json_t *from, const char *key)
{
    if (!json_equal(json_object_get(to, key), json_object_get(from, key)))
        json_object_set_new(to, key, json_null());
}

/* Sums over those that are sampled; `launches` in it says how many. */
static void add_sample(json_t *to, const json_t *from)
{
    json_t *more = json_object_get(from, "sample"), *have = json_object_get(to, "sample");
    if (!json_is_object(more))
        return;
    if (!json_is_object(have)) {
        json_object_set_new(to, "sample", json_deep_copy(more));
        return;
    }
    add_counts(have, more);
    if (!json_is_object(json_object_get(more, "error")))
        json_object_set_new(have, "error", json_null()); /* of one it is not known */
}

static void join(json_t *to, const json_t *from)
{
    static const char *const sums[] = {"counters", "waiting", "instructions"};
    static const char *const who[]  = {"program", "arguments", "pid", "rank"};
    bool                     alike  = are_alike(to, from);
    keep_equal(to, from, "grid");
    keep_equal(to, from, "block");
    if (json_object_get(to, "ranges"))
        keep_equal(to, from, "ranges");
    if (json_object_get(to, "made_by"))
        keep_equal(to, from, "made_by");
    for (size_t i = 0; i < sizeof who / sizeof *who; i++)
        if (json_object_get(to, who[i]))
            keep_equal(to, from, who[i]);
    alike &= !json_is_null(json_object_get(to, "grid")) && !json_is_null(json_object_get(to, "block"));
    json_t *n = json_integer(launches_of(from)), *have = json_integer(launches_of(to));
    json_object_set_new(to, "launches", launches_sum(have, n));
    json_object_set_new(to, "alike", json_boolean(alike));
    json_decref(n);
    json_decref(have);
    add_number(to, "seconds", json_object_get(from, "seconds"));
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        if (!json_is_object(json_object_get(to, sums[i])))
            json_object_set_new(to, sums[i], json_object());
        add_counts(json_object_get(to, sums[i]), json_object_get(from, sums[i]));
    }
    add_sample(to, from);
    if (json_is_false(json_object_get(from, "computed")))
        json_object_set_new(to, "computed", json_false());
    add_lines(to, from);
    gather(to, from, "accesses", false);
    gather(to, from, "unsupported", true);
    if (!json_is_object(json_object_get(to, "resources")) && json_object_get(from, "resources"))
        json_object_set(to, "resources", json_object_get(from, "resources"));
}

/* What an entry is of, as text to be freed: of its kind, or with whole of its kernel and status. */
static char *key_of(const json_t *e, bool whole)
{
    json_t *key =
        json_pack("[O?,O?,O?]", json_object_get(e, "name"), json_object_get(e, "symbol"), json_object_get(e, "status"));
    if (!whole)
        json_array_append_new(key, json_pack("[O?,O?,O?,O?]", json_object_get(e, "grid"), json_object_get(e, "block"),
                                             json_object_get(e, "ranges"), json_object_get(e, "message")));
    char *text = json_dumps(key, JSON_COMPACT);
    json_decref(key);
    return text;
}

void launches_add(Launches *l, json_t *entry)
{
    bool single = launches_of(entry) == 1;
    if (single && json_array_size(l->list) < l->alone) {
        json_array_append_new(l->list, entry);
        return;
    }
    char   *key = key_of(entry, false);
    json_t *to  = json_object_get(l->at, key);
    if (!to && l->kinds >= l->alone) {
        free(key);
        key = key_of(entry, true);
        to  = json_object_get(l->at, key);
    } else {
        l->kinds += !to;
    }
    l->joined |= to || !single;
    if (to) {
        join(to, entry);
        json_decref(entry);
    } else {
        json_object_set(l->at, key, entry);
        json_array_append_new(l->list, entry);
    }
    free(key);
}

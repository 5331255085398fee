/* SPDX-License-Identifier: Apache-2.0
 *
 * The file .warpwright of this folder, or of the nearest one above it up to the one that holds .git:
 *
 *     run:                          # a verb, and under it its options without "--"
 *       check: memory,race
 *       fail-on: error
 *       suppressions: ci/known.txt  # files are looked for from where .warpwright is
 *     check:
 *       profile: h100
 *       quiet: true                 # options without a value are true or false
 *
 * Values are checked as those of the command line are; unknown verbs and options are errors, as what is misspelt must not be left out.
 * $WARPWRIGHT_PROJECT names another file, or is "off".  A file of somebody else (not the user, not root) is not read, which is said: it could name
 * files to be written. */
#include "cli/project.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/nearest.h"
#include "cli/yaml.h"

static const char name[] = ".warpwright";
enum { MOST_TEXT = 1 << 20 };

/* The path of the project file in *out; false: there is none. */
static bool find(Str *out)
{
    char        folder[PATH_MAX];
    struct stat s;
    const char *set = getenv("WARPWRIGHT_PROJECT");
    if (set && *set) {
        str_add(out, set);
        return strcmp(set, "off") != 0;
    }
    if (!getcwd(folder, sizeof folder))
        return false;
    for (;;) {
        str_clear(out);
        str_printf(out, "%s/%s", folder, name);
        if (stat(str_text(out), &s) == 0 && S_ISREG(s.st_mode))
            return true;
        str_clear(out);
        str_printf(out, "%s/.git", folder);
        char *slash = strrchr(folder, '/');
        if (stat(str_text(out), &s) == 0 || !slash || !folder[0])
            return false;
        *slash = 0;
    }
}

static bool is_trusted(const char *path)
{
    struct stat s;
    return stat(path, &s) != 0 || s.st_uid == geteuid() || s.st_uid == 0;
}

static const CliOption *find_option(const char *verb, const char *option, Str *hint)
{
    size_t           n, k = 0;
    const CliOption *o     = cli_options(&n);
    const char     **words = xcalloc(n + 1, sizeof *words);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(o[i].verb, verb)) {
            words[k++] = o[i].name;
            if (!strcmp(o[i].name, option)) {
                free(words);
                return &o[i];
            }
        }
    nearest_hint(option, strlen(option), words, hint);
    free(words);
    return NULL;
}

/* The option's text in *out: lists with commas between, files from the project file's folder.  False: it is left out (a flag that is false). */
static bool value_text(const CliOption *o, const json_t *v, const char *path, Str *out)
{
    size_t        i;
    const json_t *e;
    const char   *one = json_is_string(v) ? json_string_value(v) : NULL, *slash = strrchr(path, '/');
    if (o->kind == CLI_FLAG || (o->kind == CLI_OPTIONAL && one && (!strcmp(one, "true") || !strcmp(one, "false"))))
        return !one || strcmp(one, "false") != 0;
    if (o->kind == CLI_FILE && one && *one != '/' && strcmp(one, "-") != 0 && slash)
        str_addn(out, path, (size_t)(slash - path) + 1);
    if (one)
        str_add(out, one);
    json_array_foreach(v, i, e) str_printf(out, "%s%s", i ? "," : "", json_is_string(e) ? json_string_value(e) : "");
    return true;
}

static bool is_value(const CliOption *o, const json_t *v)
{
    const char *s = json_string_value(v);
    if (o->kind == CLI_FLAG)
        return s && (!strcmp(s, "true") || !strcmp(s, "false"));
    return s || json_is_array(v);
}

static bool add_verb(CliArgs *a, json_t *section, const char *path, size_t *at, Str *why)
{
    const char *key;
    json_t     *v;
    json_object_foreach(section, key, v)
    {
        Str              hint = {0}, text = {0};
        const CliOption *o  = find_option(a->verb->name, key, &hint);
        bool             ok = o && is_value(o, v);
        if (!o)
            str_printf(why, "%s: %s has no option '%s'%s", path, a->verb->name, key, str_text(&hint));
        else if (!ok)
            str_printf(why, "%s: %s: '%s' wants %s", path, a->verb->name, key,
                       o->kind == CLI_FLAG ? "true or false" : "a value");
        if (ok && value_text(o, v, path, &text)) {
            a->value = xrealloc(a->value, (a->nvalues + 1) * sizeof *a->value);
            memmove(a->value + *at + 1, a->value + *at, (a->nvalues - *at) * sizeof *a->value);
            a->kept           = xrealloc(a->kept, (a->nkept + 1) * sizeof *a->kept);
            a->kept[a->nkept] = strdup(str_text(&text));
            a->value[(*at)++] = (CliValue){o, o->kind == CLI_FLAG ? NULL : a->kept[a->nkept], 0, NULL};
            a->nkept++;
            a->nvalues++;
        }
        str_free(&hint);
        str_free(&text);
        if (!ok)
            return false;
    }
    return true;
}

static bool add_file(CliArgs *a, json_t *doc, const char *path, Str *why)
{
    const char *verb;
    json_t     *section;
    size_t      at = 0;
    if (!json_is_object(doc)) {
        str_printf(why, "%s: verbs with their options are expected, such as \"run:\" and under it \"check: memory\"",
                   path);
        return false;
    }
    json_object_foreach(doc, verb, section)
    {
        if (!cli_find_verb(verb)) {
            str_printf(why, "%s: there is no verb '%s'", path, verb);
            cli_verb_hint(verb, why);
            return false;
        }
        bool empty = json_is_string(section) && !*json_string_value(section);
        if (!json_is_object(section) && !empty) {
            str_printf(why, "%s: under '%s' its options are expected, such as \"profile: h100\"", path, verb);
            return false;
        }
        if (!strcmp(verb, a->verb->name) && !empty && !add_verb(a, section, path, &at, why))
            return false;
    }
    return true;
}

bool project_defaults(CliArgs *a, Str *why)
{
    Str  path = {0}, text = {0};
    bool ok = true;
    if (find(&path)) {
        const char *file = str_text(&path);
        json_t     *doc  = NULL;
        if (!is_trusted(file))
            str_printf(why, "%s belongs to another user, so it is not read; $WARPWRIGHT_PROJECT=off goes on without it",
                       file);
        else if (!file_text(file, MOST_TEXT, &text))
            str_printf(why, "cannot read %s: %s", file, file_error(errno));
        else
            doc = yaml_read(file, str_text(&text), text.len, why);
        ok = doc && add_file(a, doc, file, why);
        json_decref(doc);
    }
    str_free(&path);
    str_free(&text);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Two entries for each source.  The first is found by what is known before anything is compiled (the question): the source's name and text, the
 * options, the folder, the compiler's file and the variables that it listens to.  It holds the names of the files that were read then.  The
 * second is found by the question and by what these files hold now; it is the PTX and what the compiler wrote.  So a changed header is a miss.
 *
 * The names are still right unless a file was added that is found before one of them.  Therefore the second key also says which of the files'
 * names (their last one to MOST_PARTS parts) there are in the folders that are searched earlier than the toolkit's: those of the user's own
 * files, their parents, and those of -I and its like.
 *
 * A miss is always right, so what is rare is not kept: a user's file that asks for the time or for files that need not be there, or that changed
 * while it was compiled; options with files of their own, or that make nvcc write others. */
#include "device/compiled.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cache.h"
#include "base/command.h"
#include "base/content.h"
#include "base/file.h"

enum { MOST_KEPT = 64 << 20, MOST_SOURCE = 64 << 20, MOST_NAMES = 1 << 20, MOST_PARTS = 8 };

struct Compiled {
    Cache          *cache;
    const char     *file;
    bool            nameless;
    Content         question;
    struct timespec begun;
    Str             folders; /* of -I and its like; each ends with a zero, as all lists here */
};

/* ---- the question ---------------------------------------------------------------------------------------------------- */

/* What the compiler, or the one that it calls for the preprocessing, listens to. */
static const char *const variables[] = {"PATH",
                                        "NVCC_PREPEND_FLAGS",
                                        "NVCC_APPEND_FLAGS",
                                        "NVCC_CCBIN",
                                        "CPATH",
                                        "C_INCLUDE_PATH",
                                        "CPLUS_INCLUDE_PATH",
                                        "CICC_PATH",
                                        "CUDA_HOME",
                                        "NVVMIR_LIBRARY_DIR",
                                        "GCC_EXEC_PREFIX",
                                        "COMPILER_PATH",
                                        "LANG",
                                        "LC_ALL",
                                        "LC_MESSAGES",
                                        "LC_CTYPE",
                                        "SOURCE_DATE_EPOCH"};

/* Options after which nvcc reads or writes other files than its sources, or after which words are no folders. */
static const char *const unkept[] = {"optf",   "options-file", "keep",  "-M", "--generate-dep",     "-time",
                                     "--time", "dryrun",       "trace", "-X", "--compiler-options", "'",
                                     "\"",     "\\",           "@"};

static void add_name(Str *list, const char *name, size_t n)
{
    str_addn(list, name, n);
    str_addc(list, 0);
}

static void add_names(Str *list, const char *names, const char *between)
{
    for (size_t n; *names; names += n + (names[n] != 0)) {
        n = strcspn(names, between);
        if (n)
            add_name(list, names, n);
    }
}

/* Behind *folders: those that options name.  False: the options are not understood. */
static bool flag_folders(const char *flags, Str *folders)
{
    static const char *const kinds[] = {"--include-path", "-include-path", "--system-include", "-isystem", "-I"};
    for (size_t i = 0; i < sizeof unkept / sizeof *unkept; i++)
        if (strstr(flags, unkept[i]))
            return false;
    bool next = false;
    for (size_t n; n = strcspn(flags, " \t\n"), *flags; flags += n + (flags[n] != 0)) {
        if (!n)
            continue;
        Str         word = {0};
        const char *at   = NULL;
        str_addn(&word, flags, n);
        if (next)
            at = word.s;
        for (size_t i = 0; !at && i < sizeof kinds / sizeof *kinds; i++)
            if (!strncmp(word.s, kinds[i], strlen(kinds[i])))
                at = word.s + strlen(kinds[i]);
        next = at && !*at;
        if (at)
            add_names(folders, at + (*at == '='), ",");
        str_free(&word);
    }
    return true;
}

static bool environment_folders(Str *folders)
{
    static const char *const lists[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    static const char *const flags[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        add_names(folders, getenv(lists[i]) ? getenv(lists[i]) : "", ":");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (getenv(flags[i]) && !flag_folders(getenv(flags[i]), folders))
            return false;
    return true;
}

static bool add_question(ContentHash *h, const Compiled *c, const char *const *options)
{
    Str   text = {0};
    char *cwd  = getcwd(NULL, 0);
    bool  ok   = cwd && file_text(c->file, MOST_SOURCE, &text);
    content_text(h, "compiled 1");
    for (; *options; options++)
        content_text(h, *options);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        content_text(h, variables[i]);
        content_text(h, getenv(variables[i]) ? getenv(variables[i]) : "");
    }
    content_text(h, c->nameless ? "" : c->file);
    content_text(h, cwd ? cwd : "");
    content_add(h, str_text(&text), text.len);
    command_add(h, "nvcc", COMPILED_NVCC);
    free(cwd);
    str_free(&text);
    return ok;
}

Compiled *compiled_begin(const char *file, bool nameless, const char *const *options)
{
    Str         why = {0};
    ContentHash h   = {0};
    Compiled   *c   = xcalloc(1, sizeof *c);
    *c              = (Compiled){.file = file, .nameless = nameless, .cache = cache_open("compiled", MOST_KEPT, &why)};
    str_free(&why); /* without one, only time is lost */
    clock_gettime(CLOCK_REALTIME, &c->begun);
    if (c->cache && environment_folders(&c->folders) && add_question(&h, c, options)) {
        c->question = content_end(&h);
        return c;
    }
    compiled_end(c);
    return NULL;
}

void compiled_end(Compiled *c)
{
    if (!c)
        return;
    cache_close(c->cache);
    str_free(&c->folders);
    free(c);
}

/* ---- the files that are read ----------------------------------------------------------------------------------------- */

/* The names behind "TARGET:", of which none has a space. */
static void read_names(const Compiled *c, const char *text, Str *names)
{
    const char *at = strchr(text, ':');
    for (size_t n; at && *(at += strspn(at, ": \\\n")); at += n) {
        n = strcspn(at, " \n");
        if (!c->nameless || strlen(c->file) != n || strncmp(c->file, at, n) != 0)
            add_name(names, at, n);
    }
}

/* Length of the toolkit's folder of headers, which all of them lie below; 0: the compiler read none. */
static size_t toolkit_of(const Str *names, const char **folder)
{
    static const char header[] = "/cuda_runtime.h";
    for (const char *at = names->s; at && at < names->s + names->len; at += strlen(at) + 1) {
        size_t n = strlen(at);
        if (n >= sizeof header && !strcmp(at + n + 1 - sizeof header, header)) {
            *folder = at;
            return n + 2 - sizeof header;
        }
    }
    return 0;
}

static bool of_the_system(const char *name, const char *toolkit, size_t n)
{
    return !strncmp(name, "/usr/include/", 13) || !strncmp(name, "/usr/lib/", 9) || !strncmp(name, toolkit, n);
}

/* Adds the folder of a file to a list that has it not yet. */
static void add_folder(Str *list, const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t      had   = list->len;
    add_name(list, slash ? file : ".", slash ? (size_t)(slash - file) + 1 : 1);
    for (const char *old = list->s; old < list->s + had; old += strlen(old) + 1)
        if (!strcmp(old, list->s + had)) {
            list->len = had;
            return;
        }
}

/* The folders that are searched before the toolkit's. */
static void searched(const Compiled *c, const Str *names, const char *toolkit, size_t n, Str *out)
{
    str_addn(out, str_text(&c->folders), c->folders.len);
    add_folder(out, c->file);
    for (const char *at = names->s; at < names->s + names->len; at += strlen(at) + 1)
        if (!of_the_system(at, toolkit, n))
            add_folder(out, at);
}

/* Which of a file's names there are in a folder. */
static void add_namesakes(ContentHash *h, const char *folder, const char *name)
{
    const char *at   = name + strlen(name);
    Str         path = {0};
    for (int part = 0; part < MOST_PARTS && at > name; part++) {
        do
            at--;
        while (at > name && at[-1] != '/');
        for (int up = 0; up < 2; up++) {
            str_clear(&path);
            str_printf(&path, "%s/%s%s", folder, up ? "../" : "", at);
            if (access(path.s, F_OK) == 0)
                content_text(h, path.s);
        }
    }
    str_free(&path);
}

static bool is_steady(const Compiled *c, const char *name)
{
    struct stat st;
    return stat(name, &st) == 0 && (st.st_mtim.tv_sec < c->begun.tv_sec ||
                                    (st.st_mtim.tv_sec == c->begun.tv_sec && st.st_mtim.tv_nsec < c->begun.tv_nsec));
}

/* Words whose meaning no text of a file says. */
static bool is_plain_source(const char *text)
{
    static const char *const words[] = {"__has_include", "include_next", "__TIME__", "__DATE__", "__TIMESTAMP__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return false;
    return true;
}

/* The second key.  False: it would not say everything. */
static bool answer_key(const Compiled *c, const Str *names, Content *key)
{
    const char *toolkit = "";
    size_t      n       = toolkit_of(names, &toolkit);
    Str         folders = {0}, text = {0};
    ContentHash h  = {0};
    bool        ok = n > 0;
    content_add(&h, &c->question, sizeof c->question);
    if (ok)
        searched(c, names, toolkit, n, &folders);
    if (ok && c->nameless) /* not among the names */
        ok = file_text(c->file, MOST_SOURCE, &text) && is_plain_source(str_text(&text));
    for (const char *at = names->s; ok && at < names->s + names->len; at += strlen(at) + 1) {
        str_clear(&text);
        ok = file_text(at, MOST_SOURCE, &text) && strlen(str_text(&text)) == text.len && is_steady(c, at) &&
             (of_the_system(at, toolkit, n) || is_plain_source(str_text(&text)));
        content_text(&h, at);
        content_text(&h, str_text(&text));
        for (const char *in = folders.s; ok && in && in < folders.s + folders.len; in += strlen(in) + 1)
            add_namesakes(&h, in, at);
    }
    str_free(&folders);
    str_free(&text);
    *key = content_end(&h);
    return ok;
}

/* ---- the answer: the length of what was said, that, and the PTX ------------------------------------------------------ */

static bool read_answer(const Str *entry, Str *ptx, Str *said)
{
    char  *end = NULL;
    size_t n = (size_t)strtoumax(str_text(entry), &end, 10), head = (size_t)(end + 1 - str_text(entry));
    if (!end || *end != '\n' || head + n > entry->len)
        return false;
    str_addn(said, entry->s + head, n);
    str_addn(ptx, entry->s + head + n, entry->len - head - n);
    return true;
}

bool compiled_find(Compiled *c, Str *ptx, Str *said)
{
    Str     names = {0}, entry = {0};
    Content key;
    bool    ok = c && cache_find(c->cache, c->question, &names) && answer_key(c, &names, &key) &&
              cache_find(c->cache, key, &entry) && read_answer(&entry, ptx, said);
    str_free(&names);
    str_free(&entry);
    return ok;
}

void compiled_keep(Compiled *c, const char *dependencies, const Str *ptx, const Str *said)
{
    Str     text = {0}, names = {0}, entry = {0};
    Content key;
    if (c && file_text(dependencies, MOST_NAMES, &text))
        read_names(c, str_text(&text), &names);
    if (names.len && !strstr(str_text(&text), "\\ ") && answer_key(c, &names, &key)) {
        str_printf(&entry, "%zu\n", said->len);
        str_addn(&entry, str_text(said), said->len);
        str_addn(&entry, str_text(ptx), ptx->len);
        if (cache_store(c->cache, key, entry.s, entry.len))
            cache_store(c->cache, c->question, names.s, names.len);
    }
    str_free(&text);
    str_free(&names);
    str_free(&entry);
}

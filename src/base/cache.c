/* SPDX-License-Identifier: Apache-2.0
 *
 * An entry is a file whose name is its key, 32 hexadecimal digits:
 *
 *     | the bytes ... | magic 8 | version 4 | zero 4 | length 8 | key 16 | checksum 16 |
 *                      `------------------------- Seal, 56 bytes -------------------'
 *
 * The seal stands behind the bytes, so that a shared object is one for dlopen, too.  Numbers are the host's; a folder on a network that
 * hosts of the other byte order share holds misses for them.  A use sets the file's time of change; the oldest go first.
 * The folder is measured at a process's first store, and again whenever what it added since then might pass the limit.  Then it is brought
 * down to three quarters, so that not every store has to look.  Nothing is flushed to the disk: after a power cut the seal tells. */
#include "base/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"

#define NEW_PREFIX "new-"

enum { NAME_DIGITS = 32, STALE_SECONDS = 3600 };

typedef struct Seal {
    char     magic[8];
    uint32_t version, zero;
    uint64_t length;
    Content  key, sum;
} Seal;

static const char magic[8] = "wwcache";

struct Cache {
    Str      folder; /* ends with '/' */
    uint64_t most;
    _Atomic(uint64_t)
        size; /* at least what is there, but for what other processes add; `most` before it was measured */
};

/* ---- the folder ------------------------------------------------------------------------------------------------------ */

/* A variable that holds an absolute path, as the rules of XDG ask; else NULL. */
static const char *absolute(const char *variable)
{
    const char *path = getenv(variable);
    return path && *path == '/' ? path : NULL;
}

static bool switched_off(void)
{
    const char *says = getenv(CACHE_VARIABLE);
    return says && !strcmp(says, "off");
}

const char *cache_misnamed(void)
{
    const char *says = getenv(CACHE_VARIABLE);
    return says && *says && !absolute(CACHE_VARIABLE) && !switched_off() ? says : NULL;
}

bool cache_where(Str *out, Str *why)
{
    size_t      had  = out->len;
    const char *said = absolute(CACHE_VARIABLE), *xdg = absolute("XDG_CACHE_HOME"), *home = absolute("HOME");
    if (switched_off())
        return false;
    if (cache_misnamed())
        str_printf(why, CACHE_VARIABLE ": '%s' is neither 'off' nor an absolute path", cache_misnamed());
    else if (said)
        str_add(out, said);
    else if (xdg)
        str_printf(out, "%s/warpwright", xdg);
    else if (home)
        str_printf(out, "%s/.cache/warpwright", home);
    else
        str_add(why, "no cache: none of " CACHE_VARIABLE ", XDG_CACHE_HOME and HOME is an absolute path");
    return out->len > had;
}

/* Makes every folder of a path that ends with '/'. */
static bool make_folders(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at    = 0;
        int ok = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at    = '/';
        if (!ok && errno != EACCES && errno != EROFS) /* what may not be written may be there all the same */
            return false;
    }
    return true;
}

/* Only this user may have put something there. */
static bool usable(const char *folder, Str *why)
{
    struct stat st;
    if (lstat(folder, &st) != 0 || !S_ISDIR(st.st_mode) || access(folder, W_OK | X_OK) != 0)
        str_printf(why, "no cache in %s: %s", folder, strerror(errno ? errno : ENOTDIR));
    else if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        str_printf(why, "no cache in %s: somebody else may write there", folder);
    else
        return true;
    return false;
}

Cache *cache_open(const char *name, uint64_t most, Str *why)
{
    Str folder = {0};
    if (!cache_where(&folder, why)) {
        str_free(&folder);
        return NULL;
    }
    str_printf(&folder, "/%s/", name);
    errno = 0;
    if (!make_folders(folder.s)) {
        str_printf(why, "no cache in %s: %s", folder.s, strerror(errno));
        str_free(&folder);
        return NULL;
    }
    errno = 0;
    if (!usable(folder.s, why)) {
        str_free(&folder);
        return NULL;
    }
    Cache *c  = xcalloc(1, sizeof *c);
    c->folder = folder;
    c->most   = most;
    atomic_init(&c->size, most);
    return c;
}

void cache_close(Cache *c)
{
    if (!c)
        return;
    str_free(&c->folder);
    free(c);
}

/* ---- looking --------------------------------------------------------------------------------------------------------- */

static void name_entry(const Cache *c, Content key, Str *path)
{
    str_printf(path, "%s%016" PRIx64 "%016" PRIx64, str_text(&c->folder), key.word[0], key.word[1]);
}

static Seal seal_of(Content key, const void *bytes, size_t n)
{
    Seal s = {.version = 1, .length = n, .key = key, .sum = content_of(bytes, n)};
    memcpy(s.magic, magic, sizeof magic);
    return s;
}

/* The whole of a regular file that is no larger than the cache may be. */
static bool read_file(const Cache *c, int fd, Str *out)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || (uint64_t)st.st_size > c->most)
        return false;
    size_t want = (size_t)st.st_size, done = 0;
    char  *to = str_room(out, want);
    while (done < want) {
        ssize_t n = read(fd, to + done, want - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    out->len += want;
    out->s[out->len] = 0;
    return true;
}

static bool sealed(Content key, const Str *file)
{
    if (file->len < sizeof(Seal))
        return false;
    size_t n    = file->len - sizeof(Seal);
    Seal   want = seal_of(key, file->s, n);
    return memcmp(file->s + n, &want, sizeof want) == 0;
}

/* The bytes and the seal of an entry, and where it is. */
static bool load(Cache *c, Content key, Str *file, Str *path)
{
    name_entry(c, key, path);
    int fd = file_open(path->s);
    if (fd < 0)
        return false;
    bool ok = read_file(c, fd, file) && sealed(key, file);
    if (ok)
        futimens(fd, NULL);
    else
        unlink(path->s);
    close(fd);
    return ok;
}

bool cache_find(Cache *c, Content key, Str *out)
{
    Str  file = {0}, path = {0};
    bool ok = c && load(c, key, &file, &path);
    if (ok)
        str_addn(out, file.s, file.len - sizeof(Seal));
    str_free(&file);
    str_free(&path);
    return ok;
}

bool cache_path(Cache *c, Content key, Str *path)
{
    Str  file = {0}, name = {0};
    bool ok = c && load(c, key, &file, &name);
    if (ok)
        str_addn(path, name.s, name.len);
    str_free(&file);
    str_free(&name);
    return ok;
}

/* ---- the limit ------------------------------------------------------------------------------------------------------- */

typedef struct Entry {
    char            name[NAME_DIGITS + 1];
    struct timespec used;
    uint64_t        size;
} Entry;

typedef struct Entries {
    Entry   *is;
    size_t   count, room;
    uint64_t size;
} Entries;

static int older_first(const void *x, const void *y)
{
    const Entry *a = x, *b = y;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void add_entry(Entries *all, const char *name, const struct stat *st)
{
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 64;
        all->is   = xrealloc(all->is, all->room * sizeof *all->is);
    }
    Entry *e = &all->is[all->count++];
    memcpy(e->name, name, NAME_DIGITS + 1);
    e->used = st->st_mtim;
    e->size = (uint64_t)st->st_size;
    all->size += e->size;
}

/* What else stands in the folder is not ours, and is left alone. */
static void list_entries(DIR *d, Entries *all)
{
    struct dirent *f;
    struct stat    st;
    time_t         now = time(NULL);
    while ((f = readdir(d))) {
        bool is_new = !strncmp(f->d_name, NEW_PREFIX, sizeof NEW_PREFIX - 1);
        if (!is_new && (strlen(f->d_name) != NAME_DIGITS || f->d_name[strspn(f->d_name, "0123456789abcdef")]))
            continue;
        if (fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (!is_new)
            add_entry(all, f->d_name, &st);
        else if (now - st.st_mtime > STALE_SECONDS)
            unlinkat(dirfd(d), f->d_name, 0);
    }
}

static void keep_limit(Cache *c)
{
    Entries all = {0};
    DIR    *d   = opendir(str_text(&c->folder));
    if (!d)
        return;
    list_entries(d, &all);
    if (all.size > c->most) {
        qsort(all.is, all.count, sizeof *all.is, older_first);
        for (size_t i = 0; i < all.count && all.size > c->most / 4 * 3; i++) {
            unlinkat(dirfd(d), all.is[i].name, 0);
            all.size -= all.is[i].size;
        }
    }
    atomic_store(&c->size, all.size);
    closedir(d);
    free(all.is);
}

/* ---- keeping --------------------------------------------------------------------------------------------------------- */

int cache_temporary(Cache *c, Str *path)
{
    if (!c)
        return -1;
    Str name = {0};
    str_printf(&name, "%s" NEW_PREFIX "XXXXXX", str_text(&c->folder));
    int fd = mkstemp(name.s);
    if (fd >= 0) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        str_addn(path, name.s, name.len);
    }
    str_free(&name);
    return fd;
}

static bool too_large(const Cache *c, uint64_t n)
{
    return n + sizeof(Seal) > c->most / 4;
}

/* The sealed file becomes the entry; `size` bytes. */
static bool enter(Cache *c, Content key, const char *path, uint64_t size)
{
    Str name = {0};
    name_entry(c, key, &name);
    bool ok = rename(path, name.s) == 0;
    str_free(&name);
    if (ok && atomic_fetch_add(&c->size, size) + size > c->most)
        keep_limit(c);
    return ok;
}

bool cache_store(Cache *c, Content key, const void *bytes, size_t n)
{
    Str path = {0};
    int fd   = !c || too_large(c, n) ? -1 : cache_temporary(c, &path);
    if (fd < 0)
        return false;
    Seal s  = seal_of(key, bytes, n);
    bool ok = file_write(fd, bytes, n) && file_write(fd, &s, sizeof s);
    ok      = close(fd) == 0 && ok && enter(c, key, path.s, n + sizeof s);
    if (!ok)
        unlink(path.s);
    str_free(&path);
    return ok;
}

static bool seal_file(Cache *c, Content key, const char *path, uint64_t *size)
{
    Str  file = {0};
    int  fd   = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool ok   = fd >= 0 && read_file(c, fd, &file) && !too_large(c, file.len);
    if (ok) {
        Seal s = seal_of(key, file.s, file.len);
        ok     = file_write(fd, &s, sizeof s); /* everything was read: this is the end */
        *size  = file.len + sizeof s;
    }
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    str_free(&file);
    return ok;
}

bool cache_adopt(Cache *c, Content key, const char *path)
{
    uint64_t size = 0;
    bool     ok   = c && seal_file(c, key, path, &size) && enter(c, key, path, size);
    if (!ok)
        unlink(path);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What is left where all ranks of a job were killed at once, as launchers do: the next job of the user takes it away, when it is an hour old and
 * nobody holds a lock in it.  Only folders of this user are looked at, and only files that ranks.c names. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ranks_own.h"
#include "base/str.h"

enum { OLD = 3600 }; /* seconds */

typedef struct Look {
    bool remove; /* else: find out whether it is in use */
    bool used;
} Look;

static bool is_locked(const char *path)
{
    struct flock l  = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int          fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool         is = fd >= 0 && (fcntl(fd, F_GETLK, &l) != 0 || l.l_type != F_UNLCK);
    if (fd >= 0)
        close(fd);
    return is;
}

static void look(const char *path, int depth, Look *k)
{
    struct stat          st;
    const struct dirent *e;
    DIR                 *d    = NULL;
    Str                  name = {0};
    if (lstat(path, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode) && depth < 2)
        d = opendir(path);
    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        str_clear(&name);
        str_printf(&name, "%s/%s", path, e->d_name);
        look(name.s, depth + 1, k);
    }
    if (d)
        closedir(d);
    k->used |= !k->remove && (time(NULL) - st.st_mtime < OLD || (S_ISREG(st.st_mode) && is_locked(path)));
    if (k->remove && d)
        rmdir(path);
    else if (k->remove && S_ISREG(st.st_mode))
        unlink(path);
    str_free(&name);
}

void ranks_sweep(const char *folder, const char *prefix)
{
    const struct dirent *e;
    DIR                 *d    = opendir(folder);
    Str                  name = {0};
    struct stat          st;
    while (d && (e = readdir(d))) {
        Look k = {0};
        if (strncmp(e->d_name, prefix, strlen(prefix)) != 0)
            continue;
        str_clear(&name);
        str_printf(&name, "%s/%s", folder, e->d_name);
        if (lstat(name.s, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
            continue;
        look(name.s, 0, &k);
        k.remove = !k.used;
        if (k.remove)
            look(name.s, 0, &k);
    }
    if (d)
        closedir(d);
    str_free(&name);
}

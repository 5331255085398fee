/* SPDX-License-Identifier: Apache-2.0
 *
 * $TMPDIR counts only where it is an absolute path, because whoever is given the file's name may run in another folder, and a plain one,
 * because it may go through a shell. */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"

int temporary_file(const char *what, char **path)
{
    const char *folder = getenv("TMPDIR");
    Str         name   = {0};
    str_printf(&name, "%s/warpwright-%s-XXXXXX", folder && *folder == '/' && file_plain_name(folder) ? folder : "/tmp",
               what);
    int fd = mkstemp(name.s);
    if (fd < 0) {
        int e = errno;
        str_free(&name);
        errno = e;
    } else {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    *path = name.s;
    return fd;
}

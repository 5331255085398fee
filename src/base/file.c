/* SPDX-License-Identifier: Apache-2.0
 *
 * Files are opened without waiting (O_NONBLOCK) and looked at before anything is read, so that a pipe without a writer, a terminal or an
 * endless device is an error and no standstill.  A pipe to write to may get its reader a moment later: PATIENCE. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STEP_MS     = 50,
    PATIENCE_MS = 3000,
    NOT_A_FILE  = EMEDIUMTYPE /* no call that opens files gives it */
};

static int fail(int fd, int e)
{
    if (fd >= 0)
        close(fd);
    errno = e;
    return -1;
}

bool file_write(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

int file_open(const char *path)
{
    struct stat st;
    int         fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) != 0)
        return fail(fd, errno);
    return S_ISREG(st.st_mode) ? fd : fail(fd, S_ISDIR(st.st_mode) ? EISDIR : NOT_A_FILE);
}

FILE *file_read(const char *path)
{
    int   fd = file_open(path);
    FILE *f  = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f)
        fail(fd, errno);
    return f;
}

bool file_text(const char *path, uint64_t most, Str *out)
{
    struct stat st;
    FILE       *f  = file_read(path);
    bool        ok = f && fstat(fileno(f), &st) == 0;
    if (ok && (uint64_t)st.st_size > most) {
        errno = EFBIG;
        ok    = false;
    }
    uint64_t left = most;
    char     part[1 << 14];
    for (size_t n; ok && (n = fread(part, 1, left < sizeof part ? (size_t)left : sizeof part, f)) > 0; left -= n)
        str_addn(out, part, n);
    int e = ok && ferror(f) ? EIO : errno;
    ok    = ok && !ferror(f);
    if (f)
        fclose(f);
    errno = e;
    return ok;
}

static FILE *writable(const char *path, int flags, const char *mode)
{
    const struct timespec step = {0, STEP_MS * 1000000L};
    int                   fd;
    for (int ms = 0;; ms += STEP_MS) {
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666);
        if (fd >= 0 || errno != ENXIO || ms >= PATIENCE_MS)
            break;
        nanosleep(&step, NULL);
    }
    if (fd >= 0 && fcntl(fd, F_SETFL, flags & O_APPEND) != 0)
        return fail(fd, errno), NULL;
    FILE *f = fd < 0 ? NULL : fdopen(fd, mode);
    if (!f)
        fail(fd, errno);
    return f;
}

FILE *file_create(const char *path)
{
    if (strcmp(path, "-") == 0) {
        fflush(NULL); /* what is printed so far comes before */
        int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        return fd < 0 ? NULL : fdopen(fd, "w");
    }
    return writable(path, O_TRUNC, "w");
}

FILE *file_append(const char *path)
{
    return writable(path, O_APPEND, "a");
}

bool file_plain_name(const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+,@%=-";
    return *name && *name != '-' && !name[strspn(name, plain)];
}

const char *file_error(int e)
{
    return e == NOT_A_FILE ? "It is a pipe or a device, and a file is expected"
           : e == ENXIO    ? "It is a pipe that nobody reads"
                           : strerror(e);
}

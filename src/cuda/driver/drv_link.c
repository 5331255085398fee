/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: JIT options and the linker (cuLink).
 *
 * Options that ask for other machine code (registers, optimisation, target, caching, line information ...) change nothing that can be seen
 * here and are accepted; the buffers for messages and the time are filled as documented.
 * Linking gathers PTX and hands out PTX as the "cubin": cuModuleLoadData takes it, and a program can only pass it on.  Machine code
 * cannot be linked and is refused by name.
 * libcudadevrt.a is not read and need not be there: the emulator has its functions (emu/core/devrt.def), and those of the grid's barrier, which
 * wait, are a text of ours (link_grid.c). */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/link_grid.h"
#include "cuda/image/relfatbin.h"
#include "ptx/link.h"
#include "sass/fatbin.h"

enum { /* CUjit_option */
       JIT_WALL_TIME       = 2,
       JIT_INFO_LOG        = 3,
       JIT_INFO_LOG_BYTES  = 4,
       JIT_ERROR_LOG       = 5,
       JIT_ERROR_LOG_BYTES = 6
};
enum { /* CUjitInputType */
       INPUT_CUBIN,
       INPUT_PTX,
       INPUT_FATBINARY,
       INPUT_OBJECT,
       INPUT_LIBRARY,
       INPUT_NVVM,
       INPUTS
};
enum { ARCH = 90 };

/* ---- options ---- */

JitLog jit_log(unsigned n, const int *options, void **values)
{
    JitLog log = {0};
    for (unsigned i = 0; options && values && i < n; i++)
        switch (options[i]) {
        case JIT_WALL_TIME: log.wall_time = &values[i]; break;
        case JIT_INFO_LOG: log.text[0] = values[i]; break;
        case JIT_INFO_LOG_BYTES: log.size[0] = &values[i]; break;
        case JIT_ERROR_LOG: log.text[1] = values[i]; break;
        case JIT_ERROR_LOG_BYTES: log.size[1] = &values[i]; break;
        default: break;
        }
    return log;
}

void jit_log_end(const JitLog *log, const Str *why)
{
    static const float no_time = 0;
    if (log->wall_time)
        memcpy(log->wall_time, &no_time, sizeof no_time); /* the option is the value itself, a float */
    for (int i = 0; i < 2; i++) {
        const char *text = i ? str_text(why) : "";
        size_t      room = log->size[i] ? (size_t)(unsigned)(uintptr_t)*log->size[i] : 0, n = strlen(text);
        if (log->text[i] && room) {
            n = n < room ? n : room - 1;
            memcpy(log->text[i], text, n);
            log->text[i][n] = 0;
        }
        if (log->size[i])
            *log->size[i] = (void *)(uintptr_t)(log->text[i] && room ? n : 0);
    }
}

/* ---- linking ---- */

typedef struct Linked { /* CUlinkState */
    JitLog         log;
    Str           *text, *name;
    size_t         n;
    bool           devrt; /* libcudadevrt.a was added */
    Str            out;
    struct Linked *next;
} Linked;

static Linked *linkers;

static bool known(const Linked *l)
{
    for (const Linked *k = linkers; k; k = k->next)
        if (k == l)
            return true;
    return false;
}

CuErr drv_cuLinkCreate_v2(unsigned n, int *options, void **values, Linked **out)
{
    ENTER_CTX();
    if (!out)
        return cudaErrorInvalidValue;
    Linked *l = xcalloc(1, sizeof *l);
    l->log    = jit_log(n, options, values);
    l->next   = linkers;
    linkers   = l;
    *out      = l;
    return cudaSuccess;
}

static void add_text(Linked *l, const char *name, Str text)
{
    l->text       = xrealloc(l->text, (l->n + 1) * sizeof *l->text);
    l->name       = xrealloc(l->name, (l->n + 1) * sizeof *l->name);
    l->text[l->n] = text;
    l->name[l->n] = (Str){0};
    str_add(&l->name[l->n++], name);
}

static CuErr refuse(const Linked *l, CuErr e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static CuErr refuse(const Linked *l, CuErr e, const char *fmt, ...)
{
    va_list ap;
    Str     why = {0};
    va_start(ap, fmt);
    str_vprintf(&why, fmt, ap);
    va_end(ap);
    state_say("%s", str_text(&why));
    jit_log_end(&l->log, &why);
    str_free(&why);
    return e;
}

/* Everything that was added so far, to l->out.  What does not fit together stays an error. */
static CuErr link_all(Linked *l, Str *why)
{
    static const char nothing[] = ".version 7.0\n.target sm_70\n.address_size 64\n";
    LinkInput        *in        = xcalloc(l->n + 2, sizeof *in);
    size_t            n         = l->n;
    bool              waits     = false;
    for (size_t i = 0; i < l->n; i++) {
        in[i] = (LinkInput){str_text(&l->name[i]), str_text(&l->text[i]), l->text[i].len};
        waits |= strstr(str_text(&l->text[i]), "cudaCG") != NULL;
    }
    if (!n)
        in[n++] = (LinkInput){"<nothing>", nothing, sizeof nothing - 1};
    if (l->devrt && waits)
        in[n++] = (LinkInput){"libcudadevrt.a", link_grid, strlen(link_grid)};
    str_clear(&l->out);
    Status s = ptx_link(in, n, &l->out, why);
    free(in);
    if (s != WW_OK)
        state_say("cuLink: %s", str_text(why));
    return s == WW_OK ? cudaSuccess : cudaErrorInvalidSource;
}

static CuErr add(Linked *l, int type, const void *data, size_t bytes, const char *name)
{
    Str    text = {0}, why = {0};
    Status s = WW_OK;
    name     = name && *name ? name : "<input>";
    if (type == INPUT_PTX) {
        str_addn(&text, data, strnlen(data, bytes));
    } else if (type == INPUT_FATBINARY) {
        s = fatbin_ptx(data, bytes, ARCH, &text, &why);
    } else if (type == INPUT_OBJECT || type == INPUT_LIBRARY) {
        s = relfatbin_memory(data, bytes, ARCH, &text, &why);
        if (s == WW_ERR_NOT_FOUND)
            str_printf(&why, "no relocatable PTX in it");
    } else {
        return refuse(l, type == INPUT_CUBIN ? cudaErrorNoKernelImageForDevice : cudaErrorNotSupported,
                      "cuLinkAdd: %s is %s; only PTX can be linked", name,
                      type == INPUT_CUBIN ? "machine code" : "NVVM code");
    }
    CuErr e = cudaSuccess;
    if (s == WW_OK && type == INPUT_PTX && !image_begins_as_ptx(str_text(&text))) {
        s = WW_ERR_INVALID;
        str_add(&why, "it is not PTX, which begins with .version");
    }
    if (s == WW_OK) {
        add_text(l, name, text);
        e = l->n > 1 ? link_all(l, &why) : e;
    } else
        e = refuse(l, s == WW_ERR_NOT_FOUND ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidKernelImage,
                   "cuLinkAdd: %s: %s", name, str_text(&why));
    str_free(&why);
    return e;
}

CuErr drv_cuLinkAddData_v2(Linked *l, int type, const void *data, size_t bytes, const char *name, unsigned n,
                           int *options, void **values)
{
    (void)n, (void)options, (void)values;
    ENTER_CTX();
    if (!known(l))
        return cudaErrorInvalidResourceHandle;
    return !data || !bytes || type < 0 || type >= INPUTS ? cudaErrorInvalidValue : add(l, type, data, bytes, name);
}

CuErr drv_cuLinkAddFile_v2(Linked *l, int type, const char *path, unsigned n, int *options, void **values)
{
    (void)n, (void)options, (void)values;
    ENTER_CTX();
    if (!known(l))
        return cudaErrorInvalidResourceHandle;
    if (!path || type < 0 || type >= INPUTS)
        return cudaErrorInvalidValue;
    Str         data = {0}, why = {0};
    const char *base = strrchr(path, '/');
    CuErr       e    = cudaSuccess;
    if (!strcmp(base ? base + 1 : path, "libcudadevrt.a")) {
        l->devrt = true;
        e        = l->n ? link_all(l, &why) : e;
    } else {
        e = driver_read_file(path, &data);
        if (e == cudaSuccess)
            e = add(l, type, str_text(&data), data.len, path);
    }
    str_free(&data);
    str_free(&why);
    return e;
}

CuErr drv_cuLinkComplete(Linked *l, void **out, size_t *bytes)
{
    ENTER_CTX();
    if (!known(l))
        return cudaErrorInvalidResourceHandle;
    Str    why = {0};
    Image *i;
    CuErr  e = link_all(l, &why);
    if (e == cudaSuccess && (e = driver_load(&i, str_text(&l->out), l->out.len, false, &why)) == cudaSuccess)
        image_free(i); /* it was only to find errors now */
    jit_log_end(&l->log, &why);
    str_free(&why);
    if (e != cudaSuccess)
        return e;
    if (out)
        *out = l->out.s;
    if (bytes)
        *bytes = l->out.len + 1;
    return cudaSuccess;
}

CuErr drv_cuLinkDestroy(Linked *l)
{
    ENTER_CTX();
    if (!known(l))
        return cudaErrorInvalidResourceHandle;
    for (Linked **at = &linkers; *at; at = &(*at)->next)
        if (*at == l) {
            *at = l->next;
            break;
        }
    for (size_t i = 0; i < l->n; i++) {
        str_free(&l->text[i]);
        str_free(&l->name[i]);
    }
    free(l->text);
    free(l->name);
    str_free(&l->out);
    free(l);
    return cudaSuccess;
}

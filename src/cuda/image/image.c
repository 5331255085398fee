/* SPDX-License-Identifier: Apache-2.0
 *
 * Images are decoded when the first of their kernels or variables is needed, so that registering a large program costs
 * nothing.  The PTX for the newest architecture up to the device's own is taken.  A failed image keeps its error and
 * says once why.  Handles are the addresses of Kernel objects; handles and stubs are found through one hash of host
 * addresses, so a made-up handle is an error; so are images. */
#include "cuda/image/image.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "cuda/image/code.h"
#include "cuda/image/relfatbin.h"
#include "cuda/memory/devmem.h"
#include "sass/cubin.h"
#include "sass/fatbin.h"

enum { ARCH = 90, NEWEST = 999 };

typedef struct Named { /* a host address the program knows something by */
    const void    *host;
    Kernel        *kernel;
    Symbol        *symbol;
    bool           image; /* it is an image itself */
    UT_hash_handle hh;
} Named;

static Named *table;

static Named *named(const void *host)
{
    Named *n;
    HASH_FIND_PTR(table, &host, n);
    return n;
}

static Named *name_it(const void *host)
{
    Named *n = named(host);
    if (!n) {
        n       = xcalloc(1, sizeof *n);
        n->host = host;
        HASH_ADD_PTR(table, host, n);
    }
    return n;
}

static void forget(const void *host)
{
    Named *n = named(host);
    if (n)
        HASH_DEL(table, n);
    free(n);
}

static char *copy(const char *s, size_t n)
{
    char *p = xmalloc(n + 1);
    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

/* ---- images ---- */

Image *image_new(const void *fatbin, const char *ptx, size_t len, const char *name)
{
    Image *i = xcalloc(1, sizeof *i);
    i->data  = fatbin;
    i->limit = SIZE_MAX;
    i->name  = copy(name, strlen(name));

    name_it(i)->image = true;
    if (ptx)
        str_addn(&i->ptx, ptx, len);
    return i;
}

bool image_registered(const Image *i)
{
    const Named *n = named(i);
    return n && n->image;
}

bool image_known(const Image *i)
{
    const Named *n = named(i);
    return n && n->image && i->loaded && !context_destroyed(i->context);
}

void image_forget(Image *i)
{
    forget(i);
    for (Kernel *k = i->kernels; k; k = k->next)
        if (forget(k), k->host)
            forget(k->host);
    for (Symbol *s = i->symbols; s; s = s->next)
        if (s->host)
            forget(s->host);
}

static void drop_variables(WwDevice *d, WwModule *m)
{
    for (size_t v = 0; v < m->ptx->nvars; v++) {
        WwPtr        at = 0;
        const Range *r  = ww_module_variable(d, m, m->ptx->vars[v]->name, &at, NULL) == WW_OK ? devmem_range(at) : NULL;
        if (r && r->variable && r->base == at)
            devmem_drop(at);
    }
}

static void kernel_free(Kernel *k)
{
    free(k->name);
    free(k->shown);
    free(k->stateful);
    free(k);
}

void kernel_hold(Kernel *k)
{
    k->nodes++;
}

void kernel_let_go(Kernel *k)
{
    if (--k->nodes == 0 && !k->image)
        kernel_free(k);
}

void image_free(Image *i)
{
    image_forget(i);
    for (int n = 0; n < MAX_DEVICES; n++) {
        if (!i->on[n])
            continue;
        drop_variables(state.device[n], i->on[n]);
        ww_module_unload(state.device[n], i->on[n]);
    }
    for (Kernel *k = i->kernels, *next; k; k = next) {
        next     = k->next;
        k->image = NULL;
        if (!k->nodes)
            kernel_free(k);
    }
    for (Symbol *s = i->symbols, *next; s; s = next) {
        next = s->next;
        free(s->name);
        free(s);
    }
    str_free(&i->ptx);
    str_free(&i->why);
    free(i->own);
    free(i->name);
    free(i);
}

void image_end_context(const Context *c)
{
    Named *n, *next;
    HASH_ITER(hh, table, n, next)
    {
        Image *i = n->image ? (Image *)(uintptr_t)n->host : NULL;
        if (!i || i->context != c)
            continue;
        for (int d = 0; d < MAX_DEVICES; d++) {
            if (!i->on[d])
                continue;
            drop_variables(state.device[d], i->on[d]);
            ww_module_unload(state.device[d], i->on[d]);
            i->on[d]        = NULL;
            i->code_read[d] = false;
            for (Kernel *k = i->kernels; k; k = k->next) {
                k->func[d] = NULL;
                k->code[d] = (struct KernelCode){0};
            }
        }
    }
}

static CuErr fatbin_error(Status s)
{
    return s == WW_ERR_NOT_FOUND     ? cudaErrorNoKernelImageForDevice
           : s == WW_ERR_UNAVAILABLE ? cudaErrorNotSupported
                                     : cudaErrorInvalidKernelImage;
}

/* Of a fat binary with machine code alone. */
static Status extract_code(const Image *i, unsigned arch, Str *ptx, Str *why)
{
    Str    code = {0};
    Status s    = fatbin_code(i->data, i->limit, arch, &code) ? code_ptx(code.s, code.len, ptx, why) : WW_ERR_NOT_FOUND;
    str_free(&code);
    return s;
}

/* In this order: PTX; PTX that waits for a link; the PTX that machine code was made from.  *why is the first's message if there is none. */
static Status extract_for(Image *i, unsigned arch, Str *why)
{
    Str    other = {0};
    Status s     = fatbin_ptx(i->data, i->limit, arch, &i->ptx, why);
    if (s != WW_ERR_NOT_FOUND)
        return s;
    Status r = relfatbin_ptx(i->data, arch, &i->ptx, &other);
    if (r == WW_ERR_NOT_FOUND) {
        str_clear(&other);
        r = extract_code(i, arch, &i->ptx, &other);
    }
    if (r == WW_ERR_NOT_FOUND) {
        str_free(&other);
        return s;
    }
    str_free(why);
    *why = other;
    return r;
}

/* What the profile's card would take.  Where that has nothing to run, what there is runs all the same: a profile sets limits, and the
 * instruction set stays. */
static CuErr extract(Image *i)
{
    Str      why = {0};
    unsigned own = state_limits().cc < ARCH ? state_limits().cc : ARCH;
    Status   s   = extract_for(i, own, &why);
    if (s == WW_ERR_NOT_FOUND && own < ARCH) {
        str_clear(&why);
        s = extract_for(i, ARCH, &why);
    }
    Str code = {0}, newer = {0};
    if (s == WW_ERR_NOT_FOUND && fatbin_code(i->data, i->limit, ARCH, &code)) {
        /* the card would run this machine code; PTX for later cards says the same, if it uses nothing that is theirs alone */
        if (fatbin_ptx(i->data, i->limit, NEWEST, &i->ptx, &newer) == WW_OK) {
            str_clear(&why);
            s = WW_OK;
        }
    }
    str_free(&code);
    str_free(&newer);
    if (s != WW_OK) /* there is no text that places could be of: the message is the program's, not that of i->name */
        state_say("%.*s: %s", (int)(strlen(i->name) - strlen(".ptx")), i->name, str_text(&why));
    str_free(&i->why);
    i->why = why;
    return s == WW_OK ? cudaSuccess : fatbin_error(s);
}

/* What the program's own machine code says of its kernels; once. */
static void read_code(Image *i, int n)
{
    WwDevice *d    = state.device[n];
    WwModule *m    = i->on[n];
    Str       code = {0}, why = {0};
    Cubin    *c    = NULL;
    unsigned  arch = emulator_arch(d);
    if (!i->code_read[n] && i->data && fatbin_code(i->data, i->limit, arch, &code) &&
        cubin_open(code.s, code.len, &c, &why) == WW_OK) {
        for (size_t k = 0; k < c->funcs; k++)
            if (c->func[k].registers)
                emulator_resources_are(d, m, c->func[k].name, c->func[k].registers, c->func[k].stack);
        if (state.options.time)
            (void)emulator_code_is(d, m, code.s, code.len); /* else the assembler's at hand */
    }
    i->code_read[n] = true;
    cubin_free(c);
    str_free(&why);
    str_free(&code);
}

bool image_begins_as_ptx(const char *s)
{
    for (;;) {
        s += strspn(s, " \t\r\n");
        if (s[0] == '/' && s[1] == '/')
            s += strcspn(s, "\n");
        else if (s[0] == '/' && s[1] == '*' && strstr(s + 2, "*/"))
            s = strstr(s + 2, "*/") + 2;
        else
            return !strncmp(s, ".version", 8);
    }
}

/* What the driver's compiler refuses of a text, though it can be read. */
static CuErr too_new(const Module *m, Str *why)
{
    enum { LATEST = 9 }; /* version 9.0 came with CUDA 13.0 */
    if (m->version_major > LATEST || (m->version_major == LATEST && m->version_minor > 0)) {
        str_printf(why, "%s: PTX %u.%u is newer than the driver, which takes up to %d.0", m->name, m->version_major,
                   m->version_minor, LATEST);
        return cudaErrorUnsupportedPtxVersion;
    }
    if (m->sm > ARCH)
        str_printf(why, "%s: %s is not for this device, which is sm_%d", m->name, m->target, ARCH);
    return m->sm > ARCH ? cudaErrorInvalidPtx : cudaSuccess;
}

WwModule *image_module(Image *i, int n, CuErr *err)
{
    WwDevice *d = state_device(n, err);
    if (!d || i->on[n])
        return d ? i->on[n] : NULL;
    if (i->failed == cudaSuccess && !i->ptx.len)
        i->failed = extract(i);
    if (i->failed == cudaSuccess && !i->data && !image_begins_as_ptx(str_text(&i->ptx))) {
        str_add(&i->why, "what was loaded is neither PTX, which begins with .version, nor a fat binary");
        state_say("%s", str_text(&i->why));
        i->failed = cudaErrorInvalidKernelImage;
    }
    if (i->failed == cudaSuccess) {
        /* nvcc made what a fat binary holds: mistakes in a body may wait for its first use */
        Status s = device_load(
            d, &(DeviceText){i->name, str_text(&i->ptx), i->ptx.len, .bodies_later = i->data != NULL}, &i->on[n]);
        if (s != WW_OK) {
            i->failed = s == WW_ERR_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidPtx;
            str_add(&i->why, ww_device_error(d));
        } else {
            i->failed = i->data ? cudaSuccess : too_new(i->on[n]->ptx, &i->why);
        }
        if (i->failed != cudaSuccess) {
            state_say("%s", str_text(&i->why));
            ww_module_unload(d, i->on[n]);
            i->on[n] = NULL;
        } else if (state.options.time || emulator_assembles(d)) { /* else when somebody asks */
            read_code(i, n);
        }
    }
    *err = i->failed;
    return i->on[n];
}

/* ---- kernels ---- */

Kernel *image_add_kernel(Image *i, const char *name, const void *host)
{
    Kernel *k          = xcalloc(1, sizeof *k);
    k->image           = i;
    k->name            = copy(name, strlen(name));
    k->host            = host;
    k->carveout        = -1;
    k->max_dynamic     = -1;
    k->next            = i->kernels;
    i->kernels         = k;
    name_it(k)->kernel = k;
    if (host)
        name_it(host)->kernel = k;
    return k;
}

const char *kernel_shown(Kernel *k)
{
    if (!k->shown)
        k->shown = mangled_text(k->name);
    return k->shown;
}

Kernel *image_kernel(Image *i, const char *name, CuErr *err)
{
    WwModule *m = image_module(i, state_current(), err);
    if (!m)
        return NULL;
    for (Kernel *k = i->kernels; k; k = k->next)
        if (!strcmp(k->name, name))
            return k;
    for (size_t j = 0; j < ww_module_kernel_count(m); j++)
        if (!strcmp(ww_module_kernel_name(m, j), name))
            return image_add_kernel(i, name, NULL);
    *err = cudaErrorSymbolNotFound;
    return NULL;
}

CuErr image_kernels(Image *i, Kernel **list, size_t n, size_t *count)
{
    CuErr     e;
    WwModule *m = image_module(i, state_current(), &e);
    if (!m)
        return e;
    *count = ww_module_kernel_count(m);
    for (size_t j = 0; list && j < n && j < *count; j++)
        list[j] = image_kernel(i, ww_module_kernel_name(m, j), &e);
    return e;
}

Kernel *kernel_find(const void *host, CuErr *err)
{
    const Named *n = named(host);
    *err           = cudaSuccess;
    if (n && n->kernel && !context_destroyed(n->kernel->image->context))
        return n->kernel;
    *err = !host || state_before_13() ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
    return NULL;
}

const Func *kernel_func(Kernel *k, int n, WwModule **module, CuErr *err)
{
    *err    = cudaErrorInvalidResourceHandle;
    *module = k->image ? image_module(k->image, n, err) : NULL;
    if (!*module || k->func[n])
        return *module ? k->func[n] : NULL;
    Status s = device_kernel(state.device[n], *module, k->name, &k->func[n]);
    *err     = s == WW_OK ? cudaSuccess : s == WW_ERR_PARSE ? cudaErrorInvalidPtx : cudaErrorInvalidDeviceFunction;
    if (s == WW_ERR_PARSE)
        state_say("%s", ww_device_error(state.device[n]));
    return k->func[n];
}

bool kernel_resources(Kernel *k, int n, unsigned *registers, unsigned *stack)
{
    struct KernelCode *c = &k->code[n];
    if (!k->image || !k->image->on[n] || !k->func[n])
        return false;
    if (!c->asked) {
        read_code(k->image, n);
        c->known = emulator_resources_known(state.device[n], k->image->on[n], k->func[n], &c->registers, &c->stack);
        c->asked = true;
    }
    if (c->known) {
        *registers = c->registers;
        *stack     = c->stack;
    }
    return c->known;
}

/* ---- variables ---- */

Symbol *image_add_symbol(Image *i, const char *name, const void *host, size_t bytes, void **managed)
{
    Symbol *s             = xcalloc(1, sizeof *s);
    s->image              = i;
    s->name               = copy(name, strlen(name));
    s->host               = host;
    s->bytes              = bytes;
    s->managed            = managed;
    s->next               = i->symbols;
    i->symbols            = s;
    name_it(host)->symbol = s;
    return s;
}

Symbol *symbol_find(const void *host)
{
    const Named *n = named(host);
    return n ? n->symbol : NULL;
}

CuErr image_variable(Image *i, int n, const char *name, WwPtr *address, size_t *bytes)
{
    CuErr     err;
    WwModule *m = image_module(i, n, &err);
    if (!m)
        return err;
    if (ww_module_variable(state.device[n], m, name, address, bytes) != WW_OK)
        return cudaErrorSymbolNotFound;
    if (!devmem_range(*address))
        devmem_note((Range){.base = *address, .bytes = *bytes, .kind = MEMORY_DEVICE, .device = n, .variable = true});
    return cudaSuccess;
}

CuErr image_place_managed(Image *i)
{
    for (Symbol *s = i->symbols; s; s = s->next) {
        WwPtr  address = 0;
        size_t bytes   = 0;
        if (!s->managed || *s->managed)
            continue;
        CuErr e = image_variable(i, state_current(), s->name, &address, &bytes);
        if (e != cudaSuccess)
            return e;
        *s->managed = (void *)(uintptr_t)address;
        devmem_note((Range){
            .base = address, .bytes = bytes, .kind = MEMORY_MANAGED, .device = state_current(), .variable = true});
    }
    return cudaSuccess;
}

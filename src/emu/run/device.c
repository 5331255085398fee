/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator's devices and modules: choice of the SIMD level, module variables in device memory with their initial values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/simd.h"
#include "emu/core/builtin.h"
#include "emu/core/frame.h"
#include "emu/core/run.h"
#include "emu/jit/jit.h"

static const uint64_t HEAP_BYTES = UINT64_C(8) << 20; /* device-side malloc: the driver's default */
enum {
    PARAM_BYTES = 32764,   /* the largest parameter block that the driver takes */
    STACK_BYTES = 64 << 10 /* of a thread whose depth of calls is not known; a driver begins with 1 KiB */
};

/* ---- SIMD levels ---- */

typedef struct Level {
    const char *name;
    const ExecTable *(*table)(void);
} Level;

#define DECLARE(level) const ExecTable *exec_table_##level(void);
#if defined(WW_HAVE_avx512)
DECLARE(avx512)
#endif
#if defined(WW_HAVE_avx2)
DECLARE(avx2)
#endif
#if defined(WW_HAVE_baseline)
DECLARE(baseline)
#endif

static const Level levels[] = {
#if defined(WW_HAVE_avx512)
    {"avx512", exec_table_avx512},
#endif
#if defined(WW_HAVE_avx2)
    {"avx2", exec_table_avx2},
#endif
#if defined(WW_HAVE_baseline)
    {"baseline", exec_table_baseline},
#endif
};

static bool allowed(const Level *l)
{
    return simd_named(l->name) <= simd_best();
}

const char *emu_simd_level(unsigned i)
{
    for (size_t j = 0; j < sizeof levels / sizeof *levels; j++)
        if (allowed(&levels[j]) && i-- == 0)
            return levels[j].name;
    return NULL;
}

const ExecTable *emu_exec_table(const char *name)
{
    for (size_t j = 0; j < sizeof levels / sizeof *levels; j++)
        if (allowed(&levels[j]) && (!name || strcmp(name, levels[j].name) == 0))
            return levels[j].table();
    return NULL;
}

/* ---- devices ---- */

Status emu_open(const EmuOptions *o, EmuDevice **out)
{
    static const EmuOptions none;
    o    = o ? o : &none;
    *out = NULL;
    if (simd_misnamed())
        return WW_ERR_INVALID;
    const ExecTable *exec = emu_exec_table(o->simd);
    if (!exec)
        return WW_ERR_UNAVAILABLE;
    EmuDevice *d      = xcalloc(1, sizeof *d);
    long       cores  = sysconf(_SC_NPROCESSORS_ONLN);
    d->exec           = exec;
    d->ctl            = ctl_handlers;
    d->seed           = o->seed;
    d->async          = o->async;
    d->engine         = o->engine;
    d->limits         = o->limits ? *o->limits : limits_of(NULL);
    d->threads        = o->threads ? o->threads : cores > 0 ? (unsigned)cores : 1;
    d->stack_bytes    = STACK_BYTES;
    Status s          = memory_open(&d->mem, o->memory ? o->memory : (uint64_t)d->limits.card->memory_mib << 20);
    d->mem.heap_bytes = HEAP_BYTES;
    if (s == WW_OK)
        s = memory_alloc(&d->mem, PARAM_BYTES, 256, ALLOC_PARAM, NULL, &d->param_base);
    if (s != WW_OK) {
        emu_close(d);
        return s;
    }
    *out = d;
    return WW_OK;
}

void emu_close(EmuDevice *d)
{
    if (!d)
        return;
    memory_close(&d->mem);
    for (size_t i = 0; i < d->ntextures; i++)
        free(d->textures[i]);
    free(d->textures);
    free(d);
}

const char *emu_native_missing(void)
{
    return jit_missing(emu_simd_level(0));
}

const char *emu_simd(const EmuDevice *d)
{
    return d->exec->level;
}

Status emu_alloc(EmuDevice *d, uint64_t bytes, uint64_t align, uint64_t *address)
{
    return memory_alloc(&d->mem, bytes, align, ALLOC_USER, NULL, address);
}

Status emu_free(EmuDevice *d, uint64_t address)
{
    Alloc        tmp;
    const Alloc *a = memory_find(&d->mem, address, &tmp);
    if (!a || a->kind != ALLOC_USER || a->base != address)
        return WW_ERR_INVALID;
    return memory_free(&d->mem, address);
}

void emu_reserved(const EmuDevice *d, uint64_t *base, uint64_t *bytes, uint64_t *used)
{
    *base  = d->mem.base;
    *bytes = d->mem.size;
    *used  = d->mem.top - d->mem.base;
}

void emu_keep_apart(EmuDevice *d)
{
    d->mem.apart = true;
}

void emu_heap(const EmuDevice *d, uint64_t *base, uint64_t *bytes)
{
    *base  = d->mem.heap_base;
    *bytes = d->mem.heap_bytes;
}

static Status place_heap(EmuDevice *d)
{
    return memory_alloc(&d->mem, d->mem.heap_bytes, 4096, ALLOC_HEAP, NULL, &d->mem.heap_base);
}

Status emu_set_heap(EmuDevice *d, uint64_t bytes)
{
    if (d->mem.heap_serial)
        return WW_ERR_INVALID;
    if (d->mem.heap_bytes == bytes)
        return WW_OK;
    if (bytes > d->mem.size - d->mem.used)
        return WW_ERR_NO_MEMORY;
    d->mem.heap_bytes = bytes;
    if (!d->mem.heap_base)
        return WW_OK;
    memory_free(&d->mem, d->mem.heap_base);
    d->mem.heap_base = 0;
    return place_heap(d);
}

void emu_set_stack(EmuDevice *d, uint32_t bytes)
{
    d->stack_bytes = bytes > STACK_BYTES ? bytes : STACK_BYTES;
}

void emu_reset_limits(EmuDevice *d)
{
    d->stack_bytes = STACK_BYTES;
    d->mem.nheap = d->mem.heap_next = d->mem.heap_serial = 0;
    emu_set_heap(d, HEAP_BYTES);
}

void emu_heap_used(EmuDevice *d, uint64_t *blocks, uint64_t *bytes)
{
    *blocks = d->mem.nheap;
    *bytes  = 0;
    for (size_t i = 0; i < d->mem.nheap; i++)
        *bytes += d->mem.heap[i].bytes;
}

void emu_name(EmuDevice *d, uint64_t address, const char *name)
{
    memory_name(&d->mem, address, name);
}

void emu_rest(EmuDevice *d, uint64_t address, bool rests)
{
    memory_rest(&d->mem, address, rests);
}

Status emu_adopt(EmuDevice *d, uint64_t address, uint64_t bytes)
{
    return memory_adopt(&d->mem, address, bytes);
}

Status emu_disown(EmuDevice *d, uint64_t address)
{
    Alloc        tmp;
    const Alloc *a = memory_find(&d->mem, address, &tmp);
    return a && a->kind == ALLOC_FOREIGN && a->base == address ? memory_free(&d->mem, address) : WW_ERR_INVALID;
}

void emu_reserve(EmuDevice *d, uint64_t address, uint64_t bytes, bool mapped)
{
    memory_reserve(&d->mem, address, bytes, mapped);
}

void emu_unreserve(EmuDevice *d, uint64_t address, uint64_t bytes)
{
    memory_unreserve(&d->mem, address, bytes);
}

void emu_multicast_map(EmuDevice *d, uint64_t address, uint64_t bytes, const Multicast *object, uint64_t offset)
{
    memory_window_add(&d->mem, (MulticastWindow){.base = address, .bytes = bytes, .offset = offset, .object = object});
}

void emu_multicast_unmap(EmuDevice *d, uint64_t address)
{
    memory_window_drop(&d->mem, address);
}

Status emu_range(EmuDevice *d, uint64_t address, uint64_t bytes, const char **why)
{
    Alloc        tmp;
    const Alloc *a = memory_find(&d->mem, address, &tmp);
    if (bytes == 0 || (a && bytes <= a->base + a->bytes - address))
        return WW_OK;
    memory_explain(&d->mem, address, bytes, d->why, sizeof d->why);
    *why = d->why;
    return WW_ERR_INVALID;
}

bool emu_find(EmuDevice *d, uint64_t address, uint64_t *base, uint64_t *bytes, const char **name)
{
    Alloc        tmp;
    const Alloc *a = memory_find(&d->mem, address, &tmp);
    if (!a)
        return false;
    *base  = a->base;
    *bytes = a->bytes;
    *name  = a->name;
    return true;
}

void *emu_host(EmuDevice *d, uint64_t address)
{
    (void)d;
    return (void *)(uintptr_t)address;
}

void emu_clear(EmuDevice *d, uint64_t address, uint64_t bytes)
{
    (void)d;
    memory_clear(address, bytes);
}

/* ---- modules ---- */

static bool lives_in_memory(const Var *v)
{
    return (v->space == SPACE_GLOBAL || v->space == SPACE_CONST) && v->bytes > 0;
}

static Status place_variables(EmuModule *em)
{
    const Module *m = em->ptx;
    for (size_t i = 0; i < m->nvars; i++) {
        const Var *v = m->vars[i];
        if (!lives_in_memory(v))
            continue;
        AllocKind kind = v->space == SPACE_CONST ? ALLOC_CONST_VAR : ALLOC_GLOBAL_VAR;
        TRY(memory_alloc(&em->dev->mem, v->bytes, v->align, kind, v->name, &em->var_address[i]));
        memory_zero(em->var_address[i], v->bytes);
        if (v->init)
            memcpy((void *)(uintptr_t)em->var_address[i], v->init, v->init_bytes < v->bytes ? v->init_bytes : v->bytes);
    }
    return WW_OK;
}

static void apply_relocs(EmuModule *em)
{
    const Module *m = em->ptx;
    for (size_t i = 0; i < m->nvars; i++)
        for (size_t j = 0; j < m->vars[i]->nrelocs && em->var_address[i]; j++) {
            const Reloc *r     = &m->vars[i]->relocs[j];
            uint64_t     value = r->func ? CODE_WINDOW + 16 * (uint64_t)r->func->index : em->var_address[r->var->index];
            value              = (value + (uint64_t)r->addend) >> r->shift;
            memcpy((void *)(uintptr_t)(em->var_address[i] + r->offset), &value, r->bytes);
        }
}

static bool needs_heap(const Module *m)
{
    for (size_t i = 0; i < m->nfuncs; i++)
        if (!m->funcs[i]->has_body && builtin_find(m->funcs[i]->name) >= BUILTIN_MALLOC)
            return true;
    return false;
}

Status emu_module_load(EmuDevice *d, Module *m, EmuModule **out, const char **why)
{
    EmuModule *em   = xcalloc(1, sizeof *em);
    em->dev         = d;
    em->ptx         = m;
    em->var_address = xcalloc(m->nvars, sizeof *em->var_address);
    *out            = NULL;
    Status s        = place_variables(em);
    if (s == WW_OK && needs_heap(m) && !d->mem.heap_base)
        s = place_heap(d);
    if (s != WW_OK) {
        snprintf(d->why, sizeof d->why, "the module's variables do not fit into device memory");
        *why = d->why;
        emu_module_unload(d, em);
        return s;
    }
    apply_relocs(em);
    *out = em;
    return WW_OK;
}

void emu_module_unload(EmuDevice *d, EmuModule *em)
{
    if (!em)
        return;
    for (size_t i = 0; i < em->ptx->nvars; i++)
        if (em->var_address[i])
            memory_free(&d->mem, em->var_address[i]);
    for (Program *p = em->programs, *next; p; p = next) {
        next = p->next;
        frames_drop(d, p);
        jit_free(p);
        program_free(p);
    }
    memory_forget_names(&d->mem);
    ptx_module_free(em->ptx);
    free(em->var_address);
    free(em);
}

const Module *emu_module_ptx(const EmuModule *em)
{
    return em->ptx;
}

uint64_t emu_module_variable(const EmuModule *em, const char *name, uint64_t *bytes)
{
    const Var *v = ptx_find_var(em->ptx, name);
    if (!v || !em->var_address[v->index])
        return 0;
    *bytes = v->bytes;
    return em->var_address[v->index];
}

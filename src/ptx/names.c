/* SPDX-License-Identifier: Apache-2.0
 *
 * Intern table: a multiplicative hash of the text, open addressing, at most half full.  Names live in the module's arena (functions,
 * registers and labels point at their texts), bindings in the parser's scratch arena. */
#include "ptx/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/stress.h"

void names_init(Names *n, Arena *arena, Arena *scratch)
{
    *n      = (Names){.arena = arena, .scratch = scratch, .nslots = STRESSED(1024, 2)};
    n->slot = xcalloc(n->nslots, sizeof *n->slot);
}

void names_free(Names *n)
{
    free(n->slot);
    free(n->bound);
    free(n->scope);
}

static void grow(Names *n)
{
    size_t size = n->nslots * 2, mask = size - 1;
    Name **slot = xcalloc(size, sizeof *slot);
    for (size_t i = 0; i < n->nslots; i++) {
        Name *name = n->slot[i];
        if (!name)
            continue;
        size_t at = name->hash & mask;
        while (slot[at])
            at = (at + 1) & mask;
        slot[at] = name;
    }
    free(n->slot);
    n->slot   = slot;
    n->nslots = size;
}

/* Eight bytes a step, the rest in a last one. */
static uint32_t hash_text(const char *s, size_t len)
{
    const uint64_t k = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t       h = len * k, w = 0;
    for (size_t i = 8; i <= len; i += 8) {
        memcpy(&w, s + i - 8, 8);
        h = (h ^ w) * k;
        h ^= h >> 32;
    }
    w = 0;
    memcpy(&w, s + (len & ~(size_t)7), len & 7);
    h = (h ^ w) * k;
    return (uint32_t)(h ^ h >> 32);
}

Name *names_intern(Names *n, const char *s, size_t len)
{
    uint32_t hash = hash_text(s, len);
    size_t   mask = n->nslots - 1, at = hash & mask;
    for (Name *name; (name = n->slot[at]); at = (at + 1) & mask)
        if (name->hash == hash && name->len == len && memcmp(name->text, s, len) == 0)
            return name;
    Name *name = arena_alloc_aligned(n->arena, sizeof *name + len + 1, _Alignof(Name));
    name->hash = hash;
    name->len  = (uint32_t)len;
    memcpy(name->text, s, len);
    n->slot[at] = name;
    if (++n->used * 2 > n->nslots)
        grow(n);
    return name;
}

Name *names_of(const char *text)
{
    return (Name *)(uintptr_t)(text - offsetof(Name, text));
}

void names_open(Names *n)
{
    if (n->depth == n->scope_cap) {
        n->scope_cap = n->scope_cap ? n->scope_cap * 2 : STRESSED(16, 1);
        n->scope     = xrealloc(n->scope, n->scope_cap * sizeof *n->scope);
    }
    n->scope[n->depth++] = n->nbound;
}

void names_close(Names *n)
{
    size_t from = n->scope[--n->depth];
    while (n->nbound > from) {
        Sym *sym       = n->bound[--n->nbound];
        sym->name->sym = sym->outer;
    }
}

Sym *names_bind(Names *n, Name *name, SymKind kind)
{
    if (name->sym && name->sym->depth == n->depth)
        return NULL;
    if (n->nbound == n->cap) {
        n->cap   = n->cap ? n->cap * 2 : STRESSED(256, 1);
        n->bound = xrealloc(n->bound, n->cap * sizeof *n->bound);
    }
    Sym *sym              = arena_alloc_aligned(n->scratch, sizeof *sym, _Alignof(Sym));
    sym->kind             = kind;
    sym->depth            = (uint32_t)n->depth;
    sym->name             = name;
    sym->outer            = name->sym;
    name->sym             = sym;
    n->bound[n->nbound++] = sym;
    return sym;
}

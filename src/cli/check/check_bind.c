/* SPDX-License-Identifier: Apache-2.0
 *
 * Do the arguments of a launch fit the kernel's parameters?  Sizes have to be equal; a buffer goes where eight bytes
 * are wanted, or by value into a structure of its size; a value of a floating-point type does not go where PTX says
 * integer, nor the other way round; and where the source says pointer, a value can only be 0.  Whether a buffer's
 * elements are of the type pointed to is not looked at: kernels reinterpret.  Types are told as the source has them
 * where the kernel's symbol holds them, else as PTX has them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "cli/check/check.h"

typedef struct Parameter {
    size_t      bytes;
    const char *ptx;  /* "u64"; "b8": a structure */
    const char *text; /* "float const*", ".u64" */
    bool        told; /* text is the source's */
} Parameter;

static Parameter parameter(CheckPlan *p, const WwModule *m, size_t kernel, size_t i)
{
    char     *source = mangled_parameter(ww_module_kernel_name(m, kernel), i);
    Parameter q = {ww_module_kernel_arg_bytes(m, kernel, i), ww_module_kernel_arg_type(m, kernel, i), NULL, source};
    if (source)
        q.text = arena_strdup(p->arena, source);
    else if (!strcmp(q.ptx, "b8") && q.bytes > 1)
        q.text = arena_printf(p->arena, "structure of %zu bytes", q.bytes);
    else
        q.text = arena_printf(p->arena, ".%s", q.ptx);
    free(source);
    return q;
}

static void expectation(CheckPlan *p, const WwModule *m, size_t kernel, Str *out)
{
    size_t n    = ww_module_kernel_arg_count(m, kernel);
    char  *name = mangled_text(ww_module_kernel_name(m, kernel));
    str_printf(out, "kernel %s takes %zu argument%s", name, n, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++)
        str_printf(out, "%s%s", i ? ", " : ": ", parameter(p, m, kernel, i).text);
    free(name);
}

static bool is_pointer(const Parameter *q)
{
    return q->told && q->text[strlen(q->text) - 1] == '*';
}

static bool is_float(char kind)
{
    return kind == 'f' || kind == 'h' || kind == 'b';
}

/* What is wrong with a value for this parameter; NULL: nothing. */
static const char *value_fault(const Argument *a, const Parameter *q)
{
    char kind = q->ptx[0]; /* s, u, f; b: anything */
    if (a->type->bytes != q->bytes)
        return "of another size";
    if (is_pointer(q) && a->scalar)
        return "a value where a pointer to a buffer, NAME:TYPE[COUNT], is wanted";
    if ((kind == 'f' && !is_float(a->type->kind)) || ((kind == 's' || kind == 'u') && is_float(a->type->kind)))
        return "of another kind";
    return NULL;
}

/* A buffer is passed as a pointer, or by value where the parameter is a structure of exactly its size. */
static const char *buffer_fault(const Argument *a, const Parameter *q, bool *by_value)
{
    *by_value = q->bytes != 8 && a->count * a->type->bytes == q->bytes && a->data;
    return q->bytes == 8 || *by_value ? NULL : "a buffer, which is passed as a pointer of 8 bytes";
}

void **plan_bind(CheckPlan *p, const CheckedLaunch *l, const WwModule *m, size_t kernel, Str *why)
{
    size_t n    = ww_module_kernel_arg_count(m, kernel);
    void **args = xcalloc(n + 1, sizeof *args);
    Str    want = {0};
    bool   ok   = l->nargs == n;
    expectation(p, m, kernel, &want);
    if (!ok)
        str_printf(why, "%s; %zu %s given", str_text(&want), l->nargs, l->nargs == 1 ? "was" : "were");
    for (size_t i = 0; ok && i < n; i++) {
        Argument   *a        = &p->arg[l->arg[i]];
        Parameter   q        = parameter(p, m, kernel, i);
        bool        by_value = false;
        const char *fault    = a->buffer ? buffer_fault(a, &q, &by_value) : value_fault(a, &q);
        args[i]              = by_value ? (void *)a->data : a->buffer ? (void *)&a->address : (void *)&a->scalar;
        ok                   = !fault;
        if (fault)
            str_printf(why, "argument %s (%s of %" PRIu64 " byte%s) is %s; parameter %zu is %s of %zu byte%s: %s",
                       a->name, a->type->name, (uint64_t)a->type->bytes, a->type->bytes == 1 ? "" : "s", fault, i + 1,
                       q.text, q.bytes, q.bytes == 1 ? "" : "s", str_text(&want));
    }
    str_free(&want);
    if (ok)
        return args;
    free(args);
    return NULL;
}

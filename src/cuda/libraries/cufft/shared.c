/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms whose data lies in parts on several devices (cufftXt): a descriptor names the parts.  A batch is shared out by its transforms; one
 * transform by its first dimension, and behind a transform in place by its second, as cuFFT's is ("shuffled"):
 *
 *     natural       part g: rows a0(g) .. a1(g) of [A][B], whole
 *     shuffled      part g: [A][b0(g) .. b1(g)]
 *
 * One dimension has natural order only, which cuFFT's shuffled one is not: which element lies where there is nothing that a program should know.
 * Execution puts the parts together in memory of the host, transforms, and shares out the result.  Calls wait: what was given to the devices before is
 * done, and what they do is done on return, as cuFFT does it for a plan without a stream. */
#include "cuda/libraries/cufft/cufft.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

enum Format {
    INPUT,
    OUTPUT,
    INPLACE,
    SHUFFLED,
    SHUFFLED_1D,
    FORMATS
};                                                                 /* cufftXtSubFormat; what comes behind is MPI's */
enum { TO_DEVICE, TO_HOST, BETWEEN };                              /* cufftXtCopyType */
enum { MOST = 64, VERSION = 0x01000000 + WW_CUFFT * 1000 + 1000 }; /* of cudalibxt.h; cuFFT 12 is CUDA 13's */

/* cudaXtDesc and cudaLibXtDesc, which programs read. */
typedef struct Parts {
    int    version, n, gpu[MOST];
    void  *data[MOST];
    size_t size[MOST];
    void  *state;
} Parts;

typedef struct Shared {
    int    version;
    Parts *parts;
    int    library, format;
    void  *own;
} Shared;

typedef struct Kept {
    Shared shared; /* first: the program's pointer */
    Parts  parts;
} Kept;

static const char kind;

static const Shared *known(const void *p)
{
    return p && ww_cuda_library_has(&kind, p) ? p : NULL;
}

/* ---- which part lies where ---- */

typedef struct View { /* [a][b] of `unit` bytes each, shared out by a, or by b */
    size_t a, b, unit;
    bool   by_b;
} View;

static View view(const Plan *p, int format)
{
    size_t number = p->type & 0x40 ? 8 : 4, d[FFT_DIMS] = {1, 1, 1};
    bool   reals = p->type != FFT_C2C && p->type != FFT_Z2Z, to_complex = p->type == FFT_R2C || p->type == FFT_D2Z;
    bool   real = reals && ((format == INPUT && to_complex) || (format == OUTPUT && !to_complex));
    for (int i = 0; i < p->rank; i++)
        d[i] = (size_t)p->n[i];
    if (reals && !real)
        d[p->rank - 1] = d[p->rank - 1] / 2 + 1;
    size_t unit = real ? number : 2 * number, all = size_mul(size_mul(d[0], d[1]), d[2]);
    if (p->batch > 1)
        return (View){(size_t)p->batch, 1, size_mul(all, unit), false};
    return (View){d[0], d[1], size_mul(d[2], unit), p->rank > 1 && (format == OUTPUT || format == SHUFFLED)};
}

static size_t whole(const View *v)
{
    return size_mul(size_mul(v->a, v->b), v->unit);
}

/* Part g of n begins there; the first ones have what is left over. */
static size_t begin_of(size_t total, int n, int g)
{
    size_t each = total / (size_t)n, more = total % (size_t)n;
    return each * (size_t)g + ((size_t)g < more ? (size_t)g : more);
}

static size_t part_bytes(const View *v, int n, int g)
{
    size_t total = v->by_b ? v->b : v->a, count = begin_of(total, n, g + 1) - begin_of(total, n, g);
    return size_mul(size_mul(count, v->by_b ? v->a : v->b), v->unit);
}

/* Between the parts and memory of the host in natural order. */
static void move(const View *v, const Parts *parts, char *all, bool to_parts)
{
    for (int g = 0; g < parts->n; g++) {
        char  *part  = parts->data[g];
        size_t first = begin_of(v->by_b ? v->b : v->a, parts->n, g) * (v->by_b ? v->unit : v->b * v->unit);
        size_t rows = v->by_b ? v->a : 1, width = part_bytes(v, parts->n, g) / rows;
        for (size_t i = 0; i < rows; i++) {
            char *there = all + first + i * v->b * v->unit;
            memcpy(to_parts ? part + i * width : there, to_parts ? there : part + i * width, width);
        }
    }
}

static bool fits(const View *v, const Parts *parts)
{
    for (int g = 0; g < parts->n; g++)
        if (part_bytes(v, parts->n, g) > parts->size[g])
            return false;
    return true;
}

/* Are the parts memory of devices?  What is read is told. */
static bool uses(const char *call, const View *v, const Parts *parts, LibraryUse use)
{
    bool ok = true;
    for (int g = 0; ok && g < parts->n; g++) {
        size_t bytes = part_bytes(v, parts->n, g);
        ok           = ww_cuda_library_uses(
                      call, &(LibrarySpan){.at = parts->data[g], .pitch = bytes, .width = bytes, .height = 1, .use = use});
    }
    return ok;
}

static void wrote(const View *v, const Parts *parts)
{
    for (int g = 0; g < parts->n; g++) {
        size_t bytes = part_bytes(v, parts->n, g);
        ww_cuda_library_wrote(
            &(LibrarySpan){.at = parts->data[g], .pitch = bytes, .width = bytes, .height = 1, .use = LIBRARY_WRITES});
    }
}

/* What the plan's devices and its stream were given before has ended. */
static bool settled(const Plan *p)
{
    int  was = ww_cuda_library_device(-1);
    bool ok  = was >= 0 && ww_cuda_library_wait(p->stream);
    for (int g = 0; ok && g < p->gpus; g++)
        ok = ww_cuda_library_device(p->gpu[g]) >= 0 && ww_cuda_library_wait(NULL);
    return ww_cuda_library_device(was) >= 0 && ok;
}

/* ---- descriptors ---- */

static Fft release(Kept *k)
{
    int  was = ww_cuda_library_device(-1);
    bool ok  = true;
    for (int g = 0; g < k->parts.n; g++)
        if (k->parts.data[g])
            ok = ww_cuda_library_device(k->parts.gpu[g]) >= 0 && ww_cuda_library_free(k->parts.data[g]) && ok;
    ww_cuda_library_device(was);
    free(k);
    return ok ? FFT_SUCCESS : FFT_INTERNAL_ERROR;
}

static bool allocate(const Plan *p, int format, Parts *parts)
{
    View v = view(p, format), other = view(p, format == INPLACE ? SHUFFLED : format == SHUFFLED ? INPLACE : format);
    int  was = ww_cuda_library_device(-1);
    bool ok  = was >= 0;
    for (int g = 0; ok && g < parts->n; g++) {
        size_t one = part_bytes(&v, parts->n, g), two = part_bytes(&other, parts->n, g);
        parts->gpu[g]  = p->gpus ? p->gpu[g] : was;
        parts->size[g] = one > two ? one : two;
        ok             = ww_cuda_library_device(parts->gpu[g]) >= 0 &&
             ww_cuda_library_allocate(&parts->data[g], parts->size[g] ? parts->size[g] : 1);
    }
    ww_cuda_library_device(was);
    return ok;
}

Fft cufftXtMalloc(int handle, Shared **out, int format)
{
    Plan p;
    if (!plan_of(handle, &p) || !p.made)
        return FFT_INVALID_PLAN;
    if (!out || format < 0 || format >= FORMATS)
        return FFT_INVALID_VALUE;
    if (p.narrow)
        return FFT_NOT_SUPPORTED;
    Kept *k = calloc(1, sizeof *k);
    if (!k)
        return FFT_ALLOC_FAILED;
    k->parts  = (Parts){.version = VERSION, .n = p.gpus ? p.gpus : 1};
    k->shared = (Shared){.version = VERSION, .parts = &k->parts, .format = format};
    if (!allocate(&p, format, &k->parts) || ww_cuda_library_keep(&kind, k) < 0) {
        release(k);
        return FFT_ALLOC_FAILED;
    }
    *out = &k->shared;
    return FFT_SUCCESS;
}

Fft cufftXtFree(Shared *s)
{
    return s && ww_cuda_library_drop(&kind, s) ? release((Kept *)s) : FFT_INVALID_VALUE;
}

/* A descriptor of that plan's shape: the view that its format says. */
static bool shaped(const Plan *p, const Shared *s, View *out)
{
    if (!s || s->format < 0 || s->format >= FORMATS || s->parts->n != (p->gpus ? p->gpus : 1))
        return false;
    *out = view(p, s->format);
    return fits(out, s->parts);
}

/* ---- copies ---- */

Fft cufftXtMemcpy(int handle, void *to, void *from, int type)
{
    static const char *const call = "cufftXtMemcpy";
    Plan                     p;
    View                     a, b;
    if (!plan_of(handle, &p) || !p.made)
        return FFT_INVALID_PLAN;
    if (!to || !from || type < TO_DEVICE || type > BETWEEN)
        return FFT_INVALID_VALUE;
    const Shared *in = type == TO_DEVICE ? NULL : known(from), *out = type == TO_HOST ? NULL : known(to);
    if ((type != TO_DEVICE && !shaped(&p, in, &a)) || (type != TO_HOST && !shaped(&p, out, &b)) ||
        (type == BETWEEN && whole(&a) != whole(&b)))
        return FFT_INVALID_VALUE;
    if (!settled(&p) || (in && !uses(call, &a, in->parts, LIBRARY_READS)) ||
        (out && !uses(call, &b, out->parts, LIBRARY_WRITES)))
        return FFT_EXEC_FAILED;
    char *all = type == BETWEEN ? ww_cuda_library_memory(whole(&a)) : type == TO_HOST ? to : from;
    if (in)
        move(&a, in->parts, all, false);
    if (out) {
        move(&b, out->parts, all, true);
        wrote(&b, out->parts);
    }
    if (type == BETWEEN)
        free(all);
    return FFT_SUCCESS;
}

/* ---- execution ---- */

typedef struct Turn {
    const char   *call;
    const Plan   *plan;
    int           sign;
    const Shared *in, *out;
    View          from, to;
} Turn;

static void turn(const void *args)
{
    const Turn *t = args;
    if (!uses(t->call, &t->from, t->in->parts, LIBRARY_READS) || !uses(t->call, &t->to, t->out->parts, LIBRARY_WRITES))
        return;
    char *in = ww_cuda_library_memory(whole(&t->from)), *out = in;
    if (t->in != t->out)
        out = ww_cuda_library_memory(whole(&t->to));
    move(&t->from, t->in->parts, in, false);
    fft_compute(t->plan, t->sign, in, out);
    move(&t->to, t->out->parts, out, true);
    wrote(&t->to, t->out->parts);
    if (out != in)
        free(out);
    free(in);
}

/* The format of a transform's result; less than 0: there is none from this one. */
static int format_after(const Plan *p, int before, bool in_place)
{
    if (!in_place)
        return before == INPUT ? OUTPUT : -1;
    if (before == INPUT || before == OUTPUT)
        return -1;
    bool to_complex = p->type == FFT_R2C || p->type == FFT_D2Z, complex = p->type == FFT_C2C || p->type == FFT_Z2Z;
    return to_complex || (complex && before == INPLACE) ? SHUFFLED : INPLACE;
}

static Fft execute(int handle, const char *call, int type, Shared *input, Shared *output, int sign)
{
    Plan p;
    if (!plan_of(handle, &p) || !p.made)
        return FFT_INVALID_PLAN;
    if (type && type != p.type)
        return FFT_INVALID_TYPE;
    if (p.type != FFT_C2C && p.type != FFT_Z2Z)
        sign = p.type == FFT_R2C || p.type == FFT_D2Z ? FFT_FORWARD : FFT_INVERSE;
    Turn t = {.call = call, .plan = &p, .sign = sign, .in = known(input), .out = known(output)};
    if ((sign != FFT_FORWARD && sign != FFT_INVERSE) || !shaped(&p, t.in, &t.from) || !t.out)
        return FFT_INVALID_VALUE;
    int    after = format_after(&p, t.in->format, t.in == t.out);
    Shared end   = *t.out;
    end.format   = after;
    if (after < 0 || (t.in != t.out && t.out->format != after) || !shaped(&p, &end, &t.to))
        return FFT_INVALID_VALUE;
    const char *host = fft_host(&p);
    if (!host || p.narrow)
        return FFT_NOT_SUPPORTED;
    LibraryWork w = {.library    = "cuFFT",
                     .call       = call,
                     .by         = host,
                     .compute    = turn,
                     .args       = &t,
                     .bytes      = sizeof t,
                     .operations = fft_operations(&p)};
    if (!settled(&p) || !ww_cuda_library_do(p.stream, &w) || !ww_cuda_library_wait(p.stream))
        return FFT_EXEC_FAILED;
    output->format = after;
    return FFT_SUCCESS;
}

Fft cufftXtExecDescriptor(int handle, Shared *in, Shared *out, int direction)
{
    return execute(handle, "cufftXtExecDescriptor", 0, in, out, direction);
}

#define OF_TWO(name, type)                                                                                             \
    Fft cufftXtExecDescriptor##name(int handle, Shared *in, Shared *out)                                               \
    {                                                                                                                  \
        return execute(handle, "cufftXtExecDescriptor" #name, type, in, out, 0);                                       \
    }
#define COMPLEX(name, type)                                                                                            \
    Fft cufftXtExecDescriptor##name(int handle, Shared *in, Shared *out, int direction)                                \
    {                                                                                                                  \
        return execute(handle, "cufftXtExecDescriptor" #name, type, in, out, direction);                               \
    }
COMPLEX(C2C, FFT_C2C)
COMPLEX(Z2Z, FFT_Z2Z)
OF_TWO(R2C, FFT_R2C)
OF_TWO(C2R, FFT_C2R)
OF_TWO(D2Z, FFT_D2Z)
OF_TWO(Z2D, FFT_Z2D)

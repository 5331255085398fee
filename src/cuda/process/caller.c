/* SPDX-License-Identifier: Apache-2.0
 *
 * Return addresses become functions and lines by libdw (elfutils), which is loaded when the first finding asks and never linked: a
 * program without findings pays nothing, and where the library is missing frames have the names that the dynamic linker knows.
 * A return address may be the next line's: the place is that of the byte before it.
 * Not resolved: frames behind main, and frames of the C library. */
#include "cuda/process/caller.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "ptx/place.h"

/* ---- addresses ---- */

typedef struct Span {
    uintptr_t from, end;
} Span;

typedef struct Sought {
    uintptr_t address;
    Span      span;
} Sought;

static int find_span(struct dl_phdr_info *o, size_t size, void *sought)
{
    Sought *s = sought;
    (void)size;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        uintptr_t from = o->dlpi_addr + o->dlpi_phdr[i].p_vaddr, end = from + o->dlpi_phdr[i].p_memsz;
        if (o->dlpi_phdr[i].p_type == PT_LOAD && (o->dlpi_phdr[i].p_flags & PF_X) && s->address >= from &&
            s->address < end)
            s->span = (Span){from, end};
    }
    return s->span.end != 0;
}

enum { OWN = 16 };
static struct { /* code that is ours: this library's, and that of drop-ins over it */
    Span span[OWN];
    int  n;
} own;

void caller_is_own(uintptr_t address)
{
    Sought s = {.address = address};
    dl_iterate_phdr(find_span, &s);
    if (own.n < OWN && s.span.end)
        own.span[own.n++] = s.span;
}

static bool is_own(uintptr_t address)
{
    for (int i = 0; i < own.n; i++)
        if (address >= own.span[i].from && address < own.span[i].end)
            return true;
    return false;
}

Caller caller_now(void)
{
    enum { DEEP = CALLER_FRAMES + 20 };
    void  *at[DEEP];
    Caller c = {0};
    if (!is_own((uintptr_t)caller_now))
        caller_is_own((uintptr_t)caller_now);
    int n = backtrace(at, DEEP), i = 0;
    while (i < n && is_own((uintptr_t)at[i]))
        i++;
    for (; i < n && c.n < CALLER_FRAMES; i++)
        c.at[c.n++] = at[i];
    return c;
}

/* ---- libdw: what is used of its interface, which has been as it is since elfutils 0.122 ---- */

typedef struct Die { /* Dwarf_Die */
    void *addr, *cu, *abbrev;
    long  padding;
} Die;

typedef struct Attribute { /* Dwarf_Attribute */
    unsigned code, form;
    void    *value, *cu;
} Attribute;

enum { TAG_INLINED = 0x1d, TAG_FUNCTION = 0x2e, CALL_FILE = 0x58, CALL_LINE = 0x59 }; /* DW_TAG_, DW_AT_ */

typedef struct Callbacks { /* Dwfl_Callbacks */
    void  *find_elf, *find_debuginfo, *section_address;
    char **debuginfo_path;
} Callbacks;

static struct {
    bool  tried;
    void *dwfl;
    void *(*begin)(const Callbacks *);
    void (*report_begin)(void *dwfl);
    int (*report)(void *dwfl, pid_t);
    int (*report_end)(void *dwfl, void *removed, void *arg);
    void *(*module)(void *dwfl, uint64_t address);
    const char *(*name)(void *module, uint64_t address);
    void *(*line)(void *module, uint64_t address);
    const char *(*info)(void *line, uint64_t *address, int *number, int *col, void *time, void *length);
    Die *(*unit)(void *module, uint64_t address, uint64_t *bias);
    int (*scopes)(Die *unit, uint64_t address, Die **list);
    int (*around)(Die *, Die **list);
    int (*tag)(Die *);
    const char *(*die_name)(Die *);
    Attribute *(*attribute)(Die *, unsigned code, Attribute *);
    int (*number)(Attribute *, uint64_t *);
    int (*files)(Die *unit, void **files, size_t *n);
    const char *(*file)(void *files, size_t i, uint64_t *time, uint64_t *length);
    Callbacks callbacks;
} dw;

static bool load_functions(void *lib)
{
    const struct {
        const char *name;
        void      **fn;
    } all[] = {{"dwfl_begin", (void **)&dw.begin},
               {"dwfl_report_begin", (void **)&dw.report_begin},
               {"dwfl_linux_proc_report", (void **)&dw.report},
               {"dwfl_report_end", (void **)&dw.report_end},
               {"dwfl_addrmodule", (void **)&dw.module},
               {"dwfl_module_addrname", (void **)&dw.name},
               {"dwfl_module_getsrc", (void **)&dw.line},
               {"dwfl_lineinfo", (void **)&dw.info},
               {"dwfl_module_addrdie", (void **)&dw.unit},
               {"dwarf_getscopes", (void **)&dw.scopes},
               {"dwarf_getscopes_die", (void **)&dw.around},
               {"dwarf_tag", (void **)&dw.tag},
               {"dwarf_diename", (void **)&dw.die_name},
               {"dwarf_attr", (void **)&dw.attribute},
               {"dwarf_formudata", (void **)&dw.number},
               {"dwarf_getsrcfiles", (void **)&dw.files},
               {"dwarf_filesrc", (void **)&dw.file},
               {"dwfl_linux_proc_find_elf", &dw.callbacks.find_elf},
               {"dwfl_standard_find_debuginfo", &dw.callbacks.find_debuginfo}};
    for (size_t i = 0; lib && i < sizeof all / sizeof *all; i++)
        if (!(*all[i].fn = dlsym(lib, all[i].name)))
            return false;
    return lib != NULL;
}

/* The process as libdw sees it, or NULL.  Objects that dlopen loaded since are reported anew. */
static void *process(void)
{
    static char *path; /* no folder but those of the objects themselves */
    if (!dw.tried) {
        dw.tried                    = true;
        dw.callbacks.debuginfo_path = &path;
        if (load_functions(dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL)))
            dw.dwfl = dw.begin(&dw.callbacks);
    }
    if (dw.dwfl) {
        dw.report_begin(dw.dwfl);
        dw.report(dw.dwfl, getpid());
        dw.report_end(dw.dwfl, NULL, NULL);
    }
    return dw.dwfl;
}

/* ---- frames ---- */

enum { MOST_FRAMES = 16 };

static Arena *kept;

static const char *keep(const char *s)
{
    return s ? arena_strdup(kept, s) : NULL;
}

static const char *readable(const char *symbol)
{
    char       *text = symbol ? mangled_text(symbol) : NULL;
    const char *name = keep(text);
    free(text);
    return name;
}

struct Call { /* what was asked before */
    Caller         caller;
    bool           resolved; /* are the frames known? */
    WwFrame        frame[MOST_FRAMES];
    size_t         n;
    UT_hash_handle hh;
};

static void add(Call *k, WwFrame f)
{
    if (k->n < MOST_FRAMES && (f.function || f.file))
        k->frame[k->n++] = f;
}

static uint32_t attribute(Die *d, unsigned code)
{
    Attribute a;
    uint64_t  x = 0;
    return dw.attribute(d, code, &a) && dw.number(&a, &x) == 0 ? (uint32_t)x : 0;
}

/* Functions that were inlined where f is: each one's caller is a frame.  f becomes that of the function which was not. */
static void unfold(Call *k, void *module, uintptr_t at, WwFrame *f)
{
    uint64_t bias = 0;
    Die     *unit = dw.unit(module, at, &bias), *inner = NULL, *scope = NULL;
    void    *files  = NULL;
    size_t   nfiles = 0;
    int      n      = unit && dw.files(unit, &files, &nfiles) == 0 ? dw.scopes(unit, at - bias, &inner) : 0;
    n               = n > 0 ? dw.around(inner, &scope) : 0; /* as the code lies, not as the source is written */
    free(inner);
    for (int i = 0; i < n && dw.tag(&scope[i]) != TAG_FUNCTION; i++) {
        if (dw.tag(&scope[i]) != TAG_INLINED)
            continue;
        uint32_t file = attribute(&scope[i], CALL_FILE);
        add(k, (WwFrame){readable(dw.die_name(&scope[i])), f->file, f->line});
        *f = (WwFrame){.file = file < nfiles ? keep(dw.file(files, file, NULL, NULL)) : NULL,
                       .line = attribute(&scope[i], CALL_LINE)};
    }
    free(scope);
}

/* Of the C library: what starts threads and calls back tells nobody anything. */
static bool of_libc(uintptr_t at)
{
    Dl_info here = {0}, libc = {0};
    return dladdr((void *)at, &here) && dladdr((void *)(uintptr_t)abort, &libc) && here.dli_fbase == libc.dli_fbase;
}

/* false: main is reached. */
static bool add_frames(Call *k, void *dwfl, uintptr_t at)
{
    WwFrame f      = {0};
    void   *module = dwfl ? dw.module(dwfl, at) : NULL, *line = module ? dw.line(module, at) : NULL;
    Dl_info info   = {0};
    int     number = 0;
    if (of_libc(at))
        return true;
    if (line)
        f.file = keep(dw.info(line, NULL, &number, NULL, NULL, NULL));
    f.line = f.file && number > 0 ? (uint32_t)number : 0;
    if (f.file)
        unfold(k, module, at, &f);
    if (module)
        f.function = readable(dw.name(module, at));
    if (!f.function && dladdr((void *)at, &info))
        f.function = readable(info.dli_sname);
    bool on = !f.function || strcmp(f.function, "main") != 0;
    if (!f.file && (info.dli_fname || dladdr((void *)at, &info))) {
        const char *slash = strrchr(info.dli_fname, '/');
        f.function        = arena_printf(kept, "%s (%s+0x%zx)", f.function ? f.function : "a function",
                                  slash ? slash + 1 : info.dli_fname, (size_t)(at - (uintptr_t)info.dli_fbase));
    }
    add(k, f);
    return on;
}

static bool is_stub(const WwFrame *f)
{
    static const char of_file[] = ".stub.c", of_function[] = "__device_stub__";
    size_t            n = f->file ? strlen(f->file) : 0;
    return (n >= sizeof of_file && !strcmp(f->file + n - (sizeof of_file - 1), of_file)) ||
           (f->function && !strncmp(f->function, of_function, sizeof of_function - 1));
}

/* Leaves out what compilers put between `kernel<<<...>>>` and the runtime: their stubs and, with nvcc, the host's function of the kernel's name. */
static void drop_stubs(Call *k)
{
    size_t from = 0;
    for (size_t i = 0; i < k->n; i++)
        if (is_stub(&k->frame[i]))
            from = k->frame[i].file && strstr(k->frame[i].file, ".stub.c") ? i + 2 : i + 1;
    from = from < k->n ? from : 0;
    memmove(k->frame, k->frame + from, (k->n - from) * sizeof *k->frame);
    k->n -= from;
}

static void resolve(Call *k)
{
    const Caller *c    = &k->caller;
    void         *dwfl = process();
    for (unsigned i = 0; i < c->n && add_frames(k, dwfl, (uintptr_t)c->at[i] - 1); i++)
        ;
    drop_stubs(k);
    k->resolved = true;
}

Call *caller_call(const Caller *c)
{
    static Call *known;
    Call        *k;
    if (!c->n)
        return NULL;
    if (!kept)
        kept = arena_new();
    HASH_FIND(hh, known, c, sizeof *c, k);
    if (!k) {
        k         = ARENA_NEW(kept, Call);
        k->caller = *c;
        HASH_ADD(hh, known, caller, sizeof k->caller, k);
    }
    return k;
}

const WwFrame *call_frames(Call *k, size_t *n)
{
    if (k && !k->resolved)
        resolve(k);
    *n = k ? k->n : 0;
    return *n ? k->frame : NULL;
}

const WwFrame *caller_frames(const Caller *c, size_t *n)
{
    return call_frames(caller_call(c), n);
}

void caller_place(WwFinding *f, const WwFrame *frames, size_t n)
{
    f->host  = frames;
    f->nhost = n;
    for (size_t i = 0; i < n; i++)
        if (frames[i].file && frames[i].line && !place_is_system(frames[i].file)) {
            f->file = frames[i].file;
            f->line = frames[i].line;
            return;
        }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into every process of `warpwright run`.  A program that links the CUDA runtime statically carries its
 * functions as symbols; this library finds them in the program's .symtab and writes a jump to ours over each entry,
 * before the program's constructors register anything.  A process that has no such functions costs one look at its
 * section headers.
 *
 * Which version of the interface the program was compiled for follows from the functions it carries.  A program that holds device
 * code, links no runtime dynamically and has no symbols cannot be redirected: it ends with a message that names the two ways out.
 * NVIDIA's libraries with kernels of their own cannot be run: the program's first call into one ends it with a message.  One that is loaded later
 * meets our driver interface when it is first used, which says so (symbols.c).
 * NVRTC's machine code cannot be run: its two entries that hand it out are redirected to those that hand out PTX.
 * Libraries that are linked when the program starts are treated alike, a shared runtime that was not found where ours is too.  A library that
 * dlopen loads by its path has run its constructors when dlopen returns: it is redirected then, and its registration, which nvcc generates as a
 * function of its own, is run once more.  (LD_AUDIT could choose libraries by name; with it glibc 2.36 clears the main thread's thread-local memory
 * at a later dlopen.)
 * The reference LAPACK's error handler ends the process, with exit code 0; here it stands in front of theirs, says the same, and returns, as OpenBLAS's does.
 * So cuSOLVER gets the number of the argument that LAPACK refuses.
 * Nothing here depends on the CUDA implementation until it is needed: it is loaded with dlopen then.  Nothing is allocated from the heap
 * either: programs exist that read memory they never wrote, and find it zero as long as nobody used it before. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/entry/entry_points.h"

enum { EXIT_KERNEL = 120 };

typedef struct File { /* an ELF file mapped read-only */
    const uint8_t    *data;
    size_t            size;
    const Elf64_Shdr *section;
    size_t            nsections;
    const char       *names; /* of sections, zero-terminated inside the file */
    uintptr_t         bias;  /* load address */
} File;

typedef struct Symbols {
    const Elf64_Sym *sym;
    size_t           n;
    const char      *text;
    size_t           text_bytes;
} Symbols;

static bool map_file(const char *path, File *f)
{
    struct stat st;
    int         fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(Elf64_Ehdr);
    f->size = ok ? (size_t)st.st_size : 0;
    f->data = ok ? mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (f->data == MAP_FAILED)
        return false;
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->data;
    ok                  = !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
         h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shoff <= f->size &&
         (f->size - h->e_shoff) / sizeof(Elf64_Shdr) >= h->e_shnum && h->e_shstrndx < h->e_shnum;
    if (ok) {
        f->section              = (const Elf64_Shdr *)(f->data + h->e_shoff);
        f->nsections            = h->e_shnum;
        const Elf64_Shdr *names = &f->section[h->e_shstrndx];
        ok = names->sh_offset < f->size && names->sh_size && names->sh_size <= f->size - names->sh_offset &&
             f->data[names->sh_offset + names->sh_size - 1] == 0;
        f->names = (const char *)f->data + names->sh_offset;
        for (size_t i = 0; ok && i < f->nsections; i++)
            ok = f->section[i].sh_name < names->sh_size;
    }
    if (!ok)
        munmap((void *)(uintptr_t)f->data, f->size);
    return ok;
}

static const Elf64_Shdr *section(const File *f, const char *name)
{
    for (size_t i = 0; i < f->nsections; i++)
        if (!strcmp(f->names + f->section[i].sh_name, name))
            return &f->section[i];
    return NULL;
}

static bool symbols(const File *f, unsigned type, Symbols *s)
{
    for (size_t i = 0; i < f->nsections; i++) {
        const Elf64_Shdr *h = &f->section[i];
        if (h->sh_type != type || h->sh_link >= f->nsections || h->sh_offset > f->size ||
            h->sh_size > f->size - h->sh_offset)
            continue;
        const Elf64_Shdr *t = &f->section[h->sh_link];
        if (t->sh_offset > f->size || !t->sh_size || t->sh_size > f->size - t->sh_offset ||
            f->data[t->sh_offset + t->sh_size - 1])
            continue;
        *s = (Symbols){(const Elf64_Sym *)(f->data + h->sh_offset), h->sh_size / sizeof(Elf64_Sym),
                       (const char *)f->data + t->sh_offset, t->sh_size};
        return true;
    }
    return false;
}

static const char *name_of(const Symbols *s, size_t i)
{
    return s->sym[i].st_name < s->text_bytes ? s->text + s->sym[i].st_name : "";
}

static const Elf64_Sym *find(const Symbols *s, const char *name, bool defined)
{
    for (size_t i = 0; i < s->n; i++)
        if ((s->sym[i].st_shndx != SHN_UNDEF) == defined && !strcmp(name_of(s, i), name))
            return &s->sym[i];
    return NULL;
}

/* ---- redirection ---- */

#if defined(__x86_64__)
enum { JUMP_BYTES = 14 };
static void write_jump(uint8_t *at, uint64_t target)
{
    static const uint8_t jump[6] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *(rip + 0), the address follows */
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &target, sizeof target);
}
#elif defined(__aarch64__)
enum { JUMP_BYTES = 16 };
static void write_jump(uint8_t *at, uint64_t target)
{
    static const uint32_t jump[2] = {0x58000050, 0xd61f0200}; /* ldr x16, #8; br x16 */
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &target, sizeof target);
    __builtin___clear_cache((char *)at, (char *)at + JUMP_BYTES);
}
#endif

static bool redirect(uintptr_t at, void (*to)(void))
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = at & -page, end = (at + JUMP_BYTES + page - 1) & -page;
    if (mprotect((void *)from, end - from, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    write_jump((uint8_t *)at, (uint64_t)(uintptr_t)to);
    return mprotect((void *)from, end - from, PROT_READ | PROT_EXEC) == 0;
}

typedef void *(*Dlopen)(const char *, int);

static Dlopen real_dlopen(void)
{
    static Dlopen real;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return real;
}

/* The implementation lies beside this library. */
static void *implementation(void)
{
    Dl_info info;
    char    path[4096];
    if (!dladdr((void *)(uintptr_t)implementation, &info) || !info.dli_fname)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int n = snprintf(path, sizeof path, "%.*slibwarpwright-cuda.so", slash ? (int)(slash + 1 - info.dli_fname) : 0,
                     info.dli_fname);
    return n > 0 && (size_t)n < sizeof path ? real_dlopen()(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static int version_of(const Symbols *s)
{
    if (find(s, "cudaGetDeviceProperties_v2", true))
        return 12;
    return find(s, "__cudaGetKernel", true) && find(s, "cudaDeviceGetHostAtomicCapabilities", true) ? 13 : 11;
}

/* Entry points by name: open addressing. */
enum { SLOTS = 4096 };

static const ApiEntry **slot_of(const ApiEntry **table, const char *name)
{
    uint32_t h = 2166136261u;
    for (const char *c = name; *c; c++)
        h = (h ^ (uint8_t)*c) * 16777619u;
    while (table[h % SLOTS] && strcmp(table[h % SLOTS]->name, name) != 0)
        h++;
    return &table[h % SLOTS];
}

static void redirect_all(const File *f, const Symbols *s, const char *path)
{
    void *lib                     = implementation();
    const ApiEntry *(*table)(int) = NULL;
    if (lib)
        *(void **)&table = dlsym(lib, "ww_cuda_runtime");
    if (!table) {
        fprintf(stderr, "warpwright: %s: the CUDA implementation cannot be loaded: %s\n", path, dlerror());
        _exit(EXIT_KERNEL);
    }
    static const ApiEntry *by_name[SLOTS];
    size_t                 n = 0;
    memset(by_name, 0, sizeof by_name);
    for (const ApiEntry *e = table(version_of(s)); e->name && n < SLOTS / 2; e++, n++)
        *slot_of(by_name, e->name) = e;
    for (size_t i = 0; i < s->n; i++) {
        const Elf64_Sym *y    = &s->sym[i];
        const char      *name = name_of(s, i);
        if (ELF64_ST_TYPE(y->st_info) != STT_FUNC || y->st_shndx == SHN_UNDEF ||
            (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0))
            continue;
        const ApiEntry *e = *slot_of(by_name, name);
        if (e && !redirect(f->bias + y->st_value, e->fn)) {
            fprintf(stderr, "warpwright: %s: %s cannot be redirected: its page is not to be written\n", path, name);
            _exit(EXIT_KERNEL);
        }
    }
}

/* cuRAND computes on the host for a program that makes no other generators than such. */
static bool needs_no_device(const Symbols *library, const Symbols *program)
{
    return find(library, "curandCreateGeneratorHost", true) && !find(program, "curandCreateGenerator", false);
}

/* ---- libraries with kernels and a runtime of their own (cuBLAS, cuFFT, cuRAND, cuDNN): no harm until they are called ---- */

enum { MOST_CALLS = 1024, TRAMPOLINE_BYTES = 32 };

static struct {
    const char *function, *library;
} calls[MOST_CALLS]; /* of the program into such libraries */
static unsigned ncalls;

static void foreign_call(unsigned i)
{
    static bool ending;
    if (ending) /* a destructor's */
        _exit(EXIT_KERNEL);
    ending = true;
    fprintf(stderr,
            "warpwright: the program calls %s of %s, which brings kernels without PTX and a CUDA runtime of its own "
            "that cannot be redirected: programs that call this library cannot be run.\n",
            calls[i].function, calls[i].library);
    exit(EXIT_KERNEL);
}

/* Code that calls foreign_call(i) and never returns. */
static void write_trampoline(uint8_t *at, uint32_t i)
{
#if defined(__x86_64__)
    *at++ = 0xbf; /* mov edi, i */
    memcpy(at, &i, sizeof i);
    at += sizeof i;
#elif defined(__aarch64__)
    uint32_t move = UINT32_C(0x52800000) | i << 5; /* mov w0, i */
    memcpy(at, &move, sizeof move);
    at += sizeof move;
#endif
    write_jump(at, (uint64_t)(uintptr_t)foreign_call);
}

/* s: what the library f exports.  Every function of it that the program imports becomes a jump to a trampoline.  The program stays mapped, for
 * the names. */
static void foreign(const File *f, const Symbols *s, const char *path)
{
    File     exe  = {0};
    Symbols  want = {0};
    unsigned n    = ncalls;
    if (!map_file("/proc/self/exe", &exe) || !symbols(&exe, SHT_DYNSYM, &want) || needs_no_device(s, &want))
        return;
    size_t   bytes = MOST_CALLS * TRAMPOLINE_BYTES;
    uint8_t *code  = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool     ok    = code != MAP_FAILED;
    for (unsigned i = 0; i < MOST_CALLS && ok; i++)
        write_trampoline(code + i * TRAMPOLINE_BYTES, i);
    ok = ok && mprotect(code, bytes, PROT_READ | PROT_EXEC) == 0;
    for (size_t i = 1; i < want.n && n < MOST_CALLS; i++) {
        const char      *name     = name_of(&want, i);
        const Elf64_Sym *there    = want.sym[i].st_shndx == SHN_UNDEF ? find(s, name, true) : NULL;
        void (*trampoline)(void)  = NULL;
        *(uintptr_t *)&trampoline = (uintptr_t)code + n * TRAMPOLINE_BYTES;
        if (!there || ELF64_ST_TYPE(there->st_info) != STT_FUNC)
            continue;
        calls[n].function = name;
        calls[n].library  = path;
        if (!ok || !redirect(f->bias + there->st_value, trampoline))
            foreign_call(n);
        n++;
    }
    if (n == ncalls && ok) {
        munmap(code, bytes);
        munmap((void *)(uintptr_t)exe.data, exe.size);
    }
    ncalls = n;
}

static void stripped(const char *path)
{
    fprintf(stderr,
            "warpwright: %s links the CUDA runtime statically and its symbols were stripped, so its calls cannot be "
            "redirected.\n"
            "warpwright: two ways out: link it with -cudart shared, or do not strip it.\n",
            path);
    _exit(EXIT_KERNEL);
}

/* What nvcc's constructors call to register a file's device code. */
static void register_again(const File *f, const Symbols *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (ELF64_ST_TYPE(s->sym[i].st_info) == STT_FUNC && strstr(name_of(s, i), "__sti____cudaRegisterAll")) {
            void (*registration)(void)  = NULL;
            *(uintptr_t *)&registration = f->bias + s->sym[i].st_value;
            registration();
        }
}

/* NVRTC compiles for a real architecture both to machine code and to PTX: a program that asks for the machine code is given the PTX, which
 * the driver interface loads as well. */
static void redirect_nvrtc(const File *f, const Symbols *s)
{
    static const char *const pairs[][2] = {{"nvrtcGetCUBIN", "nvrtcGetPTX"}, {"nvrtcGetCUBINSize", "nvrtcGetPTXSize"}};
    for (size_t i = 0; i < 2; i++) {
        const Elf64_Sym *from = find(s, pairs[i][0], true), *to = find(s, pairs[i][1], true);
        void (*fn)(void) = NULL;
        if (from && to)
            *(uintptr_t *)&fn = f->bias + to->st_value;
        if (fn)
            redirect(f->bias + from->st_value, fn);
    }
}

/* Is it one of ours, which lie in the folder of this file? */
static bool is_own(const char *path)
{
    Dl_info     info;
    const char *slash = strrchr(path, '/');
    if (!slash || !dladdr((void *)(uintptr_t)is_own, &info) || !info.dli_fname)
        return false;
    const char *own = strrchr(info.dli_fname, '/');
    return own && own - info.dli_fname == slash - path && !strncmp(path, info.dli_fname, (size_t)(slash - path));
}

/* A shared runtime that is not ours was loaded: libraries that came with it have registered their kernels there. */
static bool too_late;

static void treat_dynamic(const char *path, uintptr_t bias)
{
    File    f = {.bias = bias};
    Symbols s;
    if (is_own(path) || !map_file(path, &f))
        return;
    if (section(&f, ".nvFatBinSegment") && symbols(&f, SHT_DYNSYM, &s) && find(&s, "__cudaRegisterFatBinary", false) &&
        symbols(&f, SHT_SYMTAB, &s))
        register_again(&f, &s);
    munmap((void *)(uintptr_t)f.data, f.size);
}

/* later: its constructors have run.  A library may carry a runtime without kernels (a module of a Python package), or be one under a name of its own. */
static void treat(const char *path, uintptr_t bias, bool later)
{
    File    f = {.bias = bias};
    Symbols s;
    if (is_own(path) || !map_file(path, &f))
        return;
    bool kernels = section(&f, ".nvFatBinSegment") || section(&f, ".nv_fatbin");
    bool exports = symbols(&f, SHT_DYNSYM, &s), shared = exports && find(&s, "__cudaRegisterFatBinary", true);
    bool dynamic = exports && find(&s, "__cudaRegisterFatBinary", false);
    if (shared || (!dynamic && symbols(&f, SHT_SYMTAB, &s))) {
        if (find(&s, "__cudaRegisterFatBinary", true)) {
            redirect_all(&f, &s, path);
            too_late |= shared;
            if (later && kernels)
                register_again(&f, &s);
        }
    } else if (kernels && !dynamic && !later) {
        if (!strcmp(path, "/proc/self/exe"))
            stripped(path);
        else if (exports)
            foreign(&f, &s, path);
    }
    if (strstr(path, "libnvrtc.so") && symbols(&f, SHT_DYNSYM, &s))
        redirect_nvrtc(&f, &s);
    munmap((void *)(uintptr_t)f.data, f.size);
}

/* ---- what is loaded ---- */

enum { MOST_OBJECTS = 2048, MOST_PATH = 1024 };

typedef struct Objects {
    size_t n;
    struct {
        char      path[MOST_PATH];
        uintptr_t bias;
    } at[MOST_OBJECTS];
} Objects;

static int each_object(struct dl_phdr_info *o, size_t size, void *list)
{
    (void)size;
    Objects *l = list;
    if (l->n < MOST_OBJECTS && strlen(o->dlpi_name) < MOST_PATH && strncmp(o->dlpi_name, "linux-", 6) != 0) {
        strcpy(l->at[l->n].path, *o->dlpi_name || l->n ? o->dlpi_name : "/proc/self/exe");
        l->at[l->n++].bias = o->dlpi_addr;
    }
    return 0;
}

static Objects known; /* dlopen inside the walk would wait for itself */

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(each_object, &known);
    for (size_t i = 0; i < known.n; i++)
        if (*known.at[i].path)
            treat(known.at[i].path, known.at[i].bias, false);
    for (size_t i = 1; too_late && i < known.n; i++) /* 0 is the program, whose constructors are still to run */
        treat_dynamic(known.at[i].path, known.at[i].bias);
}

static bool is_known(uintptr_t bias, const char *path)
{
    for (size_t i = 0; i < known.n; i++)
        if (known.at[i].bias == bias && !strcmp(known.at[i].path, path))
            return true;
    return false;
}

static void treat_new(void)
{
    static Objects now;
    size_t         before = known.n;
    now.n                 = 0;
    too_late              = false;
    dl_iterate_phdr(each_object, &now);
    for (size_t i = 0; i < now.n; i++)
        if (*now.at[i].path && !is_known(now.at[i].bias, now.at[i].path)) {
            if (known.n < MOST_OBJECTS)
                known.at[known.n++] = now.at[i];
            treat(now.at[i].path, now.at[i].bias, true);
        }
    for (size_t i = before; too_late && i < known.n; i++)
        treat_dynamic(known.at[i].path, known.at[i].bias);
}

/* ---- libraries that ask for one of ours ---- */

static bool ours(const char *asked, char path[MOST_PATH]);

/* The name that a library has for the linker (DT_SONAME), where one is found as asked; it is unloaded again, and its own needs are not looked at. */
static bool found_name(const char *asked, char name[MOST_PATH])
{
    void            *handle = real_dlopen()(asked, RTLD_LAZY | RTLD_LOCAL);
    struct link_map *map    = NULL;
    const char      *text   = NULL;
    size_t           at     = 0;
    if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
        for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
            if (d->d_tag == DT_STRTAB) /* the linker has added the load address */
                text = (const char *)d->d_un.d_ptr;
            else if (d->d_tag == DT_SONAME)
                at = d->d_un.d_val;
        }
    int n = text && at ? snprintf(name, MOST_PATH, "%s", text + at) : 0;
    if (handle)
        dlclose(handle);
    return n > 0 && n < MOST_PATH;
}

/* Drivers and toolkits have each library under its name without a version too.  path is ours of such a name, n bytes: the version is added to it.
 * Of several the one is meant that has the name of the file which would be found. */
static bool add_version(const char *asked, char path[MOST_PATH], size_t n)
{
    static const char *const versions[] = {"1", "2", "10", "11", "11.0", "12", "13"};
    const char              *only       = NULL;
    size_t                   there      = 0;
    char                     name[MOST_PATH];
    if (n < 3 || strcmp(path + n - 3, ".so") != 0)
        return false;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        int more = snprintf(path + n, MOST_PATH - n, ".%s", versions[i]);
        if (more > 0 && (size_t)more < MOST_PATH - n && access(path, R_OK) == 0) {
            only = versions[i];
            there++;
        }
    }
    if (there > 1)
        return found_name(asked, name) && ours(name, path);
    return only && snprintf(path + n, MOST_PATH - n, ".%s", only) > 0;
}

/* The file of ours that has the name of the one asked for, in path; false: there is none. */
static bool ours(const char *asked, char path[MOST_PATH])
{
    Dl_info     info;
    const char *slash = strrchr(asked, '/'), *file = slash ? slash + 1 : asked;
    if ((strncmp(file, "libcu", 5) != 0 && strncmp(file, "libn", 4) != 0) || !dladdr((void *)(uintptr_t)ours, &info) ||
        !info.dli_fname)
        return false;
    const char *own = strrchr(info.dli_fname, '/');
    int n = snprintf(path, MOST_PATH, "%.*s%s", own ? (int)(own + 1 - info.dli_fname) : 0, info.dli_fname, file);
    return n > 0 && n < MOST_PATH && (access(path, R_OK) == 0 || add_version(asked, path, (size_t)n));
}

/* A library names those that it needs, and may name folders for them that come before ours (DT_RPATH, as Python packages have it): what is
 * there under such a name is taken when ours was loaded before. */
static void load_needed(const char *library)
{
    File f = {0};
    char path[MOST_PATH];
    if (!map_file(library, &f))
        return;
    const Elf64_Shdr *d = section(&f, ".dynamic");
    const Elf64_Shdr *t = d && d->sh_link < f.nsections ? &f.section[d->sh_link] : NULL;
    bool ok = t && d->sh_type == SHT_DYNAMIC && d->sh_offset <= f.size && d->sh_size <= f.size - d->sh_offset &&
              t->sh_offset < f.size && t->sh_size && t->sh_size <= f.size - t->sh_offset &&
              !f.data[t->sh_offset + t->sh_size - 1];
    const Elf64_Dyn *entry = ok ? (const Elf64_Dyn *)(f.data + d->sh_offset) : NULL;
    for (size_t i = 0; ok && i < d->sh_size / sizeof *entry; i++)
        if (entry[i].d_tag == DT_NEEDED && entry[i].d_un.d_val < t->sh_size &&
            ours((const char *)f.data + t->sh_offset + entry[i].d_un.d_val, path))
            real_dlopen()(path, RTLD_NOW | RTLD_LOCAL);
    munmap((void *)(uintptr_t)f.data, f.size);
}

__attribute__((noinline)) static bool is_ours(const char *asked)
{
    char path[MOST_PATH];
    return ours(asked, path);
}

__attribute__((noinline)) static void *open_ours(const char *asked, int flags)
{
    char path[MOST_PATH];
    return ours(asked, path) ? real_dlopen()(path, flags) : NULL;
}

__attribute__((noinline)) static void *open_and_treat(const char *path, int flags)
{
    load_needed(path);
    void *handle = real_dlopen()(path, flags);
    if (handle)
        treat_new();
    return handle;
}

/* A name without a slash is searched for as its caller's library says, so unless it is one of ours the call is handed on as it is, as a jump: the
 * linker looks at the return address.  Such libraries are not looked at. */
__attribute__((visibility("default"))) void *dlopen(const char *path, int flags)
{
    if (path && is_ours(path))
        return open_ours(path, flags);
    if (!path || !strchr(path, '/') || (flags & RTLD_NOLOAD))
        return real_dlopen()(path, flags);
    return open_and_treat(path, flags);
}

/* LAPACK's, for every library that is loaded without one of its own in front: routine `name` (Fortran's, without an end) refuses its argument number *at. */
__attribute__((visibility("default"))) void xerbla_(const char *name, const int *at, size_t length)
{
    fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n", (int)length, name, *at);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Any file as the program whose lines a finding of the host's side names.  caller.c asks libdw of its own process; here it is compiled in
 * and asked of the input instead, at addresses all over its code.  Every frame that comes out has a name or a file. */
#include "cuda/process/caller.c" // NOLINT: its inner functions are what is tried

#include "tests/fuzz/fuzz.h"

static void *(*report_file)(void *dwfl, const char *name, const char *file, int fd);
static void (*end)(void *dwfl);
static int (*section)(void *module, uint64_t *address);

static bool load(void)
{
    static bool tried, there;
    static int (*relocate)(void *, void **, const char *, uint64_t, const char *, uint32_t, const void *, uint64_t *);
    void *lib = tried ? NULL : dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!tried)
        there = load_functions(lib) && (*(void **)&report_file = dlsym(lib, "dwfl_report_offline")) &&
                (*(void **)&end = dlsym(lib, "dwfl_end")) &&
                (*(void **)&section = dlsym(lib, "dwfl_module_relocations")) &&
                (*(void **)&relocate = dlsym(lib, "dwfl_offline_section_address"));
    if (!tried && there)
        *(void **)&dw.callbacks.section_address = *(void **)&relocate;
    tried = true;
    return there;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *none;
    if (!load())
        return 0;
    kept                        = arena_new();
    dw.callbacks.debuginfo_path = &none;
    void       *dwfl            = dw.begin(&dw.callbacks);
    const char *path            = fuzz_file(data, size, ".elf");
    dw.report_begin(dwfl);
    bool there = report_file(dwfl, "program", path, -1) != NULL;
    dw.report_end(dwfl, NULL, NULL);
    for (uintptr_t at = 0; there && at < 64; at++) {
        Call *k = ARENA_NEW(kept, Call);
        add_frames(k, dwfl, at < 32 ? at * 4 : 0x10000 + at * 8);
        for (size_t i = 0; i < k->n; i++)
            if (!k->frame[i].function && !k->frame[i].file)
                fuzz_fail("a frame without a name", path);
    }
    end(dwfl);
    arena_free(kept);
    return 0;
}

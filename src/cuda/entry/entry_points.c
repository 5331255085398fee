/* SPDX-License-Identifier: Apache-2.0
 *
 * From api.def: the bodies of the entry points that are not implemented, and the tables of all of them. */
#include "cuda/entry/entry_points.h"

#include <stddef.h>

#include "cuda/entry/watch.h"
#include "cuda/process/state.h"

#define RT(name, status, variant, ...) RT_##status(name)
#define RT_DONE(name)                  void rt_##name(void);
#define RT_HINT(name)                  RT_DONE(name)
#define RT_MISSING(name)                                                                                               \
    CuErr rt_##name(void);                                                                                             \
    CuErr rt_##name(void)                                                                                              \
    {                                                                                                                  \
        return state_missing(#name);                                                                                   \
    }
#define RTV(version, name, target, ...)  void rt_##target(void);
#define DRVA(name, target, variant, ...) void rt_##target(void);
#define DRV(name, status, variant, ...)  DRV_##status(name)
#define DRV_DONE(name)                   void drv_##name(void);
#define DRV_HINT(name)                   DRV_DONE(name)
#define DRV_MISSING(name)                                                                                              \
    CuErr drv_##name(void);                                                                                            \
    CuErr drv_##name(void)                                                                                             \
    {                                                                                                                  \
        return state_missing(#name);                                                                                   \
    }
#include "cuda/entry/api.def"
#undef RT
#undef RTV
#undef DRV
#undef DRVA

/* The variants whose default stream is the thread's own note that and go on as the others. */
#if defined(__x86_64__)
#define PER_THREAD(name, target)                                                                                       \
    void pt_##name(void);                                                                                              \
    __asm__(".pushsection .text\n.globl pt_" #name "\n.type pt_" #name ",@function\npt_" #name                         \
            ":\n push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %rax\n"                    \
            " call ww_set_per_thread@PLT\n pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n" \
            " jmp " #target "@PLT\n.size pt_" #name ",.-pt_" #name "\n.popsection\n");
#elif defined(__aarch64__)
#define PER_THREAD(name, target)                                                                                       \
    void pt_##name(void);                                                                                              \
    __asm__(".pushsection .text\n.globl pt_" #name "\n.type pt_" #name ",%function\npt_" #name                         \
            ":\n stp x0, x1, [sp, -80]!\n stp x2, x3, [sp, 16]\n stp x4, x5, [sp, 32]\n stp x6, x7, [sp, 48]\n"        \
            " stp x8, x30, [sp, 64]\n bl ww_set_per_thread\n ldp x2, x3, [sp, 16]\n ldp x4, x5, [sp, 32]\n"            \
            " ldp x6, x7, [sp, 48]\n ldp x8, x30, [sp, 64]\n ldp x0, x1, [sp], 80\n b " #target "\n.size pt_" #name    \
            ",.-pt_" #name "\n.popsection\n");
#endif
#define STUB_PLAIN(name, target)
#define STUB_PTSZ(name, target)          PER_THREAD(name, target)
#define STUB_PTDS(name, target)          PER_THREAD(name, target)
#define RT(name, status, variant, ...)   STUB_##variant(name, rt_##name)
#define DRV(name, status, variant, ...)  STUB_##variant(name, drv_##name)
#define DRVA(name, target, variant, ...) STUB_##variant(name, rt_##target)
#define RTV(version, name, target, ...)
#include "cuda/entry/api.def"
#undef RT
#undef RTV
#undef DRV
#undef DRVA

#define ENTRY(name)                    {#name, en_##name},
#define ENTRY_PLAIN(name)              ENTRY(name)
#define ENTRY_PTSZ(name)               ENTRY(name) ENTRY(name##_ptsz)
#define ENTRY_PTDS(name)               ENTRY(name) ENTRY(name##_ptds)
#define RT(name, status, variant, ...) ENTRY_##variant(name)
#define DRV(name, status, variant, ...)
#define DRVA(name, target, variant, ...)
#define RTV(version, name, ...) RTV_##version(name)

#define RTV_11(name) {#name, en_11_##name},
#define RTV_12(name)
#define RTV_13(name)
static const ApiEntry runtime_11[] = {
#include "cuda/entry/api.def"
    {NULL, NULL}};
#undef RTV_11
#undef RTV_12

#define RTV_11(name)
#define RTV_12(name) {#name, en_12_##name},
static const ApiEntry runtime_12[] = {
#include "cuda/entry/api.def"
    {NULL, NULL}};
#undef RTV_12
#undef RTV_13

#define RTV_12(name)
#define RTV_13(name) {#name, en_13_##name},
static const ApiEntry runtime_13[] = {
#include "cuda/entry/api.def"
    {NULL, NULL}};

#undef RT
#undef DRV
#undef DRVA
#undef RTV
#define RT(name, status, variant, ...)
#define RTV(version, name, ...)
#define DRVA(name, target, variant, ...) ENTRY_##variant(name)
#define DRV(name, status, variant, ...)  ENTRY_##variant(name)
static const ApiEntry driver[] = {
#include "cuda/entry/api.def"
    {NULL, NULL}};

const ApiEntry *ww_cuda_runtime(int version)
{
    state.runtime = version;
    return version <= 11 ? runtime_11 : version == 12 ? runtime_12 : runtime_13;
}

const ApiEntry *ww_cuda_driver(void)
{
    return driver;
}

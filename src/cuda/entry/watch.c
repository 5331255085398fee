/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the program's calls arrive: en_<name> for every row of api.def.  Each loads its row and goes to ww_call, which jumps on to the
 * body; while anything is checked it calls it instead, between calls_begin and calls_end (process/calls.h), so that failures are seen.
 *
 *     frame of ww_call (x86-64), from %rbp down:   8 row   16..56 integer registers, the first lowest   64, 72 two floats
 *                                                  then, at %rsp, a copy of the first 16 words of the caller's stack arguments
 *
 * No entry point takes more than 16 words on the stack, or more than two floats.  ww_call has unwind tables: findings look through it.
 * A body of kind NONE may return what it likes, and is only jumped to. */
#include "cuda/entry/watch.h"

#include "cuda/process/calls.h"

/* clang-format off */
#if defined(__x86_64__)
#define STUB(name)                                                                                                     \
    __asm__(".pushsection .text\n.globl en_" #name "\n.type en_" #name ",@function\nen_" #name                         \
            ":\n lea row_" #name "(%rip), %r11\n jmp ww_call\n.size en_" #name ",.-en_" #name "\n.popsection\n");
__asm__(".pushsection .text\n.hidden calls_watched\n.type ww_call,@function\nww_call:\n"
        " .cfi_startproc\n"
        " cmpl $0, calls_watched(%rip)\n jne 1f\n"
        "2: jmp *(%r11)\n"
        "1: cmpl $0, 24(%r11)\n je 2b\n"
        " push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n"
        " sub $208, %rsp\n mov %r11, -8(%rbp)\n"
        " mov %rdi, -56(%rbp)\n mov %rsi, -48(%rbp)\n mov %rdx, -40(%rbp)\n mov %rcx, -32(%rbp)\n mov %r8, -24(%rbp)\n mov %r9, -16(%rbp)\n"
        " movsd %xmm0, -64(%rbp)\n movsd %xmm1, -72(%rbp)\n"
        " mov %r11, %rdi\n call calls_begin@PLT\n"
        " lea 16(%rbp), %rsi\n mov %rsp, %rdi\n mov $16, %ecx\n cld\n rep movsq\n"
        " mov -56(%rbp), %rdi\n mov -48(%rbp), %rsi\n mov -40(%rbp), %rdx\n mov -32(%rbp), %rcx\n mov -24(%rbp), %r8\n mov -16(%rbp), %r9\n"
        " movsd -64(%rbp), %xmm0\n movsd -72(%rbp), %xmm1\n"
        " mov -8(%rbp), %r11\n call *(%r11)\n"
        " mov %rax, -64(%rbp)\n"
        " mov -8(%rbp), %rdi\n mov %eax, %esi\n lea -56(%rbp), %rdx\n lea 16(%rbp), %rcx\n call calls_end@PLT\n"
        " mov -64(%rbp), %rax\n"
        " leave\n .cfi_def_cfa %rsp, 8\n ret\n .cfi_endproc\n.size ww_call,.-ww_call\n.popsection\n");
#elif defined(__aarch64__)
#define STUB(name)                                                                                                     \
    __asm__(".pushsection .text\n.globl en_" #name "\n.type en_" #name ",%function\nen_" #name                         \
            ":\n adrp x16, row_" #name "\n add x16, x16, :lo12:row_" #name "\n b ww_call\n.size en_" #name ",.-en_" #name "\n.popsection\n");
/* From x29 up: 16..72 integer registers, 80, 88 two floats, 96 row; the stack arguments' copy lies at sp. */
__asm__(".pushsection .text\n.hidden calls_watched\n.type ww_call,%function\nww_call:\n"
        " .cfi_startproc\n"
        " adrp x17, calls_watched\n ldr w17, [x17, :lo12:calls_watched]\n cbnz w17, 1f\n"
        "2: ldr x17, [x16]\n br x17\n"
        "1: ldr w17, [x16, 24]\n cbz w17, 2b\n"
        " stp x29, x30, [sp, -112]!\n .cfi_def_cfa_offset 112\n .cfi_offset 29, -112\n .cfi_offset 30, -104\n"
        " mov x29, sp\n .cfi_def_cfa_register 29\n"
        " stp x0, x1, [x29, 16]\n stp x2, x3, [x29, 32]\n stp x4, x5, [x29, 48]\n stp x6, x7, [x29, 64]\n"
        " stp d0, d1, [x29, 80]\n str x16, [x29, 96]\n"
        " sub sp, sp, 128\n mov x0, x16\n bl calls_begin\n"
        " mov x9, 0\n add x10, x29, 112\n"
        "3: ldr x11, [x10, x9]\n str x11, [sp, x9]\n add x9, x9, 8\n cmp x9, 128\n b.ne 3b\n"
        " ldp x0, x1, [x29, 16]\n ldp x2, x3, [x29, 32]\n ldp x4, x5, [x29, 48]\n ldp x6, x7, [x29, 64]\n ldp d0, d1, [x29, 80]\n"
        " ldr x16, [x29, 96]\n ldr x17, [x16]\n blr x17\n"
        " str x0, [x29, 80]\n mov w1, w0\n ldr x0, [x29, 96]\n add x2, x29, 16\n add x3, x29, 112\n bl calls_end\n"
        " ldr x0, [x29, 80]\n"
        " mov sp, x29\n ldp x29, x30, [sp], 112\n .cfi_restore 29\n .cfi_restore 30\n .cfi_def_cfa 31, 0\n"
        " ret\n .cfi_endproc\n.size ww_call,.-ww_call\n.popsection\n");
#endif
/* clang-format on */
_Static_assert(offsetof(CallRow, target) == 0 && offsetof(CallRow, failure) == 24, "ww_call reads both");

/* Bodies that are not written in C have no prototype; those that are have theirs elsewhere. */
#define WATCHED(symbol, shown, to, kind, words, of_driver)                                                             \
    void                 to(void);                                                                                     \
    extern const CallRow row_##symbol;                                                                                 \
    __attribute__((used, visibility("hidden")))                                                                        \
    const CallRow row_##symbol = {to, #shown, words, CALL_##kind, of_driver};                                          \
    STUB(symbol)

#define ROW_PLAIN(name, to, kind, words, d) WATCHED(name, name, to, kind, words, d)
#define ROW_PTSZ(name, to, kind, words, d)                                                                             \
    ROW_PLAIN(name, to, kind, words, d) WATCHED(name##_ptsz, name, pt_##name, kind, words, d)
#define ROW_PTDS(name, to, kind, words, d)                                                                             \
    ROW_PLAIN(name, to, kind, words, d) WATCHED(name##_ptds, name, pt_##name, kind, words, d)
#define RT(name, status, variant, kind, words)   ROW_##variant(name, rt_##name, kind, words, false)
#define DRV(name, status, variant, kind, words)  ROW_##variant(name, drv_##name, kind, words, true)
#define DRVA(name, target, variant, kind, words) ROW_##variant(name, rt_##target, kind, words, true)
#define RTV(version, name, target, kind, words)  WATCHED(version##_##name, name, rt_##target, kind, words, false)
#include "cuda/entry/api.def"

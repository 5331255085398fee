/* SPDX-License-Identifier: Apache-2.0
 *
 * The drop-in libraries themselves: nothing but jumps from the documented names to the entry points (watch.c) of libwarpwright-cuda.so, so
 * that a program that links the runtime and the driver meets one state.  Compiled once for each library:
 *   WW_CUDART = 11, 12, 13   libcudart.so.11.0, libcudart.so.12, libcudart.so.13; the linker adds the version node
 *   WW_CUDART = 0            libcuda.so.1
 * A jump passes every argument through, whatever the prototype. */
#include "cuda/entry/entry_points.h"

#if defined(__x86_64__)
#define JUMP(name, target)                                                                                             \
    __asm__(".globl " #name "\n.type " #name ",@function\n" #name ":\n jmp " #target "@PLT\n.size " #name ",.-" #name  \
            "\n");
#elif defined(__aarch64__)
#define JUMP(name, target)                                                                                             \
    __asm__(".globl " #name "\n.type " #name ",%function\n" #name ":\n b " #target "\n.size " #name ",.-" #name "\n");
#endif

#define JUMP_PLAIN(name) JUMP(name, en_##name)
#define JUMP_PTSZ(name)  JUMP_PLAIN(name) JUMP(name##_ptsz, en_##name##_ptsz)
#define JUMP_PTDS(name)  JUMP_PLAIN(name) JUMP(name##_ptds, en_##name##_ptds)
#define RTV_11(name)
#define RTV_12(name)
#define RTV_13(name)

#if WW_CUDART
#define RT(name, status, variant, ...) JUMP_##variant(name)
#define DRV(name, status, variant, ...)
#define DRVA(name, target, variant, ...)
#if WW_CUDART == 11
#undef RTV_11
#define RTV_11(name) JUMP(name, en_11_##name)
#elif WW_CUDART == 12
#undef RTV_12
#define RTV_12(name) JUMP(name, en_12_##name)
#else
#undef RTV_13
#define RTV_13(name) JUMP(name, en_13_##name)
#endif
#define RTV(version, name, ...) RTV_##version(name)
#else
#define RT(name, status, variant, ...)
#define RTV(version, name, ...)
#define DRV(name, status, variant, ...)  JUMP_##variant(name)
#define DRVA(name, target, variant, ...) JUMP_##variant(name)
#endif

__asm__(".text\n");
#include "cuda/entry/api.def"

#if WW_CUDART
__attribute__((constructor)) static void tell_version(void)
{
    ww_cuda_runtime(WW_CUDART);
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The drop-in libraries themselves: nothing but jumps from the documented names to the implementation in libwarpwright-cuda.so, so
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

#define JUMP_PLAIN(name, target) JUMP(name, target)
#define JUMP_PTSZ(name, target)  JUMP(name, target) JUMP(name##_ptsz, pt_##name)
#define JUMP_PTDS(name, target)  JUMP(name, target) JUMP(name##_ptds, pt_##name)
#define RTV_11(name, target)
#define RTV_12(name, target)
#define RTV_13(name, target)

#if WW_CUDART
#define RT(name, status, variant) JUMP_##variant(name, rt_##name)
#define DRV(name, status, variant)
#define DRVA(name, target, variant)
#if WW_CUDART == 11
#undef RTV_11
#define RTV_11(name, target) JUMP(name, rt_##target)
#elif WW_CUDART == 12
#undef RTV_12
#define RTV_12(name, target) JUMP(name, rt_##target)
#else
#undef RTV_13
#define RTV_13(name, target) JUMP(name, rt_##target)
#endif
#define RTV(version, name, target) RTV_##version(name, target)
#else
#define RT(name, status, variant)
#define RTV(version, name, target)
#define DRV(name, status, variant)  JUMP_##variant(name, drv_##name)
#define DRVA(name, target, variant) JUMP_##variant(name, rt_##target)
#endif

__asm__(".text\n");
#include "cuda/entry/api.def"

#if WW_CUDART
__attribute__((constructor)) static void tell_version(void)
{
    ww_cuda_runtime(WW_CUDART);
}
#endif

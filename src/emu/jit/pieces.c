/* SPDX-License-Identifier: Apache-2.0
 *
 * The bitcode of each SIMD level, as bytes: WW_JIT_<level> is the file's path while the project is built.  It is compressed, where there is
 * zstd. */
#include "emu/jit/pieces.h"

#include <string.h>

#ifdef WW_HAVE_ZSTD
#include <zstd.h>
#endif

#define BYTES(level, path)                                                                                             \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global ww_jit_" #level "\n.hidden ww_jit_" #level "\nww_jit_" #level ":\n.incbin \"" path "\"\n"         \
            ".global ww_jit_" #level "_end\n.hidden ww_jit_" #level "_end\nww_jit_" #level "_end:\n.byte 0\n"          \
            ".popsection\n");                                                                                          \
    extern const char ww_jit_##level[], ww_jit_##level##_end[];

#ifdef WW_JIT_avx512
BYTES(avx512, WW_JIT_avx512)
#endif
#ifdef WW_JIT_avx2
BYTES(avx2, WW_JIT_avx2)
#endif
#ifdef WW_JIT_baseline
BYTES(baseline, WW_JIT_baseline)
#endif

static bool unpack(const char *first, size_t bytes, Str *out)
{
#ifdef WW_HAVE_ZSTD
    unsigned long long whole = ZSTD_getFrameContentSize(first, bytes);
    if (whole == ZSTD_CONTENTSIZE_UNKNOWN || whole == ZSTD_CONTENTSIZE_ERROR)
        return false;
    if (ZSTD_decompress(str_room(out, whole), whole, first, bytes) != whole)
        return false;
    out->len += whole;
#else
    str_addn(out, first, bytes);
#endif
    return true;
}

bool jit_rows(const char *level, Str *out)
{
    static const struct {
        const char *level, *first, *end;
    } all[] = {
#ifdef WW_JIT_avx512
        {"avx512", ww_jit_avx512, ww_jit_avx512_end},
#endif
#ifdef WW_JIT_avx2
        {"avx2", ww_jit_avx2, ww_jit_avx2_end},
#endif
#ifdef WW_JIT_baseline
        {"baseline", ww_jit_baseline, ww_jit_baseline_end},
#endif
        {"", NULL, NULL}};
    for (size_t i = 0; all[i].first; i++)
        if (strcmp(all[i].level, level) == 0)
            return !out || unpack(all[i].first, (size_t)(all[i].end - all[i].first), out);
    return false;
}

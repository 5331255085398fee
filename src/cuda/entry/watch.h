/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry points as programs reach them: en_<name>, or en_<version>_<name> for those of one version of the runtime. */
#ifndef WW_CUDA_WATCH_H
#define WW_CUDA_WATCH_H

#define EN(name)                     void en_##name(void);
#define EN_PLAIN(name)               EN(name)
#define EN_PTSZ(name)                EN(name) EN(name##_ptsz)
#define EN_PTDS(name)                EN(name) EN(name##_ptds)
#define RT(name, status, variant, ...)   EN_##variant(name)
#define DRV(name, status, variant, ...)  EN_##variant(name)
#define DRVA(name, target, variant, ...) EN_##variant(name)
#define RTV(version, name, ...)          EN(version##_##name)
#include "cuda/entry/api.def"
#undef RT
#undef DRV
#undef DRVA
#undef RTV
#undef EN
#undef EN_PLAIN
#undef EN_PTSZ
#undef EN_PTDS

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The level of detail that gradients ask for. */
#ifndef WW_EMU_TEXLOD_H
#define WW_EMU_TEXLOD_H

#include "emu/texture/texture.h"

/* In steps of 1/256, before bias and clamps. */
double texlod_of_gradient(const TexObject *t, const TexFetch *q);

#endif

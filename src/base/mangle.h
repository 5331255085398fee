/* SPDX-License-Identifier: Apache-2.0
 *
 * Names inside C++ symbols: just enough to call a kernel and a variable by what stands in the source. */
#ifndef WW_BASE_MANGLE_H
#define WW_BASE_MANGLE_H

#include <stddef.h>

/* A function as people read it, without its parameters: "void scale<float>(float*, int)" -> scale<float>.  Demangled by the C++ library, in
 * the process or on the machine; where there is none it is mangled_function.  The caller frees it. */
char *mangled_text(const char *symbol);
/* The type of the function's i-th parameter as people read it, "float const*"; NULL: the symbol does not say, or cannot be demangled.  The
 * caller frees it. */
char *mangled_parameter(const char *symbol, size_t i);

/* The function's own name: _ZN2ns5scaleEPf -> scale.  The whole symbol when it is not mangled. */
const char *mangled_function(const char *symbol, size_t *len);
/* Orders names as people read them without the arguments of templates: 0 for t<float> and t<int>. */
int mangled_compare_templates(const char *a, const char *b);
/* A function's own name, of a name as people read it: "ns::scale<float>" -> scale.  The caller frees it. */
char *mangled_short(const char *shown);
/* The variable's own name: _ZZ5scalePfE4tile -> tile.  The whole symbol when it is not mangled. */
const char *mangled_variable(const char *symbol, size_t *len);

#endif

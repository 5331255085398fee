/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of device profiles, made from profiles.def at compile time: nothing to set up, nothing to free.
 * Names are compared exactly; "sm_90a" and its like are not profiles: a profile is a memory model, not a compile target. */
#include "model/profile.h"

#include <string.h>
#include <strings.h>

#include "base/nearest.h"

enum ArchIndex {
#define LIMITS(...)
#define GROUPS(...)
#define ARCH(name, ...) ARCH_##name,
#define CARD(...)
#include "model/profiles.def"
#undef ARCH
#undef CARD
};

static const Arch archs[] = {
#define ARCH(name, title, cc, limits, card, ...) [ARCH_##name] = {#name, title, cc, __VA_ARGS__},
#define CARD(...)
#include "model/profiles.def"
#undef ARCH
#undef CARD
};

static const Profile profiles[] = {
#define ARCH(id, text, ...)          {.name = #id, .title = text, .arch = &archs[ARCH_##id]},
#define CARD(name, title, arch, ...) {#name, title, &archs[ARCH_##arch], __VA_ARGS__, false, NULL, NULL},
#include "model/profiles.def"
#undef ARCH
#undef CARD
#undef LIMITS
#undef GROUPS
};

const Profile *profile_at(size_t i)
{
    return i < sizeof profiles / sizeof *profiles ? &profiles[i] : NULL;
}

const Profile *profile_find(const char *name)
{
    if (!name || !*name)
        name = "sm_90";
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (strcasecmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}

void profile_missing(const char *name, Str *out)
{
    enum { COUNT = sizeof profiles / sizeof *profiles };
    const char *words[COUNT + 1];
    for (size_t i = 0; i < COUNT; i++)
        words[i] = profiles[i].name;
    words[COUNT] = NULL;
    str_printf(out, "there is no profile '%s'", name);
    size_t before = out->len;
    nearest_hint(name, strlen(name), words, out);
    if (out->len == before)
        str_add(out, "; 'warpwright profiles' lists them");
}

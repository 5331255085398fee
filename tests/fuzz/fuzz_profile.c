/* SPDX-License-Identifier: Apache-2.0
 *
 * Profile files.  Any bytes: read, or refused with a message that has the line; what was read is written and read as the same, and its
 * figures can be asked for. */
#include <stdlib.h>
#include <string.h>

#include "model/limits.h"
#include "model/profile_file.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char          *text = fuzz_text(data, size);
    Str            why = {0}, once = {0}, twice = {0};
    const Profile *p = profile_parse("f.profile", text, size, &why);
    if (!p && strncmp(str_text(&why), "f.profile:", 10) != 0)
        fuzz_fail("refused without its place", str_text(&why));
    if (p) {
        Timing t;
        Limits l = limits_of(p);
        timing_of(p, &t, NULL);
        if (!l.card->sms)
            fuzz_fail("a card without multiprocessors", text);
        profile_print(p, p->timing, &once);
        const Profile *q = profile_parse("f.profile", str_text(&once), once.len, &why);
        if (!q)
            fuzz_fail("what was written is refused", str_text(&why));
        profile_print(q, q->timing, &twice);
        if (strcmp(str_text(&once), str_text(&twice)) != 0)
            fuzz_fail("what was written is read as something else", str_text(&twice));
        profile_close(q);
    }
    profile_close(p);
    str_free(&why), str_free(&once), str_free(&twice);
    free(text);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * access --html: the accesses as data of the page of web/access, each with its figures and, in shared memory, the pass that serves each word.  The
 * page calculates further by itself; with one access its controls begin there.  Numbers are the model's, asked as everybody else asks
 * (ww_access_cost). */
#include <inttypes.h>

#include "cli/access/access.h"
#include "report/page.h"

void access_page(json_t *list, const char *expression, Str *out)
{
    const json_t *one  = json_array_size(list) == 1 ? json_array_get(list, 0) : NULL;
    json_t       *data = json_pack("{s:O}", "accesses", list);
    if (one && expression) {
        Str mask = {0};
        str_printf(&mask, "%08" PRIx32, (uint32_t)json_integer_value(json_object_get(one, "mask")));
        json_t                  *start  = json_pack("{s:s,s:s}", "offsets", expression, "mask", str_text(&mask));
        static const char *const same[] = {"profile", "space", "op", "bytes", "l1"};
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            json_object_set(start, same[i], json_object_get(one, same[i]));
        json_object_set_new(data, "start", start);
        str_free(&mask);
    }
    page_fill(access_template, access_template_bytes, data, out);
    json_decref(data);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Any JSON as a report: it is refused with a message, or every writer takes it.  SARIF is JSON again; the page holds no more scripts than
 * the page of an empty report, so nothing in a report can become one; compared with itself a report is neither better nor worse. */
#include <stdbool.h>
#include <string.h>

#include "report/doc.h"
#include "tests/fuzz/fuzz.h"

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *p = strcasestr(text, word); p; p = strcasestr(p + 1, word))
        n++;
    return n;
}

static size_t scripts(const json_t *doc, const json_t *compared)
{
    Str page = {0};
    doc_html(doc, compared ? "before" : NULL, compared, &page);
    if (page.len != strlen(page.s))
        fuzz_fail("the page holds a zero", "");
    size_t n = count(page.s, "<script") + count(page.s, "</script") + count(page.s, "<!--");
    str_free(&page);
    return n;
}

static void check_sarif(const json_t *doc)
{
    Str out = {0};
    doc_sarif(doc, &out);
    json_t *again = json_loadb(str_text(&out), out.len, 0, NULL);
    if (!again)
        fuzz_fail("SARIF that is no JSON", str_text(&out));
    json_decref(again);
    str_free(&out);
}

static void check_doc(const json_t *doc)
{
    static size_t plain;
    Str           out    = {0};
    json_t       *empty  = json_pack("{s:i, s:[], s:[]}", "schema", 1, "kernels", "findings");
    json_t       *itself = doc_compare(doc, doc, 0);
    plain                = plain ? plain : scripts(empty, NULL);
    if (scripts(doc, NULL) != plain || (itself && scripts(doc, itself) != plain))
        fuzz_fail("a script comes out of a report", "");
    doc_text(doc, true, &out);
    if (doc_is_run(doc)) {
        check_sarif(doc);
        Report *r = report_new(false);
        doc_findings(doc, r);
        report_sort(r);
        str_clear(&out);
        report_findings_text(r, false, &out);
        report_free(r);
    }
    if (itself) {
        doc_compare_text(itself, true, &out);
        doc_compare_markdown(itself, "a", "b", &out);
        if (json_integer_value(json_object_get(itself, "better")) ||
            json_integer_value(json_object_get(itself, "worse")))
            fuzz_fail("a report is better or worse than itself", str_text(&out));
    }
    json_decref(doc_kernel_sums(doc));
    json_decref(itself);
    json_decref(empty);
    str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str     why = {0};
    json_t *doc = doc_load(fuzz_file(data, size, ".json"), &why);
    if (doc)
        check_doc(doc);
    else if (why.len == 0)
        fuzz_fail("refused without a message", "");
    json_decref(doc);
    str_free(&why);
    return 0;
}

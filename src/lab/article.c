/* SPDX-License-Identifier: Apache-2.0
 *
 * The articles' figures beside the predictions of the time model.  A bandwidth is predicted as the article's is understood: every input read
 * once and every output written once, in the predicted time.  A prediction that is further off than a third of the way says what is known of
 * the difference; where it lies closer, nothing is to be explained. */
#include "lab/article.h"

#include <math.h>
#include <string.h>

static const Article articles[] = {
#define GBS                                                    true
#define MS                                                     false
#define ARTICLE(kernel, figure, text, value, unit, cards, why) {kernel, figure, text, value, unit, cards, why},
#include "lab/articles.def"
#undef ARTICLE
};

static const double near = 0.3; /* of the article's figure */

static bool names(const char *cards, const char *card)
{
    size_t len = strlen(card);
    for (const char *at = cards; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == len && !strncmp(at, card, len))
            return true;
    return false;
}

const Article *article_of(const LabRow *r)
{
    for (size_t i = 0; r->card && i < sizeof articles / sizeof *articles; i++)
        if (!strcmp(articles[i].kernel, r->kernel) && names(articles[i].cards, r->card))
            return &articles[i];
    return NULL;
}

double article_predicted(const Article *a, const LabRow *r)
{
    if (!(r->predicted_ms > 0))
        return NAN;
    return a->rate ? (double)r->least_bytes / r->predicted_ms / 1e6 : r->predicted_ms;
}

void article_table(const Lab *lab, size_t first, size_t past, Str *out)
{
    bool head = false;
    for (size_t i = first; i < past; i++) {
        const LabRow  *r = lab_row(lab, i);
        const Article *a = article_of(r);
        if (!a)
            continue;
        double p = article_predicted(a, r);
        if (!head)
            str_printf(out, "\n  %-25s %12s %12s  %s\n", "the article's figure", "article", "predicted", "ratio");
        head = true;
        str_printf(out, "  %-25s %7.4g %-4s ", r->kernel, a->value, a->rate ? "GB/s" : "ms");
        if (isnan(p))
            str_printf(out, "%12s\n", "-");
        else
            str_printf(out, "%7.3g %-4s  %.2f   bound by %s\n", p, a->rate ? "GB/s" : "ms", p / a->value, r->limiter);
        if (!(fabs(p / a->value - 1) <= near) && *a->why)
            str_printf(out, "      %s\n", a->why);
    }
}

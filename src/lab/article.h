/* SPDX-License-Identifier: Apache-2.0
 *
 * What an article reports of a row's kernel, where the row's profile is the article's card. */
#ifndef WW_LAB_ARTICLE_H
#define WW_LAB_ARTICLE_H

#include "lab/lab.h"

typedef struct Article { /* a row of articles.def */
    const char *kernel, *figure, *text; /* text: unit and card */
    double      value;
    bool        rate;  /* GB/s; else ms */
    const char *cards; /* with blanks between */
    const char *why;   /* what to know where the prediction differs; may be "" */
} Article;

/* NULL: no article reports of this kernel on this card. */
const Article *article_of(const LabRow *r);
/* The prediction in the article's unit; NaN: nothing is predicted. */
double article_predicted(const Article *a, const LabRow *r);
/* The rows of an experiment, from the first to before `past`: a table of figures, predictions and how they compare; nothing where
 * no article reports of them. */
void article_table(const Lab *lab, size_t first, size_t past, Str *out);

#endif

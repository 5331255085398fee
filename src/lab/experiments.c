/* SPDX-License-Identifier: Apache-2.0
 *
 * Which experiments there are, and what each says of itself. */
#include <string.h>

#include "lab/lab.h"
#include "lab/run.h"

static const Experiment *const experiments[] = {
    &experiment_aat, &experiment_matmul, &experiment_copy, &experiment_banks, &experiment_intmatmul,
};

size_t lab_experiment_count(void)
{
    return sizeof experiments / sizeof experiments[0];
}

const Experiment *lab_experiment(size_t i)
{
    return i < lab_experiment_count() ? experiments[i] : NULL;
}

const Experiment *lab_experiment_find(const char *name)
{
    for (size_t i = 0; i < lab_experiment_count(); i++)
        if (strcmp(experiments[i]->name, name) == 0)
            return experiments[i];
    return NULL;
}

const char *lab_experiment_name(const Experiment *e)
{
    return e->name;
}

const char *lab_experiment_question(const Experiment *e)
{
    return e->question;
}

const char *lab_experiment_reads(const Experiment *e)
{
    return e->reads;
}

const char *lab_experiment_family(const Experiment *e, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!e->family[j])
            return NULL;
    return e->family[i];
}

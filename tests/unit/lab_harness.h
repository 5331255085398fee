/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lab's tests share: running experiments on the emulator and finding rows and counters.  Include after
 * cmocka.h. */
#ifndef WW_TEST_LAB_HARNESS_H
#define WW_TEST_LAB_HARNESS_H

#include <string.h>

#include "lab/lab.h"

/* The defaults on the emulator, with inputs that are the same in every run. */
static inline LabOptions harness_options(void)
{
    LabOptions o = lab_defaults();
    o.device     = "emulator";
    o.seed       = 20080718;
    return o;
}

static inline Lab *harness_open(const LabOptions *o)
{
    Lab *lab     = NULL;
    Str  message = {0};
    if (lab_open(o, &lab, &message) != WW_OK)
        fail_msg("lab_open: %s", str_text(&message));
    return lab;
}

/* Opens, runs one experiment, and expects the run (not the rows) to succeed. */
static inline Lab *harness_run(const LabOptions *o, const char *name)
{
    Lab              *lab = harness_open(o);
    const Experiment *e   = lab_experiment_find(name);
    assert_non_null(e);
    if (lab_run(lab, &e, 1) != WW_OK)
        fail_msg("%s: %s", name, lab_error(lab));
    return lab;
}

static inline const LabRow *harness_row(const Lab *lab, const char *kernel)
{
    for (size_t i = 0; i < lab_row_count(lab); i++)
        if (strcmp(lab_row(lab, i)->kernel, kernel) == 0)
            return lab_row(lab, i);
    fail_msg("no row %s", kernel);
    return NULL;
}

static inline void harness_expect_verified(const Lab *lab)
{
    for (size_t i = 0; i < lab_row_count(lab); i++)
        if (!lab_row(lab, i)->verified)
            print_error("%s: %s\n", lab_row(lab, i)->kernel, lab_row(lab, i)->problem);
    assert_true(lab_all_verified(lab));
}

#endif

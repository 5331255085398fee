/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright profile: a device profile as a file that --profile takes.  What such a file may say is model/profile_file.h's business, how figures
 * are measured measure.c's.  A measured card begins with the figures of the card that stands for its architecture, where the model knows that
 * one; what was not measured is said at the head of the file. */
#include "cli/profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "device/device.h"
#include "model/limits.h"

static int show(const char *name)
{
    Str            text = {0}, why = {0};
    const Profile *p    = profile_open(name, &why);
    int            code = p ? CLI_OK : cli_error("profile", "%s", str_text(&why));
    if (p && !p->from_file)
        p = limits_of(p).card; /* an architecture's own: its card */
    if (p) {
        profile_print(p, p->from_file ? p->timing : timing_row(p->name), &text);
        fputs(str_text(&text), stdout);
    }
    profile_close(p);
    str_free(&text);
    str_free(&why);
    return code;
}

static double rounded(double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", v);
    return strtod(text, NULL);
}

/* What stands in the file: the measured figures over those of the architecture's card, where the model knows it. */
static void put_together(const Profile *arch, Measured *m, Profile *p, Timing *t)
{
    const Profile *base = limits_of(arch).card;
    const Timing  *row  = timing_row(base->name);
    *p                  = row ? *base : *arch;
    p->base             = row ? base->name : NULL;
    p->from_file        = true;
    *t                  = row ? *row : (Timing){0};
#define FLAG(member)                                 p->member = m->card.member;
#define UNSIGNED(member)                             p->member = m->card.member ? m->card.member : p->member;
#define CARD_FIGURE(member, kind, least, most, text) kind(member)
#define TIME_FIGURE(member, need, least, most, text) t->member = m->timing.member > 0 ? m->timing.member : t->member;
#include "model/figures.def"
#undef CARD_FIGURE
#undef TIME_FIGURE
#undef FLAG
#undef UNSIGNED
    p->title = m->card.title;
    /* a figure in a file has as many digits as a reading is worth */
#define CARD_FIGURE(...)
#define TIME_FIGURE(member, need, least, most, text) t->member = rounded(t->member);
#include "model/figures.def"
#undef CARD_FIGURE
#undef TIME_FIGURE
}

static int measure(const CliArgs *a)
{
    const char *why_not = "";
    WwDevice   *d       = NULL;
    Str         why = {0}, text = {0};
    char        name[16];
    if (strcmp(cli_text(a, "device", "cuda"), "emulator") == 0)
        return cli_error("profile",
                         "the emulator has no clock, so nothing can be measured on it; 'profile show NAME' writes the "
                         "figures of a card of the table");
    if (ww_device_open("cuda", NULL, &d, &why_not) != WW_OK) {
        fprintf(stderr, "warpwright profile: error: nothing can be measured: %s\n", why_not);
        return CLI_KERNEL;
    }
    snprintf(name, sizeof name, "sm_%u", d->cc);
    Measured       m    = {0};
    const Profile *arch = profile_find(name);
    Profile        p;
    Timing         t;
    int            code = CLI_KERNEL;
    if (!arch)
        str_printf(&why, "there is no architecture %s in the table ('warpwright profiles')", name);
    else if (cuda_card(d, &m.card) && profile_measure(d, &m, &why) == WW_OK) {
        put_together(arch, &m, &p, &t);
        profile_print(&p, &t, &text);
        printf("# Measured by 'warpwright profile measure' on %s, which ran at %.0f MHz.\n"
               "# Not measured: l2_kept_mib, fetch_bytes, l2_slices, joined_sms, store_bytes, taken_bytes, cold_ns, "
               "float_clocks, "
               "turn_clocks, constant_line, constant_far, print_ns, print_turn_ns, print_lane_ns, halves, floats, "
               "doubles%s.\n%s",
               m.card.title, m.clock_mhz, p.base ? ", which are those of the base" : "", str_text(&text));
        code = CLI_OK;
    }
    if (code != CLI_OK)
        fprintf(stderr, "warpwright profile: error: nothing was measured: %s\n", str_text(&why));
    str_free(&why);
    str_free(&text);
    ww_device_close(d);
    return code;
}

int cmd_profile(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    bool shows = strcmp(a.operand[0], "show") == 0, measures = strcmp(a.operand[0], "measure") == 0;
    if (measures && a.noperands > 1)
        code = cli_error("profile", "measure takes no profile: it writes one of the GPU at hand");
    else if (measures)
        code = measure(&a);
    else if (shows)
        code = show(a.noperands > 1 ? a.operand[1] : NULL);
    else
        code = cli_error("profile", "'%s' is neither show nor measure", a.operand[0]);
    cli_free(&a);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static Status exchange(void *user, const Parcel *mine, Parcel *theirs, Str *why)
{
    return ranks_exchange(((Spread *)user)->ranks, mine, theirs, why);
}

/* The command as it was given, but for the program's own name. */
static void command_of(Str *out)
{
    int     fd = file_open("/proc/self/cmdline");
    char    part[4096];
    ssize_t n;
    Str     all = {0};
    while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0)
        str_addn(&all, part, (size_t)n);
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < all.len; i++)
        if ((unsigned char)all.s[i] < ' ')
            all.s[i] = ' ';
    str_add(out, all.s ? all.s + strcspn(all.s, " ") : "");
    str_free(&all);
}

static int fail(const Spread *k, const Str *why)
{
    return cli_error(k->verb, "rank %u of %u: %s", k->who.rank, k->who.ranks, str_text(why));
}

bool spread_begin(Spread *k, const CliArgs *a, const SpreadAsk *ask)
{
    const char *folder = cli_text(a, "ranks", NULL);
    Str         what = {0}, why = {0};
    k->verb = ask->verb;
    if ((folder && !strcmp(folder, "off")) || !ranks_who(&k->who))
        return true;
    for (size_t i = 0; ask->alone[i].option; i++)
        if (cli_has(a, ask->alone[i].option)) {
            cli_error(k->verb, "--%s %s; with --ranks=off each of the %u ranks runs alone", ask->alone[i].option,
                      ask->alone[i].why, k->who.ranks);
            return false;
        }
    command_of(&what);
    RanksAsk ranks = {
        .folder = folder && *folder ? folder : NULL, .what = what.s ? what.s : k->verb, .stop = ask->stop};
    Status s = ranks_open(&k->who, &ranks, &why, &k->ranks);
    if (s != WW_OK)
        fail(k, &why);
    k->share = (DeviceShare){.rank = k->who.rank, .ranks = k->who.ranks, .exchange = exchange, .user = k};
    str_free(&what);
    str_free(&why);
    return s == WW_OK;
}

bool spread_other(const Spread *k)
{
    return k->ranks && k->who.rank;
}

/* *number becomes rank 0's. */
static Status give_number(Spread *k, uint64_t *number, Str *why)
{
    Parcel mine = {0}, *theirs = xcalloc(k->who.ranks, sizeof *theirs);
    parcel_put_number(&mine, *number);
    Status s = ranks_exchange(k->ranks, &mine, theirs, why);
    if (s == WW_OK && k->who.rank)
        *number = parcel_number(&theirs[0]);
    for (unsigned i = 0; i < k->who.ranks; i++)
        parcel_free(&theirs[i]);
    free(theirs);
    parcel_free(&mine);
    return s;
}

bool spread_number(Spread *k, uint64_t *number)
{
    Str    why = {0};
    Status s   = k->ranks ? give_number(k, number, &why) : WW_OK;
    if (s != WW_OK)
        fail(k, &why);
    str_free(&why);
    return s == WW_OK;
}

int spread_end(Spread *k, int code)
{
    uint64_t all = (uint64_t)code;
    Str      why = {0};
    if (!k->ranks)
        return code;
    if (spread_other(k) && code != CLI_OK)
        ranks_fail(k->ranks, k->share.broken ? k->share.refused.s : "its command failed");
    else if (give_number(k, &all, &why) == WW_OK)
        code = (int)all;
    else if (!code) /* else it has said something already */
        code = fail(k, &why);
    str_free(&why);
    ranks_close(k->ranks);
    k->ranks = NULL;
    str_free(&k->share.refused);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The ranks of a run.  The processes of each rank write its document, as those of any run do, in a folder that all ranks see.  The first one joins
 * them in the order of ranks, so that equal runs give equal reports; what the run of each rank knows beside goes to it by parcels (base/ranks.h).
 *
 * Not here: anything of MPI.  The program is the MPI program; we only see who started us (base/ranks.def).
 * A rank whose run is killed is told of in the report, which has what its processes wrote until then. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cli/together.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "report/doc.h"

enum { MOST_STATUS = 1 << 26 };

static void document_of(const Together *t, unsigned rank, Str *out)
{
    str_clear(out);
    str_printf(out, "%s/%u.json", ranks_folder(t->ranks), rank);
}

bool together_begin(Together *t, const CliArgs *a, const volatile int *stop)
{
    Str         why = {0}, json = {0};
    const char *folder = cli_text(a, "ranks", NULL);
    if (!cli_has(a, "ranks") || !ranks_who(&t->who))
        return true;
    RanksAsk ask = {.folder = folder && *folder ? folder : NULL, .what = "run --ranks", .stop = stop};
    Status   s   = ranks_open(&t->who, &ask, &why, &t->ranks);
    if (s == WW_OK) {
        document_of(t, t->who.rank, &json);
        t->json = json.s;
    } else {
        cli_error("run", "--ranks: rank %u of %u: %s", t->who.rank, t->who.ranks, str_text(&why));
    }
    str_free(&why);
    return s == WW_OK;
}

/* One exchange: what everybody gives, by rank, to be freed; NULL after a message.  Who is gone is noted. */
static Parcel *exchange(Together *t, const Parcel *mine)
{
    Str     why    = {0};
    Parcel *theirs = xcalloc(t->who.ranks, sizeof *theirs);
    Status  s      = ranks_exchange(t->ranks, mine, theirs, &why);
    if (s == WW_ERR_UNAVAILABLE) {
        str_clear(&t->gone);
        str_add(&t->gone, str_text(&why));
    } else if (s != WW_OK) {
        fprintf(stderr, "warpwright run: rank %u of %u ends without the others: %s\n", t->who.rank, t->who.ranks,
                str_text(&why));
        for (unsigned i = 0; i < t->who.ranks; i++)
            parcel_free(&theirs[i]);
        free(theirs);
        theirs = NULL;
    }
    str_free(&why);
    return theirs;
}

static void drop(const Together *t, Parcel *theirs)
{
    for (unsigned i = 0; theirs && i < t->who.ranks; i++)
        parcel_free(&theirs[i]);
    free(theirs);
}

unsigned together_threads(const RanksWho *w)
{
    cpu_set_t set;
    long      cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned  local = w->local ? w->local : w->ranks;
    if (cores < 1 || sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    unsigned own = (unsigned)CPU_COUNT(&set);
    own          = own < (unsigned)cores ? own : own / local;
    return own ? own : 1;
}

void together_export(const Together *t, const CliArgs *a)
{
    char text[24];
    if (!t->ranks)
        return;
    snprintf(text, sizeof text, "%u", t->who.rank);
    setenv("WARPWRIGHT_OF_RANK", text, 1);
    snprintf(text, sizeof text, "%u", together_threads(&t->who));
    if (!cli_has(a, "threads"))
        setenv("WARPWRIGHT_THREADS", text, 1);
}

bool together_is_rank(void)
{
    RanksWho who;
    return ranks_who(&who);
}

static void append(const char *file, Parcel *theirs)
{
    const char *rows = parcel_text(theirs);
    FILE       *f    = rows ? file_append(file) : NULL;
    if (!f)
        return;
    fputs(rows, f);
    fclose(f);
}

bool together_gather(Together *t, int code, bool bad, const char *status)
{
    if (!t->ranks) {
        t->first = true;
        return true;
    }
    Parcel mine = {0};
    Str    rows = {0};
    if (!file_text(status, MOST_STATUS, &rows))
        str_clear(&rows);
    parcel_put_number(&mine, (uint64_t)code);
    parcel_put_text(&mine, str_text(&rows));
    ranks_patience(t->ranks, bad ? TOGETHER_GRACE : 0);
    Parcel *theirs = exchange(t, &mine);
    t->given       = true;
    if (theirs) {
        t->rank  = xcalloc(t->who.ranks, sizeof *t->rank);
        t->first = true;
        for (unsigned i = 0; i < t->who.ranks; i++) {
            bool own   = i == t->who.rank;
            t->rank[i] = (TogetherRank){.code = own ? code : (int)parcel_number(&theirs[i]), .gone = theirs[i].bad};
            t->first &= own || t->rank[i].gone || i > t->who.rank;
        }
        for (unsigned i = 0; i < t->who.ranks && t->first; i++)
            append(status, &theirs[i]);
    }
    drop(t, theirs);
    parcel_free(&mine);
    str_free(&rows);
    return theirs != NULL;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

/* What a rank that is gone has written counts too. */
static void join_others(const Together *t, json_t *doc, size_t keep)
{
    Str file = {0}, why = {0};
    for (unsigned i = 0; i < t->who.ranks; i++) {
        document_of(t, i, &file);
        json_t *other = i == t->who.rank ? NULL : doc_load(file.s, &why);
        if (other)
            doc_join(doc, other, keep);
        json_decref(other);
    }
    str_free(&file);
    str_free(&why);
}

bool together_join(const Together *t, const CliArgs *a)
{
    if (!t->ranks)
        return true;
    Str     why = {0}, text = {0};
    json_t *doc = doc_load(t->json, &why), *ranks = json_array();
    bool    ok = doc != NULL;
    for (unsigned i = 0; i < t->who.ranks; i++)
        json_array_append_new(ranks, json_pack("{s:i,s:o}", "rank", (int)i, "exit_code",
                                               t->rank[i].gone ? json_null() : json_integer(t->rank[i].code)));
    if (ok) {
        join_others(t, doc, cli_number(a, "keep-launches", REPORT_LAUNCHES));
        json_object_set(doc, "ranks", ranks);
        if (t->gone.len)
            json_array_append_new(json_object_get(doc, "notes"), json_string(t->gone.s));
        doc_json(doc, &text);
        ok = doc_write(t->json, &text, &why);
    }
    if (!ok)
        cli_error("run", "--ranks: %s", str_text(&why));
    json_decref(doc);
    json_decref(ranks);
    str_free(&why);
    str_free(&text);
    return ok;
}

bool together_end(Together *t)
{
    Parcel none    = {0};
    bool   several = t->ranks != NULL;
    if (t->ranks && t->rank)
        drop(t, exchange(t, &none));
    else if (t->ranks && !t->given)
        ranks_fail(t->ranks, "it could not run its program");
    ranks_close(t->ranks);
    t->ranks = NULL;
    free(t->json);
    free(t->rank);
    str_free(&t->gone);
    t->json = NULL;
    t->rank = NULL;
    return several;
}

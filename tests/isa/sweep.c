/* SPDX-License-Identifier: Apache-2.0
 *
 * isa_sweep: instructions as NVIDIA's assembler takes them for sm_90a, one a line, each in a kernel of its own: it must parse, and run
 * (with registers that are all zero, so mostly into a fault) or be named as unsupported.
 *
 *   isa_sweep HEAD LIST [--write FILE]
 *
 * HEAD: what stands around them (head.ptx: the module's variables, "// body", the kernel's registers).  A line of LIST: the instruction,
 * and, behind a tab, "unsupported" where it is expected to be that.  --write: the list again, with what was found.  Ends with exit code 1 when an
 * instruction does not parse, or is unsupported and not expected to be, or the other way round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "warpwright/warpwright.h"

enum { MAX_LINE = 4096, THREADS = 32 };

typedef enum Outcome { RUNS, UNSUPPORTED_FORM, NOT_PARSED } Outcome;

typedef struct Totals {
    unsigned tried, unsupported, wrong;
} Totals;

static void read_all(FILE *f, Str *s)
{
    char   buf[4096];
    size_t n;
    while ((n = fread(buf, 1, sizeof buf, f)) > 0)
        str_addn(s, buf, n);
}

/* "// body" separates the module's part of the head from the kernel's. */
static void module_text(Str *s, const char *head, const char *instruction)
{
    static const char mark[] = "// body\n";
    const char       *body   = strstr(head, mark);
    str_addn(s, head, (size_t)(body - head));
    str_printf(s, ".visible .entry k(.param .u64 arg)\n{\n%s%s\nL: ret;\n}\n", body + strlen(mark), instruction);
}

static Outcome try_one(WwDevice *d, const char *head, const char *instruction)
{
    Str       text = {0};
    WwModule *m    = NULL;
    uint64_t  arg  = 0;
    Outcome   o    = RUNS;
    WwLaunch  l    = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .args = (void *[]){&arg}, .arg_count = 1};
    module_text(&text, head, instruction);
    if (ww_module_load(d, "isa.ptx", str_text(&text), text.len, &m)) {
        printf("%s: %s\n", instruction, ww_device_error(d));
        o = NOT_PARSED;
    } else if (ww_launch(d, m, "k", &l, NULL) == WW_ERR_UNSUPPORTED) {
        o = UNSUPPORTED_FORM;
    }
    ww_module_unload(d, m);
    str_free(&text);
    return o;
}

static void one_line(WwDevice *d, const char *head, char *line, FILE *to, Totals *t)
{
    char *tab      = strchr(line, '\t');
    bool  expected = tab && strcmp(tab + 1, "unsupported") == 0;
    if (tab)
        *tab = 0;
    Outcome o = try_one(d, head, line);
    t->tried++;
    t->unsupported += o == UNSUPPORTED_FORM;
    t->wrong += o == NOT_PARSED || (o == UNSUPPORTED_FORM) != expected;
    if (o != NOT_PARSED && (o == UNSUPPORTED_FORM) != expected && !to)
        printf("%s: %s\n", line, expected ? "runs, and is listed as unsupported" : "unsupported");
    if (to)
        fprintf(to, "%s%s\n", line, o == UNSUPPORTED_FORM ? "\tunsupported" : "");
}

int main(int argc, char **argv)
{
    WwDeviceOptions o    = {.threads = 1};
    WwDevice       *d    = NULL;
    const char     *why  = "";
    Str             head = {0};
    Totals          t    = {0};
    char            line[MAX_LINE];
    FILE           *h = argc > 2 ? fopen(argv[1], "r") : NULL, *list = h ? fopen(argv[2], "r") : NULL;
    FILE           *to = argc > 4 ? fopen(argv[4], "w") : NULL;
    if (!list || (argc > 4 && !to) || ww_device_open("emulator", &o, &d, &why)) {
        fprintf(stderr, "isa_sweep: isa_sweep HEAD LIST [--write FILE] %s\n", why);
        return 2;
    }
    read_all(h, &head);
    while (fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] && line[0] != '#')
            one_line(d, str_text(&head), line, to, &t);
        else if (to)
            fprintf(to, "%s\n", line);
    }
    printf("%u instructions, %u unsupported, %u not as expected\n", t.tried, t.unsupported, t.wrong);
    ww_device_close(d);
    str_free(&head);
    fclose(h), fclose(list);
    if (to)
        fclose(to);
    return t.wrong && !to;
}

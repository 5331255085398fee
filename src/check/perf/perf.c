/* SPDX-License-Identifier: Apache-2.0
 *
 * What the performance rules share: a finding and its mend, the patterns of an instruction, how much of the launch was looked at. */
#include "check/perf/perf.h"

#include <inttypes.h>

Finding *perf_note(Perf *p, RuleId r, uint32_t instr, uint64_t count)
{
    return findings_note(p->found, r, instr, NO_INSTR, 0, 0, 0, count);
}

void perf_mend(Perf *p, Finding *f, const char *unit, uint64_t before, uint64_t after, int64_t shared, const char *fmt,
               ...)
{
    va_list ap;
    Str     s = {0};
    va_start(ap, fmt);
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    WwMend *m       = findings_alloc(p->found, sizeof *m);
    m->text         = findings_text(p->found, "%s", str_text(&s));
    m->unit         = unit;
    m->before       = before;
    m->after        = after;
    m->shared_bytes = shared;
    f->mend         = m;
    str_free(&s);
}

void perf_shows(Perf *p, Finding *f, const WwPicture *from, const WwPicture *to)
{
    if (!f->mend)
        return;
    WwPicture *pair = findings_alloc(p->found, 2 * sizeof *pair);
    WwMend    *m    = findings_alloc(p->found, sizeof *m);
    pair[0]         = *from;
    pair[1]         = *to;
    *m              = *f->mend;
    m->from         = &pair[0];
    m->to           = &pair[1];
    f->mend         = m;
}

const Pattern *perf_commonest(const Perf *p, uint32_t instr, uint64_t addr[LANES])
{
    size_t         first, n = perf_patterns(p, instr, &first);
    const Pattern *best = NULL;
    for (size_t i = first; i < first + n; i++)
        if (!best || patterns_at(p->patterns, i)->total > best->total)
            best = patterns_at(p->patterns, i);
    if (best) {
        uint32_t at = 0;
        for (uint32_t i = 1; i < best->places; i++)
            at = best->hits[i] > best->hits[at] ? i : at;
        pattern_addresses(best, at, addr);
    }
    return best;
}

bool perf_anew(const Perf *p, uint32_t instr)
{
    const Opcode *o = p->launch->instr[instr].in->op;
    return opcode_has(o, WORD_volatile) || opcode_has(o, WORD_relaxed) || opcode_has(o, WORD_acquire);
}

size_t perf_patterns(const Perf *p, uint32_t instr, size_t *first)
{
    size_t low = 0, high = patterns_count(p->patterns), end;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (patterns_at(p->patterns, middle)->instr < instr)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < patterns_count(p->patterns) && patterns_at(p->patterns, end)->instr == instr;)
        end++;
    *first = low;
    return end - low;
}

const char *perf_looked(Perf *p)
{
    uint64_t of, n = trace_blocks(p->trace, &of);
    return n == of ? "" : findings_text(p->found, " in %" PRIu64 " of %" PRIu64 " blocks", n, of);
}

const char *perf_replayed(Perf *p, uint64_t cut)
{
    uint64_t of, n = trace_blocks(p->trace, &of);
    if (n == of && !cut)
        return "";
    return findings_text(p->found, " (replayed on %" PRIu64 " of %" PRIu64 " blocks%s)", n, of,
                         cut ? ", the first accesses of each" : "");
}

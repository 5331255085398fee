/* SPDX-License-Identifier: Apache-2.0
 *
 * The C that a plan becomes, and what its writers share.  Functions  const Uop *native<n>(Warp *w, const Uop *u)  run from u on and return
 * where the interpreter goes on, as a handler does; NULL: u is no entry, or its values do not have the spreads that were planned.
 *
 *   r<n>  a vector value: 32 lanes        s<n>  a linear value: lane 0        p<n>  a predicate: a mask of lanes
 *   m     the lanes that run, where not all do: under a guard, and where lanes have parted (emit_region.c)
 *   d<n>  the lanes that wait at segment n's head meanwhile */
#ifndef WW_EMU_JIT_EMIT_H
#define WW_EMU_JIT_EMIT_H

#include "base/str.h"
#include "emu/jit/plan.h"

#define OUT(...) str_printf(e->out, __VA_ARGS__)

typedef struct Region {      /* what lanes that part at the end of a segment run until they meet */
    uint32_t  branch, meets; /* segments */
    uint32_t *segment, n;    /* those between, in order */
    Spread   *now;           /* of each value where they part */
    bool     *away;          /* Emit.away there */
    uint64_t *crossing; /* values that one of the segments writes and another reads, or who comes behind: vectors */
    uint64_t *before;   /* those that are wanted before the branch */
    uint64_t *wanted;   /* at the head of any of them, or where lanes meet */
} Region;

typedef struct Stretch { /* items whose accesses were asked for together (emit_ask.c) */
    const Segment *of;
    uint32_t       from, end; /* items */
    uint32_t       question;  /* the first party's */
} Stretch;

typedef struct Fork { /* of a segment whose rest is written twice (emit_fork.c) */
    uint32_t first; /* item; UINT32_MAX: none */
    Spread **at;    /* by item, the last is the end: of each value on the careful way, where it has a door; NULL: it has none */
    bool    *odd;   /* as Emit.odd at the first */
} Fork;

typedef struct EmitState { /* of the text, kept while another way is written */
    Spread *now;
    bool   *clean, *kept, *away;
} EmitState;

typedef struct Trial { /* items whose results are asked behind the last (emit_trial.c) */
    const Segment *of;
    uint32_t       from, end; /* items */
    uint32_t       number;    /* of the function's */
    EmitState      state;     /* before the first */
    bool          *odd;       /* as Emit.odd there */
} Trial;

typedef struct Emit {
    Plan           *p;
    Str            *out;
    Str            *table; /* the rows of each table of linear values */
    uint32_t        index, ntables;
    Spread         *now;            /* of each value, where the text stands */
    bool           *clean;          /* the frame has the value */
    bool           *kept;           /* it has of linear ones lane 0, of others all of it */
    bool           *away;           /* of those that are kept: the variable does not hold it */
    const uint64_t *before, *after; /* values that are wanted before and behind the item */
    const uint64_t
        *crossing;     /* NULL: all 32 lanes run.  Else those of m, and of these values the other lanes keep theirs */
    const Region  *in; /* NULL: lanes have not parted */
    Region        *region;
    uint32_t       nregions;
    bool           waits;   /* it has barriers: warps take turns in it */
    bool          *entered; /* segments that the interpreter may give a warp to */
    bool          *resumed; /* segments that native code goes on with */
    Fork           fork;
    Stretch        stretch;
    Trial          trial;
    uint8_t       *party; /* of each item of the segment: whose access it is */
    int64_t       *place; /* how far from that party's lowest address */
    uint32_t       nquestions, ntrials;
    const char    *ended;  /* what closes the access that is written */
    const Segment *raw_of; /* NULL, or whose items `raw` is about */
    bool          *odd;    /* of each value: which NaN its lanes are is not settled */
    bool          *raw;    /* who reads the result does not ask which NaN it is */
    uint32_t       parted; /* items that were written for parted lanes */
    uint16_t       mode;   /* what is set in MXCSR where the text stands */
    bool           sweeps; /* it tells of accesses at once, where `swept` */
} Emit;

/* What every text begins with; behind it, a plan's function native<index>. */
void emit_prelude(Str *out);
void emit_function(Plan *p, uint32_t index, Str *out);

/* emit_tell.c.  Are there blocks that none of the launch's observers sweeps? */
bool emit_may_skip(const Emit *e);

/* emit_value.c.  Of a value: its spread here; lane 0 as an expression; all lanes as one; a copy of them under `name`. */
Spread emit_spread(const Emit *e, uint32_t value);
void   emit_scalar(const Emit *e, uint32_t value);
void   emit_lanes(const Emit *e, uint32_t value);
void   emit_vector(const Emit *e, uint32_t value, const char *name);
/* A write has made the value: its spread from here on. */
void emit_made(Emit *e, uint32_t value, Spread f);
/* The variable has the value from here on, if it was away.  The same of all that an item may look at; of a set. */
void emit_present(Emit *e, uint32_t value);
void emit_present_item(Emit *e, const Item *it);
void emit_present_set(Emit *e, const uint64_t *set);
/* At a segment's head: what is kept, and what is away. */
void emit_homes(Emit *e, const Segment *s);
/* On the way to segment `to`: its variable holds the value as it is expected there, unless it is away there; the frame holds it so. */
void emit_bring(Emit *e, uint32_t value, const Segment *to);
void emit_keep_for(Emit *e, uint32_t value, const Segment *to);
/* The frame gets the value; the value is read from the frame. */
void emit_flush(Emit *e, uint32_t value);
void emit_reload(Emit *e, uint32_t value, Spread want);
/* From the spread a value has to the one that is wanted, which is weaker. */
void emit_convert(Emit *e, uint32_t value, Spread want);
/* Does a write leave the lanes that do not run as they are? */
bool emit_blends(const Emit *e, uint32_t value);
/* The values of the set go to the frame, of linear ones lane 0 only; they come back. */
void emit_keep(Emit *e, const uint64_t *set);
void emit_fetch(Emit *e, const uint64_t *set);
/* Behind emit_keep: all lanes of the linear ones are written out.  A question whether they are there. */
void emit_fill(Emit *e, const uint64_t *set);
bool emit_check(Emit *e, const uint64_t *set);
/* The interpreter goes on at `next`, an expression. */
void emit_leave(Emit *e, const uint64_t *wanted, const char *next);
void emit_leave_at(Emit *e, const uint64_t *wanted, uint32_t uop);

/* emit_mode.c.  MXCSR gets the mode; the one that the item wants. */
void     emit_mode(Emit *e, uint16_t mode);
uint16_t emit_mode_of(const Emit *e, const Item *it);
/* Is the row's source k a constant that clang must not know?  Then h<k> is its lane 0. */
bool emit_hidden(Emit *e, const Item *it, uint32_t k);

/* Of the text: a copy; it is as it was; the copy is freed. */
EmitState emit_state(const Emit *e);
void      emit_state_back(Emit *e, const EmitState *s);
void      emit_state_free(EmitState *s);
/* The variable that a vector result goes to first; behind the assignment: it comes from there to its value, and `{` is closed. */
void emit_begin_result(Emit *e, uint32_t v, char name[16]);
void emit_end_result(Emit *e, uint32_t v, Spread f);

/* emit_row.c.  d: the result's spread; guard: what must hold for that. */
void emit_row(Emit *e, const Item *it, Spread d, Guard guard);
/* `u<n> a<k> = ...` for each source, then `u<n> t` and the row's result for lane 0 in it. */
void emit_row_lane(Emit *e, const Item *it);

/* emit_item.c */
void emit_item(Emit *e, const Item *it);
/* Calls the item's handler with its values in the frame; what it writes has the spread `want` afterwards. */
void emit_call(Emit *e, const Item *it, Spread want);
/* The same for what follows: is there something that stops the warp? */
void emit_call_handler(Emit *e, const Item *it);
/* Does the slot hold one number, which is known, in all lanes?  *x: its low 32 bits. */
bool emit_known_at(const Emit *e, Slot slot, uint32_t *x);
/* Behind an item whose handler may have loaded what nobody wrote: the interpreter goes on. */
void emit_poisoned(Emit *e, const Item *it);
/* Where lanes have parted: the interpreter goes on, with those that run at a uop where these values are wanted. */
void emit_hand_over(Emit *e, const uint64_t *wanted, uint32_t uop);

/* emit_flow.c: segments, and edges between them. */
void emit_segment(Emit *e, uint32_t index);
void emit_go(Emit *e, uint32_t to);
/* The values that are wanted before each item of s, and behind the last: nitems + 1 sets of emit_words; free(). */
uint64_t              *emit_wanted(const Plan *p, const Segment *s);
static inline uint32_t emit_words(const Plan *p)
{
    return (p->nvalues + 63) / 64 + 1;
}

/* emit_fork.c.  Where the segment has two ways; of the state at its head. */
void emit_fork_find(Emit *e, const Segment *s);
void emit_fork_free(Emit *e, const Segment *s);
bool emit_has_fork(const Emit *e);
bool emit_forks(const Emit *e, uint32_t item);
/* On the careful way: a door in front of the item, where the bold way begins or may come from. */
void emit_fork_door(Emit *e, uint32_t index, uint32_t item, const uint64_t *wanted);
/* On the bold way: it begins; a row that divides (false: it is none); it ends in the door of the careful one. */
void emit_fork_begin(Emit *e, uint32_t index);
bool emit_fork_row(Emit *e, const Item *it, uint32_t index, uint32_t item);
void emit_fork_back(Emit *e, uint32_t index, uint32_t item, const uint64_t *wanted);

/* emit_region.c: what lanes that part behind segment s run; false: the interpreter runs it. */
bool emit_parting(Emit *e, uint32_t s);
void emit_regions(Emit *e);

/* emit_trial.c: a trial begins with item k of s, if one does; is it one of its items; it ends.  before, behind: what is wanted before its first
 * item and behind its last. */
void emit_trial(Emit *e, const Segment *s, uint32_t k);
bool emit_in_trial(const Emit *e, const Item *it);
void emit_trial_end(Emit *e, const uint64_t *before, const uint64_t *behind);

/* emit_ask.c: asks for accesses of one base that follow each other, from item k of s on; the first item behind them, or k where there are
 * none. */
uint32_t emit_stretch(Emit *e, const Segment *s, uint32_t k);
/* Was it asked for so? */
bool emit_in_stretch(const Emit *e, const Item *it);
/* Can it stop the warp in no way, nor be seen? */
static inline bool emit_is_quiet(const Item *it, Guard guard)
{
    return guard == GUARD_NONE &&
           (it->kind == ITEM_ROW || it->kind == ITEM_PLUS || it->kind == ITEM_NOT || it->kind == ITEM_PARAM);
}

/* emit_mem.c */
void emit_load(Emit *e, const Item *it);
void emit_store(Emit *e, const Item *it);
/* emit_far.c: a load or store whose lanes may lie anywhere; an atomic. */
void emit_anywhere(Emit *e, const Item *it, Spread want);
void emit_atom(Emit *e, const Item *it);

#endif

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""joined.py WARPWRIGHT: what the assembler makes of shared accesses (src/ptx/merge.h), counted, beside what it made.

Each case is a kernel of one warp whose accesses have no conflicts: its PTX, and how many loads and stores of shared memory its machine code has.  Where
a ptxas is at hand, the numbers are compared with its machine code (`warpwright sass`), and always with what `warpwright check` counts."""
import json
import os
import subprocess
import sys
import tempfile

WARPWRIGHT = os.path.abspath(sys.argv[1])
HEAD = """.version 8.0
.target sm_90
.address_size 64
{module}
.visible .entry k(.param .u64 p)
{{
  .reg .pred %p<4>; .reg .b16 %h<24>; .reg .b32 %r<80>; .reg .f32 %f<8>; .reg .b64 %d<40>; .reg .f64 %e<8>;
  {variables}
  ld.param.u64 %d0, [p];
  cvta.to.global.u64 %d0, %d0;
  mov.u32 %r0, %tid.x;
{body}
  bar.sync 0;
  ret;
}}
"""
DEFAULT = ".shared .align 16 .b8 s[2048];"
BY_16 = "  shl.b32 %r1, %r0, 4;\n  mov.u32 %r2, s;\n  add.s32 %r2, %r2, %r1;\n"
BY_4 = BY_16.replace(", 4;", ", 2;")


def loads(offsets, base="s", bits=32, before=""):
    reg = {16: "%h", 32: "%r", 64: "%d"}[bits]
    return before + "".join(f"  ld.shared.u{bits} {reg}{10 + i}, [{base}+{o}];\n" for i, o in enumerate(offsets)) + "".join(
        f"  st.global.u{bits} [%d0+{256 * i}], {reg}{10 + i};\n" for i in range(len(offsets)))


def stores(offsets, base="s", bits=32, before=""):
    reg = {16: "%h", 32: "%r", 64: "%d"}[bits]
    return before + "".join(f"  ld.global.u{bits} {reg}{10 + i}, [%d0+{256 * i}];\n" for i in range(len(offsets))) + "".join(
        f"  st.shared.u{bits} [{base}+{o}], {reg}{10 + i};\n" for i, o in enumerate(offsets)) + used()


def used():
    """What is stored must be read, or it is not stored: 1 load."""
    return "  bar.sync 0;\n  ld.shared.u32 %r70, [s+1024];\n  st.global.u32 [%d0+4096], %r70;\n"


def between(what, kind="ld"):
    """Two neighbours with something between them."""
    if kind == "ld":
        return f"  ld.shared.u32 %r10, [s];\n  {what}\n  ld.shared.u32 %r11, [s+4];\n  st.global.u32 [%d0], %r10;\n  st.global.u32 [%d0+256], %r11;\n"
    return f"  ld.global.u32 %r10, [%d0];\n  ld.global.u32 %r11, [%d0+256];\n  st.shared.u32 [s], %r10;\n  {what}\n  st.shared.u32 [s+4], %r11;\n" + used()


def again(what):
    """A place that is read twice."""
    return f"  ld.shared.u32 %r10, [s];\n  {what}\n  ld.shared.u32 %r11, [s];\n  st.global.u32 [%d0], %r10;\n  st.global.u32 [%d0+256], %r11;\n"


def atomic(op, reg):
    return f"  ld.global.u32 %r10, [%d0];\n  ld.global.u64 %d10, [%d0];\n  mov.b32 %f1, %r10;\n  mov.b64 %e1, %d10;\n  red.shared.{op} [s], {reg};\n" + used()


FAR = "global.{} [%d0+1024], 1; st.global.u32 [%d0+512], %r20;"  # elsewhere in memory
BETWEEN = {"an atomic": "atom." + FAR.format("add.u32 %r20,"), "an acquiring atomic": "atom.acquire.gpu." + FAR.format("add.u32 %r20,"),
           "a reduction": "red.global.add.u32 [%d0+1024], 1;", "an acquiring load": "ld.acquire.gpu.global.u32 %r20, [%d0+1024]; st.global.u32 [%d0+512], %r20;"}
RELEASES = {"a releasing atomic": "atom.release.gpu." + FAR.format("add.u32 %r20,"), "both": "atom.acq_rel.gpu." + FAR.format("add.u32 %r20,"),
            "a releasing reduction": "red.release.gpu.global.add.u32 [%d0+1024], 1;", "a releasing store": "st.release.gpu.global.u32 [%d0+1024], %r0;"}
SHUFFLE = "shfl.sync.bfly.b32 %r20, %r10, 1, 31, -1; st.global.u32 [%d0+512], %r20;"
# name, body, loads, stores, the kernel's variables, the module's
CASES = [
    ("two words", loads([0, 4]), 1, 0),
    ("two words of two slots", loads([4, 8]), 2, 0),
    ("two words apart", loads([0, 8]), 2, 0),
    ("three of four", loads([0, 4, 8]), 1, 0),
    ("the last three", loads([4, 8, 12]), 1, 0),
    ("a gap in the middle", loads([0, 8, 12]), 1, 0),
    ("five", loads([0, 4, 8, 12, 16]), 2, 0),
    ("from the end of a slot", loads([12, 16, 20]), 2, 0),
    ("backwards", loads([8, 4, 0]), 1, 0),
    ("two arrays in turns", loads([0, 64, 4, 68]), 2, 0),
    ("doubles", loads([0, 8], bits=64), 1, 0),
    ("doubles of two slots", loads([8, 16], bits=64), 2, 0),
    ("three doubles", loads([0, 8, 16], bits=64), 2, 0),
    ("short vectors", "  ld.shared.v2.u32 {%r10, %r11}, [s];\n  ld.shared.v2.u32 {%r12, %r13}, [s+8];\n" + "".join(f"  st.global.u32 [%d0+{256 * i}], %r{10 + i};\n" for i in range(4)), 1, 0),
    ("by a register", loads([0, 4, 8], base="%r2", before=BY_16), 1, 0),
    ("by a register of 4 bytes", loads([0, 4, 8], base="%r2", before=BY_4), 3, 0),
    # it is 0, which nobody but the launch knows
    *((f"by a register that is {what}", loads(offsets, base="%r3", before=f"  mov.u32 %r4, %ntid.y; sub.u32 %r4, %r4, 1;\n  {made}\n  mov.u32 %r2, s; add.s32 %r3, %r2, %r5;\n"), n, 0) for what, made, offsets, n in (
        ("a multiple of 4", "shl.b32 %r5, %r4, 2;", [0, 4, 8], 3), ("a multiple of 8", "shl.b32 %r5, %r4, 3;", [0, 4], 1), ("one of 8, four words", "shl.b32 %r5, %r4, 3;", [0, 4, 8, 12], 2),
        ("a multiple of 48", "mul.lo.u32 %r5, %r4, 48;", [0, 4, 8], 1), ("masked", "and.b32 %r5, %r4, -16;", [0, 4, 8], 1), ("masked less", "and.b32 %r5, %r4, -4;", [0, 4, 8], 3),
        ("a sum", "shl.b32 %r6, %r4, 4; mad.lo.u32 %r5, %r4, 12, %r6;", [0, 4, 8], 3), ("a choice", "setp.eq.u32 %p1, %r0, 40; selp.b32 %r6, 48, 32, %p1; mad.lo.u32 %r5, %r4, %r6, 16;", [0, 4, 8], 1))),
    ("two variables", "  ld.shared.u32 %r10, [a];\n  ld.shared.u32 %r11, [b];\n  st.global.u32 [%d0], %r10;\n  st.global.u32 [%d0+256], %r11;\n", 1, 0,
     ".shared .align 4 .b8 a[4]; .shared .align 4 .b8 b[4];"),
    # the kernel's own variables that it uses lie before the module's: m is at 4, the words at 16, 20, 24 and 28
    ("the module's variable", loads([12, 16, 20, 24], base="m") + "  ld.volatile.shared.u32 %r30, [a];\n", 2, 0, ".shared .align 4 .b8 b[4]; .shared .align 4 .b8 a[4];",
     ".shared .align 4 .b8 m[44];"),
    ("over a shuffle", between(SHUFFLE), 1, 0),
    ("over a barrier of the warp", between("bar.warp.sync -1;"), 2, 0),
    ("over a store to global memory", between("st.global.u32 [%d0+512], %r0;"), 1, 0),
    ("over a store", between("st.shared.u32 [s+1024], %r0;"), 2, 1),
    ("volatile", loads([0, 4]).replace("ld.shared", "ld.volatile.shared"), 2, 0),
    ("one word twice", again(""), 1, 0),
    ("one word twice over a shuffle", again(SHUFFLE), 1, 0),
    ("one word twice over a barrier", again("bar.warp.sync -1;"), 2, 0),
    ("over a short branch", between("setp.gt.u32 %p1, %r10, 5; mov.u32 %r11, 7; @%p1 bra L; add.u32 %r20, %r10, %r0; mul.lo.u32 %r20, %r20, %r20; st.global.u32 [%d0+512], %r20; L:"), 1, 0),
    ("over a branch with a store", between("setp.gt.u32 %p1, %r10, 5; @%p1 bra L; st.shared.u32 [s+1024], %r0; L:"), 2, 1),
    ("over a branch with a barrier", between("setp.gt.u32 %p1, %r10, 5; @%p1 bra L; bar.warp.sync -1; L:"), 2, 0),
    ("from behind a branch", between("setp.gt.u32 %p1, %r10, 5; mov.u32 %r11, 9; @%p1 bra L;").replace("[s+4];", "[s+4]; L:"), 1, 0),
    ("over a branch that changes the base", BY_16 + between("setp.gt.u32 %p1, %r10, 5; @%p1 bra L; add.u32 %r2, %r2, %r10; L:").replace("[s", "[%r2"), 2, 0),
    ("one word twice over a branch", again("setp.gt.u32 %p1, %r10, 5; @%p1 bra L; st.global.u32 [%d0+512], %r10; L:"), 1, 0),
    ("an address twice computed", BY_16 + "  mad.lo.s32 %r5, %r0, 16, %r2; add.s32 %r3, %r5, 64; ld.shared.u32 %r10, [%r3]; add.s32 %r4, %r5, 64; ld.shared.u32 %r11, [%r4+4]; st.global.u32 [%d0], %r10; st.global.u32 [%d0+256], %r11;\n", 1, 0),
    ("the variable in a register", "  mov.u32 %r3, s; ld.shared.u32 %r10, [%r3]; ld.shared.u32 %r11, [s+4]; st.global.u32 [%d0], %r10; st.global.u32 [%d0+256], %r11;\n", 1, 0),
    ("of several widths", "  ld.shared.u32 %r10, [s];\n  ld.shared.u64 %d10, [s+8];\n  st.global.u32 [%d0], %r10;\n  st.global.u64 [%d0+256], %d10;\n", 2, 0),
    ("two words of four and the others", "  ld.shared.u32 %r10, [s];\n  ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [s];\n  ld.shared.u32 %r15, [s+8];\n" + "".join(f"  st.global.u32 [%d0+{256 * i}], %r{i};\n" for i in (10, 12, 14, 15)), 1, 0),
    ("a word and its pair", "  ld.shared.u64 %d10, [s+8];\n  ld.shared.u32 %r10, [s+12];\n  st.global.u32 [%d0], %r10;\n  st.global.u64 [%d0+256], %d10;\n", 2, 0),
    ("a pair and the other words", "  ld.shared.u32 %r10, [s];\n  ld.shared.u32 %r11, [s+4];\n  ld.shared.u64 %d10, [s+8];\n  st.global.u32 [%d0], %r10;\n  st.global.u32 [%d0+4], %r11;\n  st.global.u64 [%d0+256], %d10;\n", 2, 0),
    ("a changing base", BY_16 + "  mov.u32 %r5, 0;\nB:\n.pragma \"nounroll\";\n" + between("setp.gt.u32 %p1, %r10, 5; @%p1 bra L; st.global.u32 [%d0+512], %r10; L:").replace("[s", "[%r2") + "  add.u32 %r2, %r2, 16; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r6;\n  @%p2 bra B;\n", 1, 0),
    ("what was stored just before", "  ld.global.u32 %r10, [%d0];\n  st.shared.u32 [s], %r10;\n  ld.shared.u32 %r11, [s];\n  st.global.u32 [%d0+256], %r11;\n" + used(), 1, 1),
    ("two halves", loads([0, 2], bits=16), 1, 0),
    ("two halves of two words", loads([2, 4], bits=16), 2, 0),
    ("three halves", loads([0, 2, 4], bits=16), 1, 0),
    ("six halves", loads([0, 2, 4, 6, 8, 10], bits=16), 2, 0),
    ("halves by a register", loads([0, 2, 4, 6], bits=16, base="%r2", before=BY_4), 2, 0),
    ("halves by a register of 2 bytes", loads([0, 2], bits=16, base="%r2", before=BY_4.replace(", 2;", ", 1;")), 2, 0),
    ("halves in wide registers", loads([0, 2]).replace("ld.shared.u32", "ld.shared.u16"), 2, 0),
    ("halves over a branch", "  ld.shared.u16 %h10, [s];\n  mov.u16 %h11, 9; setp.gt.u16 %p1, %h10, 5; @%p1 bra L; st.global.u32 [%d0+512], %r0; L: ld.shared.u16 %h11, [s+2];\n  st.global.u16 [%d0], %h10;\n  st.global.u16 [%d0+256], %h11;\n", 2, 0),
    ("one half twice", loads([0, 0], bits=16), 1, 0),
    ("bytes", loads([0, 1, 2, 3], bits=16).replace("ld.shared.u16", "ld.shared.u8"), 4, 0),
    ("store two halves", stores([0, 2], bits=16), 1, 1),
    ("store three halves", stores([0, 2, 4], bits=16), 1, 2),
    ("store four halves", stores([0, 2, 4, 6], bits=16, base="%r2", before=BY_16), 1, 1),
    ("store two words", stores([0, 4]), 1, 1),
    ("store three words", stores([0, 4, 8]), 1, 2),
    ("store four words", stores([0, 4, 8, 12]), 1, 1),
    ("store four words in any order", stores([0, 12, 4, 8]), 1, 1),
    ("store, another slot between", stores([0, 4, 64, 8, 12]), 1, 3),
    ("store two arrays in turns", stores([0, 64, 4, 68]), 1, 4),
    ("store doubles", stores([0, 8], bits=64), 1, 1),
    ("store by a register", stores([0, 4, 8, 12], base="%r2", before=BY_16), 1, 1),
    ("store by a register of 4 bytes", stores([0, 4], base="%r2", before=BY_4), 1, 2),
    ("store over a load", between("ld.shared.u32 %r20, [s+64]; st.global.u32 [%d0+512], %r20;", "st"), 2, 2),
    ("store over a load of global memory", between("ld.global.u32 %r20, [%d0+512]; st.global.u32 [%d0+768], %r20;", "st"), 1, 1),
]
CASES += [case for what, code in {**BETWEEN, **RELEASES}.items() for case in (
    (f"over {what}", between(code), 1, 0), (f"one word twice over {what}", again(code), 1, 0), (f"store over {what}", between(code, "st"), 1, 2 if what in RELEASES else 1))]
SWAPS = [("add.f32", "%f1", 1), ("add.f64", "%e1", 1), ("add.u64", "%d10", 1), ("min.s64", "%d10", 1), ("add.u32", "%r10", 0), ("max.s32", "%r10", 0)]
BY_WORD = "  and.b32 %r1, %r0, 7; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.s32 %r2, %r2, %r1;\n"  # 8 words, 4 lanes each
KEPT = "  st.global.u32 [%d0], %r11;\n"
# what, body, passes of the atomic, the names that are in its machine code and those that are not
ATOMICS = [
    ("counting up", BY_WORD + "  red.shared.add.u32 [%r2], 1;\n", 1, (), ("POPC", "VOTE")),
    ("counting up as an increment", BY_WORD + "  atom.shared.inc.u32 %r11, [%r2], 0xffffffff;\n", 1, (), ()),
    ("counting up, and asked", BY_WORD + "  atom.shared.add.u32 %r11, [%r2], 1;\n" + KEPT, 4, (), ()),
    ("adding two", BY_WORD + "  red.shared.add.u32 [%r2], 2;\n", 4, (), ("POPC",)),
    ("an increment with an end", BY_WORD + "  atom.shared.inc.u32 %r11, [%r2], 7;\n", 4, (), ()),
    ("a swap", BY_WORD + "  atom.shared.cas.b32 %r11, [%r2], 0, %r0;\n" + KEPT, 8, (), ()),
    ("one word, equal numbers, asked", "  atom.shared.add.u32 %r11, [s+4], 3;\n" + KEPT, 1, ("POPC",), ()),
    ("one computed word, equal numbers, asked", "  mov.u32 %r5, %ctaid.x; and.b32 %r6, %r5, 7; shl.b32 %r7, %r6, 2; mov.u32 %r2, s; add.s32 %r4, %r2, %r7; mov.u32 %r3, %nctaid.x;\n  atom.shared.add.u32 %r11, [%r4], %r3;\n" + KEPT, 1, ("POPC",), ()),
    ("one word, other numbers", "  red.shared.add.u32 [s+4], %r0;\n", 1, ("REDUX",), ()),
    ("one word, other numbers, asked", "  atom.shared.add.u32 %r11, [s+4], %r0;\n" + KEPT, 1, ("SHFL",), ()),
    ("one word, other numbers of half a warp, asked", "  setp.lt.u32 %p1, %r0, 16;\n  @%p1 bra L;\n  bra M;\nL:\n  atom.shared.add.u32 %r11, [s+4], %r0;\n" + KEPT + "M:\n", 16, ("SHFL",), ()),
    ("one word's maximum, asked", "  atom.shared.max.u32 %r11, [s+4], %r0;\n" + KEPT, 32, (), ("SHFL", "REDUX")),
    ("one word of 8 bytes, equal numbers", "  mov.u64 %d1, 5;\n  red.shared.add.u64 [s+8], %d1;\n", 3, ("LDS",), ()),
    ("floats", BY_WORD + "  cvt.rn.f32.u32 %f1, %r0;\n  red.shared.add.f32 [%r2], %f1;\n", 12, ("LDS",), ()),
    ("floats of one bank", "  shl.b32 %r1, %r0, 7; mov.u32 %r2, s; add.s32 %r2, %r2, %r1;\n  cvt.rn.f32.u32 %f1, %r0;\n  red.shared.add.f32 [%r2], %f1;\n", 528 + 64, ("LDS",), ()),
    ("floats by a generic address", BY_WORD + "  cvt.u64.u32 %d1, %r2; cvta.shared.u64 %d1, %d1;\n  cvt.rn.f32.u32 %f1, %r0;\n  red.add.f32 [%d1], %f1;\n", 12, (), ()),
]


def run(*arguments):
    return subprocess.run([WARPWRIGHT, *arguments], capture_output=True, text=True, timeout=120, check=False)


def document(folder, verb, *arguments):
    out = os.path.join(folder, "r.json")
    if os.path.exists(out):
        os.remove(out)
    done = run(verb, *arguments, "--json", out)
    if not os.path.exists(out):
        sys.exit(f"{verb} wrote no document: {done.stderr}")
    with open(out, encoding="utf-8") as f:
        return json.load(f)["kernels"][0]


def accesses(code):
    """Loads, stores and atomics of shared memory; None: the machine code is not there."""
    if code["source"] == "ptx" or not code.get("instructions"):
        return None
    names = [i["name"].split()[-1].split(".")[0] for i in code["instructions"]]
    return names.count("LDS"), names.count("STS"), names.count("ATOMS")


# Vector loads of which some elements are read: kind, elements, their bits, those that are read, the loads that are made, and the sectors of a warp whose
# lanes' vectors lie 32 bytes apart
NARROW = [
    ("v4", 4, 32, (0,), 1, 32), ("v4", 4, 32, (3,), 1, 32), ("v4", 4, 32, (0, 1), 1, 32), ("v4", 4, 32, (2, 3), 1, 32), ("v4", 4, 32, (0, 3), 2, 64), ("v4", 4, 32, (1, 2), 2, 64),
    ("v4", 4, 32, (0, 1, 2), 1, 32), ("v4", 4, 32, (0, 1, 2, 3), 1, 32), ("v2", 2, 32, (1,), 1, 32), ("v2", 2, 64, (1,), 1, 32), ("v4", 4, 16, (0, 3), 1, 32), ("v4", 4, 16, (2, 3), 1, 32)]


def vectors(space):
    """Name, body, loads and sectors of each."""
    for kind, n, bits, read, made, sectors in NARROW:
        reg = {16: "%h", 32: "%r", 64: "%d"}[bits]
        names = ", ".join(f"{reg}{10 + i}" for i in range(n))
        base = "  mul.wide.u32 %d30, %r0, 32; add.s64 %d31, %d0, %d30;\n" if space == "global" else BY_16.replace(", 4;", ", 5;")
        body = base + f"  ld.{space}.{kind}.u{bits} {{{names}}}, [{'%d31' if space == 'global' else '%r2'}];\n"
        yield f"{space} {kind} of {bits} bits, read {read}", body + "".join(f"  st.global.u{bits} [%d0+{256 * i + 2048}], {reg}{10 + i};\n" for i in read), made, sectors


# What is done with a load of 8 bytes in %d10, and how many bytes are loaded
HALVES = [
    ("cut off", "cvt.u32.u64 %r10, %d10;", 4), ("added to, and cut off", "add.s64 %d11, %d10, 5; cvt.u32.u64 %r10, %d11;", 4), ("cut off to 16", "cvt.u16.u64 %h10, %d10; cvt.u32.u16 %r10, %h10;", 4),
    ("multiplied", "mul.lo.s64 %d11, %d10, 7; add.s64 %d12, %d11, %d10; cvt.u32.u64 %r10, %d12;", 4), ("shifted", "shr.s64 %d11, %d10, 32; cvt.u32.u64 %r10, %d11;", 4),
    ("shifted up and down", "shl.b64 %d11, %d10, 32; shr.s64 %d12, %d11, 30; cvt.u32.u64 %r10, %d12;", 4), ("shifted up by less", "shl.b64 %d11, %d10, 2; cvt.u32.u64 %r10, %d11;", 4),
    ("taken apart, the upper half", "mov.b64 {%r11, %r10}, %d10;", 4), ("masked", "and.b64 %d11, %d10, 255; cvt.u32.u64 %r10, %d11;", 4),
    ("compared as well", "cvt.u32.u64 %r10, %d10; setp.gt.s64 %p1, %d10, 5; selp.u32 %r10, %r10, 7, %p1;", 8), ("shifted by less", "shr.s64 %d11, %d10, 8; cvt.u32.u64 %r10, %d11;", 8)]


def halves(document_of):
    """Loads of 8 bytes of which nobody can tell one half.  Yields what differs."""
    for name, use, size in HALVES:
        body = f"  mul.wide.u32 %d30, %r0, 8; add.s64 %d31, %d0, %d30;\n  ld.global.u64 %d10, [%d31];\n  {use}\n  mul.wide.u32 %d30, %r0, 4; add.s64 %d32, %d0, %d30; st.global.u32 [%d32+2048], %r10;\n"
        c, code = document_of(body)
        ideal = c["memory_l2_theoretical_sectors_global_ideal"]
        if ideal != 4 + size:  # the store's, and 32 lanes of so many bytes
            yield name, "ideal sectors", ideal, 4 + size
        made = [i["name"] for i in code.get("instructions") or [] if "LDG" in i["name"]]
        if code["source"] != "ptx" and ["64" in m for m in made] != [size == 8]:
            yield name, "the assembler's load", made, size


def narrow(document_of):
    """Loads of which not every element is read.  Yields what differs."""
    yield from halves(document_of)
    for space, machine in (("global", "LDG"), ("shared", "LDS")):
        for name, body, made, sectors in vectors(space):
            c, code = document_of(body)
            inst = c["global_ld_requests" if space == "global" else "shared_ld_inst"]
            if inst != made or (space == "global" and c["global_ld_sectors"] != sectors):
                yield name, "counted loads and sectors", (inst, c["global_ld_sectors"]), (made, sectors)
            names = [i["name"].split()[-1].split(".")[0] for i in code.get("instructions") or []]
            if code["source"] != "ptx" and names.count(machine) != made:
                yield name, "the assembler's loads", names.count(machine), made


def atomics(document_of):
    """Passes of the shared atomics, and what their machine code is made of.  Yields what differs."""
    for name, body, passes, there, absent in ATOMICS:
        c, code = document_of(body)
        own = c["memory_l1_wavefronts_shared"] - c["shared_ld_wavefronts"] - c["shared_st_wavefronts"]
        if own != passes:
            yield name, "passes", own, passes
        names = {i["name"].split()[-1].split(".")[0] for i in code["instructions"]} if code["source"] != "ptx" and code.get("instructions") else None
        if names and (set(there) - names or set(absent) & names):
            yield name, "the assembler's instructions", sorted(names), (there, absent)


def main():
    failed = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")

        def both(body, variables, module):
            nonlocal compared
            with open(path, "w", encoding="utf-8") as f:
                f.write(HEAD.format(body=body, variables=variables, module=module))
            counted = document(folder, "check", "-q", path, "-k", "k", "--grid", "1", "--block", "32", "--arg", "p:u32[4096]=zero")
            made = accesses(document(folder, "sass", path))
            compared += made is not None
            return counted["counters"], made

        def expect(name, what, got, want):
            nonlocal failed
            if got != want:
                failed += 1
                print(f"{name}: {what}: {got}, not {want}")

        for name, body, ld, st, *more in CASES:
            c, made = both(body, more[0] if more else DEFAULT, more[1] if len(more) > 1 else "")
            if made:
                expect(name, "the assembler's loads and stores", made[:2], (ld, st))
            expect(name, "counted loads and stores", (c["shared_ld_inst"], c["shared_st_inst"]), (ld, st))
            expect(name, "PTX's loads and stores", (c["shared_ld_inst_ptx"], c["shared_st_inst_ptx"]), (body.count("ld.shared") + body.count("ld.volatile.shared"), body.count("st.shared")))
        for op, reg, swaps in SWAPS:
            c, made = both(atomic(op, reg), DEFAULT, "")
            if made:
                expect(op, "the assembler's loads and atomics", (made[0], made[2]), (1 + swaps, 1))
            own = c["memory_l1_wavefronts_shared"] - c["shared_ld_wavefronts"] - c["shared_st_wavefronts"]
            # 32 rounds of a load and a swap: two passes for each part of the warp, which is half of it where 8 bytes are swapped
            expect(op, "passes", own, 1 if not swaps else 128 if op.endswith("64") else 96)
        def document_of(body):
            with open(path, "w", encoding="utf-8") as f:
                f.write(HEAD.format(body=body, variables=".shared .align 16 .b8 s[4096];", module=""))
            counted = document(folder, "check", "-q", path, "-k", "k", "--grid", "1", "--block", "32", "--arg", "p:u32[4096]=zero")
            return counted["counters"], document(folder, "sass", path)

        for difference in [*atomics(document_of), *narrow(document_of)]:
            expect(*difference)
        # eight warps come to the same words: 1 + 2 + ... + 8 rounds, whether patterns are kept for other checks or not; in a loop loads part them
        behind = "  setp.gt.u32 %p1, %r0, 999;\n  @%p1 bra OUT;\n"
        load, again = "ld.global.u32 %r9, [%d0];\n", "  setp.gt.u32 %p1, %r9, 999;\n  @%p1 bra AGAIN;\n"
        for way, before, after, passes in [("a barrier", "bar.sync 0;\n", "", 36), ("the beginning", "", "", 36), ("a branch", behind, "", 36),
                                           ("a load", load, "", 36), ("a load before a branch", load + behind, "", 36),
                                           ("a load in a loop", "AGAIN:\n" + load, again, 8), ("a loop of loads", "AGAIN:\n" + load + again, "", 8),
                                           ("a load of shared memory", "ld.shared.u32 %r9, [%r3];\n", "", 8)]:
            body = f"  and.b32 %r1, %r0, 31;\n  shl.b32 %r1, %r1, 2;\n  mov.u32 %r2, s;\n  add.s32 %r3, %r2, %r1;\n  cvt.rn.f32.u32 %f1, %r0;\n{before}  red.shared.add.f32 [%r3], %f1;\n{after}OUT:\n"
            with open(path, "w", encoding="utf-8") as f:
                f.write(HEAD.format(body=body, variables=DEFAULT, module=""))
            for checks in ([], ["--check=perf"]):
                c = document(folder, "check", "-q", path, "-k", "k", "--grid", "3", "--block", "256", "--arg", "p:u32[4096]=zero", *checks)["counters"]
                expect(f"eight warps from {way}", f"passes {checks}", c["memory_l1_wavefronts_shared"] - c["shared_ld_wavefronts"], 3 * 3 * passes)
    print(f"{len(CASES) + len(SWAPS) + len(ATOMICS) + 2 * len(NARROW)} kernels, {compared} compared with the assembler, {failed} differences")
    return 1 if failed else 0


sys.exit(main())

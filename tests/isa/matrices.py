# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions in every combination of shape, types, layouts and modifiers, with as many registers as they take; for make_list.py."""
import itertools

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "s32": 32, "b1": 1, "e4m3": 8, "e5m2": 8}
FACTORS = ["f16", "bf16", "tf32", "f64", "s8", "u8", "s4", "u4", "b1", "e4m3", "e5m2"]
MIXED = [{"s8", "u8"}, {"s4", "u4"}, {"e4m3", "e5m2"}]
SUMS = ["f16", "f32", "f64", "s32"]
ROW_COL = list(itertools.product(("row", "col"), repeat=2))


def vector(n, t, first=0):
    name = "%d" if t == "f64" else "%b"
    return "{" + ", ".join(name + str((first + i) % 8) for i in range(n)) + "}"


def count(rows, columns, t):
    """Registers of a fragment that a warp holds."""
    return rows * columns // 32 if t == "f64" else max(1, rows * columns * BITS[t] // 1024)


def pairs(types):
    return [(a, b) for a, b in itertools.product(types, repeat=2) if a == b or {a, b} in MIXED]


def mma():
    shapes = [(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16), (16, 8, 32), (16, 8, 64), (16, 8, 128), (16, 8, 256), (8, 8, 16), (8, 8, 32), (8, 8, 128)]
    for (m, n, k), (a, b), d, c, sat in itertools.product(shapes, pairs(FACTORS), SUMS, SUMS, ("", ".satfinite")):
        if len({a == "f64", d == "f64", c == "f64"}) > 1:
            continue
        old = (m, n, k) == (8, 8, 4) and a == "f16"
        na, nb, nd, nc = [2, 2, 8 if d == "f32" else 4, 8 if c == "f32" else 4] if old else [count(m, k, a), count(k, n, b), count(m, n, d), count(m, n, c)]
        for x, y in ROW_COL if old else [("row", "col")]:
            for bit in (".xor.popc", ".and.popc") if a == "b1" else ("",):
                yield (f"mma.sync.aligned.m{m}n{n}k{k}.{x}.{y}{sat}.{d}.{a}.{b}.{c}{bit} {vector(nd, d)}, {vector(na, a)}, {vector(nb, b, 4)}, {vector(nc, c)};")
        for sparse, selector in itertools.product((".sp", ".sp::ordered_metadata"), (0, 1)):
            yield (f"mma{sparse}.sync.aligned.m{m}n{n}k{k}.row.col{sat}.{d}.{a}.{b}.{c} {vector(nd, d)}, {vector(count(m, k // 2, a), a)}, "
                   f"{vector(nb, b, 4)}, {vector(nc, c)}, %b7, {selector};")


def wmma():
    shapes = [(16, 16, 16), (32, 8, 16), (8, 32, 16), (16, 16, 8), (8, 8, 4), (8, 8, 32), (8, 8, 128)]
    for (m, n, k), t, frag, layout, space, stride in itertools.product(shapes, BITS, "abcd", ("row", "col"), ("", ".global", ".shared::cta"), ("", ", %b6")):
        rows, columns = {"a": (m, k), "b": (k, n)}.get(frag, (m, n))
        for v in {vector(count(rows, columns, t), t), vector(8, t)}:
            head = f".sync.aligned.{layout}.m{m}n{n}k{k}{space}.{t}"
            yield f"wmma.store.d{head} [%d1], {v}{stride};" if frag == "d" else f"wmma.load.{frag}{head} {v}, [%d1]{stride};"
    for (m, n, k), (x, y), a, d, c, sat in itertools.product(shapes, ROW_COL, FACTORS, SUMS, SUMS, ("", ".satfinite")):
        if a == "f64" and m != 8:
            continue  # ptxas takes them, but no fragment of such a shape can be loaded
        halves = 8 if a == "f16" else 0
        tail = f"{vector(count(m, n, d), d)}, {vector(halves or count(m, k, a), a)}, {vector(halves or count(k, n, a), a)}, {vector(count(m, n, c), c)};"
        head = f".sync.aligned.{x}.{y}.m{m}n{n}k{k}"
        if a == "b1":
            yield from (f"wmma.mma{bit}{head}.{d}.b1.b1.{c} {tail}" for bit in (".xor.popc", ".and.popc"))
        elif a == "f16":
            yield f"wmma.mma{head}.{d}.{c}{sat} {tail}"
        else:
            yield from (f"wmma.mma{head}{rnd}.{d}.{a}.{a}.{c}{sat} {tail}" for rnd in (("", ".rn", ".rz") if a == "f64" else ("",)))


def wgmma():
    for n, (a, b), d, sat, in_registers, sparse in itertools.product((8, 24), pairs([t for t in FACTORS if t not in ("f64", "s4", "u4")]),
                                                                     ("f16", "f32", "s32"), ("", ".satfinite"), (False, True), (False, True)):
        k = 256 // BITS[a] * (1 + sparse)
        result = "{" + ", ".join(f"%y{i}" for i in range(n // 4 if d == "f16" else n // 2)) + "}"
        scale = ", 1, -1" if a not in ("s8", "u8", "b1") else ""
        transpose = "" if a not in ("f16", "bf16") else ", 1" if in_registers else ", 0, 1"
        yield (f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.m64n{n}k{k}{sat}.{d}.{a}.{b}{'.and.popc' if a == 'b1' else ''} {result}, "
               f"{'{%b0, %b1, %b2, %b3}' if in_registers else '%d1'}, %d2, {'%b7, 0, ' if sparse else ''}%p0{scale}{transpose};")


def moves():
    for (number, n), trans, space in itertools.product((("x1", 1), ("x2", 2), ("x4", 4)), ("", ".trans"), ("", ".shared", ".shared::cta")):
        yield f"ldmatrix.sync.aligned.m8n8.{number}{trans}{space}.b16 {vector(n, 'b16')}, [%d1];"
        yield f"stmatrix.sync.aligned.m8n8.{number}{trans}{space}.b16 [%d1], {vector(n, 'b16')};"
    yield "movmatrix.sync.aligned.m8n8.trans.b16 %b0, %b1;"
    yield from (f"wgmma.{x};" for x in ("fence.sync.aligned", "commit_group.sync.aligned", "wait_group.sync.aligned 0", "wait_group.sync.aligned 7"))


def instructions():
    return itertools.chain(mma(), wmma(), wgmma(), moves())

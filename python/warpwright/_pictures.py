# SPDX-License-Identifier: Apache-2.0
"""access(): what one access of a warp costs, and its picture.

The figures and the passes come from the library's model (ww_access_cost); here they are only drawn: for shared memory lanes by banks with
the pass that serves each word, for global and local memory 128-byte lines with their four sectors."""
from __future__ import annotations

import ctypes
import dataclasses
import html
import operator
from collections.abc import Callable, Sequence
from typing import Optional, Union

from ._library import Access as _Access
from ._library import AccessCost, Error, lib

LANES, LINE, WORDS, MOST_LINES, ALL = 32, 128, 32, 40, 0xFFFFFFFF
L1 = {None: 0, True: 1, False: 2}
STYLE = ("border-collapse:collapse;font:10px/1 monospace;text-align:center", "width:15px;height:13px;padding:0;border:1px solid #8884")


@dataclasses.dataclass(frozen=True)
class Access:
    """One access of a warp on a profile, and its cost; numbers that its space does not have are 0."""

    space: str
    op: str
    bytes: int
    mask: int
    offsets: tuple
    profile: str
    wavefronts: int
    ideal_wavefronts: int
    bank_conflicts: int
    requests: int
    sectors: int
    ideal_sectors: int
    lines: int
    transactions: int
    useful_bytes: int
    moved_bytes: int
    banks: int
    bank_bytes: int
    part_lanes: int
    passes: tuple
    file: Optional[str] = None
    line: int = 0
    count: int = 0

    @property
    def active(self) -> list:
        return [lane for lane in range(LANES) if self.mask >> lane & 1]

    @property
    def figures(self) -> dict:
        """The numbers that this space has."""
        names = ("wavefronts", "ideal_wavefronts", "bank_conflicts") if self.space == "shared" else (
            "requests", "sectors", "ideal_sectors", "lines", "transactions", "useful_bytes", "moved_bytes")
        return {n: getattr(self, n) for n in names}

    def __repr__(self) -> str:
        numbers = ", ".join(f"{n}={v}" for n, v in self.figures.items())
        return f"<{self.space} {self.op}, {self.bytes} bytes a lane, {len(self.active)} lanes on {self.profile}: {numbers}>"

    def _repr_html_(self) -> str:
        numbers = " &middot; ".join(f"{n.replace('_', ' ')} <b>{v}</b>" for n, v in self.figures.items())
        what = html.escape(f"{self.space} {self.op}, {self.bytes} bytes a lane, {len(self.active)} lanes, {self.profile}")
        return f"<div><p>{what}: {numbers}</p>{_banks(self) if self.space == 'shared' else _sectors(self)}</div>"


def _cell(text: str, colour: str, title: str) -> str:
    fill = f";background:{colour};color:#fff" if colour else ""
    return f'<td style="{STYLE[1]}{fill}" title="{html.escape(title)}">{text}</td>'


def _table(heads: Sequence[str], rows: list) -> str:
    head = "".join(f"<th>{h}</th>" for h in heads)
    return f'<div style="overflow-x:auto"><table style="{STYLE[0]}"><tr>{head}</tr>{"".join(f"<tr>{r}</tr>" for r in rows)}</table></div>'


def _banks(a: Access) -> str:
    rows = []
    for lane in range(LANES):
        cells = [_cell("", "", f"lane {lane}, bank {b}") for b in range(a.banks)]
        if a.mask >> lane & 1:
            first = a.offsets[lane] // a.bank_bytes
            for k, turn in enumerate(a.passes[lane]):
                bank = (first + k) % a.banks
                cells[bank] = _cell(str(turn), f"hsl({(210 + (turn - 1) * 47) % 360} 55% 45%)", f"lane {lane}, bank {bank}: word {first + k}, pass {turn}")
        rows.append(f"<th>{lane}</th>{''.join(cells)}")
    return _table(["lane", *map(str, range(a.banks))], rows)


def _sectors(a: Access) -> str:
    asked: dict = {}
    for lane in a.active:
        at = a.offsets[lane]
        for byte in range(at, at + a.bytes, min(a.bytes, 4)):
            word = byte // 4 if a.space == "global" else byte // 4 * WORDS + lane
            asked.setdefault(word, []).append(lane)
    lines = sorted({w // WORDS for w in asked})
    rows = []
    for line in lines[:MOST_LINES]:
        cells = []
        for i in range(WORDS):
            lanes = asked.get(line * WORDS + i)
            moved = any(line * WORDS + i // 8 * 8 + k in asked for k in range(8))
            said = f"lanes {', '.join(map(str, lanes))}" if lanes else "moved, not asked for" if moved else "not moved"
            cells.append(_cell("" if not lanes else str(lanes[0]) if len(lanes) == 1 else "+", "#2f6fb2" if lanes else "#d9822b" if moved else "",
                               f"byte {line * LINE + i * 4}: {said}"))
        rows.append(f"<th>{line * LINE}</th>{''.join(cells)}")
    more = f"<p>The first {MOST_LINES} of {len(lines)} lines.</p>" if len(lines) > MOST_LINES else ""
    return _table(["byte", *("" if i % 8 else str(i * 4) for i in range(WORDS))], rows) + more


def _offsets(offsets, mask: int) -> list:
    """32 whole numbers, of an expression in C's notation, a function of the lane, or a sequence."""
    if isinstance(offsets, str):
        room, why = (ctypes.c_uint64 * LANES)(), ctypes.create_string_buffer(400)
        status = lib.ww_access_offsets(offsets.encode(), mask, room, why, len(why))
        if status:
            raise ValueError(f"offsets {offsets!r}: {why.value.decode()}")
        return list(room)
    values = [offsets(lane) for lane in range(LANES)] if callable(offsets) else list(offsets)
    if len(values) != LANES:
        raise ValueError(f"{len(values)} offsets; a warp has {LANES} lanes")
    try:
        values = [operator.index(v) if mask >> i & 1 else 0 for i, v in enumerate(values)]
    except TypeError:
        raise TypeError("an offset is not a whole number of bytes (in Python / gives floats, // does not)") from None
    for lane, v in enumerate(values):
        if not 0 <= v < 1 << 63:
            raise ValueError(f"the offset of lane {lane} is {v}; offsets are not negative and fit 63 bits")
    return values


def access(offsets: Union[str, Callable[[int], int], Sequence[int]], *, space: str = "shared", op: str = "ld", bytes: int = 4,
           mask: int = ALL, profile: str = "sm_90", l1: Optional[bool] = None) -> Access:
    """What one access of a warp costs.  offsets: byte offsets of the lanes, as an expression in C's notation ("lane * 4"), a function of
    the lane, or 32 numbers.  ValueError: the hardware would refuse it."""
    mask, size = operator.index(mask), operator.index(bytes)
    if not 0 <= mask <= ALL:
        raise ValueError(f"mask {mask:#x}: a warp has {LANES} lanes")
    values = _offsets(offsets, mask)
    asked = _Access(space=space.encode(), op=op.encode(), bytes=max(size, 0), mask=mask, address=(ctypes.c_uint64 * LANES)(*values))
    cost, why = AccessCost(), ctypes.create_string_buffer(400)
    status = lib.ww_access_cost(profile.encode(), ctypes.byref(asked), L1[l1], ctypes.byref(cost), why, len(why))
    if status == 3:
        raise Error(status, f"there is no profile {profile!r}; `warpwright profiles` lists them")
    if status:
        raise ValueError(why.value.decode())
    numbers = {name: getattr(cost, name) for name, kind in AccessCost._fields_ if name != "pass_"}
    passes = tuple(tuple(n for n in cost.pass_[lane] if n) for lane in range(LANES))
    return Access(space, op, size, mask, tuple(values), profile, passes=passes, **numbers)


def of_picture(p, profile: str) -> Access:
    """The Access of a WwPicture of a mend."""
    space, op = p.space.decode(), p.op.decode()
    made = access(p.offset[:LANES], space=space, op="ld" if op == "copy" else op, bytes=p.bytes, mask=p.mask, profile=profile)
    return dataclasses.replace(made, op=op)


def of_pattern(p, profile: str) -> Access:
    """The Access of a WwPattern, with its place."""
    space, op = p.space.decode(), p.op.decode()
    made = access(p.offset[:LANES], space=space, op="ld" if op == "copy" else op, bytes=p.bytes, mask=p.mask, profile=profile)
    return dataclasses.replace(made, op=op, file=p.file.decode("utf-8", "replace") if p.file else None, line=p.line, count=p.count)

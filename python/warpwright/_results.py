# SPDX-License-Identifier: Apache-2.0
"""What a launch left, as objects that outlive it: Counters, Finding, Line, Table, Result.

Everything is copied out of the library's WwResult at once (read_result), so nothing here refers to memory of the library."""
from __future__ import annotations

import ctypes
import dataclasses
import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

from . import _pictures
from ._library import Error, lib

COUNTERS = [lib.ww_counter_name(i).decode() for i in range(lib.ww_counter_count())]
STATUS_OK = 0


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")


def kernel_text(symbol: Optional[str]) -> Optional[str]:
    """A kernel's name as people read it: "_Z5scalePfi" -> "scale"."""
    if symbol is None:
        return None
    size = lib.ww_kernel_text(symbol.encode(), None, 0) + 1
    room = ctypes.create_string_buffer(size)
    lib.ww_kernel_text(symbol.encode(), room, size)
    return room.value.decode("utf-8", "replace")


class Table(Sequence):
    """Rows of named columns: rows are dicts, table["name"] is a column, pandas.DataFrame(table.columns) a frame."""

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[Any]]):
        self.names, self._rows = list(names), [tuple(r) for r in rows]

    @property
    def columns(self) -> dict[str, list]:
        return {name: [row[i] for row in self._rows] for i, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key):
        if isinstance(key, str):
            return [row[self.names.index(key)] for row in self._rows]
        if isinstance(key, slice):
            return Table(self.names, self._rows[key])
        return dict(zip(self.names, self._rows[key]))

    def __str__(self) -> str:
        cells = [self.names] + [["" if v is None else f"{v:,}" if isinstance(v, int) else str(v) for v in row] for row in self._rows]
        wide = [max(len(row[i]) for row in cells) for i in range(len(self.names))]
        numbers = [all(isinstance(row[i], (int, float)) for row in self._rows) for i in range(len(self.names))]
        lines = ["  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, wide, numbers)).rstrip() for row in cells]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(n)}</th>" for n in self.names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape('' if v is None else str(v))}</td>" for v in row) + "</tr>" for row in self._rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Counters(Mapping):
    """The counters of a launch or a line, by name: c["sectors"], c.sectors."""

    def __init__(self, values: Sequence[int]):
        self._values = dict(zip(COUNTERS, values))

    def __getitem__(self, name: str) -> int:
        try:
            return self._values[name]
        except KeyError:
            raise KeyError(f"there is no counter {name!r}; there are: {', '.join(COUNTERS)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> int:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"there is no counter {name!r}; there are: {', '.join(COUNTERS)}")
        return self._values[name]

    @property
    def table(self) -> Table:
        return Table(["counter", "value"], [(n, v) for n, v in self._values.items() if v])

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@dataclasses.dataclass(frozen=True)
class Mend:
    """A change that was tried on what was recorded: `before` and `after` count `unit`.  shown: one access that it changes, before and after."""

    text: str
    unit: str
    before: int
    after: int
    shared_bytes: int
    gain: float = 0.0
    shown: Optional[tuple] = None


@dataclasses.dataclass(frozen=True)
class Finding:
    """What is wrong with a kernel; fields as in the JSON of `warpwright check`."""

    rule: str
    category: str
    severity: str
    kernel: Optional[str]
    file: Optional[str]
    line: int
    col: int
    block: tuple
    thread: tuple
    address: int
    count: int
    message: str
    other: Optional[str] = None
    mend: Optional[Mend] = None
    snippet: Optional[str] = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.col}: " if self.file else ""
        return f"{place}{self.severity}: {self.message} [{self.rule}]"


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of source, and what was counted there."""

    file: str
    line: int
    counters: Counters


@dataclasses.dataclass(frozen=True)
class Result:
    """What a launch left behind.  ok: it ran to its end, and no finding is an error."""

    kernel: str
    status: int
    message: str
    counters: Counters
    findings: list
    lines: list
    patterns: list
    output: str

    @property
    def ok(self) -> bool:
        return self.status == STATUS_OK and all(f.severity != "error" for f in self.findings)

    def raise_for_findings(self) -> Result:
        """Raises Error with the findings that are errors; else gives itself."""
        wrong = [f for f in self.findings if f.severity == "error"]
        if wrong or self.status:
            raise Error(self.status, "\n".join(map(str, wrong)) or self.message)
        return self

    def table(self, *counters: str) -> Table:
        """The lines with these counters, or with all that are not zero everywhere."""
        names = list(counters) or [n for n in COUNTERS if any(x.counters[n] for x in self.lines)]
        return Table(["file", "line", *names], [(x.file, x.line, *(x.counters[n] for n in names)) for x in self.lines])

    def __repr__(self) -> str:
        kinds = {k: sum(f.severity == k for f in self.findings) for k in ("error", "warning", "note")}
        said = ", ".join(f"{n} {k}{'s' * (n != 1)}" for k, n in kinds.items() if n) or "no findings"
        return f"<{self.kernel}: {said}{f'; {self.message.splitlines()[0]}' if self.status and self.message else ''}>"

    def _repr_html_(self) -> str:
        found = Table(["place", "severity", "message", "rule", "mend"],
                      [(f"{f.file}:{f.line}" if f.file else "", f.severity, f.message, f.rule, f.mend.text if f.mend else "") for f in self.findings])
        mends = "".join(f"<h4>{html.escape(str(f.file))}:{f.line}: {html.escape(f.mend.text)}</h4>{f.mend.shown[0]._repr_html_()}{f.mend.shown[1]._repr_html_()}"
                        for f in self.findings if f.mend and f.mend.shown)
        pictures = mends + "".join(f"<h4>{html.escape(str(p.file))}:{p.line}</h4>{p._repr_html_()}" for p in self.patterns[:4])
        return f"<h3>{html.escape(self.kernel)}</h3>{found._repr_html_() if self.findings else '<p>no findings</p>'}{pictures}"


# ---- from the library -----------------------------------------------------------------------------------------------------------


def _dim(d) -> tuple:
    return d.x, d.y, d.z


def _shown(m, profile: str) -> Optional[tuple]:
    """None: no access was kept, or the profile is a file's, which the library knows by no name."""
    if not m.from_ or not m.to:
        return None
    try:
        return _pictures.of_picture(m.from_.contents, profile), _pictures.of_picture(m.to.contents, profile)
    except Error:
        return None


def read_finding(f, profile: str) -> Finding:
    other = mend = None
    if f.other:
        end = f.other.contents
        other = f"{_text(end.file)}:{end.line}:{end.col}: {_text(end.message)}" if end.file else _text(end.message)
    if f.mend:
        m = f.mend.contents
        mend = Mend(_text(m.text), _text(m.unit), m.before, m.after, m.shared_bytes, m.gain, _shown(m, profile))
    return Finding(_text(f.rule), _text(f.category), _text(f.severity), kernel_text(_text(f.kernel)), _text(f.file), f.line, f.col,
                   _dim(f.block), _dim(f.thread), f.address, f.count, _text(f.message), other, mend, _text(f.snippet))


def _counters(address) -> Counters:
    return Counters([lib.ww_counter_value(address, i) for i in range(len(COUNTERS))])


def _lines(result) -> list:
    made = []
    for i in range(lib.ww_result_line_count(result)):
        line = lib.ww_result_line(result, i).contents
        made.append(Line(_text(line.file), line.line, Counters(list(line.counters))))
    return made


def read_findings(result, profile: str) -> list:
    return [read_finding(lib.ww_result_finding(result, i).contents, profile) for i in range(lib.ww_result_finding_count(result))]


def read_result(kernel: str, status: int, message: str, result, profile: str, output: str) -> Result:
    """result: a WwResult, or None where the launch never began."""
    if not result:
        return Result(kernel_text(kernel), status, message, Counters([0] * len(COUNTERS)), [], [], [], output)
    patterns = [_pictures.of_pattern(lib.ww_result_pattern(result, i).contents, profile) for i in range(lib.ww_result_pattern_count(result))]
    return Result(kernel_text(kernel), status, message, _counters(lib.ww_result_counters(result)), read_findings(result, profile), _lines(result),
                  patterns, output)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/programs.md lists every entry point that succeeds without doing anything (HINT rows of src/cuda/api_*.def), and no other:
test_hints.py SOURCE_FOLDER"""
import re
import sys

TITLE = "## Calls that change no result"


def rows(root):
    """Names of HINT rows, and names that are another entry point's by version or interface."""
    hints, others = set(), set()
    for name in ("api_runtime.def", "api_driver.def"):
        with open(f"{root}/src/cuda/entry/{name}", encoding="utf-8") as f:
            text = f.read()
        hints |= set(re.findall(r"^(?:RT|DRV)\((\w+), HINT,", text, re.M))
        others |= set(re.findall(r"^RTV\(\d+, (\w+),", text, re.M))
    return hints, others


def listed(root):
    with open(f"{root}/docs/programs.md", encoding="utf-8") as f:
        section = f.read().split(TITLE + "\n")[1].split("\n## ")[0]
    return {name for line in section.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line.split("|")[1])}


def main():
    root = sys.argv[1]
    hints, others = rows(root)
    named = listed(root)
    for name in sorted(hints - named):
        print(f"{name}: a HINT row that docs/programs.md does not list")
    for name in sorted(named - hints - others):
        print(f"{name}: listed in docs/programs.md, and no HINT row")
    print(f"{len(hints)} rows, {len(named)} listed")
    return 1 if not hints or hints - named or named - hints - others else 0


if __name__ == "__main__":
    sys.exit(main())

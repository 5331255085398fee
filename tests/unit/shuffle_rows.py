#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a copy of isa.def whose rows stand in another order, always the same one:  shuffle_rows.py isa.def OUT"""
import os
import random
import re
import sys

ROW = re.compile(r"^[A-Z]+[0-9]?\(")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        lines = f.read().splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if ROW.match(line)]
    rows = [lines[i] for i in places]
    random.Random(1).shuffle(rows)
    for i, row in zip(places, rows):
        lines[i] = row
    os.makedirs(os.path.dirname(sys.argv[2]), exist_ok=True)
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.writelines(lines)


if __name__ == "__main__":
    main()

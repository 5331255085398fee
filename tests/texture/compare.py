#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py READINGS COMMAND...: runs the command and compares its lines "name TAB words" with the card's, bit for bit.
Of cases that begin with "grad." the level is approximate: where the texels are their level's number the difference must not pass 2/256, with an
anisotropic filter they are only counted, point samples are compared as the others.  A case without a reading is not looked at."""
import struct
import subprocess
import sys

MOST = 2 / 256


def number(word):
    return struct.unpack("<f", struct.pack("<I", int(word.split(",")[0], 16)))[0]


def is_equal(name, a, b):
    if a == b or not name.startswith("grad.") or " point " in name:
        return a == b
    return "levels" not in name or "aniso" in name or abs(number(a) - number(b)) <= MOST


def table(lines):
    return dict(line.rstrip("\n").split("\t") for line in lines if "\t" in line)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        card = table(line for line in f if not line.startswith("#"))
    run = subprocess.run(sys.argv[2:], capture_output=True, text=True, timeout=100)
    mine = table(run.stdout.splitlines())
    wrong = equal = 0
    for name, words in card.items():
        pairs = list(zip(words.split(), mine.get(name, "").split()))
        differ = sum(not is_equal(name, a, b) for a, b in pairs)
        if len(mine.get(name, "").split()) != len(words.split()):
            differ = len(words.split())
        if differ:
            print(f"{differ} of {len(words.split())} differ: {name}")
            wrong += 1
        equal += not differ and all(a == b for a, b in pairs)
    print(f"{equal} of {len(card)} cases bit-equal")
    if run.returncode:
        print(f"exit code {run.returncode}: {run.stderr}")
    return 1 if wrong or run.returncode else 0


if __name__ == "__main__":
    sys.exit(main())

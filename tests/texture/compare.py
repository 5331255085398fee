#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py READINGS COMMAND...: runs the command and compares its lines "name TAB words" with the card's, bit for bit.
Cases that begin with "grad." are approximate: the level is, so they are only counted.  A case without a reading is not looked at."""
import subprocess
import sys


def table(lines):
    return dict(line.rstrip("\n").split("\t") for line in lines if "\t" in line)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        card = table(line for line in f if not line.startswith("#"))
    run = subprocess.run(sys.argv[2:], capture_output=True, text=True, timeout=100)
    mine = table(run.stdout.splitlines())
    wrong = equal = 0
    for name, words in card.items():
        differ = sum(a != b for a, b in zip(words.split(), mine.get(name, "").split()))
        if len(mine.get(name, "").split()) != len(words.split()):
            differ = len(words.split())
        if differ and not name.startswith("grad."):
            print(f"{differ} of {len(words.split())} differ: {name}")
            wrong += 1
        equal += not differ
    print(f"{equal} of {len(card)} cases bit-equal")
    if run.returncode:
        print(f"exit code {run.returncode}: {run.stderr}")
    return 1 if wrong or run.returncode else 0


if __name__ == "__main__":
    sys.exit(main())

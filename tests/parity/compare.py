#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `parity` prints under `warpwright run` with what it printed on a card: compare.py WARPWRIGHT PROGRAM
h200.txt is the card's text.  differs.tsv lists where the emulator answers something else and why: section, line (* for all that differ in the
section), the emulator's answer, reason.  A line that is listed there and does not differ is a mistake too, so that the list stays true.
With --list, prints the differences in that form."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def sections(lines):
    """Section -> [(text, answer)]; a section that a signal ended on the card has nothing behind it."""
    found, name = {}, None
    for line in lines:
        if line.startswith("== "):
            name = line[3:]
            found[name] = []
        elif name and not line.startswith("#"):
            found[name].append(tuple((line + "\t").split("\t")[:2]))
    return found


def differences(card, ours):
    """(section, text, card's answer, our answer)"""
    for name, lines in card.items():
        have = ours.get(name, [])
        cut = bool(lines) and lines[-1][0].startswith("(ended by")
        lines = lines[:-1] if cut else lines
        if not cut and len(have) != len(lines):
            yield name, "(number of lines)", str(len(lines)), str(len(have))
        for (text, answer), (other, ours_is) in zip(lines, have):
            if text != other:
                yield name, text, answer, "another line: " + other
            elif answer != ours_is:
                yield name, text, answer, ours_is


def main():
    warpwright, program = sys.argv[1:3]
    with open(os.path.join(HERE, "h200.txt"), encoding="utf-8") as f:
        card = sections(f.read().splitlines())
    run = subprocess.run([warpwright, "run", "--quiet", "--", program], capture_output=True, text=True, timeout=300, check=False)
    found = list(differences(card, sections(run.stdout.splitlines())))
    if "--list" in sys.argv:
        for name, text, answer, ours in found:
            print(f"{name}\t{text}\t{ours}\tcard: {answer}")
        return 0
    with open(os.path.join(HERE, "differs.tsv"), encoding="utf-8") as f:
        listed = [line.split("\t")[:3] for line in f.read().splitlines() if line and not line.startswith("#")]
    used, problems = set(), 0
    for name, text, answer, ours in found:
        key = next((tuple(k) for k in listed if k == [name, text, ours] or k[:2] == [name, "*"]), None)
        used.add(key)
        if not key:
            problems += 1
            print(f"{name}: {text}: {ours}, on the card {answer}")
    for key in listed:
        if tuple(key) not in used:
            problems += 1
            print(f"{key[0]}: {key[1]}: differs.tsv says that it is {key[2]} here, but it is as on the card")
    print(f"{sum(map(len, card.values()))} lines, {len(found)} differ, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

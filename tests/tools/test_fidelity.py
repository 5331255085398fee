#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/fidelity tells launches whose readings on the card differ by themselves from those where we are wrong: test_fidelity.py TOOL"""
import sys

from script import load

OURS = {"global_atom_requests": 2, "global_atom_sectors": 4, "shared_atom_inst": 0}
GEOMETRY = {"repo": "r", "path": "p", "launch": "0", "grid": "(1, 1, 1)", "block": "(32, 1, 1)"}


def main():
    tool = load(sys.argv[1])
    hardware = dict(GEOMETRY, global_ld_sectors="90", global_st_sectors="10", shared_ld_wavefronts="50", shared_st_wavefronts="5",
                    shared_ld_bank_conflicts="7", shared_st_bank_conflicts="1")
    known = {("r", "p", "0"): hardware}

    def ask(sectors, column, card, twins=(), ours=OURS, rows=known):
        return tool.undetermined(dict(GEOMETRY, memory_l2_theoretical_sectors_global=str(sectors)), ours, column, card, twins, rows)

    cases = [("what atomics take is no other reading", ask(102, "sectors", 102), ""),
             ("nor is what an atomic of more sectors takes", ask(104, "tag requests", 30), ""),
             ("fewer than loads and stores", ask(99, "sectors", 99), "100 sectors by the hardware's counters"),
             ("more than atomics take", ask(105, "ideal sectors", 80), "100 sectors by the hardware's counters"),
             ("the card's passes carry noise", ask(102, "wavefronts", 54), ""),
             ("but are never fewer", ask(102, "wavefronts", 56), "55 passes by the hardware's counters"),
             ("excess likewise", ask(102, "excessive wavefronts", 9), "8 passes by the hardware's counters"),
             ("shared atomics are in one of them alone", ask(102, "wavefronts", 56, ours=dict(OURS, shared_atom_inst=1)), ""),
             ("launches alike", ask(102, "ideal wavefronts", 10, twins=(10, 12, 11, 12)), "other launches alike: 11, 12"),
             ("which agree", ask(102, "ideal wavefronts", 10, twins=(10, 10)), ""),
             ("no hardware counters", ask(99, "sectors", 99, rows={}), "")]
    wrong = [(name, got, want) for name, got, want in cases if got != want]
    for name, got, want in wrong:
        print(f"{name}: '{got}' instead of '{want}'")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

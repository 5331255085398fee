#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/time_model: of two variants the faster is named; one launch that is repeated is no variant, and may be left out: test_time_model.py TOOL"""
import sys

from script import load


def main():
    tool = load(sys.argv[1])

    def launch(measured, predicted, kernel="k", sectors=1, group="p"):
        work = kernel and (kernel, {"sectors": sectors})
        return tool.Pair("programs", "p", group, measured, predicted, "latency", None, None, work)

    same = [launch(100, 105), launch(130, 105)]
    cases = [("a repetition", same, (0, 1), (0, 0)),
             ("other counters", [same[0], launch(130, 120, sectors=2)], (1, 1), (1, 1)),
             ("another kernel", [same[0], launch(130, 90, kernel="l")], (0, 1), (0, 1)),
             ("another problem", [same[0], launch(130, 105, group="q")], (0, 0), (0, 0)),
             ("alike within 10 %", [same[0], launch(109, 90, sectors=2)], (0, 0), (0, 0)),
             ("nothing known of the work", [launch(100, 100, kernel=None), launch(130, 140, kernel=None)], (1, 1), (1, 1))]
    wrong = 0
    for name, pairs, with_them, without in cases:
        got = tool.faster(pairs), tool.faster(pairs, False)
        if got != (with_them, without):
            wrong += 1
            print(f"{name}: {got} instead of {(with_them, without)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

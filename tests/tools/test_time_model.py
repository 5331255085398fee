#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/time_model: of two variants the faster is named; one launch that is repeated is no variant, and may be left out; launches of
programs that were predicted before they were read are found in reports of today: test_time_model.py TOOL"""
import json
import os
import sys
import tempfile

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
    return 1 if wrong + sum(blind(tool, trial) for trial in tool.BLIND) else 0


def blind(tool, trial):
    before = list(tool.blind_pairs(trial))
    first = before[0]
    dims = [int(n) for n in first.reading["grid"].strip("()").split(",")], [int(n) for n in first.reading["block"].strip("()").split(",")]
    entry = {"launch": int(first.reading["launch"]), "name": "k", "grid": dims[0], "block": dims[1], "counters": {}, "predicted": {"ns": 7, "limiter": "L2"}}
    wrong = 0
    for name, grid, predicted in (("today's report", dims[0], [7]), ("another geometry", [dims[0][0] + 1] + dims[0][1:], [])):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, first.name + "__x.json"), "w", encoding="utf-8") as f:
                json.dump({"kernels": [dict(entry, grid=grid)]}, f)
            got = [p.predicted for p in tool.predicted_now(before, folder)]
        if got != predicted:
            wrong += 1
            print(f"{trial}, {name}: {got} instead of {predicted}")
    if not before or any(p.predicted <= 0 for p in before):
        wrong += 1
        print(f"{trial}: a launch was predicted to take no time")
    return wrong


if __name__ == "__main__":
    sys.exit(main())

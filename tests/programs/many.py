#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A report of many launches: many.py WARPWRIGHT PROGRAM.
The program is many_launches.  Joined or not, the totals of its document are the same, and so say `report A B` and the page."""
import json
import os
import subprocess
import sys
import tempfile

WARPWRIGHT, PROGRAM = sys.argv[1:3]
TIMES = 300  # launches of each of its three kernels
failures = 0


def expect(what, truth, shown=""):
    global failures
    if not truth:
        failures += 1
        print(f"not so: {what}\n{shown}")


def start(*arguments):
    return subprocess.run([WARPWRIGHT, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def document(file, *arguments):
    r = start("run", "--json", file, *arguments)
    expect("it runs", r.returncode == 0 and "passed" in r.stdout, r.stdout + r.stderr)
    with open(file, encoding="utf-8") as f:
        return json.load(f), r.stderr


def totals(kernels):
    """Every count of every kernel, and of every line, over its entries."""
    sums = {}
    for entry in kernels:
        things = [("", entry["counters"]), ("instructions ", entry["instructions"]), ("", {"launches": entry["launches"]})]
        things += [(f"{line['file']}:{line['line']} ", {k: v for k, v in line.items() if k not in ("file", "line")}) for line in entry["lines"]]
        for prefix, counts in things:
            for key, value in counts.items():
                key = entry["name"] + " " + prefix + key
                sums[key] = sums.get(key, 0) + value
    return {key: value for key, value in sums.items() if value}


def main():
    with tempfile.TemporaryDirectory() as folder:
        whole, joined, page = (os.path.join(folder, name) for name in ("whole.json", "joined.json", "page.html"))
        a, text = document(whole, PROGRAM, str(TIMES))
        expect("few launches stand alone", len(a["kernels"]) == 3 * TIMES and all(k["launches"] == 1 for k in a["kernels"]) and not a["notes"])
        expect("and nothing is said of it", "--keep-launches" not in text, text)
        b, text = document(joined, "--keep-launches", "50", "--html", page, PROGRAM, str(TIMES))
        kinds = [k for k in b["kernels"] if k["launches"] > 1]
        expect("50 alone, 50 kinds, and the sums of one kernel", len(b["kernels"]) == 101 and len(kinds) == 9, str(len(b["kernels"])))
        expect("the first alone, in their order", [k["launch"] for k in b["kernels"][:50]] == list(range(50)))
        expect("it is said", "stand for several" in text and len(b["notes"]) == 1, text)
        expect("no count is lost", totals(a["kernels"]) == totals(b["kernels"]))
        one_shape = [k for k in kinds if k["name"] != "work"]
        expect("seven shapes and one", len(one_shape) == 8 and all(k["alike"] and k["grid"] and k["block"] for k in one_shape), str(one_shape))
        rest = [k for k in kinds if k["name"] == "work"]
        expect("the others of a kernel together", len(rest) == 1 and rest[0]["alike"] is False and rest[0]["block"] is None, str(rest))
        expect("a comparison sees one thing", start("report", whole, joined).stdout == "0 better, 0 worse\n")
        expect("the text too", start("report", whole).stdout == start("report", joined).stdout, start("report", joined).stdout)
        expect("the page has the sums", f'"launches":{TIMES}' in open(page, encoding="utf-8").read().replace(" ", ""))
        # Two processes that write one document share its limit.
        b, text = document(joined, "--keep-launches", "50", "sh", "-c", f"{PROGRAM} {TIMES} && {PROGRAM} {TIMES}")
        expect("as one document", len(b["kernels"]) <= 103, str(len(b["kernels"])))
        expect("of twice the counts", totals(b["kernels"]) == {key: 2 * value for key, value in totals(a["kernels"]).items()})
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one kernel of this folder: perf.py WARPWRIGHT RULE/NAME.cu.  Its comments say how, and what must come out:

    // check: --grid 8 --block 32,8 --arg ...     how `warpwright check` is called; several such lines are joined
    ...  // here                                  where the folder's rule must find something (bad_*), as often as it must; good_* have none
    // says: TEXT                                 the message must contain this
    // mend: TEXT                                 the text of the mend must contain this; none: there must be no mend
    #ifdef MENDED ... #else ... #endif            the mend, applied: it is checked again with MENDED defined
    // mended: --grid ... --arg ...               how that is called, where it differs

Numbers are never written here: what the mend promises must be what the mended kernel measures.  Of the mends' unit, the kernel's
total must fall by exactly the sum of before - after, and the findings must be gone."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

# What counts as a mend's unit: counters of the launch, added up.
UNITS = {
    "extra passes": ["shared_ld_bank_conflicts", "shared_st_bank_conflicts", "shared_atom_bank_conflicts"],
    "sectors": ["global_ld_sectors", "global_st_sectors"],
    "requests": ["global_ld_requests", "global_st_requests"],
    "turns": ["global_atom_sectors", "shared_atom_wavefronts"],
}


def comments(text, key):
    return [line.strip() for line in re.findall(rf"// {key}: (.*)$", text, re.M)]


def check(warpwright, source, rule, options, flags=""):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        done = subprocess.run([warpwright, "check", source, "--check=" + rule, "--quiet", "--json", report] + options,
                              capture_output=True, text=True, timeout=100, check=False, env={**os.environ, "NVCC_APPEND_FLAGS": flags})
        if done.returncode:
            sys.exit(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        with open(report, encoding="utf-8") as f:
            document = json.load(f)
    counters = {}
    for k in document["kernels"]:
        for name, value in k["counters"].items():
            counters[name] = counters.get(name, 0) + value
    return document["findings"], counters


def picture_cost(p):
    """Of one access: the passes of its worst bank, or its sectors; and its active lanes."""
    lanes = [at for lane, at in enumerate(p["offsets"]) if p["mask"] >> lane & 1]
    units = {(at + k) // (4 if p["space"] == "shared" else 32) for at in lanes for k in range(p["bytes"])}
    banks = [unit % 32 for unit in units]
    return max(map(banks.count, banks)) if p["space"] == "shared" else len(units), len(lanes)


def pictured(mend):
    """What is wrong with the pictures of a mend: it shows an access that becomes cheaper."""
    if not mend["from"] or not mend["to"]:
        return ["the mend has no pictures"]
    (cost, lanes), (then, left) = picture_cost(mend["from"]), picture_cost(mend["to"])
    better = mend["to"]["bytes"] > mend["from"]["bytes"] if mend["text"].startswith("one ") else left < lanes if mend["unit"] == "turns" else then < cost
    return [] if better else [f"the picture shows {cost} for {lanes} lanes, and {then} for {left} after: {mend}"]


def mended(warpwright, source, rule, options, found, before):
    """Problems of the mended kernel against what was promised."""
    if not all(f["mend"] for f in found):
        return ["no mend was offered"]
    wrong = [w for f in found for w in (pictured(f["mend"]) if f["mend"]["unit"] in UNITS else [])]
    if wrong:
        return wrong
    mend = {"unit": found[0]["mend"]["unit"], "before": sum(f["mend"]["before"] for f in found), "after": sum(f["mend"]["after"] for f in found)}
    if any(f["mend"]["after"] >= f["mend"]["before"] or f["mend"]["unit"] != mend["unit"] for f in found):
        return [f"a mend brings nothing, or counts something else: {[f['mend'] for f in found]}"]
    findings, after = check(warpwright, source, rule, options, "-DMENDED")
    total = [sum(c[name] for name in UNITS[mend["unit"]]) for c in (before, after)]
    problems = []
    if total[0] - total[1] != mend["before"] - mend["after"]:
        problems.append(f"promised {mend['before']} -> {mend['after']} {mend['unit']}; measured {total[0]} -> {total[1]}")
    if findings:
        problems.append(f"the mended kernel still has: {findings[0]['message']}")
    return problems


def main():
    warpwright, source = sys.argv[1:3]
    rule, name = os.path.basename(os.path.dirname(source)), os.path.basename(source)
    with open(source, encoding="utf-8") as f:
        text = f.read()
    options = shlex.split(" ".join(comments(text, "check")))
    findings, counters = check(warpwright, source, rule, options)
    lines = [number for number, line in enumerate(text.split("\n"), 1) for _ in re.findall("// here", line)]
    problems = []
    if [f["line"] for f in findings] != lines:
        problems.append(f"found at lines {[f['line'] for f in findings]}, expected {lines}")
    if bool(lines) != name.startswith("bad_"):
        problems.append("bad_* have a line marked `here`, good_* have none")
    if any(f["rule"] != rule or f["category"] != "perf" or f["severity"] == "error" for f in findings):
        problems.append("another rule, category or an error")
    if findings and lines:
        problems += [f"the message has no '{t}'" for t in comments(text, "says") if t not in findings[0]["message"]]
        problems += [f"the mend has no '{t}'" for t in comments(text, "mend") if t not in (findings[0]["mend"] or {"text": "none"})["text"]]
        if "MENDED" in text:
            again = shlex.split(" ".join(comments(text, "mended"))) or options
            problems += mended(warpwright, source, rule, again, findings, counters)
    for problem in problems:
        print(f"{source}: {problem}")
    for f in findings if problems else []:
        print(f"  {f['line']}: {f['message']} [{f['rule']}] {f['mend']}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

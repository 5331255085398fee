#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests that depend on the SIMD level once more, on a lower one than this CPU's best: levels.py LEVEL WARPWRIGHT CTEST BUILD JOBS
Levels above LEVEL are hidden behind $WARPWRIGHT_SIMD, which can only take levels away.  Which tests those are is said by the label that CMake
gives them (`level`).  Skipped (77) where LEVEL is the machine's best, which the suite itself tests, or a level that it lacks.  The commands are run
here and not by a second ctest, because two of them in one build folder write the same log.  Tests of very many random cases take one in SHARE of them."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

SKIPPED = 77
SHARE = "4"


def levels_of(warpwright, **variables):
    text = subprocess.run([warpwright, "doctor"], capture_output=True, text=True, check=True, env={**os.environ, **variables}).stdout
    return re.search(r"^ +available +(.*)$", text, re.M).group(1).split()


def tests_of(ctest, build):
    listed = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1", "-L", "^level$"], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        yield test["name"], test.get("command"), {p["name"]: p["value"] for p in test.get("properties", [])}


def run(name, command, properties, level):
    """(name, what went wrong or None, whether it was skipped)"""
    if not command:
        return name, f"{name}: its program is not built", False
    env = {**os.environ, **dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", [])), "WARPWRIGHT_SIMD": level, "WW_TEST_SHARE": SHARE}
    done = subprocess.run(command, cwd=properties.get("WORKING_DIRECTORY"), env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=properties.get("TIMEOUT", 600), check=False)
    wanted = properties.get("PASS_REGULAR_EXPRESSION")
    if done.returncode == properties.get("SKIP_RETURN_CODE"):
        return name, None, True
    good = any(re.search(w, done.stdout) for w in wanted) if wanted else done.returncode == 0
    return name, None if good else f"{name} on {level}: exit code {done.returncode}\n{done.stdout[-4000:]}", False


def main():
    level, warpwright, ctest, build, jobs = sys.argv[1:6]
    here = levels_of(warpwright)
    if level not in here or level == here[0]:
        print(f"skipped: this machine has {', '.join(here)}; the suite itself runs on {here[0]}")
        return SKIPPED
    hidden = levels_of(warpwright, WARPWRIGHT_SIMD=level)
    if hidden != here[here.index(level):]:
        print(f"WARPWRIGHT_SIMD={level} leaves {', '.join(hidden)} of {', '.join(here)}")
        return 1
    tests = list(tests_of(ctest, build))
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        ended = list(pool.map(lambda t: run(*t, level), tests))
    wrong = [why for _, why, _ in ended if why]
    print("\n".join(wrong))
    skipped = [name for name, _, skip in ended if skip]
    print(f"{level}: {len(tests)} tests, {len(wrong)} failed, {len(skipped)} skipped {' '.join(skipped)}")
    return 1 if wrong or not tests else 0


if __name__ == "__main__":
    sys.exit(main())

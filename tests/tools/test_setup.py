#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_setup.py SETUP: a group that packages.tsv has not is refused before anything is installed, and all that it has are told."""
import os
import subprocess
import sys

setup = sys.argv[1]
with open(os.path.join(os.path.dirname(setup), "packages.tsv"), encoding="utf-8") as f:
    known = {line.split("\t")[0] for line in f if not line.startswith("#")}
failures = []
for groups in (["nonsense"], ["bas"], ["base", "nonsense"], [".*"], ["-v"], [""]):
    done = subprocess.run([setup, *groups], capture_output=True, text=True, timeout=60, check=False)
    named = [name for name in known if name not in done.stderr.split(": there are: ")[-1].split()]
    if done.returncode != 2 or done.stdout or f"there is no group '{groups[-1]}'" not in done.stderr or named:
        failures.append(f"{groups}: exit code {done.returncode}, not 2; {done.stdout}{done.stderr}; not told: {named}")
print("\n".join(failures) or "passed")
sys.exit(1 if failures else 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner of command line tests must see every kind of difference: a runner that passes everything tests nothing."""
import os
import subprocess
import sys
import tempfile

CASES = [
    # file, passes
    ("$ echo a\n> a\n", True),
    ("$ echo a\n> b\n", False),
    ("$ echo a\n", False),
    ("$ true\n> a\n", False),
    ("$ echo a; echo b\n> a\n", False),
    ("$ echo abc\n~ a*c\n", True),
    ("$ echo abd\n~ a*c\n", False),
    ("$ echo 'a[1]c'\n~ a[1]?\n", True),
    ("$ echo a; echo b; echo c\n> a\n~ ...\n> c\n", True),
    ("$ echo a; echo b; echo c\n> a\n~ ...\n> d\n", False),
    ("$ echo a >&2\n! a\n", True),
    ("$ echo a >&2\n! b\n", False),
    ("$ echo a >&2\n", False),
    ("$ exit 3\n= 3\n", True),
    ("$ exit 3\n", False),
    ("$ pwd\n> $TMP\n", True),
    ("$ cat\n", True),
    ("# text\n\n$ echo; echo a\n>\n> a\n", True),
]


def main():
    failed = 0
    for text, good in CASES:
        with tempfile.TemporaryDirectory() as tmp:
            path = os.path.join(tmp, "x.test")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            done = subprocess.run([sys.executable, sys.argv[1], "--bin", "/bin/sh", "--data", tmp, path],
                                  capture_output=True, text=True, check=False)
            if (done.returncode == 0) != good:
                failed += 1
                print(f"{text!r}: expected it to {'pass' if good else 'fail'}:\n{done.stdout}{done.stderr}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

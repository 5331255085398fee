#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/circles must find circles that are too large or reach over rooms, and count each file once.  The objects are made by the C compiler
that is given, in small trees of their own: each source is a name, what it defines is its letter, and what it calls stands behind it."""
import os
import shutil
import subprocess
import sys
import tempfile

CASES = [
    # sources: (target, file, defines, calls); options; exit status; what must be said
    ("a row of calls", [("t", "m/a", "a", "b"), ("t", "m/b", "b", "c"), ("t", "m/c", "c", "")], [], 0, "circles of: none; 0 problems"),
    ("a small circle", [("t", "m/a", "a", "b"), ("t", "m/b", "b", "a")], [], 0, "circles of: 2; 0 problems"),
    ("its ties", [("t", "m/a", "a", "b"), ("t", "m/b", "b", "a")], ["--edges"], 0, "src/m/a -> src/m/b: b"),
    ("too large", [("t", "m/a", "a", "b"), ("t", "m/b", "b", "c"), ("t", "m/c", "c", "a")], ["--limit", "2"], 1, "circle of 3 files (more than 2 files)"),
    ("over rooms", [("t", "m/a", "a", "b"), ("t", "n/b", "b", "a")], [], 1, "over several rooms: src/m, src/n"),
    ("over inner rooms", [("t", "m/a", "a", "b"), ("t", "m/n/b", "b", "a")], [], 1, "over several rooms: src/m, src/m/n"),
    ("another folder", [("t", "m/a", "a", "b"), ("t", "n/b", "b", "a")], ["src/k"], 0, "circles of: none"),
    ("a circle only through a level", [("plain", "m/a", "a1", "b"), ("avx2", "m/a", "a2", ""), ("t", "m/b", "b", "a2")], [], 0, "2 files, circles of: 2;"),
    ("the program's own name first", [("t", "m/a", "a", "b"), ("t", "m/b", "b", ""), ("u", "n/c", "b", "a")], [], 0, "circles of: none"),
    ("after a move", [("t", "m/a", "a", "b"), ("t", "m/b", "b", "a")], ["--as", "moves"], 1, "over several rooms: src/m, src/m/n"),
    ("nothing built", [], [], 1, "build first"),
]


def compile_one(cc, root, target, file, defines, calls):
    source = os.path.join(root, "src", file + ".c")
    os.makedirs(os.path.dirname(source), exist_ok=True)
    called = "".join(f"void {name}(void); " for name in calls.split())
    with open(source, "w", encoding="utf-8") as f:
        f.write(f"{called}void {defines}(void); void {defines}(void) {{ {''.join(name + '(); ' for name in calls.split())} }}\n")
    made = os.path.join(root, "build/src/CMakeFiles", target + ".dir", file + ".c.o")
    os.makedirs(os.path.dirname(made), exist_ok=True)
    subprocess.run([cc, "-c", source, "-o", made], check=True)


def main():
    script, cc = sys.argv[1:]
    failed = 0
    for title, sources, options, status, want in CASES:
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "tools"))
            shutil.copy(script, os.path.join(root, "tools", "circles"))
            for source in sources:
                compile_one(cc, root, *source)
            with open(os.path.join(root, "moves"), "w", encoding="utf-8") as f:
                f.write("src/m/b.c\tsrc/m/n/b.c\n")
            done = subprocess.run([sys.executable, "tools/circles", "build", *options], cwd=root, capture_output=True, text=True, check=False)
            if done.returncode != status or want not in done.stdout + done.stderr:
                failed += 1
                print(f"{title}: expected {status} and {want!r}, got {done.returncode}:\n{done.stdout}{done.stderr}")
    print(f"circles: {len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""uninstall.py SOURCE WORK: `make install` into an empty root and `make uninstall`: nothing of ours is left, what others have put there stays, and a
second time says that there is nothing.  Where the person has installed from this folder, that record is put back."""
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE, WORK = map(pathlib.Path, sys.argv[1:3])
RECORD = SOURCE / "build/installed.txt"
OTHERS = ("usr/local/share/doc/other/readme", "usr/local/share/doc/warpwright/notes of mine.txt", "usr/local/bin/other")


def make(*words):
    env = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
    return subprocess.run(["make", "-C", str(SOURCE), "-o", "build", *words, f"DESTDIR={WORK}"], capture_output=True, text=True, env=env, check=False)


def files():
    return sorted(str(p.relative_to(WORK)) for p in WORK.rglob("*") if not p.is_dir() or p.is_symlink())


def main():
    kept = RECORD.read_bytes() if RECORD.exists() else None
    shutil.rmtree(WORK, ignore_errors=True)
    for name in OTHERS:
        (WORK / name).parent.mkdir(parents=True, exist_ok=True)
        (WORK / name).write_text("not ours\n", encoding="utf-8")
    wrong = []
    try:
        made = make("install")
        if made.returncode or not (WORK / "usr/local/bin/warpwright").exists():
            wrong.append(f"make install ended with {made.returncode}\n{made.stdout}{made.stderr}")
        there = len(files())
        gone = make("uninstall")
        if gone.returncode or there < 100 or files() != sorted(OTHERS):
            wrong.append(f"of {there} files make uninstall (exit code {gone.returncode}) left {files()}\n{gone.stdout}{gone.stderr}")
        ours = [str(p) for p in WORK.rglob("*warpwright*") if p.is_dir() and p.relative_to(WORK) != pathlib.Path("usr/local/share/doc/warpwright")]
        if ours:
            wrong.append(f"folders are left: {ours}")
        again = make("uninstall")
        if again.returncode == 0 or "nothing was installed from this folder" not in again.stdout:
            wrong.append(f"a second time ends with {again.returncode}\n{again.stdout}{again.stderr}")
    finally:
        if kept is not None:
            RECORD.write_bytes(kept)
    print("\n".join(wrong) or "what was installed is gone, and nothing else")
    return bool(wrong)


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernels/embed.cmake with compilers that are shell scripts, good and failing ones:
test_embed.py CMAKE EMBED_CMAKE"""
import os
import subprocess
import sys
import tempfile

PTX = """for last; do :; done; printf '.version 8.0\\n\\t.loc 1 2 3\\n\\tret;\\n' > $last"""
CODE = f"""case "$*" in -fatbin*) for last; do :; done; cp $(echo "$*" | sed 's/.* \\([^ ]*\\) -o .*/\\1/') $last;; *) {PTX};; esac"""
HALF = f"""case "$*" in -fatbin*) echo too old; exit 3;; *) {PTX};; esac"""
ERROR = """echo 'a.cu:1: note: "x" \\ y'; echo 'a.cu:2:1: error: not; here'; echo '    2 | foo'; echo '      | ^'; exit 1"""
FIRST = """echo first; echo second; exit 2"""
OLD = """for last; do :; done; printf '//\\n.version 6.0\\n.target sm_70\\n.address_size 64\\n' > $last"""

CASES = [
    # compiler, MACHINE, what the written file has, what it has not
    (PTX, "", [".data = k_data", ".len = 31"], [".code", ".reason", ".packed"]),
    (CODE, "sm_90a", [".data = k_data", ".code = k_code"], [".reason"]),
    (HALF, "sm_90a", [".data = k_data"], [".code", ".reason", ".packed"]),
    (ERROR, "sm_90a", ['.reason = "cc failed (1): a.cu:2:1: error: not; here",'], ["note", "foo", "_data", "_code"]),
    (FIRST, "", ['.reason = "cc failed (2): first",'], ["second"]),
    (None, "", ['.reason = "cc is not on this machine",'], ["_data"]),
]


PACK = "head -c 7 $1 > $2"  # what compresses, as a script


CCACHE = 'echo "$CCACHE_EXTRAFILES" >FOLDER/asked; "$@"; sed -i s,FOLDER,/an/other/tree, FOLDER/a.ptx'
NAMED = """while [ $# -gt 0 ]; do [ "$1" != -o ] || out=$2; shift; done
printf '.file 1 "%s"\\n.file 2 "%s"\\n.file 3 "/usr/include/kernels/x.h"\\n' FOLDER/kernels/gemm/1_a.cu FOLDER/kernels/gemm/args.h >$out"""
STRIPPED = '.file 1 "kernels/gemm/1_a.cu"\n.file 2 "kernels/gemm/args.h"\n.file 3 "/usr/include/kernels/x.h"\n'


def embed(folder, script, machine, compiler="cc", needs="", pack="", ccache=""):
    cc = os.path.join(folder, "cc")
    if script:
        with open(cc, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\n{script}\n")
        os.chmod(cc, 0o755)
    defined = {"COMPILER": compiler, "PROGRAM": cc if script else "", "COMMAND": f"{cc}|-O3", "FILE": "a.cu", "ROOT": folder, "PTX": f"{folder}/a.ptx",
               "OUT": f"{folder}/a.c", "SYMBOL": "k", "LEVEL": "", "MACHINE": machine, "NEEDS": needs, "PACK": pack, "CCACHE": ccache,
               "OWN": "a.cu|b.h"}
    done = subprocess.run([sys.argv[1], *(f"-D{k}={v}" for k, v in defined.items()), "-P", sys.argv[2]],
                          capture_output=True, text=True, check=False)
    with open(f"{folder}/a.c", encoding="utf-8") as f:
        return done, f.read()


def cached(flags):
    """What ccache gives may be another tree's; nvcc's own variables are nothing that it knows."""
    with tempfile.TemporaryDirectory() as folder:
        ccache = os.path.join(folder, "ccache")
        with open(ccache, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + CCACHE.replace("FOLDER", folder) + "\n")
        os.chmod(ccache, 0o755)
        os.environ["NVCC_APPEND_FLAGS"] = flags
        embed(folder, NAMED.replace("FOLDER", folder), "", ccache=ccache)
        del os.environ["NVCC_APPEND_FLAGS"]
        with open(f"{folder}/a.ptx", encoding="utf-8") as f:
            text = f.read()
        asked = ""
        if os.path.exists(f"{folder}/asked"):
            with open(f"{folder}/asked", encoding="utf-8") as f:
                asked = f.read().strip()
        if text == STRIPPED and asked == ("" if flags else "a.cu:b.h"):
            return 0
        print(f"flags {flags!r}, ccache was told {asked!r}:\n{text}")
        return 1


def main():
    failed = cached("") + cached("-G")
    for script, machine, has, has_not in CASES:
        with tempfile.TemporaryDirectory() as folder:
            done, text = embed(folder, script, machine)
            good = done.returncode == 0 and all(s in text for s in has) and not any(s in text for s in has_not)
            if script == CODE:  # machine code is made of the text without lines
                with open(f"{folder}/a.fatbin", encoding="utf-8") as f:
                    good = good and f.read() == ".version 8.0\n\tret;\n"
            if script == HALF:
                good = good and "a.cu has no machine code for sm_90a: cc failed (3): too old" in done.stderr
            if not good:
                failed += 1
                print(f"{script}: {done.returncode}\n{done.stdout}{done.stderr}\n{text}")
    for compiler, needs, head in (("clang", "90a", ".version 8.0\n.target sm_90a\n"), ("clang", "", ".version 6.0\n.target sm_70\n"),
                                  ("nvcc", "90a", ".version 6.0\n.target sm_70\n")):
        with tempfile.TemporaryDirectory() as folder:
            embed(folder, OLD, "", compiler, needs)
            with open(f"{folder}/a.ptx", encoding="utf-8") as f:
                text = f.read()
            if text != f"//\n{head}.address_size 64\n":
                failed += 1
                print(f"{compiler}, needs {needs!r}: {text}")
    with tempfile.TemporaryDirectory() as folder:
        pack = os.path.join(folder, "pack")
        with open(pack, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\n{PACK}\n")
        os.chmod(pack, 0o755)
        _, text = embed(folder, PTX, "", pack=pack)
        if not all(s in text for s in (".packed = 7,", ".len = 31,", "a.ptx.zst")):
            failed += 1
            print(f"packed: {text}")
    print(f"{len(CASES) + 6 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_nvcc.py NVCC_SCRIPT: what tests/nvcc asks of ccache, played by a script: the source and all headers near it count, its folder does, names
stay whole; and where nvcc's own variables are set, or there is no ccache, nvcc itself is called."""
import os
import subprocess
import sys
import tempfile

SAYS = '#!/bin/sh\necho "$(basename "$0")" "$CCACHE_EXTRAFILES" "${CCACHE_BASEDIR-unset}" "$@"\n'
failures = []


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/rule")
        for name in ("ccache", "nvcc"):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as f:
                f.write(SAYS)
            os.chmod(f"{folder}/{name}", 0o755)
        for name in ("run.h", "rule/own.h", "rule/a b.cu"):
            open(f"{folder}/{name}", "w", encoding="utf-8").close()
        source, ccache, nvcc = f"{folder}/rule/a b.cu", f"{folder}/ccache", f"{folder}/nvcc"
        count = f"{source}:{folder}/rule/own.h:{folder}/rule/../run.h"
        plain = f"nvcc  unset -O1 -o x.o {source} -c\n"
        for variables, first, want in (({}, ccache, f"ccache {count}  {nvcc} -O1 -o x.o {source} -c -DWW_TEST_FOLDER={folder}/rule\n"), ({}, "-", plain),
                                       ({"NVCC_APPEND_FLAGS": "-G"}, ccache, plain), ({"NVCC_PREPEND_FLAGS": "-G"}, ccache, plain)):
            env = {k: v for k, v in os.environ.items() if not k.startswith(("CCACHE_", "NVCC_"))}
            got = subprocess.run([sys.argv[1], first, nvcc, "-O1", "-o", "x.o", source], env={**env, **variables}, capture_output=True, text=True, check=False)
            if got.stdout != want:
                failures.append(f"{variables}, {first}: {got.stdout}{got.stderr}, expected {want}")
    print("\n".join(failures) or "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

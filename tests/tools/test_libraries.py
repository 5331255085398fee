#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_libraries.py TOOL: tools/libraries against a stand-in for warpwright and programs of each kind of outcome.  It skips (77) where there is no
toolkit to link with."""
import os
import subprocess
import sys
import tempfile

HEADER = '#include "cublas_like.h"\n'
FILES = {
    "good/cublas_like.h": "int other(void);\n",
    "good/main.c": HEADER + "int main(void) { return other(); }\n",
    "good/other.c": HEADER + "int other(void) { return 0; }\n",
    "two/cublas_like.h": "#include <stdio.h>\n",
    "two/ends.c": HEADER + "int main(void) { return 3; }\n",
    "two/says.c": HEADER + 'int main(void) { puts("Test: FAILED"); return 0; }\n',
    "broken/cublas_like.h": "",
    "broken/main.c": HEADER + "int main(void) { return missing_function(); }\n",
    "plain/main.c": "int main(void) { return 0; }\n",
}
STAND_IN = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
EXPECTED = ["| broken | 1 | 0 | 1 |", "| good | 1 | 1 | 0 |", "| two | 2 | 0 | 2 |", "| all | 4 | 1 | 3 |", "| exit code 3 | two/ends |", "| prints 'FAIL' | two/says |"]


def main(tool):
    if not os.path.exists("/usr/local/cuda/lib64/libcusolverMg.so"):
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**{f"in/{n}": t for n, t in FILES.items()}, "stand_in": STAND_IN}.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        os.chmod(os.path.join(folder, "stand_in"), 0o755)
        done = subprocess.run([tool, os.path.join(folder, "in"), "--build", os.path.join(folder, "out"), "--warpwright", os.path.join(folder, "stand_in")],
                              capture_output=True, text=True, check=False)
    wrong = [line for line in EXPECTED if line not in done.stdout.splitlines()]
    if "missing_function" not in done.stdout or "plain" in done.stdout:
        wrong.append("the program that does not compile, or the one that calls nothing")
    for line in wrong:
        print(f"missing: {line}\n{done.stdout}{done.stderr}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

# SPDX-License-Identifier: Apache-2.0
"""`warpwright` of a wheel, and `python -m warpwright`: hands over to the executable."""
import os
import pathlib
import shutil
import sys


def main() -> None:
    own = pathlib.Path(__file__).resolve().parent / "bin" / "warpwright"
    program = str(own) if own.exists() else shutil.which("warpwright")
    if not program:
        sys.exit("the executable warpwright is neither in this package nor on PATH")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()

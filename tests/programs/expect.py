# SPDX-License-Identifier: Apache-2.0
"""What a script expects: each thing that is not so is told, and counted for its exit code."""
failures = 0


def expect(what, condition, detail=""):
    global failures
    if not condition:
        failures += 1
        print(f"not so: {what}\n{detail}")


def result():
    """For sys.exit: 1 when anything was not so."""
    print(f"{failures} failures")
    return failures != 0

# SPDX-License-Identifier: Apache-2.0
"""Steps of a trial: each is a function that raises when its result is not what the CPU says.  One line a step: name TAB ok or the error TAB seconds."""
import sys
import time

STEPS = []


def step(fn):
    STEPS.append(fn)
    return fn


def close(got, want, tolerance=1e-5):
    """Both as sequences of numbers or as something with tolist()."""
    def flat(x):
        x = x.tolist() if hasattr(x, "tolist") else x
        return [z for y in x for z in flat(y)] if isinstance(x, (list, tuple)) else [x]
    a, b = flat(got), flat(want)
    if len(a) != len(b):
        raise AssertionError(f"{len(a)} numbers instead of {len(b)}")
    worst = max((abs(x - y) / max(1.0, abs(y)) for x, y in zip(a, b)), default=0.0)
    if not worst <= tolerance:
        raise AssertionError(f"off by {worst:.3g}")


def main():
    """Runs the steps that the command line names, or all.  The exit status is the number that failed."""
    failed = 0
    for fn in STEPS:
        if len(sys.argv) > 1 and fn.__name__ not in sys.argv[1:]:
            continue
        begin = time.perf_counter()
        try:
            fn()
            said = "ok"
        except Exception as e:  # a trial goes on
            said = f"{type(e).__name__}: {e}".replace("\n", " ").replace("\t", " ")[:300]
            failed += 1
        print(f"{fn.__name__}\t{said}\t{time.perf_counter() - begin:.3f}", flush=True)
    sys.exit(min(failed, 100))

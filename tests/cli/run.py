#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs command lines and compares what they print: the runner of tests/cli/*.test.

A .test file is a list of cases.  The first two characters of a line say what it is:

    # text      a comment
    $ command   a case begins; the command runs in sh, in an empty folder of its own, warpwright is on PATH,
                $DATA is tests/data and $REPO the source tree; standard input is empty
    > text      a line of standard output, exactly          ~ text    the same, a pattern: * any text, ? any character
    ! text      a line of standard error, exactly           ^ text    the same, a pattern
    ~...  ^...  any number of lines
    = 122       exit code (0 when not given)

Lines of standard output and of standard error are compared each in their order.  Nothing expected of a stream means that
it must be empty.  The folder of the case is shown as $TMP, so messages with paths compare.
--update writes what the program printed back into the file: cases that hold patterns keep them and must be mended by hand."""
import argparse
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

LIMIT_S = 300


class Case:
    def __init__(self, line, command):
        self.line, self.command = line, command
        self.out, self.err, self.code, self.head = [], [], 0, []

    def has_patterns(self):
        return any(kind in "~^" for kind, _ in self.out + self.err)


def parse(path):
    cases, head = [], []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            kind, text = line[:1], line[2:] if line[1:2] == " " else line[1:]
            if kind == "$":
                cases.append(Case(number, text))
                cases[-1].head, head = head, []
            elif kind in ("", "#"):
                head.append(line)
            elif not cases:
                sys.exit(f"{path}:{number}: expected a line with $ and a command first")
            elif kind in (">", "~"):
                cases[-1].out.append((kind, text))
            elif kind in ("!", "^"):
                cases[-1].err.append((kind, text))
            elif kind == "=":
                cases[-1].code = int(text)
            else:
                sys.exit(f"{path}:{number}: unknown line kind '{kind}'; see the head of run.py")
    return cases, head


def matches(expected, got):
    """Whether the lines fit; `...` patterns take any number of lines."""
    if not expected:
        return not got
    kind, text = expected[0]
    if kind in "~^" and text == "...":
        return any(matches(expected[1:], got[i:]) for i in range(len(got) + 1))
    if not got:
        return False
    if kind in "~^":
        pattern = re.compile(fnmatch.translate(text.replace("[", "[[]")))
        fits = pattern.match(got[0]) is not None
    else:
        fits = text == got[0]
    return fits and matches(expected[1:], got[1:])


def run(case, binary, data, repo):
    with tempfile.TemporaryDirectory() as tmp:
        env = dict(os.environ, DATA=data, REPO=repo, LC_ALL="C.UTF-8", COLUMNS="100", TMPDIR=tmp)
        env["PATH"] = os.path.dirname(os.path.abspath(binary)) + os.pathsep + env.get("PATH", "")
        env.pop("NO_COLOR", None)
        try:
            done = subprocess.run(["sh", "-c", case.command], cwd=tmp, env=env, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            return None
        places = [(os.path.realpath(tmp), "$TMP"), (tmp, "$TMP"), (data, "$DATA"), (repo, "$REPO")]

        def lines(raw):
            text = raw.decode("utf-8", "replace")
            for place, name in places:
                text = text.replace(place, name)
            return text.split("\n")[:-1] if text.endswith("\n") else (text.split("\n") if text else [])

        return lines(done.stdout), lines(done.stderr), done.returncode


def explain(title, expected, got):
    print(f"  {title}: expected")
    for kind, text in expected:
        print(f"    {kind} {text}")
    print("  got")
    for line in got:
        print(f"    {line}")


def write_back(path, cases, results, tail):
    with open(path, "w", encoding="utf-8") as f:
        for case, (out, err, code) in zip(cases, results):
            f.writelines(line + "\n" for line in case.head)
            f.write(f"$ {case.command}\n")
            if case.has_patterns():
                pairs, code = case.out + case.err, case.code
            else:
                pairs = [(">", line) for line in out] + [("!", line) for line in err]
            f.writelines(f"{kind} {text}".rstrip() + "\n" for kind, text in pairs)
            if code:
                f.write(f"= {code}\n")
        f.writelines(line + "\n" for line in tail)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--bin", required=True, help="the warpwright executable")
    args.add_argument("--data", required=True, help="what $DATA stands for")
    args.add_argument("--update", action="store_true", help="rewrite the expectations from what is printed")
    args.add_argument("files", nargs="+")
    options = args.parse_args()
    repo = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    failed = total = 0
    for path in options.files:
        cases, tail = parse(path)
        results = []
        for case in cases:
            total += 1
            got = run(case, options.bin, os.path.abspath(options.data), repo)
            if got is None:
                print(f"{path}:{case.line}: `{case.command}` did not end within {LIMIT_S} s")
                failed += 1
                results.append(([], [], case.code))
                continue
            results.append(got)
            if options.update:
                continue
            out, err, code = got
            good = [matches(case.out, out), matches(case.err, err), code == case.code]
            if all(good):
                continue
            failed += 1
            print(f"{path}:{case.line}: {case.command}")
            if not good[0]:
                explain("standard output", case.out, out)
            if not good[1]:
                explain("standard error", case.err, err)
            if not good[2]:
                print(f"  exit code: expected {case.code}, got {code}")
                if good[1] and err:
                    print("\n".join("    " + line for line in err))
        if options.update:
            write_back(path, cases, results, tail)
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

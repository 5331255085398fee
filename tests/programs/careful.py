#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `warpwright run` and `check` do with names, files and variables that somebody else chose: careful.py WARPWRIGHT PROGRAMS NVCC.
Names with words of a shell, folders with spaces and colons, pipes nobody reads, files that are no reports, two runs with one report,
variables with wrong values."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

WARPWRIGHT, PROGRAMS, NVCC = sys.argv[1:4]
ADD = os.path.join(PROGRAMS, "static", "vector_add")
failures = 0


def start(*arguments, program=WARPWRIGHT, **more):
    more.setdefault("env", os.environ)
    more["env"] = {**more["env"], "PATH": os.path.dirname(NVCC) + ":" + os.environ["PATH"]}
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False, **more)


def expect(what, truth, shown=""):
    global failures
    if not truth:
        failures += 1
        print(f"not so: {what}\n{shown}")


def refused(what, r, text):
    expect(what, r.returncode == 122 and text in r.stderr and not r.stdout, f"{r.returncode} {r.stdout}{r.stderr}")


def shell_words(folder):
    """nvcc hands names to a shell, which must find nothing to do in them."""
    inner = os.path.join(folder, "in $(touch folder); `touch tick`")
    os.mkdir(inner)
    with open(os.path.join(inner, "it's.h"), "w", encoding="utf-8") as f:
        f.write("#define VALUE 5\n")
    name = "$(touch name)&x.cu"
    with open(os.path.join(inner, name), "w", encoding="utf-8") as f:
        f.write('#include "it\'s.h"\n__global__ void k(int *p) { p[threadIdx.x] = VALUE; }\n'
                "int main() { int *p; cudaMalloc(&p, 64); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }\n")
    before = sorted(os.listdir(inner))
    for where, source in ((inner, name), (folder, os.path.join(inner, name))):
        r = start("check", "-q", source, "-k", "k", "--grid", "1", "--block", "32", "--arg", "p:i32[16]", cwd=where)
        expect("check names the line of such a source", r.returncode == 121 and f"{name}:2:" in r.stdout and "VALUE;" in r.stdout, r.stdout + r.stderr)
        r = start("run", "-q", "--check", "--fail-on", "out-of-bounds", source, cwd=where, env={**os.environ, "TMPDIR": inner})
        expect("run does as well", r.returncode == 121 and f"{name}:2:" in r.stderr, r.stdout + r.stderr)
    expect("nothing was touched", sorted(os.listdir(inner)) == before and not {"folder", "tick", "name"} & set(os.listdir(folder)), str(os.listdir(inner)))
    with open(os.path.join(folder, 'a"b.cu'), "w", encoding="utf-8") as f:
        f.write("__global__ void k() {}\n")
    r = start("check", 'a"b.cu', "-k", "k", "--grid", "1", "--block", "1", cwd=folder)
    refused("a name that cannot be told is refused", r, "quotation mark")


def installed(folder):
    """The dynamic linker takes lists of paths: a folder's name must not become two."""
    lib = os.path.join(os.path.dirname(WARPWRIGHT), "..", "lib", "warpwright")
    for name in ("with space", "with:colon", "with$LIB;semicolon"):
        to = os.path.join(folder, name)
        os.makedirs(os.path.join(to, "bin"))
        program = shutil.copy(WARPWRIGHT, os.path.join(to, "bin"))
        shutil.copytree(lib, os.path.join(to, "lib", "warpwright"))
        for runtime in ("static", "shared"):
            r = start("run", "sh", "-c", f"cd / && {PROGRAMS}/{runtime}/vector_add", program=program)
            expect(f"a program runs from an installation {name}", r.stdout == "passed\n" and "what the kernels did" in r.stderr, r.stdout + r.stderr)
        shutil.rmtree(to)


def by_content(folder):
    program = shutil.copy(ADD, os.path.join(folder, "program.cu"))
    expect("an executable is run, whatever its name", start("run", "-q", program).stdout == "passed\n")
    script = os.path.join(folder, "script.cu")
    with open(script, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\nexec {ADD}\n")
    os.chmod(script, 0o755)
    expect("so is a script", start("run", "-q", script).stdout == "passed\n")


def documents(folder):
    pipe, other, one = (os.path.join(folder, name) for name in ("pipe", "other.json", "one.json"))
    os.mkfifo(pipe)
    for option in ("--json", "--html", "--sarif"):
        refused(f"{option} PIPE without a reader", start("run", "-q", option, pipe, ADD), "a pipe that nobody reads")
    r = start("run", "-q", ADD, env={**os.environ, "WARPWRIGHT_JSON": pipe})
    expect("the variable's pipe is named", r.stdout == "passed\n" and "a pipe that nobody reads" in r.stderr, r.stderr)
    read = []
    reader = threading.Thread(target=lambda: read.append(open(pipe, encoding="utf-8").read()))
    reader.start()
    r = start("run", "-q", "--json", pipe, ADD)
    reader.join()
    expect("and with one", r.stdout == "passed\n" and read[0].startswith("{") and '"kernels"' in read[0], r.stderr)

    with open(os.path.join(folder, "x.ptx"), "w", encoding="utf-8"):
        pass
    for text in ('{"a": 1}\n', "notes\n", "[]"):
        with open(other, "w", encoding="utf-8") as f:
            f.write(text)
        for verb in (["run", ADD], ["check", "x.ptx", "-k", "k", "--grid", "1", "--block", "1"], ["lab", "copy"], ["bench", "copy"]):
            refused(f"{verb[0]} --json replaces no other file", start(verb[0], "--json", other, *verb[1:], cwd=folder), "--force replaces it")
        r = start("run", "-q", ADD, env={**os.environ, "WARPWRIGHT_JSON": other, "LD_PRELOAD": "", "WARPWRIGHT_REPORT": "0"})
        with open(other, encoding="utf-8") as f:
            expect("nor does the variable", f.read() == text and "no report" in r.stderr, r.stderr)
    expect("with --force it does", start("run", "-q", "--force", "--json", other, ADD).stdout == "passed\n")
    expect("a report it replaces anyway", start("run", "-q", "--json", other, ADD).stdout == "passed\n")
    with open(one, "w", encoding="utf-8"):
        pass
    expect("and an empty file", start("run", "-q", "--json", one, ADD).stdout == "passed\n")

    first = subprocess.Popen([WARPWRIGHT, "run", "-q", "--json", one, "sh", "-c", "echo runs; read x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    first.stdout.readline()
    refused("two runs do not share one document", start("run", "-q", "--json", one, ADD), "another run writes its report there")
    first.communicate(b"\n")
    expect("one after the other they may", start("run", "-q", "--json", one, ADD).stdout == "passed\n")


def variables():
    wrong = {"DEVICES": ("17", "17 is outside 1..16"), "THREADS": ("-1", "'-1' is not a number"), "SEED": ("1e3", "'1e3' is not a number"),
             "ASYNC": ("never", "not one of eager|late|random"), "PROFILE": ("sm_1", "no profile 'sm_1'"), "CHECK": ("nothing", "no rule or category"),
             "FAIL_ON": ("bad", "'bad'"), "KERNEL": ("(", "not a regular expression"), "SUPPRESSIONS": ("/dev/zero", "pipe or a device"),
             "MEMORY": ("5", "5 is outside 256..4194304"), "KEEP_LAUNCHES": ("0", "0 is outside 1..1000000"), "LAUNCH_SKIP": (" 3", "' 3' is not a number"),
             "CACHE": ("here", "neither 'off' nor an absolute path")}
    for name, (value, text) in wrong.items():
        r = start("run", "-q", ADD, env={**os.environ, f"WARPWRIGHT_{name}": value})
        refused(f"WARPWRIGHT_{name}={value}", r, text)
        expect("and named", f"WARPWRIGHT_{name}: " in r.stderr, r.stderr)
    r = start("run", "-q", ADD, env={**os.environ, "WARPWRIGHT_DEVICES": "2", "WARPWRIGHT_SEED": "0x10", "WARPWRIGHT_ASYNC": ""})
    expect("right ones are taken", r.stdout == "passed\n", r.stderr)


ARGUMENTS = """
__global__ void wait(int x, long long n)
{
    long long t = clock64();
    while (clock64() - t < n)
        __nanosleep(20);
}
int main()
{
    int       x = 3;
    long long n = 100000;
    void     *args[] = {&x, &n};
    cudaLaunchKernel((void *)wait, 1, 32, args, 0, 0);
    args[0] = args[1] = (void *)1;
    n = 1ll << 60;
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def arguments(folder):
    """Whoever launched may do with the arguments what he likes, while the launch has paused."""
    source, program, report = (os.path.join(folder, n) for n in ("arguments.cu", "arguments", "arguments.json"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(ARGUMENTS)
    subprocess.run([NVCC, "-gencode", "arch=compute_90,code=compute_90", "-o", program, source], check=True, capture_output=True)
    r = start("run", "-q", "--time", "--profile", "h200", "--json", report, program)
    with open(report, encoding="utf-8") as f:
        us = json.load(f)["kernels"][0]["predicted"]["ns"] / 1000
    expect("a prediction reads the arguments of the launch", r.returncode == 0 and 45 < us < 80, (us, r.stderr))


def main():
    with tempfile.TemporaryDirectory() as folder:
        shell_words(folder)
        installed(folder)
        by_content(folder)
        documents(folder)
        variables()
        arguments(folder)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

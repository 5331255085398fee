#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `warpwright run` itself promises, on programs that are built already: command.py WARPWRIGHT SOURCES PROGRAMS.
Exit codes, the table, options, child processes, a stripped program, a .cu file, a signal."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WARPWRIGHT, SOURCES, PROGRAMS = sys.argv[1:4]
failures = 0


def run(*arguments, **more):
    return subprocess.run([WARPWRIGHT, "run"] + list(arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **more)


def expect(what, truth, shown=""):
    global failures
    if not truth:
        failures += 1
        print(f"not so: {what}\n{shown}")


def static(name):
    return os.path.join(PROGRAMS, "static", name)


def exit_codes():
    expect("a program's own exit code comes through", run("sh", "-c", "exit 7").returncode == 7)
    expect("a missing program is 122", run("./there-is-none").returncode == 122)
    wrong = run("--kernel", "fill(", static("vector_add"))
    expect("a wrong expression for kernels is told", wrong.returncode == 122 and "'fill(': it is not a regular expression" in wrong.stderr)
    expect("an unknown profile is 122", run("--profile", "sm_1", static("vector_add")).returncode == 122)
    size = run("-q", "--memory", "1024", static("memory_size"), "1024")
    expect("--memory is what the program sees", size.returncode == 0, size.stdout)
    failing = run("-q", "--fail-on", "error", static("fault"))
    expect("--fail-on error is 121 when a kernel faults", failing.returncode == 121, failing.stderr)
    past = static("past_the_end")
    expect("an access past the end, in the granule, is a warning", run("-q", "--fail-on", "error", past).returncode == 0)
    told = re.findall(r"past_the_end.cu:\d+:\d+: warning: .*\[out-of-bounds\]", run(past).stderr)
    expect("which is told at its line", len(told) == 2 and "; 65 times" in told[0], told)
    expect("and not with --quiet", ": warning: " not in run("-q", past).stderr)
    expect("and an error where the program is checked", run("-q", "--check=memory", "--fail-on", "error", past).returncode == 121)
    expect("--fail-on another rule is not", run("-q", "--fail-on", "misaligned", static("fault")).returncode == 0)


def sanitizer():
    """What compute-sanitizer's users type."""
    fault = static("fault")
    expect("--error-exitcode takes the place of 121", run("-q", "--tool", "memcheck", "--error-exitcode", "7", fault).returncode == 7)
    expect("and is not given without an error", run("-q", "--check", "--error-exitcode", "7", static("vector_add")).returncode == 0)
    expect("--tool is a category", " [out-of-bounds]" not in run("-q", "--tool", "racecheck", fault).stderr.split("findings")[-1])
    program = static("past_the_end")
    whole, cut = run("-q", "--check=memory", program).stderr, run("-q", "--check=memory", "--print-limit", "1", program).stderr
    expect("--print-limit prints some and counts all", cut.count(": error: ") + cut.count(": warning: ") == 1 and whole.splitlines()[-1] == cut.splitlines()[-1]
           and "not printed (--print-limit)" in cut, cut)


def told():
    """What the outer process says at the end: the condition that holds, and what its processes found."""
    met = run("-q", "--fail-on", "sectors>10,misaligned,error", static("fault"))
    expect("--fail-on says which finding, and where", "warpwright: --fail-on error is met: 1 finding, " in met.stderr and "fault.cu:" in met.stderr.splitlines()[-1], met.stderr)
    expect("and nothing of what is not met", "misaligned is met" not in met.stderr)
    counts = run("-q", "--fail-on", "sectors>10", static("vector_add"))
    expect("--fail-on says which counter, how much and where", counts.returncode == 121 and re.search(
        r"^warpwright: --fail-on sectors>10 is met: \d+; (most|all of it) in kernel add\S* at \S*vector_add.cu:\d+", counts.stderr, re.M), counts.stderr)
    line = f"{static('fault')} >/dev/null 2>&1; {static('vector_add')} a 2>/dev/null; {static('fault')} 2>/dev/null; exit 0"
    several = run("--check", "--fail-on", "error", "sh", "-c", line)
    expect("what a harness keeps to itself is told by the outer process",
           re.search(r"^warpwright: 3 processes used CUDA: \d+ errors", several.stderr, re.M) and re.search(r"^  \S*/fault: \d+ errors.* \(2 processes\)$", several.stderr, re.M),
           several.stderr)
    expect("what found nothing is not listed", "vector_add a:" not in several.stderr, several.stderr)
    expect("one program alone has no such list", "used CUDA" not in run("--check", static("fault")).stderr)


def scope(folder):
    """--kernel limits findings too, --launch-skip counts what it leaves; rows of suppressions and --only are globs."""
    program, one, rows = (os.path.join(folder, name) for name in ("scope", "scope.json", "rows"))
    source = os.path.join(folder, "scope.cu")
    with open(os.path.join(folder, "inner.h"), "w", encoding="utf-8") as f:
        f.write("__global__ void inner(int *p) { p[threadIdx.x + 4] = 1; }\n")
    with open(source, "w", encoding="utf-8") as f:
        f.write('#include "inner.h"\n__global__ void first(int *p) { p[threadIdx.x + 4] = 1; }\n__global__ void second(int *p) { p[threadIdx.x + 4] = 1; }\n'
                "int main() { int *p; cudaMalloc(&p, 16); first<<<1, 1>>>(p); second<<<1, 1>>>(p); second<<<2, 1>>>(p); inner<<<1, 1>>>(p);\n"
                "  cudaFree(p); return cudaDeviceSynchronize(); }\n")
    subprocess.run(["nvcc", "-lineinfo", "-arch=sm_90", "-o", program, source], check=True, timeout=120)

    def look(*options):
        r = run("--check=memory", "--json", one, *options, program)
        with open(one, encoding="utf-8") as f:
            document = json.load(f)
        return r, sorted(x["kernel"] for x in document["findings"]), [(k["name"], k["grid"][0]) for k in document["kernels"]]

    expect("--kernel limits findings and counts", look("--kernel", "^first$")[1:] == (["first"], [("first", 1)]), look("--kernel", "^first$"))
    skipped = look("--kernel", "second", "--launch-skip", "1")
    expect("--launch-skip counts the launches that --kernel leaves", skipped[1:] == (["second"], [("second", 2)]), skipped)
    none = look("--kernel", "third", "--fail-on", "error")
    expect("a pattern that nothing fits is told", none[0].returncode == 122 and
           "--kernel 'third': no launch was looked at; the program launched first, inner, second" in none[0].stderr, none[0].stderr)
    expect("and is no error without --fail-on", look("--kernel", "third")[0].returncode == 0)
    expect("--only leaves headers out", look("--only", "*.h")[1] == ["inner"], look("--only", "*.h"))
    expect("and takes several", look("--only", "nothing,*.cu")[1] == ["first", "second"])
    with open(rows, "w", encoding="utf-8") as f:
        f.write("# a comment\nout-of-* *.h\nmemory scope.c? fir*\nleak *\n")
    hidden = look("--suppressions", rows)
    expect("suppressions are globs", hidden[1] == ["second"], hidden)
    expect("unused rows are told", hidden[0].stderr.count("nothing was suppressed by this row") == 1 and f"{rows}:4: nothing" in hidden[0].stderr, hidden[0].stderr)
    with open(rows, "w", encoding="utf-8") as f:
        f.write("out-of-bound *\n")
    wrong = run("--check", "--suppressions", rows, program)
    expect("rules that there are not are errors", wrong.returncode == 122 and f"{rows}:1:1: error: there is no such rule or category" in wrong.stderr, wrong.stderr)


def logs(folder):
    """Texts in a file, tables for other programs, a line for each launch; one file of all processes, or one of each (%p)."""
    log, csv, junit = (os.path.join(folder, n) for n in ("all.log", "all.csv", "all.xml"))
    fault, good = static("fault"), static("vector_add")
    plain = run("--check=memory", "--fail-on", "error", fault)
    kept = run("--check=memory", "--fail-on", "error", "--log-file", log, "--csv", csv, "--junit", junit, "sh", "-c", f"{fault}; {good}")
    text = open(log).read()
    expect("--log-file takes table and findings of all processes", text.count("what the kernels did") == 2 and "[out-of-bounds]" in text
           and "--fail-on error" in text and "what the kernels did" not in kept.stderr and kept.returncode == plain.returncode == 121, text + kept.stderr)
    rows = open(csv).read().splitlines()
    expect("--csv has a row for each launch", len(rows) >= 3 and len({row.count(",") for row in rows}) == 1, rows)
    expect("--junit has failures", 'failures="1"' in open(junit).read(), open(junit).read())
    again = run("--log-file", log, good)
    expect("the log is written afresh", open(log).read().count("what the kernels did") == 1 and again.returncode == 0)
    run("--log-file", os.path.join(folder, "own.%p.log"), "--csv", os.path.join(folder, "own.%p.csv"), "sh", "-c", f"{good}; {good}")
    own = [n for n in os.listdir(folder) if n.startswith("own.")]
    expect("with %p each process writes its own", sorted(n.rsplit(".", 1)[1] for n in own) == ["csv", "csv", "log", "log"], own)
    spoken = run("-q", "-v", good).stderr
    expect("-v has a line for each launch", "warpwright: launch 0: " in spoken and ": ok, emulated in " in spoken, spoken)
    expect("a log that cannot be written is told first", run("--log-file", os.path.join(folder, "no/such.log"), good).returncode == 122)
    expect("--color always", "\033[" in run("-q", "--check=memory", "--color", "always", fault).stderr)


def table():
    r = run(static("vector_add"))
    expect("stdout is the program's own", r.stdout == "passed\n", r.stdout)
    expect("the table names the kernel", "add" in r.stderr and "sect/req" in r.stderr, r.stderr)
    expect("--quiet leaves the table out", "sect/req" not in run("-q", static("vector_add")).stderr)
    expect("the program's options are the program's", run("sh", "-c", 'exit $#', "x", "--json", "--quiet").returncode == 2)


def documents(folder):
    one = os.path.join(folder, "one.json")
    both = f"{static('vector_add')} && {static('symbols')}"
    run("--json", one, "sh", "-c", both)
    with open(one, encoding="utf-8") as f:
        document = json.load(f)
    expect("child processes add to one document", len(document["kernels"]) == 2, str(len(document["kernels"])))
    add = document["kernels"][0]
    expect("vector_add reads 2 x 157 warps", add["counters"]["global_ld_requests"] == 2 * 157, str(add["counters"]))
    expect("each touches four sectors", add["counters"]["global_ld_sectors"] == 2 * 625, str(add["counters"]))
    expect("lines carry the source", any(l["file"].endswith("vector_add.cu") for l in add["lines"]), str(add["lines"]))
    run("--json", os.path.join(folder, "p%p.json"), "sh", "-c", both)
    expect("%p gives each process its own", len([n for n in os.listdir(folder) if n.startswith("p")]) == 2)
    page, sarif = os.path.join(folder, "r.html"), os.path.join(folder, "r.sarif")
    expect("--html and --sarif need no --json", run("-q", "--html", page, "--sarif", sarif, "sh", "-c", both).returncode == 0)
    with open(sarif, encoding="utf-8") as f:
        expect("SARIF of a clean run has no results", json.load(f)["runs"][0]["results"] == [])
    with open(page, encoding="utf-8") as f:
        text = f.read()
    expect("the page holds all processes and the source", text.count('"symbol":"') == 2 and "vector_add.cu" in text and "__global__ void add" in text)
    run("-q", "--html", os.path.join(folder, "h%p.html"), "--sarif", os.path.join(folder, "h%p.sarif"), "sh", "-c", both)
    expect("%p in --html and --sarif", len([n for n in os.listdir(folder) if n.startswith("h")]) == 4)
    expect("one page cannot be made of many documents", run("--html", page, "--json", os.path.join(folder, "q%p"), "sh", "-c", both).returncode == 122)
    with open(one, "w", encoding="utf-8") as f:
        f.write('{"kernels": [1]}')
    link = os.path.join(folder, "link.json")
    os.symlink(one, link)
    run("--force", "--json", link, static("vector_add"))
    with open(one, encoding="utf-8") as f:
        expect("a document takes the place of what stood in the file, also behind a link", os.path.islink(link) and len(json.load(f)["kernels"]) == 1)
    piped = run("-q", "--json", "/dev/stdout", "sh", "-c", f"({both}) >&2")
    expect("a pipe gets the whole document at the end", len(json.loads(piped.stdout)["kernels"]) == 2, piped.stderr)
    full = run("-q", "--json", "/dev/full", static("vector_add"))
    expect("a device that is full", full.returncode == 122 and "cannot write /dev/full" in full.stderr and not os.path.isfile("/dev/full"), full.stderr)
    expect("files of each process that cannot be written", all(
        run("-q", option, os.path.join(folder, "no", "%p"), static("vector_add")).returncode == 122 for option in ("--json", "--html", "--sarif")))
    expect("suppressions that cannot be written", run("-q", "--check", "--write-suppressions", "/dev/full", static("fault")).returncode == 122)
    expect("a page that cannot be written", run("-q", "--html", os.path.join(folder, "no", "r.html"), static("vector_add")).returncode == 122)
    run("--json", one, "--launch-count", "1", static("assertion"))
    with open(one, encoding="utf-8") as f:
        expect("--launch-count", len(json.load(f)["kernels"]) == 2)  # the failed one is always reported


LEAKS = """template <class T> __global__ void past(T *p, int n) { p[threadIdx.x + n] = 1; }
int main(int n, char **argument) {
    int *p, *q;
    cudaMalloc(&p, 400); cudaMalloc(&q, 400);
    past<<<1, 32>>>(p, 400); past<<<1, 32>>>((float *)p, 400);
    return cudaDeviceSynchronize();
}
"""


def whose(folder):
    """Entries say which process they are of; findings are one for each rule, template and place, and two leaks never are."""
    source, program, one = (os.path.join(folder, name) for name in ("whose.cu", "whose", "whose.json"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(LEAKS)
    subprocess.run(["nvcc", "-lineinfo", "-arch=sm_90", "-o", program, source], check=True, timeout=120)  # without -g: calls have no lines
    run("-q", "--check=memory", "--json", one, "sh", "-c", f"{program} first; {program} second")
    with open(one, encoding="utf-8") as f:
        document = json.load(f)
    entries = document["findings"] + document["kernels"]
    expect("every entry has program and process", all(x["program"] == program and x["pid"] > 0 for x in entries), entries)
    expect("and arguments", [k["arguments"] for k in document["kernels"]] == [["first"]] * 2 + [["second"]] * 2, entries)
    leaks = [x for x in document["findings"] if x["rule"] == "leak"]
    expect("two leaks are two findings, of both processes", [x["processes"] for x in leaks] == [2, 2], leaks)
    past = [x for x in document["findings"] if x["rule"] == "out-of-bounds"]
    expect("a template's kernels are one finding", [(x["kernel"], x["count"], x["processes"]) for x in past] == [("past<int>", 128, 2)], past)
    text = subprocess.run([WARPWRIGHT, "report", one], capture_output=True, text=True, check=False).stdout
    expect("a document of one program does not repeat it", f"  in {program}" not in text, text)
    run("-q", "--check=memory", "--json", one, "sh", "-c", f"{program} first; {static('fault')}; exit 0")
    text = subprocess.run([WARPWRIGHT, "report", one, "--sarif", one + ".sarif"], capture_output=True, text=True, check=False).stdout
    expect("a document of several says whose", f"  in {program} first\n" in text and f"  in {static('fault')}\n" in text, text)
    with open(one + ".sarif", encoding="utf-8") as f:
        results = json.load(f)["runs"][0]["results"]
    expect("so does SARIF", {x["properties"]["program"] for x in results} == {program, static("fault")}, results)


def lineless(folder):
    """A program without -lineinfo: its PTX is in no file, so it is quoted, and the way to source lines is said once."""
    program, one, sarif = (os.path.join(folder, name) for name in ("lineless", "lineless.json", "lineless.sarif"))
    source = program + ".cu"
    with open(source, "w", encoding="utf-8") as f:
        f.write("__global__ void first(int *p) { p[threadIdx.x + 4] = 1; }\n__global__ void second(int *p) { p[threadIdx.x + 4] = 1; }\n"
                "int main() { int *p; cudaMalloc(&p, 16); first<<<1, 1>>>(p); second<<<1, 1>>>(p); cudaFree(p); return cudaDeviceSynchronize(); }\n")
    subprocess.run(["nvcc", "-arch=sm_90", "-o", program, source], check=True, timeout=120)
    r = run("-q", "--check=memory", "--json", one, "--sarif", sarif, program)
    expect("the line of PTX is shown", len(re.findall(r"^\s*st\.global\.u32 .*\n\s*\^$", r.stderr, re.M)) == 2, r.stderr)
    expect("how to get source lines is said once", r.stderr.count("has no source lines: compile it with nvcc -lineinfo") == 1, r.stderr)
    with open(one, encoding="utf-8") as f:
        expect("the document quotes it", all("st.global.u32" in x["snippet"] for x in json.load(f)["findings"]))
    with open(sarif, encoding="utf-8") as f:
        places = [place for result in json.load(f)["runs"][0]["results"] for place in result["locations"]]
    expect("SARIF invents no file", [(sorted(x), x["logicalLocations"][0]["fullyQualifiedName"]) for x in places] ==
           [(["logicalLocations", "message"], "first"), (["logicalLocations", "message"], "second")], places)


def waiting(folder):
    """Loops that wait turn as often as time has it: comparisons leave them out."""
    for program in ("cooperative", "late_waiters"):
        first, other = (os.path.join(folder, f"{program}{n}.json") for n in (1, 2))
        run("-q", "--threads", "1", "--json", first, static(program))
        for threads in (1, 2, 3, 4):
            run("-q", "--threads", str(threads), "--json", other, "--force", static(program))
            r = subprocess.run([WARPWRIGHT, "diff", first, other, "--fail-on-worse"], capture_output=True, text=True, check=False)
            expect(f"{program} with {threads} threads compares equal", r.stdout == "0 better, 0 worse\n", r.stdout)
            os.remove(other)
    with open(os.path.join(folder, "cooperative1.json"), encoding="utf-8") as f:
        expect("what waiting loops did is counted apart", any(k["waiting"].get("inst_executed") for k in json.load(f)["kernels"]))


def stripped(folder):
    bare = os.path.join(folder, "bare")
    shutil.copy(static("vector_add"), bare)
    if shutil.which("strip") and subprocess.run(["strip", bare], check=False).returncode == 0:
        r = run(bare)
        expect("a stripped static program gets the two ways out", r.returncode == 120 and "-cudart shared" in r.stderr, r.stderr)
    shared = os.path.join(folder, "shared")
    shutil.copy(os.path.join(PROGRAMS, "shared", "vector_add"), shared)
    subprocess.run(["strip", shared], check=False)
    expect("a stripped program with the shared runtime runs", run("-q", shared).stdout == "passed\n")


def source():
    r = run("-q", os.path.join(SOURCES, "symbols.cu"), env={**os.environ, "CPATH": SOURCES})
    expect("a .cu file is compiled and run", r.returncode == 0 and r.stdout == "passed\n", r.stderr)
    for option in "-rdc=true", "-dc":
        r = run("-q", os.path.join(SOURCES, "symbols.cu"), env={**os.environ, "CPATH": SOURCES, "NVCC_APPEND_FLAGS": option})
        expect(f"with {option}, too", r.returncode == 0 and r.stdout == "passed\n", r.stderr)


def interrupted(folder):
    """An endless kernel is ended by Ctrl-C, however often it is pressed: its report is written."""
    text = """#include <cstdio>
#include <thread>
__global__ void k(volatile int *p) { for (;;) ++*p; }
int main() {
    int *p;
    cudaHostAlloc(&p, 4, 0);
    *p = 0;
    std::thread([=] { while (!*(volatile int *)p) {} puts("runs"); fflush(stdout); }).detach();
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
}
"""
    path, one = (os.path.join(folder, name) for name in ("endless.cu", "endless.json"))
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    for again in (False, True):
        p = subprocess.Popen([WARPWRIGHT, "run", "--json", one, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             start_new_session=True)
        expect("an endless kernel begins", p.stdout.readline() == b"runs\n")  # compiled, however long that took
        os.killpg(p.pid, signal.SIGINT)
        while again and p.poll() is None:
            os.killpg(p.pid, signal.SIGINT)
            time.sleep(0.0005)
        _, err = p.communicate(timeout=120)
        expect("Ctrl-C ends an endless kernel", p.returncode == 128 + signal.SIGINT, str(p.returncode))
        expect("and its report is written", b"FAILED" in err, err.decode())
        with open(one, encoding="utf-8") as f:
            expect("also as JSON", [k["status"] for k in json.load(f)["kernels"]] == ["failed"])


def ended(folder):
    """The report is written whatever ends the program."""
    head = '#include <cstdlib>\n#include <csignal>\n__global__ void k(int *p) { *p = 1; }\nint main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); '
    for name, statement, sig in (("abort", "abort();", signal.SIGABRT), ("a fault of the host", "*(volatile int *)8 = 1;", signal.SIGSEGV),
                                 ("SIGTERM", "raise(SIGTERM); for (;;);", signal.SIGTERM)):
        path = os.path.join(folder, "ended.cu")
        with open(path, "w", encoding="utf-8") as f:
            f.write(head + statement + " }\n")
        r = run(path)
        expect(f"{name}: the exit code is the signal's", r.returncode == 128 + sig, str(r.returncode))
        expect(f"{name}: and the report is written", "what the kernels did" in r.stderr and re.search(r"^k ", r.stderr, re.M), r.stderr)


def has_gone(process):
    """Within ten seconds."""
    for _ in range(100):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as f:
                if f.read().rpartition(")")[2].split()[0] in "ZX":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.1)
    os.kill(process, signal.SIGKILL)
    return False


def killed():
    """A `run` that is killed outright takes along its program and all that this started, in a session of its own or in a run of its own, and no
    temporary file stays."""
    folder = tempfile.mkdtemp()
    line = f"echo $$; sleep 1000 & echo $!; setsid sh -c 'echo $$; exec sleep 1000' & {WARPWRIGHT} run -q sh -c 'sleep 1000 & echo $!; wait'; wait"
    p = subprocess.Popen([WARPWRIGHT, "run", "-q", "sh", "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": folder})
    processes = [int(p.stdout.readline()) for _ in range(4)]
    p.kill()
    p.wait()
    expect("SIGKILL of run ends the program and its processes", all([has_gone(process) for process in processes]), str(processes))
    deadline = time.monotonic() + 10
    while os.listdir(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    expect("and both runs' temporary files", not os.listdir(folder), str(os.listdir(folder)))
    shutil.rmtree(folder)
    left = subprocess.run([WARPWRIGHT, "run", "-q", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    process = int(left.stdout)
    expect("what a program leaves behind lives on", os.path.exists(f"/proc/{process}"))
    os.kill(process, signal.SIGKILL)


def schedules(folder):
    """Faults that only some orders of blocks and warps show."""
    one, program = os.path.join(folder, "schedules.json"), static("schedules")

    def errors(*options):
        r = run("-q", "--threads", "1", "--check=memory,race", "--json", one, *options, program)  # its blocks race
        with open(one, encoding="utf-8") as f:
            return r, {(x["kernel"].split("(")[0], x["line"]): x["seed"] for x in json.load(f)["findings"] if x["rule"] == "out-of-bounds"}

    plain, found = errors()
    expect("the plain order shows none of them", found == {} and plain.returncode == 0, plain.stderr)
    r, found = errors("--schedules", "16", "--fail-on", "error")
    expect("sixteen schedules show all three", sorted(k for k, _ in found) == ["blocks", "turns", "warps"], r.stderr)
    expect("and tell the seeds", all(f"shown by --seed {seed}" in r.stderr for seed in found.values()), r.stderr)
    expect("the output is passed on once", r.stdout == "passed\n" and r.returncode == 121, r.stdout)
    for key, seed in found.items():
        _, again = errors("--seed", str(seed))
        expect(f"--seed {seed} shows {key} again", again.get(key) == seed, str(again))
    expect("no new findings are said", "found nothing more" in run("--check", "--schedules", "3", static("vector_add")).stderr)
    expect("one document for all schedules", run("--schedules", "2", "--json", os.path.join(folder, "s%p"), program).returncode == 122)


def launching(folder):
    path = os.path.join(folder, "launching.json")
    r = run("-q", "--time", "--json", path, static("dynamic_parallelism"))
    with open(path, encoding="utf-8") as f:
        kernels = json.load(f)["kernels"]
    predicted = {k["name"].split("(")[0]: k["predicted"] is not None for k in kernels}
    expect("a kernel that launches others is not predicted, those that it launches are", r.returncode == 0 and predicted.get("order") is False and predicted.get("add") is True, str(predicted))
    made = {(k["name"].split("(")[0], k["made_by"]) for k in kernels[:6]}
    order = next(k["launch"] for k in kernels if k["name"].startswith("order"))
    expect("a launch that a kernel made names the host's launch", made == {(n, order) for n in ("add", "times")} | {("order", None)}, str(made))


WAYS = """\
.version 8.3
.target sm_90
.address_size 64
.visible .entry divide(.param .u64 p)
{
.reg .b64 %rd<4>;
.reg .b32 %r<4>;
.reg .f64 %d<8>;
.reg .pred %q<2>;
ld.param.u64 %rd0, [p];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 8;
add.u64 %rd1, %rd0, %rd1;
ld.global.f64 %d0, [%rd1];
mov.f64 %d1, 0d3FF8000000000000;
mov.u32 %r1, 0;
L:
div.rn.f64 %d1, %d0, %d1;
add.u32 %r1, %r1, 1;
setp.lt.u32 %q0, %r1, 100;
@%q0 bra L;
st.global.f64 [%rd1], %d1;
ret;
}
.visible .entry leave(.param .u64 p, .param .u32 groups)
{
.reg .b64 %rd<4>;
.reg .b32 %r<8>;
.reg .pred %q<2>;
ld.param.u64 %rd0, [p];
ld.param.u32 %r3, [groups];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 8;
add.u64 %rd1, %rd0, %rd1;
rem.u32 %r1, %r0, %r3;
mov.u32 %r2, %r0;
L:
mad.lo.u32 %r2, %r2, %r2, %r0;
sub.u32 %r1, %r1, 1;
setp.ge.s32 %q0, %r1, 0;
@%q0 bra L;
st.global.u32 [%rd1], %r2;
ret;
}
.visible .entry sides(.param .u64 p)
{
.reg .b64 %rd<4>;
.reg .b32 %r<16>;
.reg .pred %q<3>;
.shared .align 4 .b8 s[2048];
ld.param.u64 %rd0, [p];
mov.u32 %r0, %tid.x;
shl.b32 %r1, %r0, 2;
mov.u32 %r2, s;
add.u32 %r2, %r2, %r1;
st.shared.u32 [%r2], %r0;
bar.sync 0;
mov.u32 %r3, 0;
setp.gt.u32 %q1, %r0, 31;
L:
@%q1 bra M;
ld.shared.u32 %r4, [%r2+128];
ld.shared.u32 %r5, [%r2+256];
ld.shared.u32 %r6, [%r2+384];
add.u32 %r4, %r4, %r5;
add.u32 %r4, %r4, %r6;
st.shared.u32 [%r2+512], %r4;
M:
bar.sync 0;
add.u32 %r3, %r3, 1;
setp.lt.u32 %q0, %r3, 100;
@%q0 bra L;
ld.shared.u32 %r4, [%r2];
st.global.u32 [%rd0], %r4;
ret;
}
.visible .entry count(.param .u64 p)
{
.reg .b64 %rd<4>;
.reg .b32 %r<8>;
ld.param.u64 %rd0, [p];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd1, %rd0, %rd1;
atom.global.add.u32 %r1, [%rd0], 1;
st.global.u32 [%rd1+64], %r1;
ret;
}
.visible .entry rounds(.param .u64 p)
{
.reg .b64 %rd<4>;
.reg .b32 %r<8>;
.reg .pred %q<2>;
mov.u32 %r0, %tid.x;
mov.u64 %rd0, %clock64;
mov.u32 %r2, 0;
L:
mov.u32 %r1, %r0;
M:
sub.u32 %r1, %r1, 1;
setp.ge.s32 %q0, %r1, 0;
@%q0 bra M;
add.u32 %r2, %r2, 1;
setp.lt.u32 %q0, %r2, 100;
@%q0 bra L;
ret;
}
"""


def ways(folder):
    """A loop of a division, which the assembler calls a routine for where it is not rounded to the nearest; and one that lanes leave one by one."""
    def counted(text, kernel, *more):
        source, report = os.path.join(folder, "ways.ptx"), os.path.join(folder, "ways.json")
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        arguments = ["check", source, "-q", "-k", kernel, "--grid", "1", "--block", "32", "--time", "--json", report, "--arg", "p:f64[1024]=iota", *more]
        subprocess.run([WARPWRIGHT] + arguments, capture_output=True, timeout=60, check=False)
        with open(report, encoding="utf-8") as f:
            return json.load(f)["kernels"][0]

    def predicted(*arguments):
        return counted(*arguments)["predicted"]
    nearest, down = (predicted(WAYS.replace("div.rn", way), "divide")["instructions"] for way in ("div.rn", "div.rm"))
    expect("each round of a loop divides", 1500 < nearest < 3500, str(nearest))
    expect("a division that is rounded down calls a routine", down > 2 * nearest, f"{nearest} {down}")
    together, *apart = (predicted(WAYS, "leave", "--arg", f"n:u32={groups}", "--engine", engine) for engine, groups in (("jit", 1), ("jit", 32), ("interpreter", 32)))
    expect("what lanes that part cost is predicted, by either engine", apart[0] == apart[1] and apart[0]["parts"]["latency"] > together["parts"]["latency"] + 31 * 20 / 1.98, f"{together} {apart}")
    n = predicted(WAYS, "sides", "--block", "256")["instructions"]
    expect("all warps run a side that has guards", n > 8 * 100 * 5, str(n))
    one, each = (predicted(text, "count", "--block", "256", "--grid", "1000")["parts"]["atomics"] for text in (WAYS, WAYS.replace("[%rd0], 1;", "[%rd0], %r0;")))
    expect("a warp that counts makes one update", 20 * one < each, f"{one} {each}")
    n = counted(WAYS, "rounds")["counters"]["inst_executed"]
    expect("lanes of a loop run together, though the clock was looked at before it", n == 3 + 100 * (1 + 32 * 3 + 3) + 1, str(n))


def incomplete(folder):
    for name in ("bin", "lib/warpwright"):
        os.makedirs(os.path.join(folder, name))
    lonely = shutil.copy(WARPWRIGHT, os.path.join(folder, "bin"))
    r = subprocess.run([lonely, "run", static("vector_add")], capture_output=True, text=True, timeout=60, check=False)
    expect("without its libraries nothing runs", r.returncode == 122 and "build or install them" in r.stderr and not r.stdout, r.stdout + r.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        exit_codes()
        told()
        sanitizer()
        scope(folder)
        logs(folder)
        table()
        documents(folder)
        whose(folder)
        waiting(folder)
        lineless(folder)
        stripped(folder)
        source()
        interrupted(folder)
        ended(folder)
        killed()
        schedules(folder)
        launching(folder)
        ways(folder)
        incomplete(folder)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

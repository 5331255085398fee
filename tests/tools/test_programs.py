# SPDX-License-Identifier: Apache-2.0
"""test_programs.py TOOL: tools/programs against a stand-in for warpwright and programs of each kind of outcome."""
import csv
import os
import subprocess
import sys
import tempfile

# Takes `run --quiet --json FILE -- PROGRAM ARGS...`, writes a report of two launches and becomes the program.
STAND_IN = """#!/bin/sh
[ "$1 $2 $3 $5" = "run --quiet --json --" ] || exit 122
cat > "$4" <<'X'
{"kernels": [{"status": "ok", "unsupported": [], "message": null, "counters": {"inst_executed": 1500, "thread_inst_executed": 40000}},
             {"status": "%s", "unsupported": %s, "message": null, "counters": {"inst_executed": 1, "thread_inst_executed": 32}}],
 "missing": []}
X
shift 5
exec "$@"
"""

# Takes `run --quiet --engine ENGINE -- PROGRAM`; the program `late` rests longer under auto.
ENGINES = """#!/bin/sh
[ "$1 $2 $3 $5" = "run --quiet --engine --" ] && [ "$WARPWRIGHT_CACHE" = off ] || exit 122
[ "$4 ${6##*/}" = "auto late" ] && sleep 0.6
exec "$6"
"""

LIST = """# comment
name\texecutable\tvariant\targuments\texpect\tlimit
good\t$BIN/echo\tstatic\t'two words' PASS\tprints two words PASS ; exit 0 ; not FAIL\t
good\t$BIN/echo\tshared\tFAIL\tprints PASS ; not FAIL\t
bad word\t$BIN/echo\tstatic\tPASS FAIL\tprints PASS ; not FAIL\t
code\t$BIN/false\tstatic\t\t\t
code wanted\t$BIN/false\tstatic\t\texit 1\t
slow\t$BIN/sleep\tstatic\t30\t\t0.5
absent\t$BIN/no-such-program\tstatic\t\t\t
"""

EXPECT = {("good", "static"): ("pass", ""), ("good", "shared"): ("no", "does not print 'PASS'"), ("bad word", "static"): ("no", "prints 'FAIL'"),
          ("code", "static"): ("no", "exit code 1"), ("code wanted", "static"): ("pass", ""), ("slow", "static"): ("time", "over 0.5 s"),
          ("absent", "static"): ("missing", "no such executable")}


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)


def check(what, ok):
    if not ok:
        sys.exit(f"test_programs: {what}")


def main(tool):
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        write(at("stand-in"), STAND_IN % ("ok", "[]"), 0o755)
        write(at("list"), LIST)
        write(at("out.md"), "# Head\n<!-- table programs -->\nold\n<!-- end -->\ntail\n")
        command = [sys.executable, tool, at("list"), "--warpwright", at("stand-in"), "--tsv", at("out.tsv"), "--markdown", at("out.md")]
        ran = subprocess.run(command, env=dict(os.environ, BIN="/bin"), stderr=subprocess.PIPE, text=True, check=False)
        check(f"exit code {ran.returncode} with failing rows: {ran.stderr}", ran.returncode == 1)
        with open(at("out.tsv"), encoding="utf-8", newline="") as f:
            rows = {(r["name"], r["variant"]): r for r in csv.DictReader(f, delimiter="\t")}
        check(f"rows {sorted(rows)}", set(rows) == set(EXPECT))
        for key, (result, reason) in EXPECT.items():
            row = rows[key]
            check(f"{key}: {row}", row["result"] == result and reason in row["reason"] and bool(reason) == bool(row["reason"]))
        good = rows["good", "static"]
        check(f"counts {good}", (good["launches"], good["instructions"], good["lane_instructions"]) == ("2", "1501", "40032"))
        check(f"memory {good}", int(good["memory_mib"]) > 0)
        with open(at("out.md"), encoding="utf-8") as f:
            text = f.read()
        check(text, "| good | pass | " in text and "2 of 6 pass (static), 0 of 1 pass (shared)." in text and "1.5 k" in text)
        check(text, text.startswith("# Head\n") and text.endswith("<!-- end -->\ntail\n") and "old" not in text)

        write(at("stand-in"), STAND_IN % ("unsupported", '["wgmma.fence"]'), 0o755)
        ran = subprocess.run([*command, "--only", "code"], env=dict(os.environ, BIN="/bin"), stderr=subprocess.PIPE, text=True, check=False)
        check(ran.stderr, "exit code 1: wgmma.fence" in ran.stderr)
        write(at("list"), f"name\texecutable\targuments\nA.b\t{sys.executable}\t-c 'sum(range(4000000))'\n")
        ran = subprocess.run([sys.executable, tool, at("list"), "--warpwright", at("stand-in"), "--bench"], capture_output=True, text=True, check=False)
        name, rate, unit = ran.stdout.rstrip("\n").split("\t")
        check(ran.stdout, name == "program.a_b.run.rate" and 1000 < int(rate) < 4003200 and unit == "lane instructions/s")
        write(at("engines"), ENGINES, 0o755)
        os.mkdir(at("folder"))
        for name, code in (("even", 0), ("late", 0), ("wrong", 3)):
            write(os.path.join(at("folder"), name), f"#!/bin/sh\nexit {code}\n", 0o755)
        write(os.path.join(at("folder"), "text"), "no program\n")
        ran = subprocess.run([sys.executable, tool, at("folder"), "--warpwright", at("engines"), "--turns", "3"], capture_output=True, text=True, check=False)
        results = {line.split("\t")[0]: line.split("\t")[-1] for line in ran.stdout.splitlines()}
        check(ran.stdout, results.pop("program") == "result" and results.pop("wrong") == "fails" and results.pop("late") == "late" and list(results) == ["even"])
        check(ran.stderr, ran.returncode == 1 and " of 3 programs end too late, or fail" in ran.stderr)
        write(at("list"), "name\tprogram\n")
        ran = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        check(f"a list without executables: {ran.stderr}", ran.returncode != 0 and "names no column executable" in ran.stderr)


if __name__ == "__main__":
    main(sys.argv[1])

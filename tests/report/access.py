#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""access.py WARPWRIGHT DATA WEB: pages in Chromium.  Those of a run and of the lab: addresses, mends, texts.  The page of `access --html` in Chromium, from file://, without script errors: its figures are those of the command line,
for what stands behind # as well; padding is shown beside what was before; wrong texts are told.  Skipped (77) without Chromium; where the page was built
without the model, only what was written is looked at."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

WARPWRIGHT, DATA, WEB = sys.argv[1:4]
CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
CASES = [
    {"space": "shared", "op": "ld", "bytes": "4", "offsets": "lane * 128", "profile": "sm_90"},
    {"space": "shared", "op": "st", "bytes": "8", "offsets": "(lane % 7) * 264", "profile": "sm_35"},
    {"space": "shared", "op": "ld", "bytes": "16", "offsets": "lane * 16", "profile": "sm_20"},
    {"space": "global", "op": "ld", "bytes": "4", "offsets": "lane * 8 + 4", "profile": "sm_80", "mask": "00ffff0f"},
    {"space": "local", "op": "st", "bytes": "4", "offsets": "lane % 2 * 4", "profile": "sm_90"},
]


def access(case, *more):
    return subprocess.run([WARPWRIGHT, "access", *(w for k, v in case.items() for w in (f"--{k}", v)), *more], capture_output=True, text=True, check=True).stdout


def dom(page, fragment="", width=1300):
    done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=5000", f"--window-size={width},900",
                           "--dump-dom", f"file://{page}{fragment}"], capture_output=True, text=True, check=False, timeout=100)
    bad = [line for line in done.stderr.splitlines() if "CONSOLE" in line and ("rror" in line or "Uncaught" in line)]
    if bad:
        sys.exit(f"{fragment}: {bad[0]}")
    return done.stdout


def figures(text):
    """The cards: [(number, text)]."""
    return [(re.sub(r"\D", "", n), t) for n, t in re.findall(r'<div class="card"><b[^>]*>([^<]*)</b><span>([^<]*)</span>', text)]


def expect(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, expected {want}")


def of_command_line(case):
    """(passes, conflicts) or (sectors, packed) as the command line prints them."""
    said = access(case)
    one = lambda name: re.search(rf"^{re.escape(name)}\s+(\d+)", said, re.M).group(1)
    if case["space"] == "shared":
        return one("passes (wavefronts)"), one("bank conflicts")
    return one("sectors (32 B)"), re.search(r"packed: (\d+)", said).group(1)


def report_page(folder):
    """Of a run: the address names a line, its mend is drawn beside what was, rules have their texts, lines stand together, the severest first."""
    page = os.path.join(folder, "report.html")
    subprocess.run([WARPWRIGHT, "report", "-q", os.path.join(DATA, "report/transpose.json"), "--html", page], check=True, cwd=os.path.join(DATA, "report"))
    shown = dom(page, "#source=transpose.cu:14")
    expect("before and after", re.findall(r"<h3>(before|after: [^<]*)</h3>", shown), ["before", "after: pitch 32 -&gt; 33 floats"])
    most = [int(n) for n in re.findall(r"Most here: (\d+)", shown)]
    expect("words on one bank", (most[0] > 1, most[1]), (True, 1))
    expect("the title", "<title>source · transpose.cu</title>" in shown, True)
    shown = dom(page, "#findings", width=390)
    expect("lines", re.findall(r'<h3 class="place">([^<]*)</h3>', shown), ["transpose.cu:14", "transpose.cu:21"])
    expect("a rule's text", '<details class="rule"><summary' in shown, True)


def lab_page(folder):
    page = os.path.join(folder, "lab.html")
    subprocess.run([WARPWRIGHT, "lab", "-q", "--device", "emulator", "aat", "--m", "64", "--n", "64", "--html", page], check=True, capture_output=True)
    shown = dom(page)
    expect("what an experiment asks", "strided reads, shared tiles" in shown, True)
    expect("what a kernel does, and the article's figure", "rows padded to 33 words" in shown and "39.2 GB/s, Tesla M2090" in shown, True)


def main():
    if not CHROMIUM:
        print("skipped: no Chromium is here (Debian: chromium)")
        return 77
    model = os.path.getsize(os.path.join(WEB, "access.wasm")) > 0
    with tempfile.TemporaryDirectory() as folder:
        report_page(folder)
        lab_page(folder)
        page = os.path.join(folder, "access.html")
        for case in CASES:
            access(case, "--html", page)
            expect(f"{case}, as it was written", tuple(n for n, _ in figures(dom(page))[:2]), of_command_line(case))
            if model:
                access(CASES[0], "--html", page)
                shown = dom(page, "#" + urllib.parse.urlencode(case), width=390)
                expect(f"{case}, behind #", tuple(n for n, _ in figures(shown)[:2]), of_command_line(case))
        if model:
            both = figures(dom(page, "#" + urllib.parse.urlencode({**CASES[0], "pad": 4})))
            expect("padding", [n for n, t in both if t == "bank conflicts"], ["31", "0"])
            both = figures(dom(page, "#" + urllib.parse.urlencode({**CASES[0], "swizzle": 5})))
            expect("swizzle", [n for n, t in both if t == "bank conflicts"], ["31", "0"])
            expect("a wrong text", "a number, lane or" in dom(page, "#offsets=lane*"), True)
        rows = os.path.join(folder, "rows.tsv")
        with open(rows, "w", encoding="utf-8") as f:
            f.write("row\tshared\tld\t4\tffffffff\t?\t?\t?\t?\t" + " ".join(str(4 * i) for i in range(32)) + "\n"
                    "column</script>\tshared\tld\t4\tffffffff\t?\t?\t?\t?\t" + " ".join(str(128 * i) for i in range(32)) + "\n")
        subprocess.run([WARPWRIGHT, "access", "--file", rows, "--html", page], check=True, capture_output=True)
        shown = dom(page)
        expect("rows of a file", [n for n, t in figures(shown) if t == "bank conflicts"], ["0", "31"])
        expect("names of rows", "column&lt;/script&gt;" in shown, True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

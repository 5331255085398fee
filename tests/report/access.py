#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""access.py WARPWRIGHT DATA WEB: pages in one Chromium.  Those of a run and of the lab: addresses, mends, texts.  The page of `access --html`, from file://, without script errors: its figures are those of the command line,
for what stands behind # as well; padding is shown beside what was before; wrong texts are told.  Skipped (77) without Chromium; where the page was built
without the model, only what was written is looked at."""
import fcntl
import json
import os
import re
import select
import shutil
import signal
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


class Browser:
    """One Chromium for all pages, asked over its pipes (3 and 4, messages end in a zero byte): to start one takes two seconds."""

    def __init__(self, folder):
        (theirs, self.to), (self.back, answers) = os.pipe(), os.pipe()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (theirs, answers)]
        self.left, self.last = b"", 0
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}/profile", "--remote-debugging-pipe"]
        give = f'exec 3<&{high[0]} 4>&{high[1]}; exec "$@"'
        with open(os.path.join(folder, "chromium.log"), "wb") as log:
            self.process = subprocess.Popen(["/bin/bash", "-c", give, "chromium", *command], pass_fds=high, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)
        for fd in (theirs, answers, *high):
            os.close(fd)

    def message(self):
        while b"\0" not in self.left:
            if not select.select([self.back], [], [], 100)[0]:
                sys.exit("Chromium says nothing for 100 s")
            got = os.read(self.back, 1 << 20)
            if not got:
                sys.exit("Chromium has ended")
            self.left += got
        one, self.left = self.left.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, session=None, heard=None, **arguments):
        """The answer; what comes before it goes to `heard`."""
        self.last += 1
        os.write(self.to, json.dumps({"id": self.last, "method": method, "params": arguments, **({"sessionId": session} if session else {})}).encode() + b"\0")
        while True:
            m = self.message()
            if m.get("id") == self.last:
                if "error" in m:
                    sys.exit(f"{method}: {m['error']}")
                return m["result"]
            if heard is not None:
                heard.append(m)

    def dom(self, page, fragment="", width=1300):
        """The page's elements after five seconds of its own time; an error on its console ends the test."""
        heard = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for method, arguments in (("Page.enable", {}), ("Runtime.enable", {}), ("Log.enable", {}),
                                  ("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}),
                                  ("Page.navigate", {"url": f"file://{page}{fragment}"}),
                                  ("Emulation.setVirtualTimePolicy", {"policy": "pauseIfNetworkFetchesPending", "budget": 5000})):
            self.ask(method, session, heard, **arguments)
        while not any(m["method"] == "Emulation.virtualTimeBudgetExpired" for m in heard) or not any(m["method"] == "Page.loadEventFired" for m in heard):
            heard.append(self.message())
        text = self.ask("Runtime.evaluate", session, heard, expression="document.documentElement.outerHTML")["result"]["value"]
        self.ask("Target.closeTarget", heard=heard, targetId=target)
        for m in heard:
            if m["method"] == "Runtime.exceptionThrown" or m["method"] == "Log.entryAdded" and m["params"]["entry"]["level"] == "error" or \
                    m["method"] == "Runtime.consoleAPICalled" and m["params"]["type"] == "error":
                sys.exit(f"{page}{fragment}: {m['params']}")
        return text

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


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


def report_page(dom, folder):
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


def lab_page(dom, folder):
    page = os.path.join(folder, "lab.html")
    subprocess.run([WARPWRIGHT, "lab", "-q", "--device", "emulator", "aat", "--m", "64", "--n", "64", "--html", page], check=True, capture_output=True)
    shown = dom(page)
    expect("what an experiment asks", "strided reads, shared tiles" in shown, True)
    expect("what a kernel does, and the article's figure", "rows padded to 33 words" in shown and "39.2 GB/s, Tesla M2090" in shown, True)


def access_page(dom, folder):
    model = os.path.getsize(os.path.join(WEB, "access.wasm")) > 0
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


def rows_page(dom, folder):
    rows, page = os.path.join(folder, "rows.tsv"), os.path.join(folder, "rows.html")
    with open(rows, "w", encoding="utf-8") as f:
        f.write("row\tshared\tld\t4\tffffffff\t?\t?\t?\t?\t" + " ".join(str(4 * i) for i in range(32)) + "\n"
                "column</script>\tshared\tld\t4\tffffffff\t?\t?\t?\t?\t" + " ".join(str(128 * i) for i in range(32)) + "\n")
    subprocess.run([WARPWRIGHT, "access", "--file", rows, "--html", page], check=True, capture_output=True)
    shown = dom(page)
    expect("rows of a file", [n for n, t in figures(shown) if t == "bank conflicts"], ["0", "31"])
    expect("names of rows", "column&lt;/script&gt;" in shown, True)


def main():
    if not CHROMIUM:
        print("skipped: no Chromium is here (Debian: chromium)")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            for look in (report_page, lab_page, access_page, rows_page):
                look(browser.dom, folder)
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

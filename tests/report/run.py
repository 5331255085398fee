#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py sarif|page WARPWRIGHT DATA WORK WEB: the tests of the written reports that need npm packages (see CMakeLists.txt).

sarif: documents with every kind of finding, validated; a document that is wrong must not validate.
page:  the pages of a checked run and of experiments, opened in Chromium (page.mjs); and the page built without charts."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WHAT, WARPWRIGHT, DATA, WORK, WEB = sys.argv[1:6]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def packages():
    """node, with the packages of the lock file in WORK/npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        skip("Node.js with npm is not here")
    folder = os.path.join(WORK, "npm")
    lock = os.path.join(HERE, "package-lock.json")
    have = os.path.join(folder, "package-lock.json")
    whole = os.path.join(folder, "node_modules", ".package-lock.json")  # npm writes it last
    if not os.path.exists(whole) or open(lock, "rb").read() != open(have, "rb").read():
        os.makedirs(folder, exist_ok=True)
        shutil.copy(os.path.join(HERE, "package.json"), folder)
        shutil.copy(lock, folder)
        try:
            done = subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=20000"], cwd=folder,
                                  capture_output=True, text=True, timeout=200, check=False)
            why = done.returncode and (done.stderr.strip().splitlines() or [done.returncode])[-1]
        except subprocess.TimeoutExpired:
            why = "no answer in 200 s"
        if why:
            shutil.rmtree(os.path.join(folder, "node_modules"), ignore_errors=True)
            skip(f"npm ci failed: {why}")
    return node, folder


def report(*arguments):
    subprocess.run([WARPWRIGHT, "report", "-q"] + list(arguments), check=True, cwd=os.path.join(DATA, "report"), timeout=60)


def sarif():
    node, folder = packages()
    script = os.path.join(HERE, "sarif.mjs")
    files = []
    for name in ("before", "after", "transpose"):
        files.append(os.path.join(WORK, name + ".sarif"))
        report(os.path.join(DATA, "report", name + ".json"), "--sarif", files[-1])
    code = subprocess.run([node, script] + files, cwd=folder, check=False, timeout=60).returncode
    with open(files[0], encoding="utf-8") as f:
        log = json.load(f)
    log["runs"][0]["results"][0]["level"] = "catastrophe"
    wrong = os.path.join(WORK, "wrong.sarif")
    with open(wrong, "w", encoding="utf-8") as f:
        json.dump(log, f)
    if subprocess.run([node, script, wrong], cwd=folder, check=False, capture_output=True, timeout=60).returncode == 0:
        print("a level that there is not was found valid: the schema is not looked at")
        code = 1
    return code


def plain_page(page):
    """The same page as it is built without npm."""
    out = os.path.join(WORK, "plain")
    os.makedirs(out, exist_ok=True)
    root = os.path.dirname(os.path.dirname(HERE))
    charts, css = os.path.join(out, "charts.js"), os.path.join(out, "charts.css")
    subprocess.run(["cmake", "-DNPM=", f"-DWEB={root}/web", f"-DWORK={out}/bundle", f"-DOUT={charts}", f"-DCSS={css}", "-P",
                    f"{root}/cmake/charts.cmake"], check=True, capture_output=True, timeout=60)
    subprocess.run(["cmake", f"-DINDEX={root}/web/page/index.html", f"-DSTYLES={css};{root}/web/page/style.css", f"-DCHARTS={charts}", "-DNAME=page",
                    "-DSCRIPTS=" + ";".join(f"{root}/web/page/{n}.js" for n in ("data", "dom", "picture", "sections", "time", "main")), f"-DOUT={out}/page.c", f"-DHTML={out}/page.html", "-P",
                    f"{root}/cmake/page.cmake"], check=True, timeout=60)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    start = text.index('id="data">') + len('id="data">')
    data = text[start:text.index("</script>", start)]
    with open(os.path.join(out, "page.html"), encoding="utf-8") as f:
        plain = f.read().replace("/*DATA*/", data)
    with open(os.path.join(out, "report.html"), "w", encoding="utf-8") as f:
        f.write(plain)
    return os.path.join(out, "report.html")


def more_findings(name):
    """The report with every finding twice, more than the overview shows at once."""
    with open(os.path.join(DATA, "report", name), encoding="utf-8") as f:
        document = json.load(f)
    document["findings"] += [dict(f, line=f["line"] + 1) for f in document["findings"]]
    path = os.path.join(WORK, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(document, f)
    return path


def timed_kernels():
    """A document of a launch that was predicted, with others like it: one that moves nothing through device memory, one that executes nothing, one without
    the figures of the card and its places (older documents), one without prediction, one that computes in three precisions of which the card's figure is known for two, and 300 more."""
    path = os.path.join(WORK, "timed.json")
    subprocess.run([WARPWRIGHT, "check", "-q", os.path.join(DATA, "check", "scale.ptx"), "-k", "scale", "--grid", "64", "--block", "192", "--arg", "x:f32[16384]=iota", "--arg", "n:i32=12288",
                    "--arg", "f:f32=2", "--time", "--json", path], check=False, capture_output=True, timeout=60)
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    one = document["kernels"][0]

    def like(name, **changes):
        return dict(one, name=name, predicted=dict(one["predicted"], **changes))

    old = like("old")
    del old["predicted"]["card"], old["predicted"]["occupancy"], old["predicted"]["flops"]
    mixed = like("mixed", flops={"half": 500000, "single": 2000000, "double": 1000000}, card=dict(one["predicted"]["card"], half_flops_per_ns=None), dram_read_bytes=1000000, dram_write_bytes=0, ns=700000.0)
    document["kernels"] += [like("still", dram_read_bytes=0, dram_write_bytes=0, ns=900000.0), like("idle", instructions=0, flops={"half": 0, "single": 0, "double": 0}, ns=800000.0, parts={}), old, mixed, dict(one, name="unknown", predicted=None)]
    document["kernels"] += [like(f"many{i}", ns=2000.0 + i) for i in range(300)]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(document, f)
    out = os.path.join(WORK, "timed.html")
    report(path, "--html", out)
    return out


def page():
    chromium = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    if not chromium:
        skip("no Chromium is here (Debian: chromium)")
    with open(os.path.join(WEB, "charts.js"), encoding="utf-8") as f:
        if f.read(16).startswith("const noCharts"):
            skip("the page was built without charts")
    node, folder = packages()
    one, lab, rows = (os.path.join(WORK, name) for name in ("transpose.html", "lab.html", "lab.json"))
    report(more_findings("transpose.json"), "--html", one)
    subprocess.run([WARPWRIGHT, "lab", "banks", "--blocks", "1", "--device", "emulator", "--quiet", "--json", rows], check=True, capture_output=True, timeout=60)
    report(rows, "--html", lab)
    fault, shown = os.path.join(WORK, "fault.html"), os.path.join(WORK, "shown.html")
    subprocess.run([WARPWRIGHT, "check", os.path.join(DATA, "check", "scale.ptx"), "-k", "scale", "--grid", "1", "--block", "32", "--arg", "x:f32[24]=iota", "--arg", "n:i32=32", "--arg",
                    "f:f32=2", "--html", fault], check=False, capture_output=True, timeout=60)
    occupancy = os.path.join(WORK, "occupancy.html")
    subprocess.run([WARPWRIGHT, "occupancy", "--block", "256", "--registers", "40", "--shared", "8192", "--html", occupancy], check=True, capture_output=True, timeout=60)
    subprocess.run([WARPWRIGHT, "lab", "banks", "--device", "emulator", "--quiet", "--html", shown], check=True, capture_output=True, timeout=60)
    return subprocess.run([node, os.path.join(HERE, "page.mjs"), os.path.join(folder, "node_modules/playwright-core/index.mjs"), chromium, WORK, one, lab,
                           plain_page(one), fault, shown, occupancy, timed_kernels()], check=False, timeout=250).returncode


os.makedirs(WORK, exist_ok=True)
sys.exit(sarif() if WHAT == "sarif" else page())

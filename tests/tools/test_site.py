#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_site.py SITE WARPWRIGHT: tools/site makes the site; every page of docs/ and every rule is in it, every link between its pages leads to a
file, and nothing that a page needs is fetched from elsewhere."""
import glob
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

SITE, WARPWRIGHT = sys.argv[1:3]
DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(SITE))), "docs")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def broken(site):
    for page in glob.glob(f"{site}/**/*.html", recursive=True):
        text = re.sub(r"<script\b.*?</script>", "", read(page), flags=re.S) if os.path.basename(page) in ("access.html", "lab.html", "example_report.html") else read(page)
        if os.path.basename(page) == "404.html":
            continue
        for what, to in re.findall(r"""<(a|link|script|img)\b[^>]*?\s(?:href|src)=["']?([^"'\s>]+)""", text):
            to = html.unescape(to)
            if re.match(r"(https?:|data:|mailto:|#|javascript:)", to):
                if what in ("script", "img") and to.startswith("http") or what == "link" and to.startswith("http") and "canonical" not in text:
                    yield f"{os.path.relpath(page, site)} fetches {to}"
                continue
            path = os.path.join(os.path.dirname(page), urllib.parse.unquote(to.split("#")[0].split("?")[0]))
            if not os.path.exists(path) or os.path.isdir(path):
                yield f"{os.path.relpath(page, site)} links to {to}"


def main():
    if not shutil.which("mkdocs") or not glob.glob("/usr/share/mkdocs/themes/material"):
        print("skipped: no mkdocs with its theme material is here (Debian: mkdocs, mkdocs-material)")
        return 77
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([sys.executable, SITE, WARPWRIGHT, f"{work}/made"], check=True)
        site = f"{work}/made/site"
        problems = sorted(set(broken(site)))
        wanted = [os.path.relpath(p, DOCS)[:-3] for p in glob.glob(f"{DOCS}/*.md") + glob.glob(f"{DOCS}/rules/*.md") if not p.endswith("README.md")]
        wanted += ["index", "pages", "about", "changelog", "contributing", "rules/index", "access", "lab", "example_report"]
        problems += [f"{w}.html is missing" for w in wanted if not os.path.isfile(f"{site}/{w}.html")]
        problems += [f"{w}.html is not what the program wrote" for w in ("access", "lab", "example_report") if 'id="data"' not in read(f"{site}/{w}.html")]
        problems += [f"index.html does not show {p}" for p in ("banks.svg", "climb.svg") if p not in read(f"{site}/index.html")]
    print("\n".join(problems + [f"{len(wanted)} pages, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

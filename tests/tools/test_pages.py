#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages say where things are: test_pages.py SOURCE_FOLDER.

Every link between pages and every path of the project that a page names exists, every page of docs/ stands in docs/README.md, every page that
sources name exists, and the README has at most 150 lines."""
import glob
import os
import re
import sys

README_LINES = 150
OTHERS = {"tried.md", "faults.md", "fidelity.md"}  # their tables name files of other people's programs
PATH = re.compile(r"`((?:src|tests|tools|kernels|bench|include|examples|web|cmake)/[\w./-]*\w/?)[`:]")
SOURCES = ("src", "tests", "tools", "kernels", "python", "bench", "include")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def of_page(root, page):
    """What a page names and is not there."""
    text = read(page)
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in link and not os.path.exists(os.path.join(os.path.dirname(page), link)):
            yield f"the link {link}"
    if os.path.basename(page) not in OTHERS:
        for path in PATH.findall(text):
            if not os.path.exists(os.path.join(root, path)):
                yield f"the path {path}"


def of_sources(root):
    for top in SOURCES:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                path = os.path.join(folder, name)
                if "/data/" in path or "__pycache__" in path:
                    continue
                for page in re.findall(r"\bdocs/[\w/-]+\.md\b", read(path)):
                    if not os.path.exists(os.path.join(root, page)):
                        yield f"{os.path.relpath(path, root)}: the page {page} is not there"


def main():
    root = sys.argv[1]
    pages = [os.path.join(root, name) for name in ("README.md", "CONTRIBUTING.md")] + sorted(glob.glob(os.path.join(root, "docs/*.md")))
    problems = [f"{os.path.relpath(page, root)}: {what} is not there" for page in pages for what in of_page(root, page)]
    problems += sorted(set(of_sources(root)))
    index = read(os.path.join(root, "docs/README.md"))
    problems += [f"docs/README.md does not list {os.path.basename(p)}" for p in pages[2:]
                 if not p.endswith("README.md") and f"({os.path.basename(p)})" not in index]
    if len(read(pages[0]).splitlines()) > README_LINES:
        problems.append(f"README.md: more than {README_LINES} lines")
    print("\n".join(problems + [f"{len(pages)} pages, {len(problems)} problems"]))
    return 1 if problems or len(pages) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())

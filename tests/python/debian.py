# SPDX-License-Identifier: Apache-2.0
"""Debian's packages of the components contrib and non-free, unpacked into a folder and nowhere else: what numba and PyCUDA need beside
themselves.  apt-get fetches them from the machine's own mirrors with lists of its own, so the system's sources stay as they are."""
import os
import pathlib
import re
import subprocess

COMPONENTS = "main contrib non-free"


class Unobtainable(Exception):
    """Why a package cannot be had."""


def sources():
    """A line for each mirror and suite that the machine takes Debian's packages from."""
    found = []
    for path in [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        if path.suffix == ".sources":
            for stanza in re.split(r"\n\s*\n", text):
                fields = dict(re.findall(r"^(\w[\w-]*):\s*(.*)$", stanza, re.MULTILINE))
                found += [(uri, suite) for uri in fields.get("URIs", "").split() for suite in fields.get("Suites", "").split()]
        else:
            found += re.findall(r"^deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+main", text, re.MULTILINE)
    return [f"deb {uri} {suite} {COMPONENTS}" for uri, suite in found if "security" not in suite and "updates" not in suite]


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Unobtainable(str(e)) from e
    if done.returncode:
        raise Unobtainable((done.stderr.strip() or done.stdout.strip() or f"{command[0]} failed").splitlines()[0])


def unpacked(work, packages):
    """The folder that the packages are unpacked in; they are fetched once."""
    work, root = pathlib.Path(work), pathlib.Path(work) / "root"
    missing = [p for p in packages if not (work / "done" / p).exists()]
    if not missing:
        return root
    if not sources():
        raise Unobtainable("apt has no source of Debian's packages")
    for folder in ("lists/partial", "cache/archives/partial", "deb", "done", "root"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "sources.list").write_text("\n".join(sources()) + "\n", encoding="utf-8")
    own = ["-q", "-o", f"Dir::Etc::sourcelist={work}/sources.list", "-o", "Dir::Etc::sourceparts=-", "-o", f"Dir::State::lists={work}/lists", "-o",
           f"Dir::Cache={work}/cache", "-o", "APT::Sandbox::User=root"]
    run(["apt-get", *own, "update"])
    for package in missing:
        deb = work / "deb" / package
        deb.mkdir(exist_ok=True)
        run(["sh", "-c", 'cd "$1" && shift && exec apt-get "$@"', "sh", str(deb), *own, "download", package])
        for file in sorted(deb.glob("*.deb")):
            run(["dpkg", "-x", str(file), str(root)])
            os.unlink(file)
        (work / "done" / package).touch()
    return root

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compiled.py WARPWRIGHT CC LIBRARY: a source is compiled once, not in every process, and again when anything changes that it is made of.  An nvcc
that counts its calls stands in PATH; CC preprocesses for it, and the kernel's name says what came out.  LIBRARY has ww_module_compile."""
import json
import os
import subprocess
import sys
import tempfile

NVCC = """#!/bin/sh
echo call >>FOLDER/calls
for a; do
    case $before in -o) out=$a ;; esac
    case $a in -MD,-MF,*) read=${a#-MD,-MF,} ;; esac
    before=$a
done
value=$(COMPILER -E -P -x c++ ${read:+-MD -MF "$read"} -include cuda_runtime.h $NVCC_APPEND_FLAGS -isystem FOLDER/toolkit "$a" | sed -n 's/^value *= *//p')
echo "a warning of VERSION"
[ ! -e FOLDER/meddle ] || echo >>FOLDER/src/own.h
[ "$value" != wrong ] || exit 1
cat >"$out" <<END
.version 8.0
.target sm_90
.address_size 64
.visible .entry k_$value()
{
ret;
}
END
"""
warpwright, cc, library = sys.argv[1:4]
failures = []


class Bench:
    """A folder with sources, a toolkit of two headers, a counting nvcc and a cache."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = self.path("cache")
        for name in ("toolkit", "src", "src/sub", "first", "second"):
            os.mkdir(self.path(name))
        self.write("toolkit/cuda_runtime.h", "")
        self.write("toolkit/theirs.h", "#define THEIRS 1\n")
        self.write("second/included.h", "#define INCLUDED 7\n")
        self.write("src/own.h", "#define OWN 10\n")
        self.source()
        self.compiler(1)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def source(self, head='#include "own.h"\n#include "theirs.h"\n', value="OWN"):
        self.write("src/k.cu", f"{head}value = {value}\n")

    def compiler(self, version):
        self.write("nvcc", NVCC.replace("FOLDER", self.folder).replace("COMPILER", cc).replace("VERSION", str(version)))
        os.chmod(self.path("nvcc"), 0o755)

    def calls(self):
        with open(self.path("calls"), encoding="utf-8") as f:
            return len(f.readlines())

    def environment(self, cache, flags):
        os.makedirs(self.path("tmp"), exist_ok=True)
        self.write("calls", "")
        env = {**os.environ, "PATH": self.folder + os.pathsep + os.environ["PATH"], "TMPDIR": self.path("tmp"), "WARPWRIGHT_CACHE": cache or self.cache}
        env.pop("WARPWRIGHT_CLANG", None)
        return {**env, "NVCC_APPEND_FLAGS": flags}

    def check(self, what, calls, value, cache=None, flags="", cwd="src"):
        report = self.path("r.json")
        done = subprocess.run([warpwright, "check", "-q", "--json", report, self.path("src/k.cu"), "--grid", "1", "--block", "32"], timeout=60, check=False,
                              env=self.environment(cache, flags), cwd=self.path(cwd), capture_output=True, text=True)
        made = None
        if done.returncode == 0:
            with open(report, encoding="utf-8") as f:
                made = json.load(f)["kernels"][0]["name"]
        if self.calls() != calls or made != (value and f"k_{value}") or "a warning of" not in done.stderr:
            failures.append(f"{what}: nvcc ran {self.calls()} times and not {calls}, and made {made}, not k_{value}; {done.stderr}")

    def twice(self, what, value, **how):
        self.check(what, 1, value, **how)
        self.check(what + ", again", 0, value, **how)

    def never(self, what, value, **how):
        self.check(what, 1, value, **how)
        self.check(what + ", again", 1, value, **how)

    def module(self, what, calls, source):
        """Of a text that is no file, in a process of its own."""
        code = ("import ctypes, sys\nlib = ctypes.CDLL(sys.argv[1])\nd, m = ctypes.c_void_p(), ctypes.c_void_p()\n"
                "assert lib.ww_device_open(b'emulator', None, ctypes.byref(d), None) == 0\ntext = sys.argv[2].encode()\n"
                "assert lib.ww_module_compile(d, b'text.cu', text, ctypes.c_size_t(len(text)), ctypes.byref(m)) == 0\n")
        done = subprocess.run([sys.executable, "-c", code, library, source], timeout=60, check=False, env=self.environment(None, ""), cwd=self.path("src"),
                              capture_output=True, text=True)
        if done.returncode or self.calls() != calls:
            failures.append(f"{what}: nvcc ran {self.calls()} times and not {calls}; {done.stderr}")

    def damage(self):
        for name in os.listdir(os.path.join(self.cache, "compiled")):
            os.truncate(os.path.join(self.cache, "compiled", name), 3)


def main():
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        b.twice("the first text", "10")
        b.source(value="11")
        b.twice("another text", "11")
        b.source()
        b.check("the first text again", 0, "10")
        b.write("src/own.h", "#define OWN 12\n")
        b.twice("another header", "12")
        b.write("src/own.h", "#define OWN 10\n")
        b.check("the first header again", 0, "10")
        b.twice("an option", "10", flags="-DOTHER=13")
        b.twice("another folder", "10", cwd="first")
        b.check("no cache", 1, "10", cache="off")
        b.damage()
        b.twice("a damaged cache", "10")
        b.compiler(2)
        b.twice("another nvcc", "10")

        b.source(value="THEIRS")
        b.twice("a header of the toolkit", "1")
        b.write("src/theirs.h", "#define THEIRS 20\n")
        b.twice("a new header before it", "20")
        os.unlink(b.path("src/theirs.h"))
        b.twice("which is gone again", "1")
        flags = f"-I {b.path('first')} -I{b.path('second')}"
        b.source("#include <included.h>\n", "INCLUDED")
        b.twice("a folder of headers", "7", flags=flags)
        b.write("first/included.h", "#define INCLUDED 8\n")
        b.twice("a new header in an earlier one", "8", flags=flags)

        b.source(value="wrong")
        b.never("what cannot be compiled", None)
        b.source("#if __has_include(\"sub/may_be.h\")\n#include \"sub/may_be.h\"\n#else\n#define SUB 30\n#endif\n", "SUB")
        b.never("a file that need not be there", "30")
        b.source("static const char *when = __TIME__;\n", "40")
        b.never("the time", "40")
        b.source()
        b.never("options in a file", "10", flags="-DX=keep-options-file")
        b.write("meddle", "")
        b.source("#include \"own.h\"\n//\n")
        b.never("a header that changes meanwhile", "10")
        os.unlink(b.path("meddle"))

        b.module("a text", 1, "value = 50\n")
        b.module("a text, again", 0, "value = 50\n")
        b.module("another text", 1, "value = 51\n")
    print("\n".join(failures) or "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How programs come by a CUDA runtime and by device code, as Python packages do it: loading.py WARPWRIGHT SOURCES NVCC.
    * libraries that name a folder of NVIDIA's for the runtime (DT_RPATH), load it by its path, or carry it under another name
    * a library that carries the static runtime and no kernels
    * a library that is loaded by its name without a version
    * machine code with the PTX in it, with lines of the source; without; beside PTX for later cards only
    * what Python's start does under `run`: help for frameworks, and the user's own sitecustomize"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from expect import expect, result

WARPWRIGHT, SOURCES, NVCC = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
TOOLKIT = os.path.dirname(os.path.dirname(os.path.realpath(NVCC)))


def run(*args, **kw):
    return subprocess.run([WARPWRIGHT, "run", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False, **kw)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def nvcc(folder, name, text, out, *flags):
    path = os.path.join(folder, out)
    subprocess.run([NVCC, "-o", path, write(folder, name, text), *flags], check=True, capture_output=True)
    return path


KERNEL = r"""
#include <cstdio>
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x + 5; }
extern "C" int go() {
    int *p, h[32];
    if (cudaMalloc(&p, sizeof h) != cudaSuccess) return -1;
    fill<<<1, 32>>>(p);
    return cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess ? h[31] : -2;
}
"""
CALLER = 'extern "C" int go(); int main() { return go() == 36 ? 0 : 1; }\n'
LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *lib = dlopen(argv[1], RTLD_NOW);
    int (*go)(void) = lib ? (int (*)(void))dlsym(lib, "go") : 0;
    if (!go) puts(dlerror());
    return go && go() == 36 ? 0 : 1;
}
"""
DIRECT = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *lib = dlopen(argv[1], RTLD_NOW);
    int (*count)(int *) = lib ? (int (*)(int *))dlsym(lib, "cudaGetDeviceCount") : 0, n = 0;
    return count && count(&n) == 0 && n == 3 ? 0 : 1;
}
"""


def runtimes(folder):
    lib = next((os.path.join(TOOLKIT, d) for d in ("lib64", "lib") if os.path.exists(os.path.join(TOOLKIT, d, "libcudart.so"))), None)
    if not lib:
        print("no shared runtime of the toolkit here: left out")
        return
    rpath = ["-Xlinker", f"-rpath,{folder}:{lib}", "-Xlinker", "--disable-new-dtags"]
    shared = nvcc(folder, "kernel.cu", KERNEL, "libkernel.so", "-shared", "-cudart", "shared", "-Xcompiler", "-fPIC", *rpath)
    outer = nvcc(folder, "outer.cu", 'extern "C" int go();\nextern "C" int outer() { return go(); }\n', "libouter.so", "-shared", "-cudart", "none",
                 "-Xcompiler", "-fPIC", "-L" + folder, "-lkernel", *rpath)
    program = nvcc(folder, "caller.cu", CALLER, "caller", "-cudart", "shared", "-L" + folder, "-lkernel", *rpath)
    loader = os.path.join(folder, "loader")
    subprocess.run(["cc", "-o", loader, write(folder, "loader.c", LOADER), "-ldl"], check=True)
    direct = os.path.join(folder, "direct")
    subprocess.run(["cc", "-o", direct, write(folder, "direct.c", DIRECT), "-ldl"], check=True)
    renamed = os.path.join(folder, "libcudart-0a1b2c.so.13")
    shutil.copy(os.path.join(lib, "libcudart.so"), renamed)
    for what, command in (("a program and its library that name the toolkit's folder", [program]),
                          ("a library that does, loaded later", [loader, shared]),
                          ("a library that needs such a one", [loader, outer]),
                          ("the runtime, by its path", ["--devices", "3", direct, os.path.join(lib, "libcudart.so.13")]),
                          ("the runtime under another name", ["--devices", "3", direct, renamed])):
        r = run("-q", *command)
        expect(what, r.returncode == 0, f"{r.returncode} {r.stdout}{r.stderr}")
    static = os.path.join(lib, "libcudart_static.a")
    if os.path.exists(static):
        calls = write(folder, "calls.c", "int cudaGetDeviceCount(int *);\nint go(void) { int n = 0; return cudaGetDeviceCount(&n) == 0 && n == 3 ? 36 : n; }\n")
        carrier = os.path.join(folder, "libcarrier.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", carrier, calls, static, "-ldl", "-lrt", "-lpthread"], check=True)
        r = run("-q", "--devices", "3", loader, carrier)
        expect("a library that carries the static runtime and no kernels", r.returncode == 0, f"{r.returncode} {r.stdout}{r.stderr}")


NAMED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        Dl_info info;
        void *lib = dlopen(argv[i], RTLD_NOW), *at = lib ? dlsym(lib, argv[i + 1]) : 0;
        puts(at && dladdr(at, &info) ? info.dli_fname : "none");
    }
    return 0;
}
"""


def unversioned(folder):
    named = os.path.join(folder, "named")
    subprocess.run(["cc", "-o", named, write(folder, "named.c", NAMED), "-ldl"], check=True)
    calls = {"libcuda": "cuInit", "libnvidia-ml": "nvmlInit_v2", "libcufft": "cufftGetVersion", "libcudart": "cudaMalloc", "libcusolver": "cusolverDnCreate"}
    for name, version in (("libcufft", "11"), ("libcudart", "11.0")):  # what a toolkit's folder would have
        subprocess.run(["cc", "-shared", "-fPIC", "-o", os.path.join(folder, name + ".so"), write(folder, "empty.c", "int empty;\n"),
                        f"-Wl,-soname,{name}.so.{version}"], check=True)
    library = os.path.join(folder, "libcufft.so")
    asked = [word for name, call in calls.items() for word in (name + ".so", call)] + [library, calls["libcufft"]]
    there = [folder] + [p for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p]
    r = run("-q", named, *asked, env={**os.environ, "LD_LIBRARY_PATH": ":".join(there)})
    names = [os.path.basename(path) for path in r.stdout.split("\n")]
    expect("names without a version", names[:4] == ["libcuda.so.1", "libnvidia-ml.so.1", "libcufft.so.11", "libcudart.so.11.0"], r.stdout + r.stderr)
    expect("a path without a version", names[5] == "libcufft.so.11", r.stdout + r.stderr)
    expect("a library of which there are several here and none elsewhere is not guessed", names[4] in ("none", "libcusolver.so.11", "libcusolver.so.12"),
           r.stdout + r.stderr)


MODULE = r"""
#include <cstdio>
#include <cuda.h>
int main(int argc, char **argv) {
    CUcontext c; CUmodule m; CUfunction f; CUdeviceptr p; int h[32];
    static char bytes[1 << 20];
    FILE *in = fopen(argv[1], "rb");
    if (!in || !fread(bytes, 1, sizeof bytes, in) || cuInit(0) || cuDevicePrimaryCtxRetain(&c, 0) || cuCtxSetCurrent(c)) return 9;
    CUresult r = cuModuleLoadData(&m, bytes);
    printf("%d %d\n", r, cuModuleLoad(&m, argv[1]));
    if (r || cuModuleGetFunction(&f, m, "_Z4fillPi") || cuMemAlloc(&p, sizeof h)) return 1;
    void *args[] = {&p};
    return cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0) || cuMemcpyDtoH(h, p, sizeof h) || h[31] != 36;
}
"""


def machine_code(folder):
    source = write(folder, "fill.cu", KERNEL + "int main() { return go() == 36 ? 0 : 1; }\n")
    place = (source, 1 + KERNEL[:KERNEL.index("p[threadIdx.x]")].count("\n"))
    loader = os.path.join(folder, "module")
    subprocess.run([NVCC, "-o", loader, write(folder, "module.cu", MODULE), "-Xlinker", "--unresolved-symbols=ignore-all", "-L" + TOOLKIT + "/lib64/stubs", "-lcuda"],
                   check=True, capture_output=True)

    def compiled(out, *flags):
        subprocess.run([NVCC, "-o", os.path.join(folder, out), source, *flags], check=True, capture_output=True)
        return os.path.join(folder, out)

    def lines(*command):
        report = os.path.join(folder, "report.json")
        if os.path.exists(report):
            os.remove(report)
        r = run("-q", "--json", report, *command)
        with open(report, encoding="utf-8") as f:
            found = {(x["file"], x["line"]) for k in json.load(f)["kernels"] for x in k["lines"] if x.get("global_st_requests")}
        return r, found

    r, found = lines(loader, compiled("with.cubin", "-cubin", "-lineinfo", "-arch", "sm_90"))
    expect("a cubin with line information runs", r.returncode == 0 and r.stdout == "0 0\n", f"{r.returncode} {r.stdout}{r.stderr}")
    expect("its lines are those of the source", found == {place}, str(found))
    r = run("-q", loader, compiled("without.cubin", "-cubin", "-arch", "sm_90"))
    expect("a cubin without is refused as on a card of another kind", r.returncode == 1 and r.stdout == "209 209\n", f"{r.returncode} {r.stdout}{r.stderr}")
    expect("the message names the flag", "-lineinfo" in r.stderr and "lineinfo=True" in r.stderr, r.stderr)
    with open(os.path.join(folder, "with.cubin"), "rb") as f:
        whole = f.read()
    for cut in (10, 64, 200, len(whole) // 2):
        with open(os.path.join(folder, "cut.cubin"), "wb") as f:
            f.write(whole[:cut])
        r = run("-q", loader, os.path.join(folder, "cut.cubin"))
        expect(f"a cubin of {cut} bytes", r.returncode == 1 and "warpwright: " in r.stderr, f"{r.returncode} {r.stdout}{r.stderr}")
    r, found = lines(compiled("code", "-lineinfo", "-gencode", "arch=compute_90,code=sm_90"))
    expect("a program of machine code with line information runs", r.returncode == 0, f"{r.returncode} {r.stderr}")
    expect("its lines are those of the source too", found == {place}, str(found))
    r = run("-q", compiled("linked", "-rdc=true", "-lineinfo", "-gencode", "arch=compute_90,code=sm_90"))
    expect("linked machine code", r.returncode == 0, f"{r.returncode} {r.stderr}")
    r = run("-q", compiled("later", "-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_100,code=compute_100"))
    expect("machine code for this card, PTX for later ones", r.returncode == 0, f"{r.returncode} {r.stderr}")


def python_start(folder):
    site = os.path.join(folder, "site")
    os.makedirs(os.path.join(site, "numba"))
    write(site, "sitecustomize.py", "print('the user\\'s own')\n")
    write(site, "cupy.py", "import types\ncuda = types.SimpleNamespace(set_allocator=lambda a: print('arrays', a), set_pinned_memory_allocator=lambda a: print('pinned', a))\n")
    write(site, "numba/__init__.py", "")
    write(site, "numba/cuda.py", "def jit(*args, **options): return sorted(options.items())\n")
    write(site, "jaxlib.py", "import os\nprint(os.environ['XLA_FLAGS'])\n")
    environment = {**os.environ, "PYTHONPATH": site, "XLA_FLAGS": "--xla_gpu_autotune_level=4"}
    program = "import cupy, jaxlib\nfrom numba import cuda\nprint(cuda.jit(), cuda.jit(debug=True), cuda.jit(lineinfo=False))"
    jit = "[('lineinfo', True)] [('debug', True)] [('lineinfo', False)]\n"
    flags = "--xla_gpu_autotune_level=4 --xla_gpu_generate_line_info=true\n"
    r = run("-q", "--", sys.executable, "-c", program, env=environment)
    expect("frameworks get help under run", r.returncode == 0 and r.stdout == "the user's own\n" + flags + jit, r.stdout + r.stderr)
    r = run("-q", "--check", "--", sys.executable, "-c", program, env=environment)
    expect("arrays are allocations of their own where memory is checked", r.stdout == "the user's own\narrays None\npinned None\n" + flags + jit, r.stdout + r.stderr)
    r = subprocess.run([sys.executable, "-c", "import jaxlib"], env=environment, capture_output=True, text=True, check=False)
    expect("and none without", r.stdout == "the user's own\n--xla_gpu_autotune_level=4\n", r.stdout + r.stderr)


def main():
    for part in (runtimes, unversioned, machine_code, python_start):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    return result()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs and libraries that nvcc's own build does not make, built here: libraries.py WARPWRIGHT SOURCES NVCC.
    * a plug-in with a static runtime of its own, loaded with dlopen
    * programs as CUDA 11 and 12 made them: they bind the soname and the symbol version of that runtime and launch with cudaLaunchKernel.
      No such toolkit is at hand: a library of the right soname and version node, with empty functions, is what they are linked with.
    * a program that calls five of CUDA's libraries (tests/libraries/sample.cu)
    * fat binaries without PTX, damaged ones, and modules that are no PTX
    * a program that calls a library of machine code with a runtime of its own: the message; cuRAND's generators, of the host and of the device
    * the emulator of a CMake project's tests, pytest's process tree"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from expect import expect, result

WARPWRIGHT, SOURCES, NVCC = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "libraries", "sample.cu")


def run(*args, **kw):
    return subprocess.run([WARPWRIGHT, "run", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False, **kw)


def build(folder, name, text, *flags):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    out = os.path.splitext(path)[0]
    if "-shared" in flags:
        out += ".so"
    subprocess.run([NVCC, "-gencode", "arch=compute_90,code=compute_90", "-o", out, path, *flags], check=True, capture_output=True)
    return out


PLUGIN = r"""
#include <cstdio>
__device__ int offset = 5;
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x + offset; }
extern "C" int plugin() {
    int *p, h[32];
    if (cudaMalloc(&p, sizeof h) != cudaSuccess) return -1;
    fill<<<1, 32>>>(p);
    if (cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return -2;
    return h[31];
}
"""
HOST = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *lib = dlopen(argv[1], RTLD_NOW);
    int (*plugin)() = lib ? (int (*)())dlsym(lib, "plugin") : 0;
    printf("%d\n", plugin ? plugin() : -9);
    return 0;
}
"""


def plugin(folder):
    library = build(folder, "plugin.cu", PLUGIN, "-shared", "-Xcompiler", "-fPIC")
    host = os.path.join(folder, "host")
    with open(host + ".c", "w", encoding="utf-8") as f:
        f.write(HOST)
    subprocess.run(["cc", "-o", host, host + ".c", "-ldl"], check=True)
    r = run("-q", "--", host, library)
    expect("a plug-in with a static runtime runs", r.stdout == "36\n", r.stdout + r.stderr)


# What nvcc 11 and 12 generate for a kernel and its launch, written by hand around a fat binary of today's.
OLD = r"""
#include <stdio.h>
#include <stdlib.h>
typedef struct { unsigned x, y, z; } dim3;
typedef struct { int magic, version; const void *data; void *unused; } Wrapper;
extern const char image[];
__asm__(".section .nv_fatbin,\"a\"\n.align 8\nimage: .incbin \"IMAGE\"\n.previous\n");
static Wrapper wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 1, image, 0};
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaGetDeviceProperties(void *, int);
int cudaRuntimeGetVersion(int *);
static void **handle;
static int offset_stub;
static void stub(int *p) {
    dim3 g, b; size_t s; void *t; void *args[] = {&p};
    if (__cudaPopCallConfiguration(&g, &b, &s, &t)) exit(3);
    cudaLaunchKernel((const void *)stub, g, b, args, s, t);
}
static void leave(void) { __cudaUnregisterFatBinary(handle); }
__attribute__((constructor)) static void begin(void) {
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (const char *)stub, "fill", "fill", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(handle, (char *)&offset_stub, "offset", "offset", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(leave);
}
int main(void) {
    int *p, h[32], five = 7;
    char properties[2048] = "";
    if (cudaMalloc((void **)&p, sizeof h) || cudaMemcpyToSymbol(&offset_stub, &five, 4, 0, 1)) return 4;
    dim3 one = {1, 1, 1}, all = {32, 1, 1};
    if (!__cudaPushCallConfiguration(one, all, 0, 0)) stub(p);
    if (cudaMemcpy(h, p, sizeof h, 2)) return 5;
    if (cudaGetDeviceProperties(properties, 0) || !properties[0]) return 6;
    printf("%d\n", h[31]);
    return 0;
}
"""
KERNEL = 'extern "C" { __device__ int offset = 5; __global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x + offset; } }\n'


def old_fronts(folder):
    kernel = os.path.join(folder, "kernel.cu")
    with open(kernel, "w", encoding="utf-8") as f:
        f.write(KERNEL)
    image = os.path.join(folder, "kernel.fatbin")
    subprocess.run([NVCC, "-fatbin", "-gencode", "arch=compute_80,code=compute_80", "-o", image, kernel], check=True)
    source = os.path.join(folder, "old.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(OLD.replace("IMAGE", image))
    names = sorted(set(re.findall(r"\b((?:__)?cuda[A-Z]\w*)\(", OLD)))
    for soname in ("libcudart.so.11.0", "libcudart.so.12"):
        stub = os.path.join(folder, "stub.c")
        with open(stub, "w", encoding="utf-8") as f:
            f.writelines(f"int {n}(void) {{ return 999; }}\n" for n in names)
        with open(os.path.join(folder, "stub.map"), "w", encoding="utf-8") as f:
            f.write(soname + " { global: cuda*; __cuda*; local: *; };\n")
        library, program = os.path.join(folder, soname), os.path.join(folder, "old-" + soname)
        subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", library, stub, f"-Wl,-soname,{soname}",
                        f"-Wl,--version-script={folder}/stub.map"], check=True)
        subprocess.run(["cc", "-w", "-o", program, source, library], check=True)
        os.remove(library)
        r = run("-q", "--", program)
        expect(f"a program of {soname} runs", r.returncode == 0 and r.stdout == "38\n", f"{r.returncode} {r.stdout}{r.stderr}")
    return image, source


def entry(text, arch=80, flags=0):
    body = text.encode() + b"\0"
    return struct.pack("<HHIQIIIIQQQQ", 1, 0x101, 64, len(body), 0, 0, 0, arch, 0, flags, 0, 0) + body


def container(text, *more):
    """A fat binary that holds this PTX as it is, and more entries behind it."""
    body = entry(text) + b"".join(more)
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body


ONE_CARD = 0x100000  # as nvcc marks what it made for sm_90a


FILL = """.version 8.0
.target sm_80
.address_size 64
.visible .global .u32 offset = 5;
.visible .entry fill(.param .u64 p)
{
.reg .b64 %a<3>; .reg .b32 %r<4>;
ld.param.u64 %a1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.s64 %a1, %a1, %a2;
ld.global.u32 %r2, [offset]; add.s32 %r3, %r1, %r2; st.global.u32 [%a1], %r3; ret;
}
"""


def images(folder):
    """The program of old.c around other images: what it says, and that it ends as it would on a card."""
    good, source = old_fronts(folder)
    with open(good, "rb") as f:
        data = bytearray(f.read())
    with open(source, encoding="utf-8") as f:
        text = f.read()
    cubin = os.path.join(folder, "cubin.fatbin")
    subprocess.run([NVCC, "-fatbin", "-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90", "-o", cubin,
                    os.path.join(folder, "kernel.cu")], check=True)
    with open(cubin, "rb") as f:
        machine = f.read()
    newer = os.path.join(folder, "newer.fatbin")
    subprocess.run([NVCC, "-fatbin", "-gencode", "arch=compute_100,code=compute_100", "-o", newer, os.path.join(folder, "kernel.cu")], check=True)
    with open(newer, "rb") as f:
        future = f.read()

    def changed(at, value, size=4):
        copy = bytearray(data)
        copy[at:at + size] = value.to_bytes(size, "little")
        return bytes(copy)

    head = int.from_bytes(data[6:8], "little")
    cases = [("machine code only", machine, r"no PTX for sm_90 or older \(it has: sm_80, sm_90\).*-gencode"),
             ("PTX for a newer card", future, r"no PTX for sm_90 or older \(it has: compute_100\)"),
             ("no magic number", changed(0, 0), "magic number is missing"),
             ("an entry longer than its container", changed(head + 8, 1 << 40, 8), "damaged"),
             ("an entry's header longer than it", changed(head + 4, 1 << 30), "damaged"),
             ("compressed data of another length", changed(head + 56, 12345, 8), "damaged|error"),
             ("compressed data cut short", changed(head + 16, 20), "damaged|error"),
             ("compressed data of no bytes", changed(head + 16, 0), "damaged|error"),
             ("garbage for data", bytes(data[:head + 64]) + bytes((7 * i) & 255 for i in range(len(data) - head - 64)), "damaged|error"),
             ("no entries", changed(8, 0, 8), "no PTX"),
             ("a mistake in the kernel", container(FILL.replace("add.s32 %r3", "add.s32 %r9")), r"case.ptx:9:\d+: error: .*%r9"),
             ("a mistake outside", container(FILL + ".nonsense"), r"case.ptx:11:1: error: .*nonsense"),
             ("a mistake in another kernel", container(FILL + ".entry other() { nonsense; }"), None),
             ("PTX for this card alone, and for later ones", container("old", entry("any", 90), entry(FILL, 90, ONE_CARD), entry("any", 90)), None),
             ("PTX for another card alone", container(FILL, entry("another", 89, ONE_CARD)), None)]
    for name, content, message in cases:
        image = os.path.join(folder, "case.fatbin")
        with open(image, "wb") as f:
            f.write(content)
        with open(os.path.join(folder, "case.c"), "w", encoding="utf-8") as f:
            f.write(text.replace(good, image))
        library = os.path.join(folder, "libcudart.so.12")
        subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", library, os.path.join(folder, "stub.c"), "-Wl,-soname,libcudart.so.12",
                        f"-Wl,--version-script={folder}/stub.map"], check=True)
        program = os.path.join(folder, "case")
        subprocess.run(["cc", "-w", "-o", program, os.path.join(folder, "case.c"), library], check=True)
        os.remove(library)
        r = run("-q", "--", program)
        if not message:
            expect(f"fat binary: {name}: the program runs", r.returncode == 0 and r.stdout == "38\n", f"{r.returncode} {r.stdout}{r.stderr}")
            continue
        expect(f"fat binary: {name}: the call fails", r.returncode in (4, 120), f"{r.returncode} {r.stdout}{r.stderr}")
        expect(f"fat binary: {name}: says why", re.search(message, r.stderr), r.stderr)


NUMBERS = """
#include <cstdio>
#include <curand.h>
int main() {
    curandGenerator_t g;
    float f[64] = {}, *p = f;
    if (DEVICE) cudaMalloc(&p, sizeof f);
    if ((DEVICE ? curandCreateGenerator : curandCreateGeneratorHost)(&g, CURAND_RNG_PSEUDO_DEFAULT) || curandSetPseudoRandomGeneratorSeed(g, 1) ||
        curandGenerateNormal(g, p, 64, 0, 1)) return 3;
    if (DEVICE) cudaMemcpy(f, p, sizeof f, cudaMemcpyDeviceToHost);
    printf("%d\\n", f[0] != f[1]);
    return curandDestroyGenerator(g);
}
"""
FOREIGN = """
__global__ void k() {}
extern "C" int foreignCreate(void **h)
{
    *h = 0;
    k<<<1, 1>>>();
    return 0;
}
"""
FOREIGNER = """
#include <cstdio>
#include <cstdlib>
extern "C" int foreignCreate(void **);
int main() {
    void *h;
    puts("begun");
    if (getenv("WITHOUT")) return 0;
    return foreignCreate(&h);
}
"""


def generators(folder):
    try:
        numbers = [build(folder, f"numbers{device}.cu", NUMBERS, f"-DDEVICE={device}", "-lcurand") for device in (0, 1)]
    except subprocess.CalledProcessError:
        print("no cuRAND here: left out")
        return
    for what, program in zip(("host", "device"), numbers):
        r = run("-q", "--", program)
        expect(f"a generator of the {what} of cuRAND", r.returncode == 0 and r.stdout == "1\n", r.stdout + r.stderr)


def foreign(folder):
    """A library with machine code and a runtime without names, as NVIDIA's are."""
    with open(os.path.join(folder, "foreign.cu"), "w", encoding="utf-8") as f:
        f.write(FOREIGN)
    library = os.path.join(folder, "libforeign.so")
    subprocess.run([NVCC, "-shared", "-Xcompiler", "-fPIC", "-gencode", "arch=compute_90,code=sm_90", "-o", library, os.path.join(folder, "foreign.cu")], check=True, capture_output=True)
    subprocess.run([shutil.which("strip"), "--strip-all", library], check=True)
    program = build(folder, "foreigner.cu", FOREIGNER, "-L" + folder, "-lforeign", "-Xlinker", "-rpath=" + folder)
    r = run("-q", "--", program)
    expect("a library that cannot be run is named with the first call", r.returncode == 120 and "calls foreignCreate of" in r.stderr and "libforeign.so" in r.stderr, r.stdout + r.stderr)
    expect("the program runs until then", r.stdout == "begun\n", r.stdout)
    r = run("-q", "--", program, env={**os.environ, "WITHOUT": "1"})
    expect("a program that is linked with such a library and does not call it", r.returncode == 0 and r.stdout == "begun\n", r.stdout + r.stderr)


def sample(folder):
    """A program that calls five libraries, linked with NVIDIA's own."""
    out = os.path.join(folder, "sample")
    made = subprocess.run([NVCC, "-std=c++17", "-gencode", "arch=compute_90,code=compute_90", "-cudart", "shared", "-o", out, SAMPLE, "-lcublas", "-lcublasLt", "-lcusolver",
                           "-lcusparse", "-lnccl"], check=False, capture_output=True, text=True)
    if made.returncode:
        print("not all of CUDA's libraries are here: the sample is left out\n" + made.stderr)
        return
    r = run("-q", "--check", "--fail-on", "warning", "--devices", "2", "--", out)
    right = [line for line in r.stdout.splitlines() if line.endswith(" right")]
    expect("a program that calls five libraries", r.returncode == 0 and len(right) == 4, r.stdout + r.stderr)


def harnesses(folder):
    """CMake's CMAKE_CROSSCOMPILING_EMULATOR, ctest and pytest, as docs/programs.md says."""
    program = build(folder, "small.cu", PLUGIN + 'int main() { int v = plugin(); printf("%d\\n", v); return v != 36; }\n')
    if shutil.which("cmake"):
        project = os.path.join(folder, "project")
        os.mkdir(project)
        with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as f:
            f.write("cmake_minimum_required(VERSION 3.16)\nproject(small NONE)\nenable_testing()\nadd_executable(small IMPORTED)\n"
                    f"set_target_properties(small PROPERTIES IMPORTED_LOCATION {program} CROSSCOMPILING_EMULATOR \"${{CMAKE_CROSSCOMPILING_EMULATOR}}\")\n"
                    "add_test(NAME small COMMAND small)\n")
        subprocess.run(["cmake", "-S", project, "-B", project + "/build", f"-DCMAKE_CROSSCOMPILING_EMULATOR={WARPWRIGHT};run;--quiet;--"],
                       check=True, capture_output=True)
        r = subprocess.run(["ctest", "--test-dir", project + "/build"], capture_output=True, text=True, check=False)
        expect("CMake's emulator recipe", r.returncode == 0 and "100% tests passed" in r.stdout, r.stdout)
        plain = os.path.join(folder, "plain")
        os.mkdir(plain)
        with open(os.path.join(plain, "CTestTestfile.cmake"), "w", encoding="utf-8") as f:
            f.write(f'add_test(small "{program}")\n')
        r = run("-q", "--", "ctest", "--test-dir", plain)
        expect("run ctest", r.returncode == 0 and "100% tests passed" in r.stdout, r.stdout + r.stderr)
    test = os.path.join(folder, "test_small.py")
    with open(test, "w", encoding="utf-8") as f:
        f.write(f"import subprocess\ndef test_small():\n    assert subprocess.run(['{program}'], check=True, capture_output=True).stdout == b'36\\n'\n")
    if subprocess.run([sys.executable, "-c", "import pytest"], capture_output=True, check=False).returncode == 0:
        r = run("-q", "--", sys.executable, "-m", "pytest", "-q", test)
        expect("run pytest", r.returncode == 0, r.stdout + r.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        plugin(folder)
        images(folder)
        generators(folder)
        foreign(folder)
        sample(folder)
        harnesses(folder)
    return result()


if __name__ == "__main__":
    sys.exit(main())

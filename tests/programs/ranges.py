#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges of programs: ranges.py WARPWRIGHT NVCC.  A program with NVTX 3's header, and one that is linked with NVTX 2's library: what ranges
their launches carry in documents and texts, and which launches --nvtx-include and --nvtx-exclude leave."""
import json
import os
import re
import subprocess
import sys
import tempfile

from expect import expect, result

WARPWRIGHT, NVCC = os.path.abspath(sys.argv[1]), sys.argv[2]
LIBRARIES = os.path.join(os.path.dirname(os.path.dirname(WARPWRIGHT)), "lib/warpwright")

KERNELS = r"""
__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
__global__ void shift(float *x) { x[threadIdx.x] += 1; }
__global__ void wait_for(volatile int *flag) { while (!*flag) {} }
"""
THREE = r"""
#include <nvtx3/nvToolsExt.h>
#include <thread>
""" + KERNELS + r"""
int main() {
    float *x; int *flag;
    cudaStream_t s;
    cudaGraph_t g; cudaGraphExec_t e;
    nvtxDomainHandle_t io = nvtxDomainCreateA("io");
    nvtxEventAttributes_t a = {};
    a.version = NVTX_VERSION; a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE; a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(io, "load");
    cudaMalloc(&x, 256); cudaMemset(x, 0, 256); cudaMallocHost(&flag, 4); cudaStreamCreate(&s);
    scale<<<1, 32>>>(x);                                   // outside
    for (int i = 0; i < 2; i++) {
        char name[16]; snprintf(name, sizeof name, "step %d", i);
        if (nvtxRangePushA(name) != 0 || nvtxRangePushA("forward") != 1) return 2;
        scale<<<1, 32>>>(x);
        if (nvtxRangePop() != 1) return 3;
        nvtxDomainRangePushEx(io, &a); shift<<<1, 32>>>(x); nvtxDomainRangePop(io);
        nvtxRangePop();
    }
    nvtxRangeId_t epoch = nvtxRangeStartA("epoch"), other = nvtxRangeStartW(L"a/\u00fc");
    std::thread([&] { shift<<<1, 32>>>(x); nvtxRangeEnd(epoch); }).join();
    shift<<<1, 32>>>(x);
    nvtxRangeEnd(other);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    nvtxRangePushA("captured"); scale<<<1, 32, 0, s>>>(x); nvtxRangePop();
    cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&e, g, 0);
    nvtxRangePushA("replayed"); cudaGraphLaunch(e, s); nvtxRangePop();
    cudaStreamSynchronize(s);
    *flag = 0;
    wait_for<<<1, 1, 0, s>>>(flag);                        // what comes behind it waits, in the range of its call
    nvtxRangePushA("queued"); shift<<<1, 32, 0, s>>>(x); nvtxRangePop();
    *(volatile int *)flag = 1;
    return cudaDeviceSynchronize() != cudaSuccess || nvtxRangePop() >= 0;
}
"""
RANGES = [["scale"], ["scale", "step 0/forward/"], ["shift", "io@load/", "step 0/"], ["scale", "step 1/forward/"], ["shift", "io@load/", "step 1/"],
          ["shift", "a\\/\u00fc", "epoch"], ["shift", "a\\/\u00fc"], ["scale", "replayed/"], ["wait_for"], ["shift", "queued/"]]
TWO = r"""
extern "C" {
int  nvtxRangePushA(const char *);
int  nvtxRangePop(void);
void nvtxMarkA(const char *);
void nvtxNameOsThreadA(unsigned, const char *);
}
""" + KERNELS + r"""
int main() {
    float *x;
    cudaMalloc(&x, 256); cudaMemset(x, 0, 256);
    nvtxMarkA("begin"); nvtxNameOsThreadA(1, "main");
    nvtxRangePushA("old"); scale<<<1, 32>>>(x); nvtxRangePop();
    return cudaDeviceSynchronize();
}
"""


def build(folder, name, text, *flags):
    path = os.path.join(folder, name)
    with open(path + ".cu", "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run([NVCC, "-gencode", "arch=compute_90,code=compute_90", "-o", path, path + ".cu", *flags], check=True, capture_output=True)
    return path


def run(program, *options):
    document = program + ".json"
    done = subprocess.run([WARPWRIGHT, "run", "--json", document, "--force", *options, "--", program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=False)
    try:
        with open(document, encoding="utf-8") as f:
            kernels = json.load(f)["kernels"]
        os.unlink(document)
    except FileNotFoundError:
        kernels = []
    return done, [[re.sub(r"\(.*", "", k["name"]), *k["ranges"]] for k in sorted(kernels, key=lambda k: k["launch"])]


def left(program, want, *options):
    done, got = run(program, *options)
    expect(f"{' '.join(options)} leaves launches {want}", done.returncode == 0 and got == [RANGES[i] for i in want], f"{got}\n{done.stderr}")


def three(folder):
    program = build(folder, "three", THREE, "-ldl")
    done, got = run(program, "--nvtx")
    expect("each launch carries its ranges", done.returncode == 0 and got == RANGES, f"{got}\n{done.stderr}")
    table = done.stderr[done.stderr.find("NVTX range"):]
    rows = dict(re.findall(r"^(\S.*?)  +(\d+) ", table, re.MULTILINE))
    expect("a range's row has the launches inside it", rows.get("step 0/") == "2" and rows.get("step 0/forward/") == "1" and rows.get("io@load/") == "2", table)
    left(program, [1, 2], "--nvtx-include", "step 0/")
    left(program, [1, 3], "--nvtx-include", "regex:^step/forward]")
    left(program, [1], "--nvtx-include", "[step 0/forward")
    left(program, [2, 4], "--nvtx-include", "io@load/")
    left(program, [5], "--nvtx-include", "epoch")
    left(program, [5], "--nvtx-include", "epoch,a\\/\u00fc")
    left(program, [0, 5, 6, 7, 8, 9], "--nvtx-exclude", "regex:step/")
    left(program, [4, 5], "--nvtx-include", "step 1/", "--nvtx-include", "epoch", "--nvtx-exclude", "forward/")
    done, _ = run(program, "--check", "--nvtx-include", "step 0", "--fail-on", "error")
    expect("a pushed range by its name alone: what there is, is told", done.returncode == 122 and "scale in step 0/forward/" in done.stderr, done.stderr)
    done, _ = run(program, "--nvtx-include", "a//b")
    expect("what is no expression is refused", done.returncode == 122 and "a range's name is missing" in done.stderr, done.stderr)


def two(folder):
    program = build(folder, "two", TWO, "-L" + LIBRARIES, "-l:libnvToolsExt.so.1", "-Xlinker", "--allow-shlib-undefined")
    done, got = run(program)
    expect("the library of before is there", done.returncode == 0 and got == [["scale", "old/"]], f"{got}\n{done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        header = subprocess.run([NVCC, "-E", "-x", "cu", "-"], input="#include <nvtx3/nvToolsExt.h>\n", capture_output=True, text=True, check=False)
        if header.returncode == 0:
            three(folder)
        two(folder)
    return result()


sys.exit(main())

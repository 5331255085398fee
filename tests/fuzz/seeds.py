#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds that are not text: fat binaries (plain, LZ4, zstd), objects and libraries that hold them, machine code's notes,
sequences of calls.

    seeds.py FOLDER        FOLDER/binary/..., FOLDER/api/...: tests/fuzz/seeds has what it wrote

Compression is done by hand, as one stretch of literals: what a decompressor reads, and small."""
import struct
import sys

PTX = b".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\nret;\n}\n\0"
LZ4, ZSTD, SPECIFIC = 0x2000, 0x8000, 0x100000


def lz4(data):
    """A token with the length of the literals, in 15 and then bytes of 255; no match."""
    n = len(data)
    return bytes([min(n, 15) << 4]) + (b"\xff" * ((n - 15) // 255) + bytes([(n - 15) % 255]) if n >= 15 else b"") + data


def zstd(data):
    """Magic, a frame of one segment with two bytes of size, one last raw block."""
    size = struct.pack("<H", len(data) - 256) if len(data) >= 256 else struct.pack("<B", len(data))
    return struct.pack("<IB", 0xFD2FB528, 0x60 if len(data) >= 256 else 0x20) + size + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def entry(kind, arch, plain, flags=0):
    packed = lz4(plain) if flags & LZ4 else zstd(plain) if flags & ZSTD else plain
    head = struct.pack("<HHIQIII", kind, 0x101, 64, len(packed), len(packed) if flags & (LZ4 | ZSTD) else 0, 0, 0)
    head += struct.pack("<IIIQQQ", arch, 0, 0, flags, 0, len(plain) if flags & (LZ4 | ZSTD) else 0)
    return head.ljust(64, b"\0")[:64] + packed


def fat(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def elf(sections, machine=62):
    """An ELF64 file of these sections: (name, type, link, entry size, bytes)."""
    names, at, table, data = b"\0", 64, [], b""
    sections = [("", 0, 0, 0, b""), *sections, (".shstrtab", 3, 0, 0, b"")]
    for name, *_ in sections[1:]:
        names += name.encode() + b"\0"
    for i, (name, type_, link, size, content) in enumerate(sections):
        content = names if name == ".shstrtab" else content
        offset = names.index(name.encode() + b"\0") if i else 0
        table.append(struct.pack("<IIQQQQIIQQ", offset, type_, 0, 0, at + len(data), len(content), link, 0, 8, size))
        data += content.ljust((len(content) + 7) & ~7, b"\0")
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 1, machine, 1, 0, 0, at + len(data), 0, 64, 0, 0, 64,
                                                                 len(sections), len(sections) - 1)
    return head + data + b"".join(table)


def archive(member):
    head = b"a.o/".ljust(16) + b"0".ljust(12) + b"0".ljust(6) * 2 + b"644".ljust(8) + str(len(member)).encode().ljust(10) + b"`\n"
    return b"!<arch>\n" + head + member + b"\n" * (len(member) % 2)


def machine_code():
    """The notes that src/sass/cubin.c reads: registers in a code section's info, stack in .nv.info."""
    strings = b"\0k\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, 16)
    notes = struct.pack("<BBHII", 4, 0x2F, 8, 1, 24) + struct.pack("<BBHII", 4, 0x11, 8, 1, 64) + struct.pack("<BBHII", 4, 0x12, 8, 1, 64)
    return elf([(".text.k", 1, 0, 0, bytes(16)), (".strtab", 3, 0, 0, strings), (".symtab", 2, 2, 24, symbols),
                (".nv.info", 0x70000000, 3, 0, notes)], machine=190)


def code(name):
    """Two bytes that choose the function (fuzz_api.c)."""
    h = 2166136261
    for c in name.encode():
        h = (h ^ c) * 16777619 & 0xFFFFFFFF
    return struct.pack("<H", (h ^ h >> 16) & 0xFFFF)


def calls(*sequence):
    return b"".join(code(name) + bytes(args) for name, *args in sequence)


NEW = 64  # 64 to 71: what earlier calls made
API = {
    "capture": calls(("rt_cudaStreamCreate", 0), ("rt_cudaStreamBeginCapture", NEW, 0), ("rt_cudaMemsetAsync", 100, 33, 37, NEW),
                     ("rt_cudaStreamEndCapture", NEW, 0), ("rt_cudaGraphInstantiate", 0, NEW, 0), ("rt_cudaGraphLaunch", NEW, 0),
                     ("rt_cudaGraphExecDestroy", NEW), ("rt_cudaGraphDestroy", NEW), ("rt_cudaStreamDestroy", NEW), ("rt_cudaDeviceSynchronize",)),
    "events": calls(("rt_cudaEventCreate", 0), ("rt_cudaEventRecord", NEW, 0), ("rt_cudaStreamWaitEvent", 0, NEW, 0), ("rt_cudaEventDestroy", NEW),
                    ("rt_cudaEventQuery", NEW), ("rt_cudaEventSynchronize", NEW)),
    "memory": calls(("rt_cudaMalloc", 0, 45), ("rt_cudaMemcpy", 210, 170, 45, 35), ("rt_cudaFree", 210), ("rt_cudaFree", 210),
                    ("rt_cudaMemcpy", 210, 170, 45, 35), ("rt_cudaGetLastError",), ("rt_cudaDeviceReset",), ("rt_cudaMalloc", 0, 45)),
    "graph": calls(("rt_cudaGraphCreate", 0, 0), ("rt_cudaGraphAddEmptyNode", 0, NEW, 1, 0), ("rt_cudaGraphClone", 0, NEW),
                   ("rt_cudaGraphAddChildGraphNode", 0, NEW, 1, 0, NEW + 1), ("rt_cudaGraphDestroyNode", NEW), ("rt_cudaGraphGetNodes", NEW, 0, 0),
                   ("rt_cudaGraphDestroy", NEW), ("rt_cudaGraphDestroy", NEW)),
    "contexts": calls(("drv_cuCtxCreate_v2", 0, 0, 0), ("drv_cuModuleLoadData", 0, 0), ("drv_cuStreamCreate", 0, 0), ("drv_cuCtxDestroy_v2", NEW),
                      ("drv_cuStreamSynchronize", NEW), ("drv_cuModuleUnload", NEW), ("drv_cuCtxGetCurrent", 0), ("drv_cuCtxSynchronize",)),
    "pools": calls(("rt_cudaMemPoolCreate", 0, 0), ("rt_cudaMallocFromPoolAsync", 0, 45, NEW, 0), ("rt_cudaFreeAsync", 210, 0),
                   ("rt_cudaMemPoolDestroy", NEW), ("rt_cudaMemPoolTrimTo", NEW, 0), ("rt_cudaStreamSynchronize", 0)),
}


def main():
    object_ = elf([("__nv_relfatbin", 1, 0, 0, fat(entry(1, 75, PTX, ZSTD)) + fat(entry(1, 52, PTX)))])
    seeds = {"f_plain": b"f" + fat(entry(1, 75, PTX), entry(2, 90, machine_code())), "f_lz4": b"f" + fat(entry(1, 75, PTX, LZ4)),
             "f_zstd": b"f" + fat(entry(1, 90, PTX, ZSTD | SPECIFIC), entry(1, 52, PTX, ZSTD)), "e_object": b"e" + object_,
             "e_library": b"e" + archive(object_), "c_notes": b"c" + machine_code(), "z_text": b"z\1" + PTX, "l_text": b"l\1" + PTX,
             "t_code": b"t\2" + machine_code(), "l_code": b"l\2" + machine_code()}
    for folder, all_of_it in (("binary", seeds), ("api", API)):
        for name, data in all_of_it.items():
            with open(f"{sys.argv[1]}/{folder}/{name}", "wb") as f:
                f.write(data)


if __name__ == "__main__":
    main()

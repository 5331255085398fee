#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""async_counters.py WARPWRIGHT PROGRAM READINGS: runs tools/patterns/async.cu on the emulator and compares the counters of its asynchronous
operations, launch by launch, with what an H200 counted."""
import json
import os
import subprocess
import sys
import tempfile

OURS = {
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma": "gmma_wavefronts",
    "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld": "tma_ld_sectors",
    "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st": "tma_st_sectors",
    "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red": "tma_red_sectors",
    "l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_ld": "dshared_ld_sectors",
    "l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_st": "dshared_st_sectors",
    "l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_atom": "dshared_atom_sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld": "global_ld_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld": "global_ld_sectors",
}


def readings(path):
    with open(path, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def main():
    warpwright, program, path = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        done = subprocess.run([warpwright, "run", "--quiet", "--json", report, "--", program], env=dict(os.environ, ONCE="1"), check=False,
                              capture_output=True, text=True)
        with open(report, encoding="utf-8") as f:
            kernels = json.load(f)["kernels"]
    want, bad = readings(path), 0
    if done.returncode or len(kernels) != len(want):
        print(f"{len(kernels)} launches, {len(want)} readings, exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return 1
    for kernel, row in zip(kernels, want):
        for theirs, ours in OURS.items():
            if kernel["counters"].get(ours, 0) != int(row[theirs]):
                print(f"{row['name']}: {ours} is {kernel['counters'].get(ours, 0)}, the card counted {row[theirs]}")
                bad += 1
    print(f"{len(want)} launches, {bad} counters differ")
    return bad != 0


sys.exit(main())

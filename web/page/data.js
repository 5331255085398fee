// SPDX-License-Identifier: Apache-2.0
// The documents the page shows, added up by kernel and by line.  Nothing here touches the page.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const REPORT = DATA.report ?? { kernels: [], findings: [] };

// What is wasted stands before what is moved: the first of which a file has some colours its lines.
const METRICS = {
  "sectors beyond ideal": (c) => of(c, "derived__memory_l2_theoretical_sectors_global_excessive"),
  "bank conflicts": (c) => of(c, "shared_ld_bank_conflicts") + of(c, "shared_st_bank_conflicts") + of(c, "shared_copy_bank_conflicts") + of(c, "shared_atom_bank_conflicts"),
  "global sectors": (c) => of(c, "global_ld_sectors") + of(c, "global_st_sectors") + of(c, "global_atom_sectors"),
  "shared passes": (c) => of(c, "memory_l1_wavefronts_shared"),
  "local sectors": (c) => of(c, "local_ld_sectors") + of(c, "local_st_sectors"),
  "warp instructions": (c) => of(c, "inst_executed"),
};

function of(counters, name) {
  return counters?.[name] ?? 0;
}

function addInto(to, from) {
  for (const [name, value] of Object.entries(from)) if (typeof value === "number" && name !== "line") to[name] = (to[name] ?? 0) + value;
}

// One row for each kernel name: sums over its launches.
function kernelRows(report) {
  const rows = new Map();
  for (const k of report?.kernels ?? []) {
    if (!rows.has(k.name)) rows.set(k.name, { name: k.name, launches: 0, bad: 0, seconds: 0, counters: {}, resources: null });
    const row = rows.get(k.name);
    row.launches += k.launches ?? 1;
    row.bad += k.status === "ok" ? 0 : (k.launches ?? 1);
    row.seconds += k.seconds ?? 0;
    row.resources ??= k.resources ?? null;
    addInto(row.counters, k.counters ?? {});
  }
  return [...rows.values()];
}

// file -> line -> counters, of all launches.
function lineTable(report) {
  const files = new Map();
  for (const k of report?.kernels ?? [])
    for (const l of k.lines ?? []) {
      if (!files.has(l.file)) files.set(l.file, new Map());
      const lines = files.get(l.file);
      if (!lines.has(l.line)) lines.set(l.line, {});
      addInto(lines.get(l.line), l);
    }
  return files;
}

// Accesses kept as patterns, dearest first, each once.
function accessesAt(file, line) {
  const found = new Map();
  for (const k of REPORT.kernels ?? [])
    for (const a of k.accesses ?? [])
      if (a.file === file && a.line === line) {
        const key = JSON.stringify([a.space, a.op, a.bytes, a.mask, a.offsets]);
        if (found.has(key)) found.get(key).count += a.count;
        else found.set(key, { ...a, kernel: k.name });
      }
  const cost = (a) => (a.conflicts + Math.max(0, a.sectors - a.ideal)) * a.count;
  return [...found.values()].sort((a, b) => cost(b) - cost(a) || b.count - a.count);
}

// "void ns::scan<float, 4>(float*)" -> "scan<float, 4>", and long arguments of templates left out: what fits a table.
function baseName(name) {
  const plain = name.replace(/^(void|auto) /, "");
  const cut = (s) => { let depth = 0, from = 0; for (let i = 0; i < s.length; i++) { if (s[i] === "<") depth++; else if (s[i] === ">") depth--; else if (s[i] === "(" && !depth) return s.slice(from, i); else if (s[i] === ":" && s[i + 1] === ":" && !depth) from = i + 2; } return s.slice(from); };
  const own = cut(plain);
  const at = own.indexOf("<");
  return at > 0 && own.length > 40 ? `${own.slice(0, at)}<…>` : own;
}

function filesOf(report) {
  const names = new Set(lineTable(report).keys());
  for (const f of report?.findings ?? []) if (f.file) names.add(f.file);
  return [...names].sort();
}


function mendText(m) {
  const cost = m.shared_bytes ? `, ${m.shared_bytes > 0 ? "+" : ""}${number(m.shared_bytes)} bytes of shared memory` : "";
  const gain = m.predicted_gain ? `; predicted ${m.predicted_gain.toPrecision(3)} times as fast` : "";
  return `tried: ${m.text}: ${number(m.before)} → ${number(m.after)} ${m.unit ?? ""}${cost}${gain}`;
}

// SPDX-License-Identifier: Apache-2.0
// The sections of the page.  Each is a function that returns its elements.
"use strict";

const charts = typeof warpwrightCharts === "undefined" ? null : warpwrightCharts;

function chart(title, draw) {
  if (!charts) return [];
  const host = el("div", { class: "chart", role: "img", "aria-label": title });
  requestAnimationFrame(() => host.isConnected && draw(host));
  return [el("h3", {}, title), host];
}

// Charts side by side where the screen has the room.
const beside = (...drawn) => el("div", { class: "charts" }, drawn.filter((d) => d.length).map((d) => el("section", {}, d)));

function overview() {
  const findings = REPORT.findings ?? [];
  const rows = kernelRows(REPORT);
  const all = {};
  rows.forEach((r) => addInto(all, r.counters));
  const count = (s) => findings.filter((f) => f.severity === s).length;
  const moved = METRICS["global sectors"](all);
  const names = rows.map((r) => baseName(r.name));
  const launches = rows.reduce((n, r) => n + r.launches, 0);
  const bars = (title, ...series) => (rows.length ? chart(title, (h) => charts.bars(h, names, series.map(([label, value]) => ({ label, values: rows.map((r) => value(r.counters)) })))) : []);
  return [
    cards([
      ...SEVERITIES.map((s) => [number(count(s)), count(s) === 1 ? s : `${s}s`, count(s) && s !== "note" ? s : null]),
      [number(launches), launches === 1 ? "launch" : "launches", null],
      [moved ? `${((of(all, "memory_l2_theoretical_sectors_global_ideal") / moved) * 100).toFixed(0)}\u202f%` : "–", "of the sectors moved were needed", null],
      [number(METRICS["bank conflicts"](all)), "bank conflicts", null],
    ]),
    ...(REPORT.kernels ?? []).filter((k) => k.status !== "ok").slice(0, 5).map((k) => el("p", { class: "error" }, `${k.name}: ${k.status}: ${k.message ?? ""}`)),
    beside(
      bars("32-byte sectors by kernel", ["moved", METRICS["global sectors"]], ["ideal", (c) => of(c, "memory_l2_theoretical_sectors_global_ideal")]),
      bars("passes over the banks by kernel", ["passes", METRICS["shared passes"]], ["conflicts among them", METRICS["bank conflicts"]])),
    ...worstFindings(findings),
  ];
}

const SEVERITIES = ["error", "warning", "note"];

// The severest first, and those of one line together.
const rank = (f) => SEVERITIES.indexOf(f.severity);

function sorted(findings) {
  const place = (f) => `${f.file ?? ""}:${String(f.line ?? 0).padStart(8, "0")}`;
  const worst = new Map();
  for (const f of findings) worst.set(place(f), Math.min(worst.get(place(f)) ?? 9, rank(f)));
  return [...findings].sort((a, b) => worst.get(place(a)) - worst.get(place(b)) || place(a).localeCompare(place(b)) || rank(a) - rank(b));
}

// Findings under the line that they are of.
function byLine(findings) {
  let last = null;
  return sorted(findings).flatMap((f) => {
    const place = f.file ? `${f.file}:${f.line}` : "place unknown";
    const head = place === last ? [] : [el("h3", { class: "place" }, place)];
    last = place;
    return [...head, findingBox(f)];
  });
}

// What is opened inside of a finding does not open its line; other keys than Enter go on to the page.
const stay = (e) => e.stopPropagation();
const stayOnEnter = (e) => e.key === "Enter" && e.stopPropagation();

// The rule's name, and behind it what it means.
function ruleName(id) {
  const r = DATA.rules?.[id];
  return r ? el("details", { class: "rule", onclick: stay, onkeydown: stayOnEnter }, el("summary", { title: r.brief }, `[${id}]`), el("p", {}, r.text)) : `[${id}]`;
}

// The five worst, and the way to the others.
function worstFindings(findings) {
  const others = findings.length - 5;
  return [
    ...sorted(findings).sort((a, b) => rank(a) - rank(b)).slice(0, 5).map(findingBox),
    ...(others > 0 ? [el("p", {}, el("button", { type: "button", class: "more", onclick: () => show("findings") }, `${number(others)} more`))] : []),
  ];
}

const RULE_METRIC = { "bank-conflicts": "bank conflicts", uncoalesced: "sectors beyond ideal", "unaligned-warp": "sectors beyond ideal", "local-memory": "local sectors", "narrow-access": "global sectors", "repeated-load": "global sectors" };

const severalPrograms = () => new Set((REPORT.findings ?? []).map((f) => JSON.stringify([f.program, f.arguments]))).size > 1;

function findingBox(f) {
  const open = () => showSource(f.file, f.line, RULE_METRIC[f.rule]);
  const place = f.file ? `${f.file}:${f.line}:${f.col}` : "place unknown";
  const m = f.mend;
  return el("div", { class: `finding ${f.severity}`, tabindex: 0, "data-row": "", onclick: open, onkeydown: (e) => e.key === "Enter" && open() },
    el("span", { class: "place" }, place), " ", el("b", { class: f.severity }, f.severity), " ", ruleName(f.rule), f.kernel ? el("span", { title: f.kernel }, ` ${baseName(f.kernel)}`) : null, `${f.count > 1 && f.category !== "perf" && f.rule !== "leak" ? `, ${number(f.count)} times` : ""}`,
    el("p", {}, f.message ?? ""),
    ...(f.inlined ?? []).map((p) => el("p", { class: "place" }, `inlined at ${p.file}:${p.line}:${p.col}`)),
    ...(f.host ?? []).filter((h) => h.file).map((h) => el("p", { class: "place" }, `called in ${h.function ?? "a function"}, ${h.file}:${h.line}`)),
    severalPrograms() && f.program ? el("p", { class: "place" }, `in ${[f.program, ...(f.arguments ?? [])].join(" ")}${f.processes > 1 ? `, the first of ${number(f.processes)} processes` : ""}`) : null,
    f.other ? el("p", {}, `${f.other.file ?? ""}${f.other.line ? `:${f.other.line}` : ""} ${f.other.message ?? ""}`) : null,
    m ? el("p", { class: "mend" }, mendText(m)) : null,
    pictureOf("the access", () => badPicture(f.picture), f.picture), pictureOf("before and after", () => mendPictures(m), m?.from && m.to));
}

// Drawn when it is opened: a page may have hundreds.
function pictureOf(title, draw, there) {
  if (!there) return null;
  const host = el("div", {});
  return el("details", { class: "shown", onclick: stay, onkeydown: stayOnEnter, ontoggle: () => host.childElementCount || host.append(...draw()) }, el("summary", {}, title), host);
}

let severity = "all";
let rule = "all";

function findings() {
  const list = REPORT.findings ?? [];
  const fit = list.filter((f) => (severity === "all" || f.severity === severity) && (rule === "all" || f.rule === rule));
  return [
    el("div", { class: "bar" },
      choice("severity", ["all", ...SEVERITIES], severity, (v) => ((severity = v), show("findings"))),
      choice("rule", ["all", ...new Set(list.map((f) => f.rule))], rule, (v) => ((rule = v), show("findings")))),
    ...(fit.length ? byLine(fit) : [el("p", {}, "No findings.")]),
  ];
}

function kernels() {
  const columns = [
    ["kernel", (r) => ({ text: baseName(r.name), sort: r.name, title: r.name })], ["launches", (r) => r.launches, "number"], ["warp instructions", (r) => of(r.counters, "inst_executed"), "number"],
    ["sectors", (r) => METRICS["global sectors"](r.counters), "number"], ["beyond ideal", (r) => METRICS["sectors beyond ideal"](r.counters), "number"],
    ["passes", (r) => METRICS["shared passes"](r.counters), "number"], ["conflicts", (r) => METRICS["bank conflicts"](r.counters), "number"],
    ["registers", (r) => r.resources?.registers ?? null, "number"], ["occupancy", (r) => (r.resources ? `${r.resources.occupancy} %${r.resources.limiter ? `, ${r.resources.limiter}` : ""}` : "unknown")],
  ];
  const first = (name) => (REPORT.kernels ?? []).find((k) => k.name === name)?.lines?.[0];
  return [table(columns, kernelRows(REPORT), (r) => { const l = first(r.name); if (l) showSource(l.file, l.line); })];
}

// What the launches inside each NVTX range did, those of the ranges in it included.
function ranges() {
  const c = (r) => r.counters;
  return [
    el("p", {}, "NVTX ranges of the program. A row has all launches inside its range, those of the ranges in it included."),
    table([
      ["range", (r) => r.name], ["launches", (r) => r.launches, "number"], ["warp instructions", (r) => of(c(r), "inst_executed"), "number"], ["sectors", (r) => METRICS["global sectors"](c(r)), "number"],
      ["beyond ideal", (r) => METRICS["sectors beyond ideal"](c(r)), "number"], ["passes", (r) => METRICS["shared passes"](c(r)), "number"], ["conflicts", (r) => METRICS["bank conflicts"](c(r)), "number"],
    ], DATA.ranges),
  ];
}

const LAB_SERIES = [
  ["bytes", [["moved", (r) => r.moved_bytes], ["asked for", (r) => r.useful_bytes]]],
  ["bank conflicts", [["bank conflicts", (r) => (r.shared_ld_bank_conflicts ?? 0) + (r.shared_st_bank_conflicts ?? 0) + (r.shared_copy_bank_conflicts ?? 0)]]],
  ["milliseconds", [["ms", (r) => r.time_ms ?? r.median_ms]]],
  ["rate", [["rate", (r) => r.rate]]],
];

function rowName(r) {
  const name = r.kernel ?? r.impl;
  return r.sizes?.tile && !name.includes(`tile${r.sizes.tile}`) ? `${name} ${r.sizes.tile}` : name;
}

// Kernels called name_1, name_2, ...: one line for each name over the numbers.
function familyChart(title, rows, value) {
  const families = new Map();
  for (const r of rows) {
    const found = /^(.*)_(\d+)$/.exec(rowName(r));
    if (!found) continue;
    if (!families.has(found[1])) families.set(found[1], new Map());
    families.get(found[1]).set(Number(found[2]), value(r));
  }
  const kept = [...families].filter(([, points]) => points.size > 4);
  const x = [...new Set(kept.flatMap(([, points]) => [...points.keys()]))].sort((a, b) => a - b);
  if (!kept.length) return [];
  return chart(title, (h) => charts.lines(h, "offset or stride, in elements", x, kept.map(([label, points]) => ({ label, values: x.map((i) => points.get(i) ?? null) }))));
}

function labCharts(group, rows) {
  return LAB_SERIES.flatMap(([title, series]) => {
    const there = series.filter(([, value]) => rows.some(value));
    if (!there.length) return [];
    if (rows.length > 20) return there.map(([label, value]) => familyChart(`${group}: ${label}`, rows, value));
    return [chart(`${group}: ${title}`, (h) => charts.bars(h, rows.map(rowName), there.map(([label, value]) => ({ label, values: rows.map((r) => value(r) ?? 0) }))))];
  });
}

const MOST_FIGURES = 16;

// The dearest accesses of the kernels as small pictures, each with what the kernel does and the article's figure; of many kernels those that differ.
function gallery(rows) {
  const seen = new Set();
  const own = rows.filter((r) => {
    const key = JSON.stringify([rows.length > 20 ? "" : rowName(r), (r.pictures ?? []).map((a) => [a.space, a.bytes, a.mask, a.offsets])]);
    return r.pictures?.length && !seen.has(key) && seen.add(key);
  });
  if (!own.length) return [];
  const cost = (a) => (a.space === "shared" ? `${a.wavefronts} pass${a.wavefronts === 1 ? "" : "es"} over the banks` : a.sectors ? `${a.sectors} sector${a.sectors === 1 ? "" : "s"}, ${a.ideal_sectors} would do` : `${a.transactions} transactions`);
  const shown = own.slice(0, MOST_FIGURES).map((r) =>
    figure(r.pictures.map((a) => [{ ...a, ideal: a.ideal_sectors }, `${what(a)}: ${cost(a)}`]), rowName(r),
      [r.what, r.article ? `the article's: ${r.article[0]} ${r.article[1]}` : null, r.article_figure?.predicted ? `predicted here: ${r.article_figure.predicted.toPrecision(3)} ${r.article_figure.unit}` : null]));
  return [el("h3", {}, "the dearest access of each to shared and to global memory"), el("p", {}, "Shared memory: lanes down, banks across, a colour for each pass. Global memory: 128-byte lines down, their words across; blue was asked for, orange was moved with it."), el("div", { class: "gallery" }, shown), ...(own.length > MOST_FIGURES ? [el("p", {}, `The first ${MOST_FIGURES} of ${own.length} that differ.`)] : [])];
}

function labSection() {
  const rows = DATA.lab?.rows ?? [];
  const group = (r) => r.experiment ?? r.work;
  const sectors = (r) => (r.global_ld_sectors ?? 0) + (r.global_st_sectors ?? 0);
  const columnsOf = (own) => [
    ["kernel", (r) => ({ text: rowName(r), sort: rowName(r), title: r.file })], ...(own.some((r) => r.what) ? [["what it does", (r) => r.what ?? ""]] : []), ["verified", (r) => (r.verified ? "yes" : { text: "NO", class: "error" })], ["sectors", sectors, "number"], ["conflicts", LAB_SERIES[1][1][0][1], "number"],
    ["asked", (r) => r.useful_bytes ?? null, "number"], ["moved", (r) => r.moved_bytes ?? null, "number"], ["ms", (r) => r.time_ms ?? r.median_ms ?? null, "number"],
    ...(own.some((r) => r.article) ? [["the article's", (r) => (r.article ? `${r.article[0]} ${r.article[1]}` : "")]] : []),
  ];
  return [...new Set(rows.map(group))].flatMap((g) => {
    const own = rows.filter((r) => group(r) === g);
    return [el("h2", {}, g), DATA.lab.questions?.[g] ? el("p", {}, `${DATA.lab.questions[g]}.`) : null, beside(...labCharts(g, own)), ...gallery(own), table(columnsOf(own), own)].filter(Boolean);
  });
}

// How many warps a multiprocessor holds, and what would be with other sizes of blocks, registers and shared memory.
function occupancySection() {
  const o = DATA.occupancy;
  const now = o.occupancy;
  const share = (r) => Math.round((100 * r.warps) / r.most_warps);
  const known = o.registers > 0;
  return [
    cards([[`${now.blocks} × ${now.threads}`, "blocks × threads on a multiprocessor", null], [`${share(now)}\u202f%`, `${now.warps} of ${now.most_warps} warps`, null], [now.limiter ?? "nothing", "limits it", null],
      [known ? number(o.registers) : "not known", "registers a thread", null], [number(o.shared), "bytes of shared memory a block", null], [o.profile, "card", null]]),
    ...(known ? [] : [el("p", {}, "Registers are not known (--registers): it is an upper bound.")]),
    beside(chart("warps by threads of a block", (h) => charts.lines(h, "threads of a block", o.sizes.map((r) => r.threads), [{ label: "warps", values: o.sizes.map((r) => r.warps) }])),
      chart("warps by registers of a thread", (h) => charts.lines(h, "registers of a thread", o.by_registers.map((r) => r.registers), [{ label: "warps", values: o.by_registers.map((r) => r.warps) }])),
      chart("warps by bytes of shared memory of a block", (h) => charts.lines(h, "bytes of shared memory of a block", o.by_shared.map((r) => r.shared), [{ label: "warps", values: o.by_shared.map((r) => r.warps) }]))),
    table([["threads", (r) => r.threads, "number"], ["blocks", (r) => r.blocks, "number"], ["warps", (r) => r.warps, "number"], ["share", (r) => ({ text: `${share(r)}\u202f%`, sort: share(r) }), "number"], ["limited by", (r) => r.limiter ?? "nothing"]], o.sizes),
  ];
}

// What the comparison found, as `warpwright report` counted it.
function comparison() {
  const c = DATA.comparison;
  const kind = (r) => (r.change === "worse" ? "worse" : r.change === "better" ? "better" : null);
  return [
    el("p", {}, `Against ${DATA.before_name}: ${c.better} better, ${c.worse} worse.`),
    table([["what", (r) => r.what], ["before", (r) => r.before, "number"], ["after", (r) => r.after, "number"], ["", (r) => ({ text: r.change, sort: r.change, class: kind(r) })]], c.rows),
  ];
}

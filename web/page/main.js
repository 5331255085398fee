// SPDX-License-Identifier: Apache-2.0
// The source section, the sections' tabs and the keyboard.
"use strict";

let file = filesOf(REPORT)[0] ?? null;
let metric = null;
let chosen = null;

function showSource(name, line, heat) {
  if (!name) return;
  metric = heat ?? metric;
  file = name;
  chosen = line;
  show("source");
  document.querySelector(".source .chosen")?.scrollIntoView({ block: "center" });
}

function metricOf(lines) {
  const cost = (m) => [...lines.values()].reduce((sum, c) => sum + METRICS[m](c), 0);
  return metric ?? Object.keys(METRICS).find((m) => m !== "warp instructions" && cost(m)) ?? "warp instructions";
}

// The line of the file's first finding, else the one that costs most.
function worthALook(lines, cost) {
  const found = (REPORT.findings ?? []).find((f) => f.file === file && f.line);
  const dearest = [...lines.entries()].reduce((best, [line, c]) => (cost(c) > best.cost ? { line, cost: cost(c) } : best), { line: null, cost: 0 });
  return found?.line ?? dearest.line;
}

// The file's lines as elements of the page, made once; null: plain.
const colouredFiles = new Map();

function colours(name, text) {
  if (!colouredFiles.has(name)) {
    const lines = charts?.highlight?.(name, text) ?? null;
    colouredFiles.set(name, lines?.map((line) => (line.length ? line : [[null, " "]])) ?? null);
  }
  return colouredFiles.get(name)?.map((line) => line.map(([kind, part]) => (kind ? el("span", { class: `c-${kind}` }, part) : part))) ?? null;
}

function source() {
  const lines = lineTable(REPORT).get(file) ?? new Map();
  const m = metricOf(lines);
  chosen ??= worthALook(lines, METRICS[m]);
  const most = Math.max(1, ...[...lines.values()].map(METRICS[m]));
  const text = DATA.sources?.[file] ?? null;
  const coloured = text ? colours(file, text) : null;
  const last = text ? text.length : Math.max(0, ...lines.keys());
  const rows = [];
  for (let i = 1; i <= last; i++) {
    const c = lines.get(i);
    if (!text && !c) continue;
    rows.push(sourceRow(i, coloured?.[i - 1] ?? (text?.[i - 1] || " "), c, c ? METRICS[m](c) : 0, most));
    for (const f of (REPORT.findings ?? []).filter((x) => x.file === file && x.line === i))
      rows.push(el("div", { class: `said ${f.severity}` }, `${f.severity}: ${f.message} [${f.rule}]`, f.mend ? el("span", { class: "mend" }, `\n${mendText(f.mend)}`) : null));
  }
  return [
    el("div", { class: "bar" }, choice("file", filesOf(REPORT), file, (v) => ((file = v), (chosen = null), show("source"))), choice("heat", Object.keys(METRICS), m, (v) => ((metric = v), show("source")))),
    text ? null : el("p", {}, "The text of this file was not at hand when the report was written: only the lines that ran are listed."),
    el("div", { class: "source" }, rows),
    ...chosenLine(lines),
  ].filter(Boolean);
}

function sourceRow(i, text, counters, value, most) {
  const heat = value ? `background:rgba(var(--heat),${(0.08 + 0.5 * (value / most)).toFixed(3)})` : null;
  const pick = () => ((chosen = i), show("source"), document.querySelector(".source .chosen")?.focus());
  const hot = counters ? { tabindex: 0, "data-row": "", onclick: pick, onkeydown: (e) => e.key === "Enter" && pick() } : {};
  return el("div", { class: `row${counters ? " hot" : ""}${i === chosen ? " chosen" : ""}`, style: heat, ...hot }, el("span", {}, String(i)), el("span", {}, value ? number(value) : ""), el("span", {}, text));
}

function chosenLine(lines) {
  if (chosen === null) return [];
  const c = lines.get(chosen);
  const rows = Object.entries(METRICS).map(([name, f]) => ({ name, value: c ? f(c) : 0 })).filter((r) => r.value);
  const kept = accessesAt(file, chosen);
  const found = (REPORT.findings ?? []).filter((f) => f.file === file && f.line === chosen);
  return [
    el("h2", {}, `line ${chosen}`),
    rows.length ? el("div", { class: "few" }, table([["what", (r) => r.name], ["", (r) => r.value, "number"]], rows)) : null,
    ...found.flatMap((f) => badPicture(f.picture)),
    ...found.flatMap((f) => (f.mend?.from ? [el("h3", {}, `mend of ${f.rule}`), ...mendPictures(f.mend)] : [])),
    kept.length ? el("div", { class: "sides" }, kept.slice(0, 4).map((a) => el("section", {}, accessPicture(a)))) : null,
    kept.length || !rows.length ? null : el("p", {}, "No access of this line was kept: run with --check to see its picture."),
  ].filter(Boolean);
}

const SECTIONS = [
  ["overview", overview, () => DATA.report],
  ["findings", findings, () => DATA.report],
  ["kernels", kernels, () => DATA.report],
  ["time", timeSection, () => timed().length],
  ["ranges", ranges, () => DATA.ranges?.length],
  ["source", source, () => file],
  ["occupancy", occupancySection, () => DATA.occupancy],
  ["experiments", labSection, () => DATA.lab],
  ["comparison", comparison, () => DATA.comparison],
].filter(([, , there]) => there());

function show(name) {
  const section = SECTIONS.find(([n]) => n === name) ?? SECTIONS[0];
  for (const b of document.querySelectorAll("nav button")) b.setAttribute("aria-selected", String(b.dataset.name === section[0]));
  document.querySelector("main").replaceChildren(...section[1]());
  const where = `#${section[0]}${section[0] === "source" && file && chosen !== null ? `=${encodeURIComponent(file)}:${chosen}` : ""}`;
  document.title = `${section[0]} · ${DATA.title ?? REPORT.program ?? "warpwright"}`;
  if (location.hash !== where) history[location.hash ? "pushState" : "replaceState"](null, "", where);
}

// What stands behind the address's #: a section, or a line of a file.
function fromAddress() {
  const [name, place] = location.hash.slice(1).split("=");
  const found = /^(.*):(\d+)$/.exec(decodeURIComponent(place ?? ""));
  if (found) [file, chosen] = [found[1], Number(found[2])];
  show(name);
  if (found) document.querySelector(".source .chosen")?.scrollIntoView({ block: "center" });
}

function start() {
  document.querySelector("nav").append(...SECTIONS.map(([name], i) => el("button", { role: "tab", "data-name": name, "aria-selected": "false", title: `key ${i + 1}`, onclick: () => show(name) }, name)));
  const program = DATA.title ?? REPORT.program ?? "";
  document.getElementById("what").textContent = `${program}${Number.isInteger(REPORT.exit_code) ? ` · exit code ${REPORT.exit_code}` : ""}`;
  document.getElementById("note").textContent = charts ? "" : `This page was built without charts: ${noCharts}.`;
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || e.target.tagName === "SELECT") return;
    if (e.key >= "1" && e.key <= "9" && SECTIONS[e.key - 1]) show(SECTIONS[e.key - 1][0]);
    else if (e.key === "j" || e.key === "k") walk(e.key === "j" ? 1 : -1);
  });
  window.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", fromAddress);
  for (const event of ["popstate", "hashchange"]) window.addEventListener(event, fromAddress);
  fromAddress();
}

start();

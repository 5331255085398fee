// SPDX-License-Identifier: Apache-2.0
// The time section: what was predicted of each kernel (run --time), as bars of what its parts take alone, as rooflines of instructions and of floating
// point, and as the places of a multiprocessor.  All figures are the document's; each picture has its figures in words beside it.
"use strict";

const OPEN_KERNELS = 4; // the longest ones; the others are drawn when they are opened

const timed = () => (REPORT.kernels ?? []).filter((k) => k.predicted?.ns > 0);

const brief = (v) => (v !== 0 && (v < 1e-4 || v >= 1e7) ? v.toExponential(2) : String(Number(v.toPrecision(v >= 1000 ? 4 : 3))));
const us = (ns) => `${brief(ns / 1e3)}\u202fµs`;
const percent = (share) => `${Number((100 * share).toFixed(share < 0.01 ? 2 : 1))}\u202f%`;
const drawing = (width, height, text, ...inner) => svg("svg", { class: "drawn", role: "img", viewBox: `0 0 ${width} ${height}`, "aria-label": text }, ...inner);
const label = (x, y, text, more = {}) => svg("text", { x, y, ...more }, text);

function timeSection() {
  const list = timed().sort((a, b) => b.predicted.ns - a.predicted.ns);
  const others = (REPORT.kernels ?? []).filter((k) => !(k.predicted?.ns > 0));
  const named = [...new Set(list.map((k) => k.predicted.card?.name).filter(Boolean))];
  const p = (k) => k.predicted;
  return [
    el("p", {}, `Predicted${named.length ? ` on ${named.join(", ")}` : ""}, with empty caches; of a kernel that was launched more than once, for its first launch.`),
    table([["kernel", (k) => ({ text: baseName(k.name), sort: k.name, title: k.name })], ["launches", (k) => k.launches ?? 1, "number"], ["µs", (k) => ({ text: us(p(k).ns), sort: p(k).ns }), "number"], ["bound by", (k) => p(k).limiter],
      ["of the time", (k) => ({ text: percent(p(k).share), sort: p(k).share }), "number"], ["as fast without it", (k) => ({ text: `${brief(p(k).headroom)} times`, sort: p(k).headroom }), "number"],
      ["warps", (k) => (p(k).occupancy ? { text: `${p(k).occupancy.warps} of ${p(k).occupancy.most_warps}`, sort: p(k).occupancy.warps } : "unknown"), "number"]], list, (k) => openKernel(list.indexOf(k))),
    ...(others.length ? [el("p", {}, `Not predicted: ${[...new Set(others.map((k) => baseName(k.name)))].slice(0, 10).join(", ")}${others.length > 10 ? " and others" : ""}. They did not end well, ran in part, or need a figure that is not known of the card.`)] : []),
    ...list.map(kernelTime),
  ];
}

function openKernel(i) {
  const shown = document.getElementById(`time-${i}`);
  shown.open = true;
  shown.scrollIntoView({ block: "start" });
}

function kernelTime(k, i) {
  const host = el("div", { class: "timed" });
  const draw = () => host.childElementCount || host.append(...[speedOfLight, roofline, flopRoofline, places].map((part) => part(k.predicted)).map(([title, text, picture, beside]) => el("section", {}, el("h3", {}, title), picture, el("p", {}, text), beside)));
  return el("details", { class: "kernel", id: `time-${i}`, open: i < OPEN_KERNELS ? "" : null, ontoggle: (e) => e.target.open && draw() }, el("summary", { "data-row": "" }, `${baseName(k.name)}: ${us(k.predicted.ns)}, bound by ${k.predicted.limiter}`), host);
}

// A bar for each part: how much of the launch's time it would take alone.
function speedOfLight(p) {
  const parts = Object.entries(p.parts ?? {}).sort((a, b) => b[1] - a[1]);
  const [left, wide, row] = [160, 225, 24];
  const most = Math.max(p.ns, ...parts.map(([, ns]) => ns));
  const at = (ns) => left + (wide * ns) / most;
  const bars = parts.flatMap(([name, ns], i) => [
    label(left - 8, i * row + 16, name, { "text-anchor": "end" }), svg("rect", { class: "back", x: left, y: i * row + 4, width: at(p.ns) - left, height: row - 8 }),
    svg("rect", { class: name === p.limiter ? "limits" : "bar", x: left, y: i * row + 4, width: at(ns) - left, height: row - 8 }), label(Math.max(at(p.ns), at(ns)) + 6, i * row + 16, percent(ns / p.ns))]);
  const text = parts.length ? `Alone, ${parts[0][0]} would take ${percent(parts[0][1] / p.ns)} of the ${us(p.ns)}. Without it the launch would be ${brief(p.headroom)} times as fast. Parts work at once, so they do not add up; what is left is the launch itself.` : "No parts were told.";
  return ["what each part takes alone", text, drawing(450, Math.max(1, parts.length) * row, `bars: ${parts.map(([name, ns]) => `${name} ${percent(ns / p.ns)}`).join(", ")} of the time`, bars),
    el("details", { class: "shown" }, el("summary", {}, "figures"), el("div", { class: "few" }, table([["part", ([name]) => name], ["alone", ([, ns]) => ({ text: us(ns), sort: ns }), "number"], ["of the time", ([, ns]) => ({ text: percent(ns / p.ns), sort: ns }), "number"]], parts)))];
}

// Machine instructions against bytes: under which roof the launch stands, by device memory's bytes and by L2's.
function roofline(p) {
  const title = "roofline of instructions";
  const c = p.card;
  const bytes = { "device memory": memoryBytes(p), L2: 32 * (p.modelled?.["lts__t_sectors_srcunit_tex.sum"] ?? 0) };
  if (!(c?.instructions_per_ns > 0 && c.l2_bytes_per_ns > 0 && c.dram_bytes_per_ns > 0)) return [title, TOO_OLD, el("div", {}), null];
  const rate = p.instructions / p.ns;
  const roofs = [["device memory", c.dram_bytes_per_ns, 1], ["L2", c.l2_bytes_per_ns, 2]].map(([name, slope, n]) => ({ name, slope, n, ceiling: c.instructions_per_ns }));
  const points = roofs.filter(({ name }) => bytes[name] > 0 && p.instructions > 0).map((r) => ({ ...r, x: p.instructions / bytes[r.name], y: rate, roof: Math.min(r.ceiling, (r.slope * p.instructions) / bytes[r.name]) }));
  const told = points.map((q) => `${brief(q.x)} a byte of ${q.name}, with which ${brief(q.roof)} a ns would be the most (${percent(rate / q.roof)})`);
  const missing = roofs.filter(({ name }) => !bytes[name]).map(({ name }) => `It moves nothing through ${name}.`);
  const text = [`${brief(rate)} warp instructions a ns of ${brief(c.instructions_per_ns)}${told.length ? `: ${told.join("; ")}` : ""}.`, ...missing].join(" ");
  return [title, text, drawRoofs(roofs, points, ["warp instructions a byte", "warp instructions a ns"], `roofline: ${text}`),
    el("ul", { class: "key" }, ...roofs.map(({ name, slope, n }) => el("li", { class: `key${n}` }, `${name} (${SHAPES[n]}), ${brief(slope)} GB/s`)))];
}

const TOO_OLD = "What the card can do is not in this document: it was written by an older version.";
const SHAPES = { 1: "dot, solid line", 2: "square, dashed line", 3: "diamond, dotted line" };
const memoryBytes = (p) => (p.dram_read_bytes ?? 0) + (p.dram_write_bytes ?? 0);

// Floating-point operations against bytes of device memory, by precision.  A precision whose most is not known of the card has no line and no point.
function flopRoofline(p) {
  const title = "roofline of floating point";
  const c = p.card;
  if (!p.flops || !(c?.dram_bytes_per_ns > 0)) return [title, TOO_OLD, el("div", {}), null];
  const all = [["single", 1], ["double", 2], ["half", 3]].map(([name, n]) => ({ name, n, flops: p.flops[name] ?? 0, ceiling: c[`${name}_flops_per_ns`] ?? 0, slope: c.dram_bytes_per_ns })).filter((r) => r.flops > 0);
  const roofs = all.filter((r) => r.ceiling > 0);
  const points = memoryBytes(p) > 0 ? roofs.map((r) => ({ ...r, x: r.flops / memoryBytes(p), y: r.flops / p.ns })) : [];
  const told = all.map((r) => {
    const most = points.length ? Math.min(r.ceiling, (r.slope * r.flops) / memoryBytes(p)) : r.ceiling;
    const why = !r.ceiling ? "; the most that the card does is not known" : `, ${percent(r.flops / p.ns / most)} of the ${brief(most)} that ${points.length ? "so many bytes" : "the card"} would allow`;
    return `${brief(r.flops / p.ns)} GFLOP/s in ${r.name} precision${memoryBytes(p) > 0 ? `, ${brief(r.flops / memoryBytes(p))} operations a byte of device memory` : ""}${why}`;
  });
  const text = [all.length ? `${told.join("; ")}.` : "It makes no floating-point operations.", memoryBytes(p) > 0 ? null : "It moves nothing through device memory.", "A fused product and sum is two; what matrix units do is not in it."].filter(Boolean).join(" ");
  if (!roofs.length) return [title, text, el("div", {}), null];
  return [title, text, drawRoofs(roofs, points, ["operations a byte of device memory", "GFLOP/s"], `floating point: ${text}`),
    el("ul", { class: "key" }, ...roofs.map(({ name, ceiling, n }) => el("li", { class: `key${n}` }, `${name} precision (${SHAPES[n]}), at most ${brief(ceiling)} GFLOP/s`)))];
}

// Roofs: a slope (a ns and byte) up to a ceiling; points below them.
function drawRoofs(roofs, points, [across, up], text) {
  const [left, top, wide, high] = [62, 8, 366, 220];
  const low = (v) => Math.floor(Math.log10(v));
  const xs = [...points.map((q) => q.x), ...roofs.map((r) => r.ceiling / r.slope)];
  const ys = [...points.map((q) => q.y), ...roofs.map((r) => r.ceiling)];
  const [x0, x1, y0, y1] = [low(Math.min(...xs)) - 1, low(Math.max(...xs)) + 2, low(Math.min(...ys)), low(Math.max(...ys)) + 1];
  const x = (v) => left + (wide * (Math.log10(v) - x0)) / (x1 - x0);
  const y = (v) => top + (high * (y1 - Math.log10(v))) / (y1 - y0);
  const decades = (a, b) => Array.from({ length: b - a + 1 }, (_, i) => a + i);
  const shown = (e) => (e < -3 || e > 4 ? `1e${e}` : String(Number((10 ** e).toPrecision(1))));
  const every = Math.ceil((x1 - x0) / 8);
  const grid = [...decades(x0, x1).map((e) => [svg("path", { class: "grid", d: `M${x(10 ** e)} ${top}v${high}` }), (e - x0) % every ? null : label(x(10 ** e), top + high + 16, shown(e), { "text-anchor": "middle" })]),
    ...decades(y0, y1).map((e) => [svg("path", { class: "grid", d: `M${left} ${y(10 ** e)}h${wide}` }), label(left - 6, y(10 ** e) + 4, shown(e), { "text-anchor": "end" })])].flat();
  const lines = roofs.map(({ slope, ceiling, n }) => {
    const from = Math.max(10 ** x0, 10 ** y0 / slope);
    return svg("path", { class: `roof roof${n}`, d: `M${x(from)} ${y(from * slope)}L${x(ceiling / slope)} ${y(ceiling)}H${left + wide}` });
  });
  const shape = ({ n, x: v, y: w }) => (n === 1 ? ["circle", { cx: x(v), cy: y(w), r: 6 }] : n === 2 ? ["rect", { x: x(v) - 7, y: y(w) - 7, width: 14, height: 14 }] : ["path", { d: `M${x(v)} ${y(w) - 8}l8 8l-8 8l-8 -8z` }]);
  const marks = [...points].reverse().map((q) => svg(shape(q)[0], { class: `point point${q.n}`, ...shape(q)[1] }, svg("title", {}, `${q.name}: ${brief(q.x)} ${across}, ${brief(q.y)} ${up}`)));
  return drawing(450, high + 58, text, grid, lines, marks, label(left + wide / 2, top + high + 40, across, { "text-anchor": "middle" }),
    label(0, 0, up, { "text-anchor": "middle", transform: `translate(12 ${top + high / 2}) rotate(-90)` }));
}

// The places for warps of a multiprocessor: taken, free because the grid has no more blocks, and those that nothing fits in.
function places(p) {
  const title = "places for warps on a multiprocessor";
  const o = p.occupancy;
  if (!(o?.most_warps > 0)) return [title, "How many warps a multiprocessor holds is not in this document: it was written by an older version.", el("div", {}), null];
  const own = o.blocks ? o.warps / o.blocks : 0;
  const taken = Math.min(o.warps, Math.ceil(o.waves * o.blocks - 1e-9) * own);
  const [across, side] = [16, 26];
  const kind = (i) => (i < taken ? `taken${Math.floor(i / own) % 2}` : i < o.warps ? "idle" : "none");
  const cells = Array.from({ length: o.most_warps }, (_, i) => svg("rect", { class: kind(i), x: (i % across) * side + 1, y: Math.floor(i / across) * side + 1, width: side - 3, height: side - 3, rx: 3 }));
  const why = o.limiter ? `${o.limiter} ${o.limiter.endsWith("s") ? "let" : "lets"} no more in` : "it is full";
  const text = `${number(o.blocks)} block${o.blocks === 1 ? "" : "s"} of ${own} warp${own === 1 ? "" : "s"}: ${o.warps} of ${o.most_warps}, ${percent(o.warps / o.most_warps)}; ${why}${p.registers ? ` (${p.registers} registers a thread)` : ""}. The grid fills the card ${brief(o.waves)} times${taken < o.warps ? `: ${taken} places are taken` : ""}.`;
  return [title, text, drawing(across * side, Math.ceil(o.most_warps / across) * side, `places for warps: ${text}`, cells),
    el("ul", { class: "key" }, el("li", { class: "key1" }, "taken, block by block"), taken < o.warps ? el("li", { class: "key-idle" }, "free: the grid has no more blocks") : null, o.warps < o.most_warps ? el("li", { class: "key-none" }, "nothing fits") : null)];
}

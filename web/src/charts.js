// SPDX-License-Identifier: Apache-2.0
// Charts of the report page, drawn by uPlot: bars over names, and lines over numbers; and the colours of its sources (highlight.js).  The page
// works without this script (it then shows tables and plain texts only, and says so).
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(extra) {
  return { stroke: colour("--ink"), grid: { stroke: colour("--rule"), width: 1 }, ticks: { stroke: colour("--rule") }, ...extra };
}

// No wider than `most`: a few bars across a whole screen say less.
function size(host, height, most = Infinity) {
  return { width: Math.min(most, Math.max(240, host.clientWidth)), height };
}

function keepWidth(host, plot, height, most) {
  new ResizeObserver(() => plot.setSize(size(host, height, most))).observe(host);
}

function shown(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString("en").replaceAll(",", "\u202f");
}

// A number on an axis: short, so that none is cut.
function short(value) {
  const unit = [[1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([n]) => Math.abs(value) >= n);
  return value === null || value === undefined ? "" : unit ? `${Number((value / unit[0]).toPrecision(3))} ${unit[1]}` : String(Number(value.toPrecision(3)));
}

const ticks = (u, at) => at.map(short);

// Of a logarithmic axis only the powers of ten.
const decades = (u, at) => at.map((v) => (Number.isInteger(Math.log10(v)) ? v : null));

// One bar that hides the rest asks for a logarithmic scale.
function isUneven(values) {
  const some = values.filter((v) => v > 0).sort((a, b) => a - b);
  return some.length > 2 && some[some.length - 1] > 100 * some[Math.floor(some.length / 2)];
}

// names[i] has values[i] of every series; bars of one name stand side by side, each at an x of its own.
export function bars(host, names, series) {
  const height = 260;
  const count = series.length;
  const x = names.flatMap((_, i) => series.map((_, k) => i + (k - (count - 1) / 2) * (0.8 / count)));
  const own = (values, k) => x.map((_, at) => (at % count === k ? values[Math.floor(at / count)] : undefined));
  const many = names.length > 4 || names.some((n) => n.length > 16);
  const uneven = isUneven(series.flatMap((s) => s.values));
  const most = 200 + names.length * count * 90;
  host.classList.add("bars");
  const plot = new uPlot(
    {
      ...size(host, height, most),
      scales: { x: { time: false, range: [-0.6, names.length - 0.4] }, y: uneven ? { distr: 3, log: 10, range: (u, low, high) => [1, Math.max(10, high * 2)] } : { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
      legend: { live: false },
      axes: [
        axis({ splits: () => names.map((_, i) => i), values: (u, at) => at.map((i) => names[i] ?? ""), rotate: many ? -40 : 0, size: many ? Math.min(110, 24 + 5 * Math.max(...names.map((n) => n.length))) : 40 }),
        axis({ size: 70, values: ticks, ...(uneven ? { label: "logarithmic", labelSize: 20, size: 60, filter: decades, grid: { stroke: colour("--rule"), width: 1, filter: decades }, ticks: { stroke: colour("--rule"), filter: decades } } : {}) }),
      ],
      series: [
        {},
        ...series.map((s, k) => ({
          label: s.label,
          value: (u, v) => shown(v),
          fill: colour(`--series${k + 1}`),
          stroke: colour(`--series${k + 1}`),
          points: { show: false },
          paths: uPlot.paths.bars({ size: [0.8 / count, 60] }),
        })),
      ],
    },
    [x, ...series.map((s, k) => own(uneven ? s.values.map((v) => (v >= 1 ? v : null)) : s.values, k))],
    host,
  );
  keepWidth(host, plot, height, most);
  return plot;
}

// One line for each series over the same numbers x.
export function lines(host, label, x, series) {
  const height = 260;
  const plot = new uPlot(
    {
      ...size(host, height),
      scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
      axes: [axis({ label, labelSize: 20, values: ticks, space: 60 }), axis({ size: 70, values: ticks })],
      series: [{ label, value: (u, v) => shown(v) }, ...series.map((s, k) => ({ label: s.label, value: (u, v) => shown(v), stroke: colour(`--series${(k % 6) + 1}`), width: 2, points: { size: 5 } }))],
    },
    [x, ...series.map((s) => s.values)],
    host,
  );
  keepWidth(host, plot, height);
  return plot;
}
export { highlight } from "./highlight.js";

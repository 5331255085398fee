// SPDX-License-Identifier: Apache-2.0
// Small helpers: elements, tables that sort and can be walked with the keyboard.  Texts of the report are only ever set as text.
"use strict";

function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

// The same of a drawing.
function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(e, attributes, children) {
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(key, value);
  e.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return e;
}

function number(n) {
  return n === null || n === undefined ? "–" : Number.isInteger(n) ? n.toLocaleString("en").replaceAll(",", "\u202f") : n.toPrecision(4);
}

// columns: [title, row => value, "number"?]; open(row): what a click or Enter does.
function table(columns, rows, open) {
  let by = null;
  let up = false;
  const body = el("tbody");
  const fill = () => {
    const list = by === null ? rows : [...rows].sort((a, b) => compare(columns[by][1](a), columns[by][1](b)) * (up ? 1 : -1));
    body.replaceChildren(...list.map((r) => rowOf(columns, r, open)));
  };
  const heads = columns.map(([title, , kind], i) =>
    el("th", { class: kind, scope: "col" }, el("button", { onclick: () => ((up = by === i ? !up : kind !== "number"), (by = i), fill()) }, title)));
  fill();
  return el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), body));
}

function compare(a, b) {
  const x = a?.sort ?? a;
  const y = b?.sort ?? b;
  return typeof x === "number" && typeof y === "number" ? x - y : String(x ?? "").localeCompare(String(y ?? ""));
}

function rowOf(columns, row, open) {
  const cells = columns.map(([, value, kind]) => {
    const v = value(row);
    return el("td", { class: [kind, v?.class].filter(Boolean).join(" ") || null, title: v?.title ?? null }, v?.text ?? (typeof v === "number" ? number(v) : String(v ?? "–")));
  });
  if (!open) return el("tr", {}, cells);
  const go = () => open(row);
  return el("tr", { tabindex: 0, "data-row": "", onclick: go, onkeydown: (e) => e.key === "Enter" && go() }, cells);
}

function cards(pairs) {
  return el("div", { class: "cards" }, pairs.map(([value, text, kind]) => el("div", { class: "card" }, el("b", { class: kind }, value), el("span", {}, text))));
}

function choice(label, options, chosen, change) {
  return el("label", {}, `${label} `, el("select", { onchange: (e) => change(e.target.value) }, options.map((o) => el("option", { value: o, selected: o === chosen ? "" : null }, o))));
}

// j and k move among the rows of the section that is shown.
function walk(step) {
  const rows = [...document.querySelectorAll("main [data-row]")];
  const at = rows.indexOf(document.activeElement?.closest("[data-row]"));
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
  next?.focus();
}

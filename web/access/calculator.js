// SPDX-License-Identifier: Apache-2.0
// The calculator: controls, and for every change of one the figures and the picture.  What is chosen stands behind the address's #, so that a
// link shows the same access and Back goes back.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const PRESETS = [
  ["a row: neighbours ask for neighbours", { space: "shared", op: "ld", bytes: 4, offsets: "lane * 4" }],
  ["1 naive: a column of A in global memory", { space: "global", op: "ld", bytes: 4, offsets: "lane * 1024 * 4" }],
  ["2 shared tile, read down a column", { space: "shared", op: "ld", bytes: 4, offsets: "lane * 32 * 4" }],
  ["3 the same, rows padded by a word", { space: "shared", op: "ld", bytes: 4, offsets: "lane * 33 * 4" }],
  ["4 the same, columns XORed with rows", { space: "shared", op: "ld", bytes: 4, offsets: "lane * 32 * 4 + (lane ^ 5) * 4" }],
  ["5 four floats a lane", { space: "shared", op: "ld", bytes: 16, offsets: "lane * 16" }],
  ["a misaligned warp", { space: "global", op: "ld", bytes: 4, offsets: "lane * 4 + 4" }],
  ["every second float", { space: "global", op: "ld", bytes: 4, offsets: "lane * 8" }],
];
const START = { profile: "sm_90", space: "shared", op: "ld", bytes: 4, mask: "ffffffff", l1: 0, offsets: "lane * 32 * 4", pitch: 128, pad: 0, swizzle: 0 };

let model = null;
let state = { ...START };

// ---- the access ----

// Row r of `pitch` bytes moves by r * pad bytes, and the units of a lane's size within it are XORed with the lowest bits of r.
function laidOut(at, s) {
  const row = Math.floor(at / s.pitch);
  const unit = Math.floor((at % s.pitch) / s.bytes) ^ (row % 2 ** s.swizzle);
  return row * (s.pitch + s.pad) + unit * s.bytes + (at % s.bytes);
}

function accessOf(s, changed) {
  const mask = parseInt(s.mask, 16);
  if (!/^(0x)?[0-9a-f]{1,8}$/i.test(s.mask)) throw new Error("the mask is a hexadecimal number of at most 32 bits");
  const plain = model.offsets(s.offsets, mask);
  const a = { profile: s.profile, space: s.space, op: s.op, bytes: Number(s.bytes), mask, l1: Number(s.l1), offsets: changed ? plain.map((at) => laidOut(at, s)) : plain };
  return { ...a, ...model.cost(a) };
}

// ---- what is shown ----

function figures(a) {
  const share = (n, of) => (of ? `${Math.round((100 * n) / of)}\u202f%` : "–");
  const pairs = a.space === "shared"
    ? [[number(a.wavefronts), a.wavefronts === 1 ? "pass over the banks" : "passes over the banks"], [number(a.bank_conflicts), "bank conflicts", a.bank_conflicts ? "warning" : "better"], [number(a.ideal_wavefronts), "passes if packed"]]
    : [[number(a.sectors), "sectors of 32 bytes", a.sectors > a.ideal_sectors ? "warning" : "better"], [number(a.ideal_sectors), "if packed"], [number(a.lines), "lines of 128 bytes"], [share(a.useful_bytes, a.moved_bytes), "of the bytes moved were asked for"]];
  return cards(pairs);
}

function side(title, a) {
  return el("section", {}, el("h2", {}, title), figures(a), ...(a.space === "shared" ? banksPicture(a) : sectorsPicture({ ...a, ideal: a.ideal_sectors })));
}

function draw(sides) {
  document.getElementById("result").replaceChildren(el("div", { class: "sides" }, sides));
}

const isChanged = (s) => s.pad > 0 || s.swizzle > 0;

function calculate() {
  const wrong = document.getElementById("wrong");
  try {
    const before = accessOf(state, false);
    draw(isChanged(state) ? [side("as it is", before), side(`rows padded by ${state.pad} bytes${state.swizzle ? `, ${state.swizzle} bits swizzled` : ""}`, accessOf(state, true))] : [side(`${state.space} ${state.op}, ${state.bytes} bytes a lane`, before)]);
    wrong.textContent = "";
  } catch (e) {
    wrong.textContent = e.message;
  }
}

// ---- controls ----

function set(change, keep) {
  state = { ...state, ...change };
  const text = `#${new URLSearchParams(Object.entries(state).filter(([k, v]) => String(v) !== String(START[k])))}`;
  if (keep) history.replaceState(null, "", text);
  else history.pushState(null, "", text);
  calculate();
}

function pick(name, label, options) {
  return el("label", {}, label, el("select", { name, onchange: (e) => set({ [name]: e.target.value }) }, options.map(([value, text]) => el("option", { value, selected: String(value) === String(state[name]) ? "" : null }, text ?? String(value)))));
}

function slide(name, label, max, step) {
  const shown = el("b", {}, String(state[name]));
  return el("label", {}, `${label}: `, shown, el("input", { name, type: "range", min: 0, max, step, value: state[name], oninput: (e) => { shown.textContent = e.target.value; set({ [name]: Number(e.target.value) }, true); } }));
}

function controls() {
  const type = (name, label, kind) => el("label", { class: name === "offsets" ? "long" : null }, label, el("input", { name, type: kind ?? "text", value: state[name], spellcheck: "false", autocomplete: "off", oninput: (e) => set({ [name]: kind === "number" ? Math.max(1, Number(e.target.value)) : e.target.value }, true) }));
  document.getElementById("controls").replaceChildren(
    el("label", { class: "long" }, "example", el("select", { name: "preset", onchange: (e) => { set({ ...START, profile: state.profile, ...PRESETS[e.target.value][1] }); controls(); } },
      el("option", { value: "", disabled: "", selected: "" }, "choose one …"), PRESETS.map(([text], i) => el("option", { value: i }, text)))),
    type("offsets", "byte offset of each lane, an expression of lane in C's notation"),
    pick("space", "memory", SPACES.map((s) => [s])), pick("op", "operation", OPS.map((o) => [o])), pick("bytes", "bytes a lane", [1, 2, 4, 8, 16].map((n) => [n])),
    pick("profile", "card", model.profiles().map((p) => [p.name, `${p.name}: ${p.title}`])), pick("l1", "global loads through L1", [[0, "as the card does"], [1, "yes"], [2, "no"]]),
    type("mask", "active lanes (hexadecimal)"), type("pitch", "bytes of a row, for the sliders", "number"), slide("pad", "padding of each row, bytes", 64, 4), slide("swizzle", "swizzled bits", 5, 1));
}

function restore() {
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  state = { ...START, ...(DATA.start ?? {}), ...given };
  for (const name of ["bytes", "l1", "pitch", "pad", "swizzle"]) state[name] = Number(state[name]);
  controls();
  calculate();
}

// ---- without the model: what was computed when the page was written ----

function written() {
  document.getElementById("note").textContent = "This page was built without the model: it shows what was computed when it was written.";
  draw((DATA.accesses ?? []).map((a) => side(a.name, a)));
}

async function start() {
  model = await loadModel();
  if (!model) return written();
  window.addEventListener("popstate", restore);
  window.addEventListener("hashchange", restore);
  if ((DATA.accesses ?? []).length > 1) draw(DATA.accesses.map((a) => side(a.name, a)));
  if ((DATA.accesses ?? []).length <= 1 || location.hash) restore();
  else controls();
  return undefined;
}

start();

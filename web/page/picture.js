// SPDX-License-Identifier: Apache-2.0
// Pictures of one access: which lane asks which bank for which word, and which sectors of which lines it touches.
"use strict";

function activeLanes(a) {
  const mask = typeof a.mask === "string" ? parseInt(a.mask, 16) : a.mask;
  return a.offsets.map((at, lane) => ({ at, lane })).filter((x) => (mask >>> x.lane) & 1);
}

// heads: a text above each column; rows: one before each row; axes: what they are, down and across.
function grid(heads, rows, axes, cells, label) {
  const head = (text) => el("b", {}, String(text));
  const side = (text) => el("b", { class: "row" }, String(text));
  const body = rows.flatMap((row, i) => [side(row), ...cells.slice(i * heads.length, (i + 1) * heads.length)]);
  const all = [side(axes[0] ? `${axes[0]} ↓ ${axes[1]} →` : `${axes[1]} →`), ...heads.map(head), ...body];
  return el("div", { class: "wide" }, el("div", { class: "picture", role: "img", "aria-label": label, style: `grid-template-columns:auto repeat(${heads.length},auto)` }, all));
}

function upTo(n) {
  return Array.from({ length: n }, (_, i) => i);
}

function cell(text, hue, title) {
  return el("i", hue === null ? { title } : { class: "on", title, style: `background:hsl(${hue} 55% 50%)` }, text);
}

// Rows are lanes, columns banks; one colour for each word of a bank, so a column of several colours takes several passes.
function banksPicture(a) {
  if (a.pass) return passesPicture(a);
  const banks = 32;
  const lanes = activeLanes(a);
  const words = new Map();
  const asked = new Map();
  for (const { at, lane } of lanes)
    for (let w = Math.floor(at / 4); w < (at + a.bytes) / 4; w++) {
      const bank = w % banks;
      if (!words.has(bank)) words.set(bank, []);
      if (!words.get(bank).includes(w)) words.get(bank).push(w);
      asked.set(lane * banks + bank, w);
    }
  const cells = [];
  for (let lane = 0; lane < 32; lane++)
    for (let bank = 0; bank < banks; bank++) {
      const w = asked.get(lane * banks + bank);
      const turn = w === undefined ? -1 : words.get(bank).indexOf(w);
      cells.push(cell(turn < 0 ? "" : turn + 1, turn < 0 ? null : (210 + turn * 47) % 360, `lane ${lane}, bank ${bank}${turn < 0 ? "" : `: byte ${w * 4}, word ${turn + 1} of this bank`}`));
    }
  const most = Math.max(0, ...[...words.values()].map((w) => w.length));
  return [el("p", {}, `Lanes (down) by banks (across). The number says which word of its bank a lane asks for; a bank with n words takes n passes. Most here: ${most}.`),
          grid(upTo(banks), upTo(32), ["lane", "bank"], cells, `lanes by banks: at most ${most} words on one bank`)];
}

// The same where the model says which pass serves each word (a.pass), and how wide banks are.
function passesPicture(a) {
  const asked = new Map();
  for (const { at, lane } of activeLanes(a))
    a.pass[lane].forEach((turn, k) => asked.set(lane * a.banks + ((Math.floor(at / a.bank_bytes) + k) % a.banks), { turn, word: Math.floor(at / a.bank_bytes) + k }));
  const cells = upTo(32 * a.banks).map((i) => {
    const lane = Math.floor(i / a.banks);
    const bank = i % a.banks;
    const w = asked.get(i);
    return cell(w ? w.turn : "", w ? (210 + (w.turn - 1) * 47) % 360 : null, `lane ${lane}, bank ${bank}${w ? `: byte ${w.word * a.bank_bytes}, served in pass ${w.turn}` : ""}`);
  });
  const parts = a.part_lanes < 32 ? ` ${a.part_lanes} lanes at a time: passes are counted anew for each such part.` : "";
  return [el("p", {}, `Lanes (down) by banks of ${a.bank_bytes} bytes (across). The number says in which pass the word is served.${parts}`),
          grid(upTo(a.banks), upTo(32), ["lane", "bank"], cells, `lanes by banks: ${a.wavefronts} passes`)];
}

// Rows are 128-byte lines, columns their four sectors, in each eight 4-byte words: dark where some lane asked.
function sectorsPicture(a) {
  const lanes = activeLanes(a);
  const base = Math.floor(Math.min(...lanes.map((x) => x.at)) / 128) * 128;
  const words = new Map();
  for (const { at, lane } of lanes)
    for (let w = Math.floor((at - base) / 4); w < (at - base + a.bytes) / 4; w++) words.set(w, [...(words.get(w) ?? []), lane]);
  const lines = [...new Set([...words.keys()].map((w) => Math.floor(w / 32)))].sort((x, y) => x - y);
  const shown = lines.slice(0, 40);
  const cells = shown.flatMap((line) => Array.from({ length: 32 }, (_, i) => {
    const who = words.get(line * 32 + i);
    const sector = Math.floor(i / 8);
    const moved = Array.from({ length: 8 }, (_x, k) => line * 32 + sector * 8 + k).some((w) => words.has(w));
    const title = `line ${line}, sector ${sector}, byte ${i * 4}: ${who ? `lane ${who.join(", ")}` : moved ? "moved, not asked for" : "not moved"}`;
    return who ? cell(who.length > 1 ? "+" : who[0], 210, title) : el("i", { title, style: moved ? "background:rgba(var(--heat),.55)" : null });
  }));
  return [el("p", {}, `128-byte lines (down), 4-byte words (across), eight to a sector. Blue: asked for; orange: moved with it and not asked for. ${a.sectors} sectors, ${a.ideal} would hold the bytes.${lines.length > shown.length ? ` The first ${shown.length} of ${lines.length} lines.` : ""}`),
          grid(upTo(32).map((w) => (w % 8 ? "" : w * 4)), shown.map((line) => line * 128), ["line", "byte"], cells, `${a.sectors} sectors moved, ${a.ideal} ideal`)];
}

// Sectors that an access touches, and those that its bytes would fill.
function sectorsOf(a) {
  const sectors = new Set();
  const bytes = new Set();
  for (const { at } of activeLanes(a))
    for (let b = at; b < at + a.bytes; b++) {
      sectors.add(Math.floor(b / 32));
      bytes.add(b);
    }
  return { sectors: sectors.size, ideal: Math.ceil(bytes.size / 32) };
}

function whole(a) {
  return a.space === "shared" || a.sectors !== undefined ? a : { ...a, ...sectorsOf(a) };
}

// An access that a mend changes, before and after, side by side.
function mendPictures(mend) {
  if (!mend?.from || !mend.to) return [];
  const side = (title, a) => el("section", {}, el("h3", {}, title), ...(a.space === "shared" ? banksPicture(a) : sectorsPicture(whole(a))));
  return [el("div", { class: "sides" }, side("before", mend.from), side(`after: ${mend.text.split(";")[0].split(" (")[0]}`, mend.to))];
}

function what(a) {
  const n = activeLanes(a).length;
  return `${a.space} ${a.op}, ${a.bytes} byte${a.bytes === 1 ? "" : "s"} a lane, ${n} lane${n === 1 ? "" : "s"}${a.count === undefined ? "" : a.count === 1 ? ", once" : `, ${number(a.count)} times`}`;
}

function accessPicture(a) {
  return [el("h3", {}, what(a)), ...(a.space === "shared" ? banksPicture(a) : sectorsPicture(whole(a)))];
}

const isBad = (a, lane) => ((a.bad >>> lane) & 1) === 1;

// The lanes of an access that goes wrong: which of them do, and where each reaches.
function lanesStrip(a) {
  const lanes = new Map(activeLanes(a).map((x) => [x.lane, x.at]));
  const place = (at) => (a.of ? (at < 0 ? `${-at} bytes before the beginning` : at >= a.of ? `${at - a.of} bytes past the end` : `byte ${at}`) : at < 65536 ? `address ${at}` : `${at} bytes behind the lowest`);
  const cells = upTo(32).map((lane) => {
    const there = lanes.has(lane);
    return el("i", { class: there ? `on ${isBad(a, lane) ? "bad" : "fine"}` : null, title: `lane ${lane}: ${there ? `${place(lanes.get(lane))}${isBad(a, lane) ? ", must not" : ""}` : "idle, or not known"}` }, there && isBad(a, lane) ? "\u00d7" : "");
  });
  return grid(upTo(32), [""], ["", "lane"], cells, `${upTo(32).filter((l) => isBad(a, l)).length} lanes of the warp go wrong`);
}

// The memory around the lanes that go wrong: words of what should have been accessed, and what lies outside of it.
function edgePicture(a) {
  const lanes = activeLanes(a);
  const bad = lanes.filter((x) => isBad(a, x.lane));
  const line = (at) => Math.floor(at / 128);
  const wanted = new Set();
  for (const { at } of [...bad, ...lanes.filter((x) => !isBad(a, x.lane))]) if (wanted.size < 8) wanted.add(line(at));
  const edge = bad.some((x) => x.at >= 0) ? line(a.of - 1) : 0;
  wanted.add(edge);
  const rows = [...wanted].sort((x, y) => x - y);
  const words = new Map();
  for (const { at, lane } of lanes)
    for (let w = Math.floor(at / 4); w < (at + a.bytes) / 4; w++) words.set(w, [...(words.get(w) ?? []), lane]);
  const cells = rows.flatMap((row) => upTo(32).map((i) => {
    const w = row * 32 + i;
    const who = words.get(w);
    const inside = w * 4 >= 0 && w * 4 < a.of;
    const wrong = who?.some((lane) => isBad(a, lane));
    const title = `byte ${w * 4}${inside ? "" : w < 0 ? ", before the beginning" : ", past the end"}${who ? `: lane ${who.join(", ")}` : ""}`;
    return el("i", { class: [who ? `on ${wrong ? "bad" : "fine"}` : null, inside ? null : "outside"].filter(Boolean).join(" ") || null, title }, who ? (who.length > 1 ? "+" : String(who[0])) : "");
  }));
  return grid(upTo(32).map((w) => (w % 8 ? "" : w * 4)), rows.map((r) => r * 128), ["byte", "word"], cells, `the access at the ${bad.some((x) => x.at >= 0) ? "end" : "beginning"} of ${a.of} bytes`);
}

// What of the warp's access goes wrong.
function badPicture(a) {
  if (!a) return [];
  const n = upTo(32).filter((lane) => isBad(a, lane)).length;
  return [el("p", {}, `The access: ${what(a)}. Red: ${n === 1 ? "the lane that goes" : `the ${n} lanes that go`} wrong${a.of ? `; hatched: outside the ${number(a.of)} bytes` : ""}.`), lanesStrip(a), ...(a.of ? [edgePicture(a)] : [])];
}

// Small, for rows of pictures side by side: a kernel's accesses, each with a line below it, and what is said of them all.
function figure(accesses, title, lines) {
  const one = ([a, line]) => {
    const [text, picture] = a.space === "shared" ? banksPicture(a) : sectorsPicture(whole(a));
    return el("div", { title: text.textContent }, picture, el("span", {}, line));
  };
  return el("figure", { class: "small" }, el("b", {}, title), el("div", { class: "pair" }, accesses.map(one)), el("figcaption", {}, lines.filter(Boolean).map((l) => el("span", {}, l))));
}

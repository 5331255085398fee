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
  const all = [side(`${axes[0]} ↓ ${axes[1]} →`), ...heads.map(head), ...body];
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

// The access as a mend of the pitch lays it out ("pitch 32 -> 33 floats"); null: the mend is another.
function mended(a, mend) {
  const found = /pitch (\d+) -> (\d+) (\w+)/.exec(mend?.text ?? "");
  const size = { floats: 4, words: 4, doubles: 8, bytes: 1 }[found?.[3]] ?? a.bytes;
  if (!found || a.space !== "shared") return null;
  const [from, to] = [Number(found[1]) * size, Number(found[2]) * size];
  return { ...a, pass: null, offsets: a.offsets.map((at) => Math.floor(at / from) * to + (at % from)) };
}

// Before and after a mend, side by side.
function mendPictures(a, mend) {
  const after = mended(a, mend);
  if (!after) return accessPicture(a);
  const side = (title, of) => el("section", {}, el("h3", {}, title), ...banksPicture(of));
  return [...accessPicture(a).slice(0, 1), el("div", { class: "sides" }, side("before", a), side(`after: ${mend.text}`, after))];
}

function accessPicture(a) {
  const what = `${a.space} ${a.op}, ${a.bytes} byte${a.bytes === 1 ? "" : "s"} a lane, ${activeLanes(a).length} lane${activeLanes(a).length === 1 ? "" : "s"}, ${a.count === 1 ? "once" : `${number(a.count)} times`}`;
  return [el("h3", {}, what), ...(a.space === "shared" ? banksPicture(a) : sectorsPicture(a))];
}

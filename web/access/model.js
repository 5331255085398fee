// SPDX-License-Identifier: Apache-2.0
// The access model: src/model compiled to WebAssembly, as functions of JavaScript's values.  Without it (a build that had no compiler for it)
// the page shows what was computed when it was written.
"use strict";

const SPACES = ["global", "shared", "local"];
const OPS = ["ld", "st", "atom", "red", "ldsm", "stsm"];
const COSTS = ["wavefronts", "ideal_wavefronts", "bank_conflicts", "requests", "sectors", "ideal_sectors", "lines", "transactions", "useful_bytes", "moved_bytes", "banks", "bank_bytes", "part_lanes"];
const LANES = 32;
const PASSES = 9; // words of a lane at most

async function loadModel() {
  if (!WASM) return null;
  const bytes = Uint8Array.from(atob(WASM), (c) => c.charCodeAt(0));
  const none = () => 0; // the model writes to no file
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: { fd_close: none, fd_seek: none, fd_write: none } });
  instance.exports._initialize();
  return modelOf(instance.exports);
}

function modelOf(x) {
  const text = (at) => {
    const from = new Uint8Array(x.memory.buffer, at);
    return new TextDecoder().decode(from.slice(0, from.indexOf(0)));
  };
  const put = (s) => {
    const bytes = new TextEncoder().encode(s).slice(0, 4000);
    new Uint8Array(x.memory.buffer, x.calc_text(), bytes.length + 1).set([...bytes, 0]);
  };
  const places = () => new BigUint64Array(x.memory.buffer, x.calc_offsets(), LANES);
  return {
    profiles() {
      const all = [];
      for (let i = 0; x.calc_profile(i); i++) {
        const name = text(x.calc_text());
        all.push({ name, title: text(x.calc_text() + new TextEncoder().encode(name).length + 1) });
      }
      return all;
    },
    offsets(expression, mask) {
      put(expression);
      if (x.calc_expression(mask)) throw new Error(text(x.calc_why()));
      return [...places()].map(Number);
    },
    cost(a) {
      put(a.profile);
      places().set(a.offsets.map(BigInt));
      if (x.calc_access(SPACES.indexOf(a.space), OPS.indexOf(a.op), a.bytes, a.mask, a.l1)) throw new Error(text(x.calc_why()));
      const numbers = new Uint32Array(x.memory.buffer, x.calc_cost(), COSTS.length);
      const pass = new Uint8Array(x.memory.buffer, x.calc_cost() + 4 * COSTS.length, LANES * PASSES);
      return { ...Object.fromEntries(COSTS.map((name, i) => [name, numbers[i]])), pass: Array.from({ length: LANES }, (_, l) => [...pass.slice(l * PASSES, (l + 1) * PASSES)].filter((n) => n)) };
    },
  };
}

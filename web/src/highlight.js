// SPDX-License-Identifier: Apache-2.0
// Colours of source texts: Prism takes them apart, and lines of words with their kinds come out.  Nothing here touches the page.
import "./manual.js";
import Prism from "prismjs/components/prism-core";
import "prismjs/components/prism-clike";
import "prismjs/components/prism-c";
import "prismjs/components/prism-cpp";
import "prismjs/components/prism-python";

const kinds = new Set(["comment", "string", "keyword", "number", "function", "builtin", "macro", "class-name", "boolean", "char", "directive", "qualifier"]);

Prism.languages.cuda = Prism.languages.extend("cpp", {});
Prism.languages.insertBefore("cuda", "keyword", {
  qualifier: /\b__(?:global|device|host|shared|constant|managed|launch_bounds|cluster_dims|restrict|forceinline|noinline|grid_constant)__\b/,
  builtin: /\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/,
});
Prism.languages.ptx = {
  comment: /\/\/.*|\/\*[\s\S]*?\*\//,
  string: /"[^"\n]*"/,
  directive: /(^|[\s{;])\.[a-z]\w*/,
  keyword: /@!?%p\w*|\b[a-z]\w*(?:\.\w+)+/,
  builtin: /%\w+(?:\.\w+)?/,
  number: /\b(?:0[xXfFdD][\da-fA-F]+|\d+)\b/,
};

const grammars = { cu: "cuda", cuh: "cuda", c: "cpp", cc: "cpp", cpp: "cpp", cxx: "cpp", h: "cuda", hpp: "cuda", inl: "cuda", py: "python", ptx: "ptx" };

function walk(token, kind, put) {
  if (typeof token === "string") put(token, kind);
  else if (Array.isArray(token)) for (const t of token) walk(t, kind, put);
  else walk(token.content, kinds.has(token.type) ? token.type : kind, put);
}

// [[kind or null, text], ...] for each line; null: the file's language is not known.
export function highlight(name, lines) {
  const grammar = Prism.languages[grammars[name.slice(name.lastIndexOf(".") + 1).toLowerCase()]];
  if (!grammar) return null;
  const out = [[]];
  walk(Prism.tokenize(lines.join("\n"), grammar), null, (text, kind) =>
    text.split("\n").forEach((part, i) => {
      if (i) out.push([]);
      if (part) out[out.length - 1].push([kind, part]);
    }));
  return out;
}

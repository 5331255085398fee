#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of calls.c: every row of the API tables with what its function takes.

    signatures.py COMPILER SRC INCLUDE OUT

The rows come from src/cuda/entry/api_*.def, the parameters from the definitions in src/cuda as the preprocessor leaves them.  A row without a
definition is an error, and so is a parameter of a type that no line of KINDS knows: nothing is left out silently.  Rows that name the same
function are one call; MISSING ones take nothing."""
import glob
import re
import subprocess
import sys

DEFINITION = re.compile(r"(?<=[\n;}])\s*([A-Za-z_][\w ]*?[ *]+)((?:rt|drv)_\w+)\(((?:[^(){};]|\([^()]*\))*)\)\s*\{")
# What a parameter is, by its type and its name: the first line that fits.  VALUE kinds are passed by value; the rest is an integer register.
KINDS = [
    (r"float", r".*", "FLOAT"),
    (r"(Extent|PitchedPtr|WwDim3|IpcHandle)", r".*", "STRUCT"),
    (r".*\(.*", r".*", "FUNCTION"),
    (r"(LogFn|StreamCallback|AsyncCallback)", r".*", "FUNCTION"),
    (r"void \*", r"stream", "STREAM"),
    (r"void \*", r"event", "EVENT"),
    (r"void \*", r"(graph|child|clone)", "GRAPH"),
    (r"void \*", r"node", "NODE"),
    (r"void \*", r"exec", "EXEC"),
    (r"void \*", r"pool", "POOL"),
    (r"void \*", r"mipmap", "MIPMAP"),
    (r"void \*", r"(array|a)", "ARRAY"),
    (r"void \*", r"(green|context|c|ctx)", "CONTEXT"),
    (r"void \*", r"(kernel|handle|l|ref|table)", "OTHER"),
    (r"(const )?void \*", r"(symbol|bid|tid)", "SYMBOL"),
    (r"(const )?void \*", r"func", "STUB"),
    (r"Array \*", r".*", "ARRAY"),
    (r"Mipmap \*", r".*", "MIPMAP"),
    (r"Context \*", r".*", "CONTEXT"),
    (r"Image \*", r".*", "MODULE"),
    (r"Kernel \*", r".*", "KERNEL"),
    (r"(Linked|TexRef|UserObject|Listener|Notified) \*", r".*", "OTHER"),
    (r"WwPtr", r".*", "DEVICE"),
    (r"(const )?char \*", r".*", "TEXT"),
    (r"(const )?(MulticastProp|AllocationProp|ArrayDesc|Array3DDesc|ChannelDesc|Location|AccessDesc|View|TextureDesc|SetParams|DriverCopy2D|"
     r"DriverCopy3D|CopyParms3D|PeerParms) \*", r".*", "PLAIN"),
    (r"const int \*", r"props", "PLAIN"),
    (r".*\*", r".*", "BUFFER"),
    (r"(int|unsigned|uint32_t|unsigned short|unsigned char)", r".*", "INT"),
    (r"(size_t|uint64_t|unsigned long long|uintptr_t|int64_t)", r".*", "SIZE"),
]


def definitions(compiler, src, include):
    found = {}
    for path in sorted(glob.glob(src + "/cuda/*/*.c")):
        if path.endswith(("/front.c", "/preload.c", "/entry_points.c")):
            continue
        text = subprocess.run([compiler, "-E", "-P", "-D_GNU_SOURCE", "-I" + src, "-I" + include, path], check=True, capture_output=True,
                              text=True).stdout
        for result, name, params in DEFINITION.findall("\n" + text):
            found[name] = (" ".join(result.replace("static", "").split()), " ".join(params.split()))
    return found


def split(params):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(params + ","):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(params[start:i].strip())
            start = i + 1
    return [p for p in parts if p not in ("", "void")]


def kind_of(param):
    m = re.fullmatch(r"(.*?)(\w+)", param)
    type_, name = (param, "fn") if "(" in param else (m[1].strip(), m[2])
    type_ = re.sub(r"\s*\*", " *", type_).replace("* *", "**")
    for want, names, kind in KINDS:
        if re.fullmatch(want, type_) and re.fullmatch(names, name):
            return kind, type_
    sys.exit(f"signatures.py: no kind for the parameter '{param}': add a line to KINDS")


def made_kind(param):
    """What a call leaves where an out parameter points: the kind of a parameter with a star less; "void **": any pointer is a BUFFER."""
    m = re.fullmatch(r"(.*?)\*\s*(\w+)", param)
    if "(" in param or not m or not re.search(r"(\*|WwPtr)\s*$", m[1]):
        return "NO_KIND"
    return kind_of(m[1].strip() + " " + m[2])[0]


def rows(src):
    for path in ("api_runtime", "api_driver"):
        with open(f"{src}/cuda/entry/{path}.def", encoding="utf-8") as f:
            for line in f:
                m = re.match(r"(RTV|RT|DRVA|DRV)\(([^)]*)\)", line)
                if m:
                    yield m[1], [word.strip() for word in m[2].split(",")]


def main():
    compiler, src, include, out = sys.argv[1:]
    known, calls, lines = definitions(compiler, src, include), {}, []
    for row, word in rows(src):
        target = {"RT": "rt_" + word[0], "DRV": "drv_" + word[0], "DRVA": "rt_" + word[1], "RTV": "rt_" + word[2]}[row]
        name = word[1] if row == "RTV" else word[0]
        if target not in known and "MISSING" in word:
            known[target] = ("CuErr", "")
        if target not in known:
            sys.exit(f"signatures.py: {target}, which the row of {name} names, is defined nowhere in {src}/cuda")
        calls.setdefault(target, []).append(name)
    with open(out, "w", encoding="utf-8") as f:
        for n, (target, names) in enumerate(calls.items()):
            result, params = known[target]
            kinds = [kind_of(p) for p in split(params)]
            if " *options" in params or " *jit" in params: # so many of them are read
                kinds = [("COUNT", t) if re.search(r"\b(n|njit)$", p) else (k, t) for p, (k, t) in zip(split(params), kinds)]
            by_value = {"FLOAT": "float"}
            types = [by_value.get(k, t if k == "STRUCT" else "uint64_t") for k, t in kinds]
            args = [f"v[{i}].f" if k == "FLOAT" else f"v[{i}].{t}" if k == "STRUCT" else f"v[{i}].u" for i, (k, t) in enumerate(kinds)]
            result = result if result == "ChannelDesc" else "void *"
            f.write(f"static void call_{n}(Function f, const Value *v)\n{{\n    (void)v;\n"
                    f"    (({result} (*)({', '.join(types) or 'void'}))f)({', '.join(args)});\n}}\n")
            shown = names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
            lines.append(f'    {{"{shown}", "{target}", call_{n}, {len(names)}, {len(kinds)}, {{{", ".join(k for k, _ in kinds) or 0}}}, {{{", ".join(map(made_kind, split(params))) or 0}}}}},\n')
        f.write("static const Call calls[] = {\n" + "".join(lines) + "};\n")


if __name__ == "__main__":
    main()

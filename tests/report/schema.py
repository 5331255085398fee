#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema.py WARPWRIGHT SCHEMAS DATA: documents of check, lab and bench against docs/schema, and that the schemas describe every field that occurs.
Skipped (exit code 77) without jsonschema (Debian: python3-jsonschema)."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
try:
    import jsonschema
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(SKIP)

WARPWRIGHT, SCHEMAS, DATA = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
RUNS = [
    ["check", "-q", str(DATA / "check/scale.ptx"), "-k", "scale", "--grid", "1", "--block", "32", "--arg", "x:f32[24]=iota", "--arg", "n:i32=32", "--arg", "f:f32=2"],
    ["check", "-q", str(DATA / "check/scale.ptx"), "-k", "fill", "--grid", "1", "--block", "8", "--arg", "x:f32[8]"],
    ["check", "-q", str(DATA / "check/scale.ptx"), "-k", "fill", "--grid", "1", "--block", "8", "--arg", "x:f32[8]", "--time"],
]
ROWS = [["lab", "-q", "aat", "banks", "--m", "64", "--n", "64", "--k", "64"], ["lab", "-q", "copy", "--profile", "sm_20"],
        ["bench", "gemm", "--m", "64", "--n", "64", "--k", "64"], ["bench", "gemm", "--m", "64", "--n", "64", "--k", "64", "--counters"],
        ["bench", "copy", "--bytes", "4096"]]


def strict(schema):
    """The same, but what it does not describe is wrong."""
    if isinstance(schema, dict):
        out = {k: strict(v) for k, v in schema.items()}
        if "properties" in out and "additionalProperties" not in out and "type" in out:
            out["additionalProperties"] = False
        return out
    return [strict(v) for v in schema] if isinstance(schema, list) else schema


def document(arguments):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "r.json"
        subprocess.run([WARPWRIGHT, *arguments, "--json", str(file)], capture_output=True, check=False, timeout=300)
        return json.loads(file.read_text())


def check(name, commands, spoil):
    schema = json.loads((SCHEMAS / name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for command in commands:
        doc = document(command)
        for which in (schema, strict(schema)):
            errors = sorted(jsonschema.Draft202012Validator(which).iter_errors(doc), key=str)
            if errors:
                e = jsonschema.exceptions.best_match(errors)
                sys.exit(f"{' '.join(command)}: {name}: {'/'.join(map(str, e.absolute_path))}: {e.message[:400]}")
        wrong = copy.deepcopy(doc)
        spoil(wrong)
        if jsonschema.Draft202012Validator(schema).is_valid(wrong):
            sys.exit(f"{name} takes a spoilt document")


def main():
    check("run.schema.json", RUNS, lambda d: d["kernels"][0].update(status="fine"))
    check("rows.schema.json", ROWS, lambda d: d["rows"][0].update(verified="yes"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

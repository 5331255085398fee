#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/robustness.md is what tools/fuzz makes of docs/data/fuzz_campaign.tsv, and a run's figures are added to its day's."""
import datetime
import os
import subprocess
import tempfile
import unittest

from script import load

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
fuzz = load(ROOT + "/tools/fuzz")


class Fuzz(unittest.TestCase):
    def test_table(self):
        made = subprocess.run([ROOT + "/tools/fuzz", "--table", ROOT + "/docs/data/fuzz_campaign.tsv"], check=True, capture_output=True, text=True).stdout
        with open(ROOT + "/docs/robustness.md", encoding="utf-8") as f:
            shown = f.read().split("fuzz_campaign.tsv -->\n")[1].split("<!-- end -->")[0]
        self.assertEqual(shown, made)

    def test_sums(self):
        today = datetime.date.today().isoformat()
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/figures.tsv"
            for edges in (7, 5):
                fuzz.add_figures(path, "ptx", {"executions": 10, "edges": edges, "features": 20, "seconds": 3, "found": 1})
            self.assertEqual(fuzz.read_figures(path), {(today, "ptx"): {"executions": 20, "edges": 7, "features": 20, "seconds": 6, "found": 2}})

    def test_targets(self):
        for t in fuzz.targets().values():
            end = "py" if t.parts == "python" else "c"
            self.assertTrue(os.path.exists(f"{ROOT}/tests/fuzz/fuzz_{t.name}.{end}"), t.name)
            with tempfile.TemporaryDirectory() as folder:
                self.assertEqual(fuzz.write_words(t, folder + "/words") is None, t.words == "-", t.name)


if __name__ == "__main__":
    unittest.main()

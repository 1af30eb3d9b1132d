#!/usr/bin/env python3
"""The measurements run through and say what they promise: their structure is asserted, never a time.

usage: bench_test.py BUILD
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build"
sys.path.insert(0, str(ROOT / "bench"))
import _bench  # noqa: E402
import _plots  # noqa: E402

# What each measurement is given here beside --quick: few rows, so that all of it takes seconds.
SMALL = {
    "binaries": ["plain_race"],
    "bounded": ["bzip2smp"],
    "deadline": ["account"],
    "engine": ["disk"],
    "explain": ["account"],
    "find": ["account", "deadlock01"],
    "inject": ["product"],
    "instrumentation": ["sort"],
    "isolate": ["intqueue"],
    "longtrace": [],
    "optimality": ["account"],
    "planted": ["deflating", "--strategies", "default", "random"],
    "record": ["cache", "touched-16"],
    "reduce": ["buggypro"],
    "reduction": ["axel-1", "mysqld-1"],
    "servers": ["cache"],
    "shards": [],
    "simplify": ["dedup"],
    "verify": ["room"],
}


# The rows that each has beside those named in SMALL: what it is compared with.
ROWS = {"bounded": 2, "engine": 1, "explain": 1, "instrumentation": 1, "isolate": 3, "longtrace": 2, "optimality": 1, "planted": 1, "reduce": 4, "shards": 4, "simplify": 3, "verify": 2}


class Measurements(unittest.TestCase):
    def measured(self, name):
        with tempfile.TemporaryDirectory() as where:
            command = [sys.executable, str(ROOT / "bench" / f"{name}.py"), "--build", str(BUILD), "--quick", "--out", where, *SMALL[name]]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            result = json.loads((pathlib.Path(where) / f"{name}.json").read_text())
        self.assertEqual((result["name"], result["size"]), (name, "quick"))
        self.assertEqual(set(result), {"name", "size", "machine", "command", "summary", "rows"})
        self.assertIn("load", result["machine"])
        self.assertTrue(result["rows"])
        return result

    def test_find(self):
        rows = self.measured("find")["rows"]
        self.assertEqual([row["name"] for row in rows], SMALL["find"])
        for row in rows:
            self.assertEqual(row["found"], 1, row)
            self.assertFalse(row["alarm"], row)


    def test_the_others(self):
        for name in SMALL:
            with self.subTest(name):
                rows = self.measured(name)["rows"]
                self.assertEqual(len(rows), ROWS.get(name, len(SMALL[name])), rows)

    def test_a_lost_row_fails(self):
        """Every measurement, with a tool that answers nothing."""
        with tempfile.TemporaryDirectory() as where:
            fake = pathlib.Path(where) / "build"
            (fake / "bin").mkdir(parents=True)
            for tool in ("heddle", "heddle-measure"):
                (fake / "bin" / tool).write_text("#!/bin/sh\nexit 1\n")
                (fake / "bin" / tool).chmod(0o755)
            for name in ("heddle-cc", "heddle-c++"):
                if (BUILD / "bin" / name).exists():
                    (fake / "bin" / name).symlink_to(BUILD / "bin" / name)
            for name in SMALL:
                with self.subTest(name):
                    command = [sys.executable, str(ROOT / "bench" / f"{name}.py"), "--build", str(fake), "--quick", "--seeds", "1", "--out", where]
                    done = subprocess.run([*command, *SMALL[name]], capture_output=True, text=True)
                    self.assertNotEqual(done.returncode, 0, done.stdout)

    def test_every_measurement_is_known_here(self):
        """Real programs are fetched and built from their sources: not within seconds."""
        measurements = {path.stem for path in (ROOT / "bench").glob("[a-z]*.py")} - {"run"}
        self.assertEqual(measurements - {"real"}, set(SMALL))


class Plots(unittest.TestCase):
    def test_a_plot_is_well_formed_and_has_a_bar_for_each_value(self):
        drawing = _plots.bars("<b>", ["a", "b & c"], {"before": [300, None], "after": [2, 3]}, "switches", log=True)
        document = xml.dom.minidom.parseString(drawing)
        bars = [r for r in document.getElementsByTagName("rect") if r.getElementsByTagName("title")]
        self.assertEqual(len(bars), 3)
        self.assertNotIn("<b>", drawing)

    def test_a_curve_has_a_mark_for_each_point(self):
        document = xml.dom.minidom.parseString(_plots.lines("t", {"a": [(10, 1), (1000, 5)], "b": [(10, 2)]}, "events", "seconds"))
        self.assertEqual(len(document.getElementsByTagName("circle")), 3)

    def test_no_result_gives_no_plot(self):
        with tempfile.TemporaryDirectory() as where:
            self.assertEqual(_plots.draw(where, where), [])

    def test_what_is_recorded_can_be_drawn(self):
        recorded = {path.stem for path in (ROOT / "bench" / "results").glob("*.json")}
        with tempfile.TemporaryDirectory() as where:
            written = set(_plots.draw(ROOT / "bench" / "results", where))
        self.assertEqual(written, {name for name, source, _ in _plots.PLOTS if source in recorded})


class Sums(unittest.TestCase):
    def test_means_and_spread(self):
        self.assertAlmostEqual(_bench.geometric_mean([1, 100]), 10)
        self.assertEqual(_bench.spread([1, 2, 3, 4, 5]), (2, 4))
        self.assertEqual(_bench.spread([7]), (7, 7))


if __name__ == "__main__":
    unittest.main()

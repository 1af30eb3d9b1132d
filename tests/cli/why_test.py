#!/usr/bin/env python3
"""Where a failure or a value comes from: `heddle why`, by one replay under the Valgrind tool.

usage: why_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import pathlib
import re

import cli_test as base

SOURCES = pathlib.Path(__file__).parent / "programs"


def marked(name):
    """The lines of a program by the word in their comment."""
    lines = {}
    for number, text in enumerate((SOURCES / f"{name}.c").read_text().splitlines(), 1):
        mark = re.search(r"; +// (\w+)$|\{ +// (\w+)$|\) +// (\w+)$", text)
        if mark and number > 1:
            lines[mark[1] or mark[2] or mark[3]] = number
    return lines


class Why(base.InDirectory):
    def found(self, name):
        self.assertEqual(self.heddle("find", "--", base.program(name)).returncode, 1)
        return marked(name)

    def why(self, *words, code=0):
        done = self.heddle("why", "--json", *words)
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def slice_of(self, told):
        return {(row["line"], row["thread"]): row for row in told["slice"]}

    def test_a_value_through_three_threads(self):
        at = self.found("value_origins")
        for carrier in ("fiber", "kernel"):
            told = self.why("--carrier", carrier)
            rows = self.slice_of(told)
            for place in ((at["ten"], "main"), (at["source"], "T2"), (at["text"], "T3"), (at["copied"], "T3"), (at["decides"], "T3"),
                          (at["middle"], "T3"), (at["checked"], "T4"), (at["fails"], "T4")):
                self.assertIn(place, rows, carrier)
            # What has nothing to do with it is not there.
            self.assertNotIn("T1", {row["thread"] for row in told["slice"]})
            self.assertEqual(rows[(at["source"], "T2")]["value"], "source = 15")
            self.assertEqual(rows[(at["middle"], "T3")]["value"], "middle = 30")
            order = [row["line"] for row in told["slice"]]
            self.assertLess(order.index(at["source"]), order.index(at["text"]))
            self.assertLess(order.index(at["middle"]), order.index(at["checked"]))
            self.assertEqual(order[-1], at["fails"])
            self.assertFalse(told["trace"]["cut"])
        text = self.heddle("why").stdout
        self.assertIn("what led to the failure, in the order of execution:", text)
        self.assertIn("[source = 15]", text)

    def test_debug_explain_and_the_page_have_it(self):
        done = self.heddle("debug", "--json", "--", base.program("value_origins"))
        self.assertEqual(done.returncode, 1, done)
        told, at = json.loads(done.stdout), marked("value_origins")
        rows = self.slice_of(told)
        self.assertEqual(rows[(at["source"], "T2")]["value"], "source = 15")
        for row in told["slice"]:
            self.assertEqual({"file", "line", "thread", "value"} - set(row), set())
        # A value is followed step by step, over threads.
        lines = [row["line"] for row in told["slice"]]
        came = {lines[i] for i in rows[(at["checked"], "T4")]["from"]}
        self.assertIn(at["middle"], came)
        self.assertNotIn(at["ten"], came)
        explained = self.heddle("explain").stdout
        self.assertIn("WHAT LED TO IT", explained)
        self.assertIn("[middle = 30]", explained)
        self.assertIn("more lines, further away", explained)
        self.assertNotIn("further away", self.heddle("explain", "--all").stdout)
        self.assertEqual(json.loads(self.heddle("explain", "--json").stdout)["slice"], told["slice"])
        page = json.loads(re.search(r'id="data">(.*?)</script>', (self.directory / told["page"]).read_text(), re.S)[1])
        self.assertEqual([row["at"][1] for row in page["slice"]], lines)
        # Simplified again, the old lines speak of another run.
        self.assertEqual(self.heddle("simplify").returncode, 0)
        self.assertNotIn("WHAT LED TO IT", self.heddle("explain").stdout)
        without = self.heddle("debug", "--no-slice", "--json", "--", base.program("value_origins"))
        self.assertNotIn("slice", json.loads(without.stdout))

    def test_a_variable_a_place_and_an_earlier_moment(self):
        at = self.found("value_origins")
        told = self.why("--value", "noise")
        self.assertEqual([row["value"] for row in told["writes"]], ["noise = 1", "noise = 3", "noise = 6"])
        steps = [row["step"] for row in told["writes"]]
        earlier = self.why("--value", "noise", "--at", str(steps[1]))
        self.assertEqual([row["value"] for row in earlier["writes"]], ["noise = 1"])
        member = self.why("--value", "pair.second")
        self.assertIn("noise", " ".join(row["value"] for row in member["slice"]))
        place = self.slice_of(self.why("--value", f"value_origins.c:{at['middle']}"))
        self.assertIn((at["source"], "T2"), place)
        self.assertNotIn((at["checked"], "T4"), place)
        self.assertIn("nothing with a known source line wrote it", self.why("--value", "pair.first", code=125)["why_not"])

    def test_a_crash_and_an_exit_code(self):
        at = self.found("crash_origins")
        rows = self.slice_of(self.why())
        self.assertIn((at["takes"], "T2"), rows)
        self.assertEqual(rows[(at["takes"], "T2")]["value"], "shared = null")
        for place in ((at["checks"], "T1"), (at["crashes"], "T1"), (at["sets"], "main")):
            self.assertIn(place, rows)

    def test_an_exit_code(self):
        at = self.found("exit_origins")
        told = self.why()
        writers = {row["thread"] for row in told["slice"] if row["line"] == at["writes"]}
        self.assertEqual(len(writers), 1, told["slice"])
        self.assertIn((at["returns"], "main"), self.slice_of(told))

    def test_instructions_that_are_points(self):
        """They are executed in a copy, and what they had read is put back there by the runtime."""
        at = self.found("torn_origins")
        told = self.why()
        rows = self.slice_of(told)
        for place in ((at["sets"], "main"), (at["fails"], "main")):
            self.assertIn(place, rows)
        # Who was overwritten has no part in the value.
        self.assertEqual(len({line for line, _ in rows} & {at["adds"], at["doubles"]}), 1, told["slice"])

    def test_bad_input(self):
        self.found("exit_origins")
        done = self.heddle("why", "--value", "nobody_knows")
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("nobody_knows: no global or static variable of that name", done.stderr)
        self.assertEqual(self.heddle("why", "--value", "exit_origins.c:1").returncode, 125)
        self.assertEqual(self.heddle("why", "--at", "100000").returncode, 2)


if __name__ == "__main__":
    base.main()

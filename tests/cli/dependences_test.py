#!/usr/bin/env python3
"""What a failure depends on: `reduce --by dependence`, by one replay under the Valgrind tool.

usage: dependences_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import pathlib
import struct

import cli_test as base


class Dependences(base.InDirectory):
    def reduced(self, name, by, *words):
        self.assertEqual(self.heddle("find", "--", base.program(name)).returncode, 1)
        done = self.heddle("reduce", "--by", by, "--json", *words)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def test_a_chain_of_three_threads(self):
        for carrier in ("fiber", "kernel"):
            told = self.reduced("chain_of_threads", "dependence", "--carrier", carrier)
            self.assertEqual(told["reduction"]["by"], ["dependence"])
            self.assertEqual(told["reduction"]["dependences"]["relevant"], ["0", "0.7", "0.8", "0.9"])
            self.assertEqual((told["found"]["threads"], told["reduced"]["threads"]), (10, 4))
            edges = {(edge["from"], edge["to"]): edge["kinds"] for edge in told["reduction"]["edges"]}
            self.assertEqual(edges[("0.7", "0.8")], ["memory"])
            self.assertEqual(edges[("0.8", "0.9")], ["memory"])
            self.assertNotIn(("0.1", "0.9"), edges)
        # Nobody asked how it runs without interleaving, so nothing is said about it.
        self.assertFalse(told["reduction"]["criterion"]["asked"])
        self.assertIn("validated: it fails in the same way\n", self.heddle("reduce", "--by", "dependence").stdout)
        saved = json.loads(next((self.directory / ".heddle/bugs").glob("*/reduction.json")).read_text())
        self.assertEqual(saved["by"], ["dependence"])
        replayed = self.heddle("replay", "--reduced", "--json")
        self.assertEqual(json.loads(replayed.stdout)["verdict"], "failure", replayed)

    def test_nothing_can_be_left_out(self):
        told = self.reduced("all_needed", "dependence")
        self.assertEqual((told["found"]["threads"], told["reduced"]["threads"]), (5, 5))
        self.assertEqual(len(told["reduction"]["dependences"]["relevant"]), 5)

    # The three stages and the table of all writers.
    def test_both_detectors_find_the_same(self):
        tool = pathlib.Path(base.HEDDLE).parent.parent / "lib" / "heddle-amd64-linux"
        script = self.directory / "watched.sh"
        found = {}
        for naive in ("no", "yes"):
            edges = self.directory / f"edges-{naive}"
            edges.touch()
            script.write_text("#!/bin/sh\nexport VALGRIND_LIB=/usr/libexec/valgrind VALGRIND_LAUNCHER=/usr/bin/valgrind.bin\n"
                              f"exec {tool} --tool=heddle -q --log-file=/dev/null --dependences={edges} --naive={naive} \"$@\"\n")
            script.chmod(0o755)
            self.heddle("run", "--races", "--", script, base.program("chain_of_threads"))
            found[naive] = {struct.unpack_from("<II", record) for record in struct.iter_unpack("24s", edges.read_bytes()) for record in record}
        self.assertEqual(found["no"], found["yes"])
        self.assertIn((7, 8), found["no"])


if __name__ == "__main__":
    base.main()

#!/usr/bin/env python3
"""What a report calls the program's variables.

usage: names_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json

import cli_test as base
from cli_test import program


class Names(base.InDirectory):
    def test_locals_of_a_function(self):
        self.assertEqual(self.heddle("debug", "--no-slice", "--", program("function_locals")).returncode, 1)
        story = self.heddle("explain").stdout
        self.assertIn("deadlock", story)
        for name in ("locks account ", "locks ledger.guard "):
            self.assertIn(name, story)
        self.assertNotIn("account A", story)
        # As earlier versions saved a bug, without the frames: then as its statements call it.
        for saved in self.directory.glob(".heddle/bugs/*/*.stacks"):
            kept = json.loads(saved.read_text())
            self.assertTrue(kept.pop("locals"))
            saved.write_text(json.dumps(kept))
        story = self.heddle("explain").stdout
        self.assertIn("locks account A ", story)
        self.assertIn("locks ledger.guard ", story)


if __name__ == "__main__":
    base.main()

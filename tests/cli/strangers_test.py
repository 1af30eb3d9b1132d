#!/usr/bin/env python3
"""Nothing that this user's heddle did not write is run, and nothing of it steers the terminal.

usage: strangers_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import pty
import shutil
import subprocess

import cli_test as base


class Strangers(base.InDirectory):
    def setUp(self):
        super().setUp()
        self.home = self.directory / "home"
        self.home.mkdir()
        self.work = self.directory / "work"
        self.work.mkdir()
        shutil.copy(base.program("lost_update"), self.work / "prog")

    def heddle(self, *words, home=None, **more):
        environment = {**os.environ, "HOME": str(home or self.home)}
        environment.pop("XDG_STATE_HOME", None)
        return subprocess.run([base.HEDDLE, *map(str, words)], cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=base.TIMEOUT, **more)

    def saved(self, *words, home=None):
        done = self.heddle("find", "--json", *words, "--", "./prog", home=home)
        self.assertEqual(done.returncode, 1, done)
        return self.work / json.loads(done.stdout)["bug"]

    def somebody_else(self):
        other = self.directory / "other"
        other.mkdir(exist_ok=True)
        return other

    def test_ones_own_bug_is_run(self):
        self.saved()
        self.assertEqual(self.heddle("replay").returncode, 1)
        key = self.home / ".local/state/heddle/key"
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)

    def test_a_bug_of_somebody_else_is_not_run(self):
        bug = self.saved(home=self.somebody_else())
        record = json.loads((bug / "bug.json").read_text())
        record["command"] = ["/bin/sh", "-c", "touch owned"]
        record["predicates"]["fails_if"] = "touch owned"
        (bug / "bug.json").write_text(json.dumps(record))
        for verb in (["replay"], ["simplify"], ["reduce"], ["isolate"], ["debug", bug.name], ["show", "--at", "1"]):
            said = self.one_sentence(self.heddle(*verb), 125)
            self.assertIn("touch owned", said, "what it asks for is shown")
        self.assertIn("judged by a command", self.one_sentence(self.heddle("replay", bug.name, "--", "./prog"), 125))
        self.assertFalse((self.work / "owned").exists())
        for verb in ("explain", "list", "show"):
            self.assertEqual(self.heddle(verb).returncode, 0, "reading it runs nothing")
        self.assertFalse((self.work / "owned").exists())

    def test_it_runs_with_the_program_named(self):
        bug = self.saved(home=self.somebody_else())
        self.assertEqual(self.heddle("replay", bug.name, "--", "./prog").returncode, 1)
        shutil.copy(base.program("reads_input"), self.work / "another")
        self.assertIn("is not the program of bug", self.one_sentence(self.heddle("replay", bug.name, "--", "./another"), 125))
        # What is saved of it afterwards names what this user named, and is still not wholly his.
        self.assertEqual(self.heddle("simplify", bug.name, "--", "./prog").returncode, 0)
        self.assertEqual(self.heddle("replay").returncode, 125)

    def test_an_emitted_test_runs_nothing_of_a_stranger(self):
        bug = self.saved(home=self.somebody_else())
        record = json.loads((bug / "bug.json").read_text())
        mark = "touch owned"
        command = f"x]==]\n)\nexecute_process(COMMAND {mark})\n#)heddle\" int evil; R\"heddle(' ; {mark} ; '\x1b]0;x\x07"
        record["command"] = [command]
        (bug / "bug.json").write_text(json.dumps(record))
        for form in ("ctest", "gtest", "catch2", "shell"):
            self.assertIn("name the program after --", self.one_sentence(self.heddle("emit-test", "--format", form), 125))
        self.assertNotIn(mark, self.heddle("emit-test", "--", "./prog").stdout)
        # Once it is trusted the command is a word, whatever is in it.
        self.assertEqual(self.heddle("trust", "--yes", bug.name).returncode, 0)
        script = self.heddle("emit-test", "--format", "shell").stdout
        subprocess.run(["sh", "-c", script], cwd=self.work, capture_output=True, check=False)
        cmake = self.heddle("emit-test", "--format", "ctest").stdout
        (self.work / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nenable_testing()\n" + cmake)
        made = subprocess.run(["cmake", "-B", "made"], cwd=self.work, capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made)
        self.assertFalse((self.work / "owned").exists())
        self.assertIn(")heddle_\"", self.heddle("emit-test", "--format", "gtest").stdout)

    def test_a_bug_has_a_plain_name(self):
        bug = self.saved()
        hostile = bug.parent / "$(touch owned)"
        shutil.copytree(bug, hostile)
        (bug.parent.parent / "latest").write_text(hostile.name + "\n")
        for verb in ("replay", "emit-test", "explain"):
            self.one_sentence(self.heddle(verb), 125)
        self.assertIn("no name of a bug", self.heddle("list").stdout)

    def test_it_runs_after_a_word_of_trust(self):
        bug = self.saved(home=self.somebody_else())
        asked = self.heddle("trust")
        self.assertEqual(asked.returncode, 125)
        self.assertIn("./prog", asked.stdout, "the command is shown first")
        self.assertEqual(self.heddle("replay").returncode, 125)
        self.assertEqual(self.heddle("trust", "--yes").returncode, 0)
        self.assertEqual(self.heddle("replay", bug.name).returncode, 1)

    def test_a_bug_of_somebody_else_is_not_overwritten(self):
        theirs = self.saved(home=self.somebody_else())
        before = (theirs / "bug.json").read_bytes()
        mine = self.saved()
        self.assertNotEqual(mine, theirs)
        self.assertEqual((theirs / "bug.json").read_bytes(), before)

    def test_what_changed_is_named(self):
        bug = self.saved()
        for name, change in (("stdin", b"other"), ("stdout", b"other"), ("bug.json", b"{}"), ("failing.trace", b"")):
            kept = (bug / name).read_bytes()
            (bug / name).write_bytes(change)
            done = self.heddle("replay")
            self.assertEqual(done.returncode, 125, done)
            self.assertIn(name, done.stderr)
            (bug / name).unlink()
            self.assertIn(name, self.heddle("replay").stderr)
            (bug / name).write_bytes(kept)
        (bug / "simplified.trace").write_bytes((bug / "failing.trace").read_bytes())
        self.assertIn("simplified.trace", self.one_sentence(self.heddle("replay"), 125))
        (bug / "simplified.trace").unlink()
        self.assertEqual(self.heddle("replay").returncode, 1)

    def test_a_replay_string_runs_nothing_by_itself(self):
        self.saved()
        string = json.loads(self.heddle("explain", "--json").stdout)["replay"]
        self.assertTrue(string.startswith("hd2:"))
        self.assertIn("./prog", self.one_sentence(self.heddle("replay", string), 2))
        self.assertEqual(self.heddle("replay", string, "--", "./prog").returncode, 1)
        shutil.copy(base.program("reads_input"), self.work / "another")
        self.assertIn("--relaxed", self.one_sentence(self.heddle("replay", string, "--", "./another"), 125))

    def test_without_a_key(self):
        nowhere = self.directory / "nowhere"
        nowhere.write_text("a file")
        bug = self.saved(home=nowhere)
        self.assertIn("is not known", self.one_sentence(self.heddle("replay", home=nowhere), 125))
        self.assertEqual(self.heddle("replay", bug.name, "--", "./prog", home=nowhere).returncode, 1)

    def test_live_input_keeps_the_recording(self):
        shutil.copy(base.program("reads_input"), self.work / "prog")
        number = self.work / "number"
        number.write_text("3\n")
        done = self.heddle("find", "--strategy", "random", "--json", "--", "./prog", "file", number)
        self.assertEqual(done.returncode, 1, done)
        number.write_text("5\n")
        self.assertIn("input 5\n", self.heddle("replay", "--live-input").stdout)
        number.unlink()
        self.assertIn("input 3\n", self.heddle("replay").stdout)
        self.assertIn("input 5\n", self.heddle("replay", "--last-live").stdout)


class Terminals(base.InDirectory):
    """What is shown on a terminal, by a program that prints everything it should not."""

    def on_a_terminal(self, *words):
        master, slave = pty.openpty()
        child = subprocess.Popen([base.HEDDLE, *map(str, words)], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(master)
        return child.wait(timeout=base.TIMEOUT), shown

    def test_nothing_steers_it(self):
        source = self.directory / "hostile.c"
        source.write_text(r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  fputs("\033]0;owned\007 \302\233 31m \342\200\256 \377\n", stderr);
  abort();
}
""")
        program = self.directory / "hostile\033[31m"
        subprocess.run(["cc", "-g", str(source), "-o", str(program)], check=True)
        for words in (["debug", "--", program], ["replay"], ["list"], ["explain"], ["debug", "--json", "--", program],
                      ["run", "--", self.directory / "no\033]0;such\007"], ["replay", "no\033]0;such\007"]):
            _, shown = self.on_a_terminal(*words)
            text = shown.decode("utf-8")  # throws where it is not UTF-8
            for mark in ("\033]", "\007", "\u009b", "\u202e", "\033[31m"):
                self.assertNotIn(mark, text, words)


if __name__ == "__main__":
    base.main()

#!/usr/bin/env python3
"""Programs built with a sanitizer run like any other: a correct one passes, and what a sanitizer reports is a finding that replays."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
TIMEOUT = 200


class Sanitizers(unittest.TestCase):
    heddle_program = None

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(prefix="heddle-sanitizers-"))
        self.addCleanup(shutil.rmtree, self.here, ignore_errors=True)

    def heddle(self, *words):
        environment = {k: v for k, v in os.environ.items() if not k.endswith("SAN_OPTIONS")}
        return subprocess.run([self.heddle_program, *map(str, words)], cwd=self.here, env=environment, capture_output=True, text=True,
                              errors="replace", timeout=TIMEOUT, stdin=subprocess.DEVNULL, check=False)

    def compile(self, compiler, sanitizer, source, *more):
        program = self.here / f"{compiler}-{sanitizer}-{pathlib.Path(source).stem}{''.join(more[:1])}"
        driver = {"gcc": "g++", "clang": "clang++"}[compiler] if source.endswith("pp") else compiler
        done = subprocess.run([driver, "-g", "-O1", "-pthread", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=undefined", *more,
                               str(HERE / "programs" / source), "-o", str(program)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Without us it must run, or nothing is learnt here (a kernel that gives no room for the shadow).
        if subprocess.run([program], capture_output=True, check=False, timeout=TIMEOUT).returncode < 0:
            self.skipTest(f"-fsanitize={sanitizer} does not run here")
        return program

    def correct(self, compiler, sanitizer, source="correct.cpp"):
        program = self.compile(compiler, sanitizer, source)
        for carrier in ("fiber", "kernel"):
            done = self.heddle("run", "--carrier", carrier, "--", program)
            self.assertEqual((done.returncode, done.stdout), (0, "total 3\n"), done.stderr)
        done = self.heddle("find", "--executions", 8, "--json", "--", program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def wrong(self, compiler, sanitizer, source, words, verb="debug"):
        program = self.compile(compiler, sanitizer, source)
        done = self.heddle(verb, "--json", "--executions", 100, "--", program)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        message = json.dumps(json.loads(done.stdout))
        self.assertIn(words, message)
        for carrier in ("fiber", "kernel"):
            again = self.heddle("replay", "--carrier", carrier)
            self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
            self.assertIn("reproduced", again.stdout)
            self.assertIn(words, again.stdout)

    def test_correct(self):
        for compiler in COMPILERS:
            for sanitizer in ("address", "undefined", "address,undefined", "leak", "thread"):
                with self.subTest(compiler=compiler, sanitizer=sanitizer):
                    self.correct(compiler, sanitizer)

    def test_waits(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.correct(compiler, "thread", "waits.c")

    def test_use_after_free(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.wrong(compiler, "address", "freed.c", "AddressSanitizer: heap-use-after-free freed.c:13")

    def test_leak(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.wrong(compiler, "leak", "leaked.c", "LeakSanitizer: 44 byte(s) leaked in 1 allocation(s).")

    def test_other_ways_of_linking(self):
        ways = {"gcc": "-static-libasan", "clang": "-shared-libsan"}
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                place = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True, check=False).stdout.strip() + "/lib/linux"
                program = self.compile(compiler, "address", "freed.c", ways[compiler], *([f"-Wl,-rpath,{place}"] if compiler == "clang" else []))
                done = self.heddle("find", "--json", "--executions", 40, "--", program)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("AddressSanitizer: heap-use-after-free freed.c:13", done.stdout)

    def test_hidden_sanitizers_are_refused(self):
        for sanitizer, flag in (("thread", "-static-libtsan"), ("leak", "-static-liblsan")):
            program = self.compile("gcc", sanitizer, "raced.c", flag)
            for verb in ("run", "find"):
                done = self.heddle(verb, "--", program)
                self.assertEqual(done.returncode, 125, done.stdout + done.stderr)
                self.assertIn("was linked with -static-libtsan or -static-liblsan", done.stderr)

    def test_their_own_code_is_no_point(self):
        """clang links AddressSanitizer into the program; its allocator's atomic instructions are not the program's."""
        if "clang" in COMPILERS:
            program = self.compile("clang", "address", "correct.cpp")
            done = self.heddle("find", "--points", "atomics", "--executions", 20, "--", program)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotRegex(done.stdout + done.stderr, r"\d\d atomic instructions")

    def test_race(self):
        # gcc's detector is a library, whose place ours takes. Clang's is inside: a run is a fresh process, which is slow.
        if "clang" in COMPILERS:
            self.wrong("clang", "thread", "raced.c", "ThreadSanitizer: data race raced.c", verb="find")

    def test_undefined_behaviour(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.wrong(compiler, "address,undefined", "shifted.c", "runtime error: shift exponent 40 is too large")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    options, rest = parser.parse_known_args()
    Sanitizers.heddle_program = options.heddle
    unittest.main(argv=[sys.argv[0], *rest])

#!/usr/bin/env python3
"""Two copies of each function in one object: the program stays the same, whichever runs."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
TIMEOUT = 120
COMPILERS = [c for c in (("gcc", "g++"), ("clang", "clang++")) if shutil.which(c[1])]


class Twins(unittest.TestCase):
    heddle_program = build = None

    def setUp(self):
        self.here = self.build / self.id().rsplit(".", 1)[1]
        shutil.rmtree(self.here, ignore_errors=True)
        self.here.mkdir(parents=True)

    def run_here(self, *words, **more):
        return subprocess.run([str(word) for word in words], cwd=self.here, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT, **more)

    def compile(self, *words, compilers=COMPILERS[0], twins="explain", language="c++"):
        """What the wrapper said on standard error."""
        wrapper = self.heddle_program.parent / f"heddle-{'c++' if language == 'c++' else 'cc'}"
        done = self.run_here(wrapper, *words, env=os.environ | {"HEDDLE_CC": compilers[0], "HEDDLE_CXX": compilers[1], "HEDDLE_TWINS": twins})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def notes(self, path):
        return self.run_here("readelf", "-n", path).stdout.count("Heddle")

    def heddle(self, *words):
        return self.run_here(self.heddle_program, *words)

    def test_either_copy_gives_the_same(self):
        sources = [PROGRAMS / "twins_a.cpp", PROGRAMS / "twins_b.cpp"]
        flags = ["-std=c++17", "-pthread"]
        for compilers in COMPILERS:
            for level in ("-O0", "-O2") if compilers[0] == "gcc" else ("-O2",):
                self.run_here(compilers[1], *flags, level, *sources, "-o", "plain", check=True)
                expected = self.run_here("./plain").stdout
                self.assertEqual(expected.split()[1:5], ["2", "1200", "2400", "1"])
                self.assertEqual(self.compile(*flags, level, *sources, "-o", "both", compilers=compilers), "")
                self.compile(*flags, level, *sources, "-o", "jumps", compilers=compilers, twins="jump")
                self.assertGreater(self.notes("both"), 10)
                self.assertEqual(self.run_here("./both").stdout, expected)
                self.assertEqual(self.run_here("./jumps").stdout, expected)
                self.assertEqual(self.heddle("run", "--points", "sync", "--", "./both").stdout, expected, (compilers, level))

    def test_an_object_in_a_shared_library(self):
        flags = ["-std=c++17", "-pthread", "-fPIC", "-O2"]
        self.run_here("g++", *flags, PROGRAMS / "twins_a.cpp", PROGRAMS / "twins_b.cpp", "-o", "plain", check=True)
        for twins in ("explain", "jump"):
            self.compile(*flags, "-shared", PROGRAMS / "twins_b.cpp", "-o", "libtwins_b.so", twins=twins)
            self.compile(*flags, PROGRAMS / "twins_a.cpp", "-o", "program", "-L.", "-ltwins_b", "-Wl,-rpath,$ORIGIN", "-Wl,--gc-sections", twins=twins)
            self.assertGreater(self.notes("libtwins_b.so"), 3)
            self.assertEqual(self.run_here("./program").stdout, self.run_here("./plain").stdout)

    def test_which_functions_go_to_their_twins(self):
        for compilers in COMPILERS:
            order = ["-fno-toplevel-reorder"] if compilers[0] == "gcc" else []
            self.compile(PROGRAMS / "which_copy.c", "-O1", "-pthread", *order, "-o", "program", language="c", compilers=compilers)
            self.assertEqual(self.run_here("./program").stdout, "000000\n")
            # One that computes does; those that synchronise, call what does, or call by a pointer do not.
            self.assertEqual(self.heddle("run", "--points", "sync", "--", "./program").stdout, "100001\n", compilers)
            for words in (["--points", "all"], ["--points", "functions"], ["--points", "sync", "--races"]):
                self.assertEqual(self.heddle("run", *words, "--", "./program").stdout, "000000\n", words)

    def test_a_search_that_knows_the_racing_sites(self):
        self.compile(PROGRAMS / "racing_copy.c", "-O1", "-pthread", "-fno-toplevel-reorder", "-o", "program", language="c")
        words = ["find", "--json", "--seed", "1", "--strategy", "random", "--executions", "400"]
        found = json.loads(self.heddle(*words, "--", "./program").stdout)
        # Nothing goes to its twin while races are looked for, and a function that races never does.
        self.assertEqual(found["failure"]["code"], 1)
        self.assertGreater(found["find"]["executions"], 100)
        self.assertEqual(self.heddle("replay").returncode, 1)

    def test_a_failure_in_a_twin_has_its_source_line(self):
        for flags, kind, line in (([], "signal", 16), (["-DCHECKED"], "assert", 14)):
            answers = []
            for twins in ("explain", "0"):
                self.compile(PROGRAMS / "hot_crash.c", "-O1", "-pthread", *flags, "-o", "program", twins=twins, language="c")
                shutil.rmtree(self.here / ".heddle", ignore_errors=True)
                found = json.loads(self.heddle("find", "--json", "--points", "sync", "--seed", "3", "--", "./program").stdout)
                self.assertEqual(found["failure"]["kind"], kind)
                self.assertIn(f"hot_crash.c:{line}", self.heddle("explain").stdout)
                self.assertEqual(self.heddle("replay").returncode, 1)
                answers.append((found["found"], found["find"]["executions"]))
            self.assertEqual(*answers)

    def test_what_a_build_asks_for_besides(self):
        source = self.here / "one.c"
        source.write_text('#include "one.h"\nint one(int* p) { return ++*p + ONE; }\n')
        (self.here / "one.h").write_text("#define ONE 1\n")
        for words in (["-c", "-o", "out.o", "-MD"], ["-c", "-o", "out.o", "-MMD", "-MF", "out.d"], ["-c", "-o", "out.o", "-MD", "-pipe"],
                      ["-c", "-o", "out.o", "-MD", "-save-temps=obj"]):
            for name in ("out.o", "out.d"):
                (self.here / name).unlink(missing_ok=True)
            self.assertEqual(self.compile("-O1", *words, "one.c", language="c"), "")
            self.assertGreater(self.notes("out.o"), 0, words)
            depends = (self.here / "out.d").read_text().split()
            self.assertEqual(depends[:2], ["out.o:", "one.c"])
            self.assertIn("one.h", depends)

    def test_what_is_out_of_the_ordinary_has_one_copy(self):
        (self.here / "other.s").write_text("\t.globl other\nother:\n\tret\n")
        cases = {"asm.c": 'int x;\n__asm__(".globl hand\\nhand: ret");\nint f(void) { return ++x; }\n',
                 "aligned.c": 'int x;\nint f(void) { __asm__(".p2align 5\\n\\tnop"); return ++x; }\n',
                 "behind.c": 'int x;\nint f(void) { __asm__("nop; .globl here"); return ++x; }\n',
                 "label.c": 'int x;\nint f(void) { __asm__(".globl here\\nhere:"); return ++x; }\n',
                 "seen.c": "int x;\n#ifdef __OPTIMIZE__\nint f(void) { return ++x; }\n#endif\n"}
        for name, text in cases.items():
            (self.here / name).write_text(text)
        for words, reason in ((["asm.c"], "assembly"), (["label.c"], "assembly"), (["behind.c"], "a directive"), (["-flto", "seen.c"], None), (["other.s"], None)):
            said = self.compile("-O1", "-c", *words, "-o", "out.o", language="c")
            self.assertEqual(self.notes("out.o"), 0, words)
            self.assertIn(f"no twins: {reason}" if reason else "", said)
        self.assertEqual(self.compile("-O1", "-c", "aligned.c", language="c"), "")
        self.compile("-O1", "-c", "asm.c", "seen.c", language="c")  # several at once: each as it can
        self.assertEqual(self.notes("asm.o"), 0)
        self.assertGreater(self.notes("seen.o"), 0)

    def test_data_that_is_not_the_same_in_both_is_refused(self):
        (self.here / "two.c").write_text("int f(int by) { static int x; return x += by; }\nint g(int by) { static int x; return x -= by; }\n")
        for name, flags in (("whole.s", ["-fsanitize=thread"]), ("plain.s", [])):
            self.run_here("gcc", "-O1", "-S", *flags, "two.c", "-o", name, check=True)
        merge = self.heddle_program.parent.parent / "lib" / "heddle-twin" / "merge"
        text = (self.here / "plain.s").read_text()
        swapped = text.replace("x.0", "x.two").replace("x.1", "x.0").replace("x.two", "x.1")
        cases = {"": text, "several variables x": swapped, "in the plain copy only": text.replace("x.0", "y.0"),
                 "x.0 differs": text.replace("x.0,4,4", "x.0,8,8"), "the directive .macro": "\t.macro m\n\t.endm\n" + text,
                 "an indirect function": text.replace("f, @function", "f, @gnu_indirect_function")}
        for reason, plain in cases.items():
            (self.here / "case.s").write_text(plain)
            done = self.run_here(merge, "whole.s", "case.s", "both.s")
            self.assertEqual(done.returncode, 1 if reason else 0, reason)
            self.assertIn(reason, done.stderr)
        self.assertNotEqual(swapped, text)

    def test_an_error_is_told_once(self):
        (self.here / "wrong.c").write_text("int f(void) { return undeclared; }\n")
        wrapper = self.heddle_program.parent / "heddle-cc"
        done = self.run_here(wrapper, "-c", "wrong.c")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("undeclared (first use"), 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    Twins.heddle_program, Twins.build = options.heddle.resolve(), options.build.resolve() / "twins"
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()

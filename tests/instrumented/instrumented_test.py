#!/usr/bin/env python3
"""Programs built with heddle-cc, as a user meets them."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 120


class Instrumented(unittest.TestCase):
    heddle_program = build = None

    def setUp(self):
        self.here = self.build / self.id().rsplit(".", 1)[1]
        shutil.rmtree(self.here, ignore_errors=True)
        self.here.mkdir(parents=True)

    def compile(self, name, *words, compiler="gcc", wrapped=True):
        """The object or program `name` from words that begin with the sources."""
        sources = [str(HERE / "programs" / word) if word.endswith(".c") else word for word in map(str, words)]
        wrapper = str(self.heddle_program.parent / "heddle-cc")
        command = [wrapper if wrapped else compiler, "-O1", "-g", "-pthread", *sources, "-o", name]
        subprocess.run(command, cwd=self.here, check=True, env=os.environ | {"HEDDLE_CC": compiler}, timeout=TIMEOUT)
        return self.here / name

    def heddle(self, *words):
        return subprocess.run([str(self.heddle_program), *map(str, words)], cwd=self.here, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=TIMEOUT)

    def json(self, *words):
        done = self.heddle(*words)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def test_what_is_rewritten_does_not_change_a_trace(self):
        program = self.compile("hot_store", "hot_store.c")
        documents = []
        for jobs in (1, 3):
            shutil.rmtree(self.here / ".heddle", ignore_errors=True)  # what is known is tried first
            document = self.json("find", "--json", "--seed", 2, "--jobs", jobs, "--", program)
            documents.append((document["failure"], document["found"], document["find"]["executions"]))
        self.assertEqual(*documents)
        self.assertLess(documents[0][1]["events"], 60)  # the loop's reads are no events
        self.assertEqual(self.json("replay", "--json")["verdict"], "failure")

    def test_functions_that_are_not_instrumented_are_named(self):
        self.compile("plain.o", "plain.c", "-c", wrapped=False)
        program = self.compile("halves", "halves.c", "plain.o")
        found = self.json("races", "--json", "--executions", 3, "--", program)
        self.assertEqual(found["functions"], {"executed": 5, "not_instrumented": ["deeper", "plain_work"]})
        told = self.heddle("races", "--executions", 3, "--", program).stdout
        self.assertIn("2 of 5 executed functions of the program are not instrumented: deeper, plain_work", told)

    def symbols(self, *words):
        listed = subprocess.run(["nm", *map(str, words)], check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout
        return {line.split()[-1].split("@")[0] for line in listed.splitlines() if line.split()[-1].startswith("__tsan_")}

    def test_every_hook_of_every_compiler_is_there(self):
        kinds = ["read", "write", "unaligned_read", "unaligned_write", "volatile_read", "volatile_write", "unaligned_volatile_read",
                 "unaligned_volatile_write", "read_write", "unaligned_read_write"]
        atomics = ["load", "store", "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_nand",
                   "compare_exchange_val", "compare_exchange_strong", "compare_exchange_weak"]
        others = ["init", "func_entry", "func_exit", "vptr_read", "vptr_update", "read_range", "write_range", "memcpy", "memmove", "memset",
                  "atomic_thread_fence", "atomic_signal_fence", "ignore_thread_begin", "ignore_thread_end"]
        known = {f"__tsan_{kind}{size}" for kind in kinds for size in (1, 2, 4, 8, 16)}
        known |= {f"__tsan_atomic{size}_{operation}" for size in (8, 16, 32, 64, 128) for operation in atomics}
        known |= {f"__tsan_{other}" for other in others}
        library = self.heddle_program.parent.parent / "lib"
        source = HERE.parent / "access" / "program.cpp"
        for name in ("libheddle-rt.so", "libheddle-stub.so"):
            exported = self.symbols("-D", "--defined-only", library / name)
            self.assertEqual(known - exported, set(), name)
            for compiler in filter(shutil.which, ("g++", "clang++", "clang++-19")):
                wrapper = str(self.heddle_program.parent / "heddle-c++")
                subprocess.run([wrapper, "-std=c++20", "-O0", "-c", str(source), "-o", f"{compiler}.o"], cwd=self.here, check=True,
                               env=os.environ | {"HEDDLE_CXX": compiler}, timeout=TIMEOUT)
                emitted = self.symbols("-u", self.here / f"{compiler}.o")
                self.assertGreater(len(emitted), 40, compiler)
                self.assertEqual(emitted - exported, set(), compiler)

    def test_hooks_are_resolved_at_the_start(self):
        # Else the calls of those that main has not called before the first thread would not be rewritten.
        program = self.compile("halves", "halves.c", "plain.c")
        told = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout
        self.assertIn("BIND_NOW", told)

    def test_an_installed_package_instruments_the_targets_that_are_chosen(self):
        prefix, built = self.here / "prefix", self.here / "built"
        quietly = {"check": True, "stdout": subprocess.DEVNULL, "timeout": TIMEOUT}
        subprocess.run(["cmake", "--install", str(self.heddle_program.parent.parent), "--prefix", str(prefix)], **quietly)
        subprocess.run(["cmake", "-S", str(HERE / "project"), "-B", str(built), f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_C_COMPILER=gcc",
                        "-DCMAKE_C_COMPILER_WORKS=1"], **quietly)
        subprocess.run(["cmake", "--build", str(built)], **quietly)
        program = built / "program"
        self.assertIn("__tsan_func_entry", self.symbols("-u", built / "libcounter.so"))
        self.assertEqual(self.symbols("-u", program), set())
        # Without heddle it runs too, and may lose an increment there as well.
        self.assertIn(subprocess.run([str(program)], timeout=TIMEOUT).returncode, (0, 1))

        def executed(*words):
            return subprocess.run([str(prefix / "bin" / "heddle"), *map(str, words), "--", str(program)], cwd=self.here, capture_output=True,
                                  text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT)

        races = json.loads(executed("races", "--json", "--executions", 10).stdout)["races"]
        self.assertEqual({pathlib.Path(race[side]["file"]).name for race in races for side in ("first", "second")}, {"counter.c"})
        # The threads make no call that synchronises between the two functions: only their entries are points there.
        self.assertEqual(executed("find", "--points", "sync", "--executions", 100).returncode, 0)
        found = json.loads(executed("find", "--json", "--points", "functions", "--executions", 100).stdout)
        self.assertEqual((found["verdict"], found["failure"]["kind"]), ("failure", "exit"))
        self.assertEqual(self.json("replay", "--json")["verdict"], "failure")

    def test_a_result_that_is_none_does_not_depend_on_us(self):
        program = self.compile("no_result", "no_result.c")
        for words in ([], ["--races"], ["--points", "sync"], ["--points", "sync", "--races"], ["--points", "all"]):
            self.assertEqual(self.heddle("run", *words, "--", program).stdout, "0 1000\n", words)

    def test_a_place_that_has_read_before_is_looked_at_again_after_a_free(self):
        program = self.compile("reads_on", "reads_on.c")
        for size in (1, 30000):
            done = self.heddle("run", "--races", "--points", "sync", "--", program, size)
            self.assertIn(f"use of freed memory: reads 4 bytes at offset {4 * size - 4} of a block of {4 * size} bytes", done.stderr)

    def test_a_program_that_announces_nothing(self):
        program = self.compile("halves", "halves.c", "plain.c", wrapped=False)
        done = self.heddle("find", "--points", "all", "--executions", 3, "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not built with heddle-cc: only its racing and atomic instructions can be points", done.stderr)
        # Its races are seen by Valgrind; by nobody where the tool for it is not installed.
        done = self.heddle("races", "--executions", 3, "--", program)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("RACE on shared: halves.c:12 and plain.c:1", done.stdout)
        bare = self.here / "bare"
        for part in ("bin", "lib"):
            (bare / part).mkdir(parents=True)
        shutil.copy(self.heddle_program, bare / "bin/heddle")
        shutil.copy(pathlib.Path(self.heddle_program).resolve().parent.parent / "lib/libheddle-rt.so", bare / "lib")
        done = subprocess.run([str(bare / "bin/heddle"), "races", "--", str(program)], cwd=self.here, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 125, done)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)
        self.assertIn("heddle-cc", done.stderr)
        self.assertIn("Valgrind", done.stderr)

    def test_instrumented_code_that_never_runs(self):
        main = self.here / "main.c"
        main.write_text("#include <pthread.h>\n#include <stddef.h>\nstatic void* work(void* p) { return p; }\nint announced(int* p);\n"
                        "int main(int n, char** v) { pthread_t t; if (n > 9) return announced(&n) + !v; pthread_create(&t, NULL, work, NULL);"
                        " return pthread_join(t, NULL); }\n")
        subprocess.run(["gcc", "-O1", "-g", "-c", str(main), "-o", "main.o"], cwd=self.here, check=True)
        other = self.here / "announced.c"
        other.write_text("int announced(int* p) { return ++*p; }\n")
        wrapper = str(self.heddle_program.parent / "heddle-cc")
        subprocess.run([wrapper, "-pthread", "main.o", str(other), "-o", "silent"], cwd=self.here, check=True)
        found = self.json("races", "--json", "--executions", 3, "--", self.here / "silent")
        self.assertEqual(len(found["warnings"]), 1)
        self.assertIn("no memory access of the program was seen", found["warnings"][0])

    def test_without_debug_information(self):
        program = self.compile("halves", "halves.c", "plain.c", "-g0")
        subprocess.run(["strip", str(program)], check=True)
        found = self.json("races", "--json", "--executions", 5, "--", program)
        self.assertGreater(found["confirmed"], 0)
        for race in found["races"]:
            for side in ("first", "second"):
                self.assertRegex(race[side]["place"], r"^halves\+0x[0-9a-f]+$")
        self.assertTrue(any("no debug information" in warning for warning in found["warnings"]), found["warnings"])

    def test_link_time_optimisation(self):
        program = self.compile("halves", "halves.c", "plain.c", "-flto")
        self.assertGreater(self.json("races", "--json", "--executions", 5, "--", program)["confirmed"], 0)

    def test_suppressions(self):
        program = self.compile("halves", "halves.c", "plain.c")
        self.assertGreater(self.json("races", "--json", "--executions", 5, "--", program)["confirmed"], 0)
        (self.here / "known").write_text("# known and harmless\nfile:halves.c\nfunction:deep*\n")
        for words in (("--suppress", "file:halves.c,function:deep*"), ("--suppressions", "known")):
            found = self.json("races", "--json", "--executions", 5, *words, "--", program)
            self.assertEqual((found["confirmed"], found["possible"]), (0, 0), words)

    def test_a_detector_inside_the_program(self):
        program = self.here / "inside"
        sources = [str(HERE / "programs" / name) for name in ("halves.c", "plain.c")]
        subprocess.run(["clang", "-g", "-pthread", "-fsanitize=thread", *sources, "-o", str(program)], check=True)
        done = self.heddle("races", "--", program)
        self.assertEqual(done.returncode, 125)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)
        self.assertIn("race detector of its own", done.stderr)

    def test_one_run_names_its_races(self):
        program = self.compile("halves", "halves.c", "plain.c")
        done = self.heddle("run", "--races", "--", program)
        self.assertEqual(done.returncode, 0)
        self.assertIn("heddle: race on shared: ", done.stderr)
        self.assertNotIn("race", self.heddle("run", "--", program).stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    Instrumented.heddle_program, Instrumented.build = options.heddle.resolve(), options.build.resolve() / "work"
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The command line as a user meets it: exit codes, streams, bad input, interrupts, and nothing left behind.

usage: cli_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HEDDLE = ""
PROGRAMS = pathlib.Path()
TIMEOUT = 300  # a hang, not a measurement


def heddle(*words, cwd=None, text_in=""):
    return subprocess.run(
        [HEDDLE, *map(str, words)], cwd=cwd, input=text_in, capture_output=True, text=True, timeout=TIMEOUT
    )


def program(name):
    return str(PROGRAMS / name)


def processes_of(name):
    """Ids of live processes that execute the program."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if os.readlink(entry / "exe") == program(name):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def wait_until(condition):
    """Waits for something that must come, however slow the machine."""
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def without_interpreter(elf):
    """The program with its PT_INTERP header made PT_NULL: as a static one looks."""
    elf = bytearray(elf)
    (table,) = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    for i in range(count):
        if struct.unpack_from("<I", elf, table + i * size) == (3,):
            struct.pack_into("<I", elf, table + i * size, 0)
    return bytes(elf)


class InDirectory(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="heddle-cli-"))

    def tearDown(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def heddle(self, *words, **more):
        return heddle(*words, cwd=self.directory, **more)

    def one_sentence(self, done, code):
        self.assertEqual(done.returncode, code, done)
        lines = done.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, done)
        self.assertTrue(lines[0].startswith("heddle: "), done)
        return lines[0]


class Run(InDirectory):
    def test_is_transparent(self):
        for code in (0, 1, 7, 125):
            done = self.heddle("run", "--", program("correct"), code)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "to stdout\n", "to stderr\n"))
        self.assertEqual(self.heddle("run", "--", program("correct"), -signal.SIGTERM).returncode, 128 + signal.SIGTERM)
        done = self.heddle("run", "--", program("lost_update"), text_in="hello")
        self.assertEqual((done.returncode, done.stdout), (0, "input hello\n"))

    def test_a_search_follows_scripts(self):
        script = self.directory / "wrapper"
        script.write_text(f'#!/bin/sh\nx=$(echo some words)\n"{program("lost_update")}" "$@" || exit 5\n')
        script.chmod(0o755)
        done = self.heddle("find", "--json", "--strategy", "random", "--", script)
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(self.heddle("replay", "--repeat", 3).returncode, 1)
        self.assertEqual(self.heddle("replay", "--carrier", "kernel", "--no-snapshots").returncode, 1)

    def test_follows_scripts(self):
        script = self.directory / "wrapper"
        script.write_text(f'#!/bin/sh\nexec "{program("correct")}" "$@"\n')
        script.chmod(0o755)
        self.assertEqual(self.heddle("run", "--", script, 3).returncode, 3)
        self.assertEqual(self.heddle("run", "--", "sh", "-c", "exit 9").returncode, 9)

    def test_the_same_seed_gives_the_same_trace(self):
        traces = []
        for i, carrier in enumerate(("fiber", "fiber", "kernel")):
            path = self.directory / f"{i}.trace"
            done = self.heddle("run", "--policy", "random", "--seed", 5, "--carrier", carrier, "--save", path, "--", program("lost_update"))
            self.assertIn(done.returncode, (0, 1))
            traces.append(path.read_bytes())
        self.assertEqual(traces[0], traces[1])
        self.assertIn("creates T1", self.heddle("show", "0.trace").stdout)
        self.assertEqual(self.heddle("show", "0.trace", "--at", 1).returncode, 2)
        (self.directory / "cut.trace").write_bytes(traces[0][:-9])
        self.one_sentence(self.heddle("show", "cut.trace"), 125)
        shown = []
        for carrier in ("fiber", "kernel"):
            words = ("find", "--json", "--strategy", "random", "--seed", 5, "--executions", 1, "--expect-exit", 256, "--carrier", carrier)
            bug = json.loads(self.heddle(*words, "--no-retry", "--", program("lost_update")).stdout)["bug"]
            shown.append(self.heddle("show", pathlib.Path(bug).name, "--found").stdout)
        self.assertEqual(*shown)
        self.assertEqual(len(traces[0]) > 40, True)


class BadInput(InDirectory):
    def test_programs_that_cannot_be_tested(self):
        (self.directory / "text").write_text("hello\n")
        (self.directory / "text").chmod(0o755)
        (self.directory / "plain").write_text("#!/bin/sh\n")
        shutil.copy(program("correct"), self.directory / "setuid")
        (self.directory / "setuid").chmod(0o4755)
        whole = pathlib.Path(program("correct")).read_bytes()
        linker = b"/lib64/ld-linux-x86-64.so.2"
        self.assertEqual(whole.count(linker), 1)
        for name, bytes_ in (
            ("small", whole[:4] + b"\x01" + whole[5:]),
            ("musl", whole.replace(linker, b"/lib/ld-musl-x86_64.so.1".ljust(len(linker), b"\0"))),
            ("static", without_interpreter(whole)),
        ):
            (self.directory / name).write_bytes(bytes_)
            (self.directory / name).chmod(0o755)
        for name, words in (
            ("./small", "32-bit"),
            ("./musl", "musl"),
            ("./static", "statically linked"),
            ("./none", "No such file"),
            ("surely-not-a-program", "not found in PATH"),
            ("./", "directory"),
            ("./text", "neither an ELF program nor a script"),
            ("./plain", "not executable"),
            ("./setuid", "setuid"),
        ):
            for verb in ("run", "find", "debug"):
                self.assertIn(words, self.one_sentence(self.heddle(verb, "--", name), 125))

    def test_usage(self):
        for words in ((), ("frobnicate",), ("run",), ("run", "--nonsense", "--", "true"), ("find", "--strategy", "none", "--", "true"),
                      ("run", "--seed", "x", "--", "true"), ("explain", "--", "true"), ("find", "--fails-if-output", "(", "--", "true")):
            self.assertEqual(self.heddle(*words).returncode, 2, words)
        for words in (("--help",), ("run", "--help"), ("--version",)):
            self.assertEqual(self.heddle(*words).returncode, 0, words)

    def test_bugs_that_are_not_there(self):
        for verb in ("replay", "simplify", "explain", "show"):
            self.one_sentence(self.heddle(verb), 125)
            self.one_sentence(self.heddle(verb, "zzzz"), 125)
        self.assertEqual(self.heddle("list").returncode, 0)

    def test_damaged_traces(self):
        self.assertEqual(self.heddle("find", "--", program("lost_update")).returncode, 1)
        (bug,) = (self.directory / ".heddle" / "bugs").iterdir()
        trace = bug / "failing.trace"
        whole = trace.read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 4
        later = bytearray(whole)
        later[8] = 200
        for bytes_, words in (
            (whole[:30], "truncated"),
            (whole[:-1], "truncated"),
            (bytes(flipped), "damaged"),
            (bytes(later), "later version"),
            (b"something else entirely", "not a heddle trace"),
            (b"", "not a heddle trace"),
        ):
            trace.write_bytes(bytes_)
            for verb in ("explain", "show"):
                self.assertIn(words, self.one_sentence(self.heddle(verb), 125))
            for verb in ("replay", "simplify"):
                self.assertIn("failing.trace", self.one_sentence(self.heddle(verb), 125))
        trace.write_bytes(whole)
        self.assertEqual(self.heddle("replay").returncode, 1)

    def test_a_full_disk(self):
        script = f"""mount -t tmpfs -o size=16k none . && cd "$PWD" && dd if=/dev/zero of=filler bs=1k count=13 2>/dev/null
            "$HEDDLE" debug --json -- "{program("lost_update")}"; echo code $? >&2; find .heddle -type f -size 0 >&2"""
        command = ["unshare", "-rm", "sh", "-c", script]
        environment = {**os.environ, "HEDDLE": HEDDLE}
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
            self.skipTest("no namespaces here")
        done = subprocess.run(command, cwd=self.directory, env=environment, input="", capture_output=True, text=True, timeout=TIMEOUT)
        self.assertIn("code 125", done.stderr, done)
        self.assertIn("not saved", done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertEqual(json.loads(done.stdout)["verdict"], "failure", "the result is shown all the same")

    def test_more_threads_than_a_trace_has_rows(self):
        self.assertIn("more than 16,384 threads", self.one_sentence(self.heddle("run", "--", program("many_threads"), 17000), 125))

    def test_an_answer_that_cannot_be_written(self):
        for words in (["doctor"], ["list"], ["doctor", "--json"], ["debug", "--json", "--", program("lost_update")], ["explain"], ["list", "--json"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([HEDDLE, *words], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 125, done)
            self.assertIn("could not be written", done.stderr)

    def test_a_place_that_cannot_be_written(self):
        (self.directory / ".heddle").write_text("in the way")
        done = self.heddle("debug", "--json", "--", program("lost_update"))
        self.assertEqual(done.returncode, 125)
        self.assertIn("not saved", done.stderr)
        self.assertEqual(json.loads(done.stdout)["verdict"], "failure", "the result is shown all the same")
        self.assertEqual((self.directory / ".heddle").read_text(), "in the way")


class Search(InDirectory):
    def test_json_is_all_there_is_on_stdout(self):
        done = self.heddle("debug", "--json", "--", program("lost_update"), text_in="some input\n")
        self.assertEqual(done.returncode, 1, done)
        document = json.loads(done.stdout)
        self.assertEqual(document["verdict"], "failure")
        self.assertEqual(document["failure"]["kind"], "exit")
        self.assertIn("updates", document["failure"]["message"])
        for key in ("executions", "seconds", "strategy"):
            self.assertIn(key, document["find"])
        for key in ("executions", "seconds", "minimal"):
            self.assertIn(key, document["simplify"])
        for part in ("found", "simplified", "reduced"):
            for key in ("events", "threads", "switches", "preemptions"):
                self.assertIn(key, document[part])
        self.assertEqual(document["simplified"]["preemptions"], 1)
        self.assertIn("preemptions_paper", document["simplified"])
        self.assertEqual(set(document["cause"][0]), {"file", "line", "thread", "what"})
        self.assertTrue((self.directory / document["bug"] / "bug.json").exists())
        # The input is part of the bug: it is there again without being given.
        again = self.heddle("replay", "--repeat", 3)
        self.assertEqual(again.returncode, 1, again)
        self.assertIn("input some input", again.stdout)
        again = json.loads(self.heddle("replay", "--json", "--carrier", "kernel").stdout)
        self.assertEqual((again["verdict"], again["identical"]), ("failure", True))

    def test_workers_do_not_change_the_result(self):
        documents = []
        for jobs in (1, 3):
            document = json.loads(
                self.heddle("find", "--json", "--strategy", "random", "--seed", 3, "--no-retry", "--jobs", jobs, "--", program("lost_update")).stdout
            )
            document["find"].pop("seconds")
            document["find"].pop("campaign")
            documents.append(document)
        self.assertEqual(*documents)

    def test_names_do_not_depend_on_the_threads_a_server_has_made_ready(self):
        found = json.loads(self.heddle("find", "--json", "--jobs", 1, "--", program("many_heap_locks")).stdout)
        # The first run has no preemption and passes; after it the server makes more threads ready.
        self.assertGreaterEqual(found["find"]["executions"], 2)
        again = json.loads(self.heddle("replay", "--json").stdout)
        self.assertEqual((again["verdict"], again["identical"]), ("failure", True))

    def test_nothing_to_find(self):
        done = self.heddle("debug", "--json", "--executions", 40, "--", program("correct"))
        self.assertEqual((done.returncode, json.loads(done.stdout)["verdict"]), (0, "none"))
        self.assertEqual(self.heddle("find", "--executions", 5, "--expect-exit", 4, "--", program("correct"), 4).returncode, 0)
        self.assertEqual(self.heddle("find", "--executions", 5, "--expect-exit", 4, "--", program("correct")).returncode, 1)
        self.assertEqual(self.heddle("find", "--executions", 5, "--", "true").returncode, 0)

    def test_predicates(self):
        (self.directory / "expected").write_text("something else\n")
        for words in (
            ("--expect-stdout", "expected"),
            ("--fails-if-output", "^to std(out|in)$"),
            ("--fails-if", 'grep -q "to stderr" "$HEDDLE_STDERR"'),
        ):
            document = json.loads(self.heddle("find", "--json", "--executions", 5, *words, "--", program("correct")).stdout)
            self.assertEqual((document["verdict"], document["failure"]["kind"]), ("failure", "output"), words)
            self.assertEqual(self.heddle("replay").returncode, 1, words)

    def test_a_program_that_never_yields_is_told_of(self):
        done = self.heddle("find", "--json", "--executions", 2, "--watchdog", 1, "--", program("endless"))
        self.assertEqual((done.returncode, json.loads(done.stdout)["verdict"]), (125, "inconclusive"))
        self.assertTrue(wait_until(lambda: not processes_of("endless")))

    def test_a_recorded_failure_is_a_bug(self):
        for seed in range(1, 60):
            done = self.heddle("record", "--quantum", 5, "--seed", seed, "--", program("lost_update"), text_in="kept\n")
            if done.returncode != 0:
                break
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("error: lost", done.stderr)
        self.assertEqual(self.heddle("replay").returncode, 1)
        simplified = json.loads(self.heddle("simplify", "--json").stdout)
        self.assertEqual(simplified["simplified"]["preemptions"], 1)


class SavedBugs(InDirectory):
    """What simplify, reduce and isolate make of one saved failure."""

    def setUp(self):
        super().setUp()
        found = json.loads(self.heddle("find", "--json", "--strategy", "walk", "--seed", 1, "--", program("many_workers")).stdout)
        self.assertEqual(found["verdict"], "failure")
        self.found = found["found"]

    def answer(self, *words):
        done = self.heddle(*words, "--json")
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def test_simplify(self):
        cut = self.answer("simplify", "--executions", 2, "--certificate", 0)
        self.assertLessEqual(cut["simplify"]["executions"], 2)
        on = self.answer("simplify", "--resume", "--certificate", 100)
        self.assertEqual(on["simplified"]["preemptions"], 1)
        self.assertIn("1-minimal", on["simplify"]["certificate"])
        published = self.answer("simplify", "--algorithm", "tinertia")
        self.assertEqual(published["simplify"]["certificate_executions"], 0)
        self.assertLess(published["simplified"]["switches"], self.found["switches"])
        # The end of the schedule alone: what was before it keeps its switches.
        suffix = self.answer("simplify", "--algorithm", "tinertia", "--suffix", 3)
        self.assertLess(suffix["simplify"]["executions"], published["simplify"]["executions"])
        self.assertGreater(suffix["simplified"]["switches"], published["simplified"]["switches"])
        self.assertIn("no-such-pass", self.heddle("simplify", "--algorithm", "no-such-pass").stderr)

    def test_reduce(self):
        document = self.answer("reduce", "--found")
        self.assertEqual((self.found["threads"], document["reduced"]["threads"]), (13, 3))
        self.assertLessEqual(document["reduce"]["rounds"], 12)
        self.assertFalse(document["reduce"]["sequential_bug"])
        again = json.loads(self.heddle("replay", "--reduced", "--json", "--repeat", 3).stdout)
        self.assertEqual((again["verdict"], again["identical"], again["events"]), ("failure", True, document["reduced"]["events"]))
        if shutil.which("gdb"):
            done = self.heddle("replay", "--reduced", "--gdb-commands", "info threads;continue")
            self.assertRegex(done.stdout, r"main is about to be stopped after operation \d+; T4 goes on")
            self.assertRegex(done.stdout, r"in \w+ \(\) at .*many_workers.c:\d+")

    def recorded(self, name, quantum, code):
        for seed in range(1, 200):
            done = self.heddle("record", "--always", "--quantum", quantum, "--seed", seed, "--", program(name), text_in="kept\n")
            if done.returncode == code:
                return done.stderr.split(" as .heddle/bugs/")[1].split()[0]
        return self.fail("no such run")

    def test_isolate_by_identity(self):
        document = self.answer("isolate", "--found", "--by", "identity", "--seed", 2)
        isolated = document["isolate"]
        self.assertEqual((isolated["isolated"], isolated["by"], isolated["differences_left"]), (True, "identity", 1))
        self.assertTrue(any("many_workers.c" in frame for frame in isolated["stack_failing"]), isolated)
        self.assertEqual(self.answer("isolate", "--doomed")["verdict"], "doomed")

    def test_isolate_by_clock(self):
        bug = self.recorded("lost_update", 5, 1)
        fuzzed = self.answer("isolate", bug, "--found", "--by", "clock")["isolate"]
        self.assertEqual((fuzzed["by"], fuzzed["switches_left"], fuzzed["differences_left"]), ("clock", 1, 1))
        against = self.answer("isolate", bug, "--found", "--by", "clock", "--against", self.recorded("lost_update", 1000, 0))["isolate"]
        self.assertEqual((against["isolated"], against["fuzz_executions"]), (True, 0))
        # Where it may not look for a passing run it says that there is none.
        cut = self.heddle("isolate", bug, "--found", "--fuzz", 0, "--by", "clock", "--json")
        self.assertEqual((cut.returncode, json.loads(cut.stdout)["verdict"]), (125, "inconclusive"))


class Minimum(InDirectory):
    def test_a_private_lock_hides_no_preemption(self):
        self.heddle("find", "--strategy", "walk", "--seed", 1, "--", program("unseen_access"))
        said = json.loads(self.heddle("simplify", "--algorithm", "exhaustive", "--json").stdout)
        self.assertEqual((said["simplified"]["preemptions"], said["simplify"]["minimal"]), (1, "proved"))


class Campaigns(InDirectory):
    def find(self, *words):
        done = heddle("find", "--json", *words, cwd=self.directory)
        return json.loads(done.stdout)

    def test_known_bugs_are_retried_first(self):
        first = self.find("--seed", 3, "--", program("lost_update"))
        again = self.find("--seed", 4, "--", program("lost_update"))
        self.assertEqual([first["find"]["known"], again["find"]["known"]], [False, True])
        self.assertEqual(again["find"]["executions"], 1)
        self.assertEqual(again["bug"], first["bug"])
        self.assertEqual(again["failure"]["signature"], first["failure"]["signature"])
        anew = self.find("--seed", 3, "--no-retry", "--", program("lost_update"))
        self.assertFalse(anew["find"]["known"])
        self.assertEqual(anew["find"]["executions"], first["find"]["executions"])

    def test_a_known_bug_of_another_program_is_left_alone(self):
        self.find("--", program("lost_update"))
        other = self.find("--executions", 20, "--", program("correct"))
        self.assertEqual(other["verdict"], "none")

    def test_keep_going_tells_different_failures_apart(self):
        found = self.find("--keep-going", "--executions", 200, "--", program("two_bugs"))
        codes = sorted(f["failure"]["code"] for f in found["failures"])
        self.assertEqual(codes, [2, 3])
        self.assertEqual(len({f["bug"] for f in found["failures"]}), 2)
        self.assertEqual(found["find"]["executions"], 200)
        self.assertTrue(all(1 <= f["count"] < 200 for f in found["failures"]))
        # Both are known now, and neither keeps the search from going on.
        again = self.find("--keep-going", "--executions", 50, "--", program("two_bugs"))
        self.assertEqual(sorted(f["failure"]["code"] for f in again["failures"]), [2, 3])
        self.assertTrue(all(f["known"] for f in again["failures"]))
        self.assertEqual(again["find"]["executions"], 52)

    def test_a_resumed_search_goes_on_and_does_not_repeat(self):
        words = ("--strategy", "random", "--executions", 30, "--", program("correct"))
        first, second = self.find(*words), self.find("--resume", *words)
        third = self.find("--resume", *words)
        self.assertEqual([r["find"]["campaign"]["resumed"] for r in (first, second, third)], [0, 1, 2])
        self.assertEqual(third["find"]["campaign"]["executions"], 90)
        self.assertEqual(third["find"]["campaign"]["searches"], 3)
        other = self.find("--resume", "--seed", 7, *words)
        self.assertEqual(other["find"]["campaign"]["resumed"], 0)

    def test_an_interrupted_search_counts(self):
        process = subprocess.Popen([HEDDLE, "find", "--strategy", "random", "--executions", "100000000", "--", program("correct")],
                                   cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with process.stdout, process.stderr:
            self.assertTrue(wait_until(lambda: processes_of("correct")))
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(TIMEOUT), 130)
        after = self.find("--executions", 5, "--", program("correct"))
        self.assertEqual(after["find"]["campaign"]["searches"], 2)


class Interrupts(InDirectory):
    def start(self, *words):
        process = subprocess.Popen(
            [HEDDLE, *map(str, words)], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def test_ctrl_c_ends_with_130(self):
        process = self.start("find", "--watchdog", 1000, "--", program("endless"))
        self.assertTrue(wait_until(lambda: processes_of("endless")))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIMEOUT), 130)
        self.assertTrue(wait_until(lambda: not processes_of("endless")))

    def replays(self):
        return subprocess.run([HEDDLE, "replay"], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT).returncode

    def test_what_was_found_survives_an_interrupted_debug(self):
        process = self.start("debug", "--", program("lost_update"))
        bugs = self.directory / ".heddle" / "bugs"
        self.assertTrue(wait_until(lambda: list(bugs.glob("*/bug.json"))))
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(TIMEOUT), (130, 1))  # 1: it was quicker
        self.assertTrue(wait_until(lambda: not processes_of("lost_update")))
        self.assertEqual(self.replays(), 1)
        told = subprocess.run([HEDDLE, "explain"], cwd=self.directory, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertIn("BUG ", told.stdout)

    def test_a_bug_survives_an_interrupted_simplify(self):
        subprocess.run([HEDDLE, "find", "--", program("lost_update")], cwd=self.directory, capture_output=True, timeout=TIMEOUT)
        process = self.start("simplify")
        wait_until(lambda: processes_of("lost_update") or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(TIMEOUT), (130, 0))  # 0: it was quicker
        self.assertEqual(self.replays(), 1)

    def test_nothing_outlives_a_killed_tool(self):
        process = self.start("find", "--jobs", 2, "--watchdog", 1000, "--", program("endless"))
        self.assertTrue(wait_until(lambda: len(processes_of("endless")) >= 2))
        process.kill()
        process.wait(TIMEOUT)
        self.assertTrue(wait_until(lambda: not processes_of("endless")))


def main():
    """Also for the other files of tests here, which use what stands above."""
    global HEDDLE, PROGRAMS
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    HEDDLE, PROGRAMS = str(pathlib.Path(options.heddle).resolve()), options.programs.resolve()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()

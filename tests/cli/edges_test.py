#!/usr/bin/env python3
"""At the edges of what a machine gives: closed descriptors, little stack, few files, names that are no text, a full disk.

usage: edges_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess

import cli_test as base

INFINITY = resource.RLIM_INFINITY


class AtTheEdge(base.InDirectory):
    def limited(self, *words, closed=(), ignored=(), limits=(), **streams):
        """The tool (or, as the first word, another program) after closing descriptors, ignoring signals and setting limits."""

        def prepare():
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)
            for which, soft, hard in limits:
                resource.setrlimit(which, (soft, hard))
            for fd in closed:
                os.close(fd)

        if str(words[0]) in VERBS:
            words = (base.HEDDLE, *words)
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.run([w if isinstance(w, bytes) else str(w) for w in words], cwd=self.directory, preexec_fn=prepare,
                              timeout=base.TIMEOUT, **streams)


VERBS = ("run", "find", "debug", "record", "replay", "list", "check", "explain", "report", "simplify", "isolate", "reduce", "show")


class Descriptors(AtTheEdge):
    def test_the_program_finds_what_the_tool_was_given(self):
        theirs = base.program("descriptors_given")
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)
        for closed in ((), (0,), (1,), (2,), (0, 1, 2)):
            for carrier in ("fiber", "kernel"):
                found = []
                for words in ((theirs, "found"), ("run", "--carrier", carrier, "--", theirs, "found")):
                    limits = ((resource.RLIMIT_NOFILE, 100, soft[1]), (resource.RLIMIT_FSIZE, 1 << 20, INFINITY))
                    done = self.limited(*words, closed=closed, ignored=(signal.SIGHUP, signal.SIGUSR1), limits=limits)
                    self.assertEqual(done.returncode, 0, (closed, done))
                    found.append((self.directory / "found").read_text())
                self.assertEqual(found[0], found[1], closed)

    def test_no_file_of_ours_is_taken_for_a_stream(self):
        lost_update = base.program("lost_update")
        for verb in (("find",), ("debug",), ("debug", "--json")):
            for closed in ((0,), (1,), (2,), (0, 1, 2)):
                shutil.rmtree(self.directory / ".heddle", ignore_errors=True)
                for words in ((*verb, "--no-retry", "--", lost_update), ("replay", *verb[1:])):
                    done = self.limited(*words, closed=closed)
                    with self.subTest(words=words, closed=closed):
                        # Without a place for the answer there is none.
                        self.assertEqual(done.returncode, 125 if 1 in closed else 1, done)
                        if 1 not in closed:
                            self.assertIn(b"lost 5 updates", done.stdout, done)
                            if "--json" in words:
                                self.assertEqual(json.loads(done.stdout)["verdict"], "failure")
                        if closed == (1,):
                            self.assertIn(b"heddle: the answer could not be written", done.stderr)
        self.assertEqual(sorted(p.name for p in self.directory.iterdir()), [".heddle"])

    def test_a_recording_without_streams(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            done = self.limited("record", "--always", "--", base.program("lost_update"), closed=closed)
            self.assertIn(done.returncode, (0, 1), done)
            self.assertEqual(self.heddle("replay", "--found").returncode in (0, 1), True, closed)

    def test_a_full_device(self):
        self.assertEqual(self.heddle("debug", "--", base.program("lost_update")).returncode, 1)
        for words in (("find", "--json", "--", base.program("lost_update")), ("check", "--json", "--", base.program("lost_update")),
                      ("replay", "--json"), ("explain", "--json"), ("show", "--at", "6", "--json"), ("report", "-o", "-")):
            with open("/dev/full", "w") as full:
                done = self.limited(*words, stdout=full)
            self.assertEqual((done.returncode, done.stderr), (125, b"heddle: the answer could not be written to standard output\n"), words)


class Limits(AtTheEdge):
    def test_small_stacks(self):
        for size in (64 << 10, INFINITY):
            limits = ((resource.RLIMIT_STACK, size, INFINITY if size == INFINITY else 256 << 10),)
            for words in (("debug",), ("find", "--jobs", "2", "--carrier", "kernel"), ("find", "--no-snapshots")):
                shutil.rmtree(self.directory / ".heddle", ignore_errors=True)
                done = self.limited(*words, "--json", "--", base.program("small_stacks"), limits=limits)
                self.assertEqual((done.returncode, json.loads(done.stdout or b"{}").get("failure", {}).get("message")),
                                 (1, "error: lost an update"), (size, done))
            self.assertEqual(self.limited("replay", limits=limits).returncode, 1)
            self.assertEqual(self.limited("run", "--", base.program("small_stacks"), limits=limits).returncode, 0)

    def test_overflow_of_a_small_stack_is_no_finding(self):
        limits = ((resource.RLIMIT_STACK, 32 << 10, INFINITY),)
        self.assertEqual(self.limited(base.program("popen_small_stack"), limits=limits).returncode, 0)
        for words in (("find",), ("find", "--carrier", "kernel", "--no-snapshots")):
            done = self.limited(*words, "--json", "--", base.program("popen_small_stack"), limits=limits)
            self.assertEqual(done.returncode, 125, done)
            self.assertRegex(done.stdout + done.stderr, rb"a stack of \d+ kB overflowed")

    def test_soft_limits_bind_the_program_only(self):
        for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS):
            hard = resource.getrlimit(which)[1]
            soft = {resource.RLIMIT_NOFILE: 8, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_AS: 500 << 20}[which]
            if hard != INFINITY and which != resource.RLIMIT_NOFILE:
                continue
            shutil.rmtree(self.directory / ".heddle", ignore_errors=True)
            done = self.limited("debug", "--json", "--", base.program("lost_update"), limits=((which, soft, hard),))
            self.assertEqual((done.returncode, json.loads(done.stdout or b"{}").get("verdict")), (1, "failure"), (which, done))
            self.assertEqual(self.limited("run", "--", base.program("lost_update"), limits=((which, soft, hard),)).returncode, 0, which)

    def test_hard_limits_that_leave_no_room(self):
        lost_update = base.program("lost_update")
        for which, most in ((resource.RLIMIT_AS, 1 << 30), (resource.RLIMIT_FSIZE, 8192), (resource.RLIMIT_NOFILE, 12)):
            for words in (("find", "--", lost_update), ("debug", "--json", "--", lost_update)):
                done = self.limited(*words, limits=((which, most, most),))
                self.assertEqual((done.returncode, done.stdout), (125, b""), done)
                self.assertEqual(done.stderr.count(b"\n"), 1, done)
                self.assertTrue(done.stderr.startswith(b"heddle: "), done)
                self.assertEqual(json.loads(self.heddle("list", "--json").stdout)["bugs"], [])
        done = self.limited("run", "--", lost_update, limits=((resource.RLIMIT_AS, 1 << 30, 1 << 30),))
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (125, 1), done)


class Names(AtTheEdge):
    def test_names_that_are_no_text(self):
        place = os.fsencode(self.directory) + b"/d\xff\xfe\x1b[31m"
        os.mkdir(place)
        self.directory = pathlib.Path(os.fsdecode(place))
        name = b"./p\xe9\xc2\x9b\x1b[31m"
        shutil.copy(base.program("lost_update"), place + name[1:])
        program = ("--", name, b"a\xff\x07")

        def clean(*words, code):
            done = self.limited(*words)
            self.assertEqual(done.returncode, code, (words, done))
            if "--json" in words:
                json.loads(done.stdout.decode("utf-8"))
            for text in (done.stdout.decode("utf-8"), done.stderr.decode("utf-8")):
                self.assertEqual([c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)], [], done)
            return done

        for json_too in ((), ("--json",)):
            clean("find", *json_too, *program, code=1)
            known = clean("debug", *json_too, *program, code=1)
            clean("check", *json_too, *program, code=1)
            clean("list", *json_too, code=0)
            clean("replay", *json_too, code=1)
            clean("simplify", *json_too, code=0)
            clean("explain", *json_too, code=0)
        self.assertTrue(json.loads(known.stdout)["find"]["known"], "the saved bug is recognised by its words")
        self.assertEqual(len(os.listdir(place + b"/.heddle/bugs")), 1)
        clean("record", "--always", *program, code=0)
        clean("run", *program, code=0)
        for kind in ("html", "sarif", "junit"):
            self.limited("report", "--format", kind, "-o", "-").stdout.decode("utf-8")
        os.unlink(place + name[1:])
        clean("replay", code=125)


class FullDisk(AtTheEdge):
    SCRIPT = """mount -t tmpfs -o size=256k none . && cd "$PWD"
        "$HEDDLE" find -- "$FIRST" > /dev/null 2>&1; code=$?; before=$(cat .heddle/bugs/*/* | cksum); ls .heddle/bugs > /dev/null
        dd if=/dev/zero of=filler bs=1k count=300 2>/dev/null; truncate -s -$ROOM filler
        "$HEDDLE" $VERB -- "$SECOND" > /dev/full 2> /dev/shm/said.$$; echo "$code $? $(grep -c 'heddle: not saved: .*No space left\\|heddle: cannot .*No space left' /dev/shm/said.$$)"
        rm -f /dev/shm/said.$$
        [ "$before" = "$(cat .heddle/bugs/*/* | cksum)" ] && echo same; "$HEDDLE" list; "$HEDDLE" replay | tail -1; ls -A .heddle | grep -c draft"""

    def test_nothing_half_saved(self):
        if subprocess.run(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /tmp"], capture_output=True).returncode != 0:
            self.skipTest("no namespaces here")
        first, second = base.program("lost_update"), base.program("small_stacks")
        for room in (4096, 8192, 12288):
            # The same bug again must not damage the one that is there.
            for verb, again in (("find --no-retry", second), ("debug --no-retry", first), ("record --always", second)):
                environment = {**os.environ, "HEDDLE": base.HEDDLE, "FIRST": first, "SECOND": again, "ROOM": str(room), "VERB": verb}
                done = subprocess.run(["unshare", "-rm", "sh", "-c", self.SCRIPT], cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=base.TIMEOUT)
                lines = done.stdout.splitlines()
                # A recording that cannot be streamed is kept in memory, which is a sentence of its own before the one about saving.
                said = ["1 125 1", "1 125 2"] if verb.startswith("record") else ["1 125 1"]
                self.assertIn(lines[0], said, (room, verb, done))
                self.assertEqual(lines[1], "same", (room, verb, done))
                self.assertEqual(len(lines), 5, done)
                self.assertIn("lost_update  exit", lines[2])
                self.assertIn("reproduced", lines[3])
                self.assertEqual(lines[4], "0")

    # The log has the last of the room: a checkpoint never takes it, so that the recording is whole.
    RECORD = """mount -t tmpfs -o size=6m none . && cd "$PWD"
        "$HEDDLE" record --always --checkpoint 0.01 -- "$PROGRAM" 20000 written > /dev/null; echo $?
        "$HEDDLE" replay --json"""

    def test_a_checkpoint_leaves_room_for_the_log(self):
        if subprocess.run(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /tmp"], capture_output=True).returncode != 0:
            self.skipTest("no namespaces here")
        environment = {**os.environ, "HEDDLE": base.HEDDLE, "PROGRAM": base.program("works_long")}
        done = subprocess.run(["unshare", "-rm", "sh", "-c", self.RECORD], cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=base.TIMEOUT)
        self.assertNotIn("the recording ends there", done.stderr)
        self.assertIn("heddle: checkpoints: 0", done.stderr)
        self.assertIn("heddle: recorded", done.stderr)
        self.assertNotIn("does not replay", done.stderr)
        code, _, document = done.stdout.partition("\n")
        self.assertEqual(code, "3", done)  # the program's own
        self.assertTrue(json.loads(document)["identical"], done)


if __name__ == "__main__":
    base.main()

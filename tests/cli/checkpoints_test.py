#!/usr/bin/env python3
"""Checkpoints of recorded runs: files from which the rest of the run can be had again, when everybody who took part in it is gone.

usage: checkpoints_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time

import cli_test as base

HERE = pathlib.Path(__file__).resolve().parent


class Recorded(base.InDirectory):
    def started(self, *words, program=("works_long", "100000000", "written")):
        return subprocess.Popen([base.HEDDLE, "record", "--seed", "7", "--quantum", "50", "--checkpoint", "0.05", *words, "--",
                                 base.program(program[0]), *program[1:]], cwd=self.directory, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def await_checkpoints(self, wanted):
        """Until `wanted` says yes to the names of the recording's files; gives the recording."""
        recordings = self.directory / ".heddle" / "recordings"
        for _ in range(2400):
            for recording in recordings.iterdir() if recordings.exists() else ():
                if wanted(sorted(file.name for file in recording.iterdir() if not file.name.endswith(".part"))):
                    return recording
            time.sleep(0.02)
        self.fail("no checkpoint came")

    def recorded(self, *words, wanted=lambda names: "checkpoint.0002" in names, **more):
        """A run that a signal ends, and the checkpoints of its bug: [(events before it, ms since the start)]."""
        tool = self.started(*words, **more)
        self.await_checkpoints(wanted)
        tool.send_signal(signal.SIGTERM)
        return self.ended(tool, 128 + signal.SIGTERM)

    def ended(self, tool, code):
        said, complaints = tool.communicate(timeout=120)
        self.assertEqual(tool.returncode, code, complaints)
        self.assertIn("heddle: recorded", complaints)
        self.assertNotIn("does not replay", complaints)
        self.assertNotIn("no checkpoint", complaints)
        (bug,) = (self.directory / ".heddle" / "bugs").iterdir()
        index = json.loads((bug / "checkpoints").read_text())
        self.files = [self.directory / ".heddle" / "checkpoints" / bug.name / row["file"] for row in index]
        return said, [(row["events"], row["real_ms"]) for row in index]

    def replay(self, *words, code=1):
        done = self.heddle("replay", "--json", *words)
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout) if code in (0, 1) else done

    def refused(self, *words):
        done = self.heddle("replay", *words)
        self.assertEqual(done.returncode, 125, done)
        self.assertEqual(len(done.stderr.splitlines()), 1, done)
        return done.stderr


class Checkpoints(Recorded):
    def test_from_any(self):
        said, checkpoints = self.recorded()
        self.assertGreater(len(checkpoints), 1, said)
        whole = self.replay()
        self.assertTrue(whole["identical"], whole)
        for events, ms in checkpoints:
            with self.subTest(events=events):
                rest = self.replay("--from", events)
                self.assertEqual((rest["verdict"], rest["identical"], rest["from"]), ("failure", True, events))
                self.assertEqual(rest["events"], whole["events"] - events)
                self.assertEqual(self.replay("--from", f"{ms}ms")["from"], events)
        first, last = checkpoints[0][0], checkpoints[-1][0]
        self.assertEqual(self.replay("--from", last + 1)["from"], last)
        # Before the first there is the start.
        self.assertEqual(self.replay("--from", "1")["from"], 0)
        part = self.replay("--from", first, "--to", first + 1000, code=0)
        self.assertEqual((part["verdict"], part["events"], part["identical"]), ("replayed", 1000, True))
        out = self.heddle("replay", "--from", last)
        self.assertIn(f"replayed from event {last}", out.stdout)
        self.assertTrue(said.endswith(out.stdout[:out.stdout.index("BUG")]), (said[-200:], out.stdout[-200:]))
        for file in self.files:
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)

    def identical_from_each(self, checkpoints):
        self.assertTrue(checkpoints)
        for events, _ in checkpoints:
            with self.subTest(events=events):
                self.assertTrue(self.replay("--from", events)["identical"])

    def test_a_pipe_that_was_full(self):
        _, checkpoints = self.recorded(program=("fills_pipe", "100000000"))
        self.identical_from_each(checkpoints)

    def test_a_connection_with_a_time_out(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            tool = self.started(program=("reads_from_peer", str(server.getsockname()[1])))
            enough = threading.Event()

            def serve():
                with server.accept()[0] as first, server.accept()[0] as second:
                    while not enough.wait(0.002):
                        first.sendall(b"x")
                    first.close()
                    second.sendall(b"x" * 100)

            peer = threading.Thread(target=serve)
            peer.start()
            try:
                self.await_checkpoints(lambda names: "checkpoint.0002" in names)
            finally:
                enough.set()
                peer.join()
            _, checkpoints = self.ended(tool, 3)
        self.identical_from_each(checkpoints)

    def test_what_is_missing_or_damaged(self):
        _, checkpoints = self.recorded()
        step, file = checkpoints[-1][0], self.files[-1]
        self.assertEqual(self.heddle("replay", "--from", "soon").returncode, 2)
        self.assertEqual(self.heddle("replay", "--from", 10**12).returncode, 2)
        self.assertEqual(self.heddle("replay", "--from", step, "--to", step - 1).returncode, 2)
        whole = file.read_bytes()
        file.write_bytes(whole[:-100])
        self.assertIn("is not as it was written", self.refused("--from", step))
        file.unlink()
        self.assertIn("is missing", self.refused("--from", step))
        file.write_bytes(whole)
        self.assertTrue(self.replay("--from", step)["identical"])
        self.assertTrue(self.replay()["identical"], "the start needs no checkpoint")

    def test_only_the_end_is_kept(self):
        """--keep: the start is gone, and the bug begins at a checkpoint."""
        _, checkpoints = self.recorded("--keep", "0.1s", wanted=lambda names: "segment.0000" not in names and "checkpoint.0003" in names)
        whole = self.replay()
        self.assertGreater(whole["from"], 0, "nothing was dropped")
        self.assertEqual((whole["verdict"], whole["identical"], whole["from"]), ("failure", True, checkpoints[0][0]))
        bug = self.files[0].parent.name
        self.assertEqual(self.heddle("explain", bug).returncode, 0)
        self.debugged(bug, checkpoints)
        self.in_gdb(checkpoints[-1][0])
        for words in (["simplify", bug], ["reduce", bug]):
            done = self.heddle(*words)
            self.assertEqual(done.returncode, 125, done)
            self.assertRegex(done.stderr, r"the first \d+ events of bug \w+ were not kept")
            self.assertEqual(len(done.stderr.splitlines()), 1, done)
        self.files[0].unlink()
        self.assertIn("missing", self.refused())

    def debugged(self, bug, checkpoints):
        """It is told as it was recorded, once it has failed alike from its last checkpoint."""
        told = self.heddle("debug", bug)
        self.assertEqual(told.returncode, 1, told)
        self.assertRegex(told.stderr, r"^heddle: the first \d+ events of bug \w+ were not kept: it failed alike 3 times from the checkpoint after event "
                         rf"{checkpoints[-1][0]}, and is explained as it was recorded[^\n]*\n$")
        self.assertIn("SIGTERM", told.stdout)
        document = json.loads(self.heddle("debug", "--json", bug).stdout)
        self.assertEqual((document["verdict"], document["from"]), ("failure", checkpoints[-1][0]))
        self.assertIn("were not kept", document["not_simplified"])

    def in_gdb(self, step):
        """gdb attaches to the checkpoint's process, and to another one to go back; threads are shown by their saved contexts."""
        commands = "info heddle;heddle-next-switch;heddle-reverse;heddle-backtrace T1;heddle-next-switch;heddle-last queue"
        out = self.heddle("replay", "--gdb-commands", commands, "--from", step).stdout
        stops = [int(number) for number in re.findall(r"is about to be stopped after operation (\d+); ", out)]
        self.assertEqual(len(stops), 4, out)
        self.assertGreaterEqual(stops[0], step)
        self.assertEqual(stops[2], stops[0], out)
        self.assertEqual(stops[3], stops[1], out)
        self.assertRegex(out, r"heddle: after \d+ of \d+ operations\n(. (main|T\d) +before: .*works_long.c:\d+\n){5}")
        self.assertRegex(out, r"heddle: T1\n(#.*\n)*#\d+ .* in (produce|now_and_then) .*works_long.c:\d+\n")
        self.assertRegex(out, r"heddle: queue was changed by T\d, after operation \d+ of \d+\n")

    def test_from_the_end_where_the_start_does_not_replay(self):
        """The beginning depends on what is not recorded: the rest is debugged from a checkpoint, and that is said."""
        tool = self.started(program=("works_long", "100000000", "written", "depends"))
        self.await_checkpoints(lambda names: "checkpoint.0002" in names)
        tool.send_signal(signal.SIGTERM)
        _, complaints = tool.communicate(timeout=120)
        self.assertIn("does not replay", complaints)
        (bug,) = (self.directory / ".heddle" / "bugs").iterdir()
        start = r"heddle: from its start bug \w+ does not replay \([^\n]*\): it failed alike 3 times from the checkpoint after event "
        done = self.heddle("debug", bug.name)
        self.assertEqual(done.returncode, 1, done)
        checkpoints = json.loads((bug / "checkpoints").read_text())
        self.assertRegex(done.stderr, f"^{start}{checkpoints[-1]['events']}, ")
        # Where the last one is of no use, the one before is taken, and that is said.
        last = self.directory / ".heddle" / "checkpoints" / bug.name / checkpoints[-1]["file"]
        last.write_bytes(last.read_bytes()[:-1])
        done = self.heddle("debug", "--json", bug.name)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, rf"^heddle: the failure was not had again from event {checkpoints[-1]['events']}: the checkpoint \S+ is not as it was written\n")
        self.assertEqual(json.loads(done.stdout)["from"], checkpoints[-2]["events"])

    def test_usage(self):
        for words in (["--keep", "1m"], ["--checkpoint", "1", "--keep", "much"], ["--checkpoint", "1", "--carrier", "kernel"]):
            done = self.heddle("record", *words, "--", base.program("works_long"), 10, "written")
            self.assertEqual(done.returncode, 2, done)
            self.assertEqual(len(done.stderr.splitlines()), 1, done)

    def test_a_program_that_cannot_have_one(self):
        """It says so, and is recorded all the same."""
        done = self.heddle("record", "--always", "--checkpoint", "0.05", "--", base.program("threads_in_child"))
        self.assertNotIn("does not replay", done.stderr)


class Killed(Recorded):
    def test_what_is_left(self):
        """heddle and the program are killed: the last checkpoints are there, and the rest of the run from them."""
        tool = self.started("--keep", "0.1s")
        recording = self.await_checkpoints(lambda names: "segment.0000" not in names and "checkpoint.0003" in names)
        tool.kill()
        tool.communicate()
        copy = self.directory / "copy"
        shutil.copytree(recording, copy)
        done = self.heddle("recover", "--", base.program("works_long"), "100000000", "written")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("heddle: recorded", done.stderr)
        self.assertNotIn("does not replay", done.stderr)
        replayed = self.replay(code=0)
        self.assertEqual((replayed["verdict"], replayed["identical"]), ("replayed", True))
        self.assertGreater(replayed["from"], 0)
        for checkpoint in copy.glob("checkpoint.*"):
            checkpoint.unlink()
        lost = self.heddle("recover", "--recording", copy, "--", base.program("works_long"), "100000000", "written")
        self.assertEqual(lost.returncode, 125, lost)
        self.assertIn("no checkpoint is left to go on from", lost.stderr)
        self.assertTrue(copy.exists())

    def test_a_power_cut_at_any_moment(self):
        """The directory as it is at some moment, or with its last segment cut off anywhere: a run that replays, or one sentence where there is nothing yet."""
        tool = self.started("--keep", "0.3s")
        self.await_checkpoints(lambda names: "segment.0000" in names)
        (recording,) = (self.directory / ".heddle" / "recordings").iterdir()
        drawn = random.Random(18)
        copies = []
        for i in range(8):
            time.sleep(drawn.uniform(0.01, 0.25))
            tool.send_signal(signal.SIGSTOP)
            copy = self.directory / f"copy.{i}"
            shutil.copytree(recording, copy)
            tool.send_signal(signal.SIGCONT)
            copies.append(copy)
        tool.kill()
        tool.communicate()
        outcomes = []
        for i, copy in enumerate(copies):
            segments = sorted(copy.glob("segment.*"))
            if i % 2 == 1:
                bytes = segments[-1].read_bytes()
                segments[-1].write_bytes(bytes[:drawn.randrange(len(bytes) + 1)])
            begins = "segment.0000" in [segment.name for segment in segments] or any(copy.glob("checkpoint.*[0-9]"))
            with self.subTest(copy=i, files=sorted(file.name for file in copy.iterdir())):
                outcomes.append(self.recovered(copy, begins))
        self.assertIn(True, outcomes)

    def recovered(self, copy, begins):
        done = self.heddle("recover", "--recording", copy, "--", base.program("works_long"), "100000000", "written")
        self.assertNotIn("does not replay", done.stderr, done)
        if done.returncode != 0:
            # Nothing was written yet, and it stays.
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1), done)
            self.assertTrue(copy.exists())
            return False
        self.assertTrue(begins)
        name = re.search(r"heddle: recorded .* as \.heddle/bugs/(\w+)", done.stderr)[1]
        replayed = self.replay(name, code=0)
        self.assertEqual((replayed["verdict"], replayed.get("identical", True)), ("replayed", True))
        return True


class Full(Recorded):
    # The disk is full while checkpoints are written and the program goes on; then there is room again.
    FILLS = """mount -t tmpfs -o size=24m none . && cd "$PWD"
        (until find .heddle -name checkpoint.0002 2> /dev/null | grep -q .; do sleep 0.02; done; dd if=/dev/zero of=filler bs=64k 2> /dev/null) &
        timeout -s TERM 60 "$HEDDLE" record --seed 7 --quantum 50 --checkpoint 0.05 -- "$PROGRAM" 1500000 /dev/null > /dev/null; echo $?
        ls .heddle/bugs 2> /dev/null | wc -l
        mkdir more && mount -t tmpfs -o size=200m none more && cp -r .heddle more && cd more
        "$HEDDLE" recover -- "$PROGRAM" 1500000 /dev/null && "$HEDDLE" replay --json"""

    def test_the_log_ends_where_there_is_no_room(self):
        if subprocess.run(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /tmp"], capture_output=True).returncode != 0:
            self.skipTest("no namespaces here")
        environment = {**os.environ, "HEDDLE": base.HEDDLE, "PROGRAM": base.program("works_long")}
        done = subprocess.run(["unshare", "-rm", "sh", "-c", self.FILLS], cwd=self.directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=base.TIMEOUT)
        code, bugs, document = done.stdout.split("\n", 2)
        self.assertEqual((code, bugs), ("3", "0"), done)  # the program's own, to its end
        self.assertRegex(done.stderr, r"heddle: [^\n]*No space left[^\n]*: the recording ends there; heddle recover makes a bug of \S+\n")
        self.assertNotIn("does not replay", done.stderr)
        self.assertEqual(json.loads(document)["verdict"], "replayed", done)


if __name__ == "__main__":
    base.main()

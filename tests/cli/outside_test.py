#!/usr/bin/env python3
"""What a program has to do with the world outside, as a user meets it: inputs and their recordings, files, refusals, and where it stands.

usage: outside_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import threading

import cli_test as base


class Inputs(base.InDirectory):
    """What comes from outside is part of a bug: replayed with the file deleted and the peer gone."""

    def find(self, *words, **more):
        done = self.heddle("find", "--strategy", "random", "--json", "--", base.program("reads_input"), *words, **more)
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(json.loads(done.stdout)["failure"]["kind"], "exit")

    def replays(self, *words, code=1, text="input 3\n"):
        done = self.heddle("replay", *words)
        self.assertEqual(done.returncode, code, done)
        self.assertIn(text, done.stdout)
        return done

    def test_a_file_that_is_gone_or_changed(self):
        for place in (self.directory / "number", self.directory / "below" / "number"):
            place.parent.mkdir(exist_ok=True)
            place.write_text("3\n")
            self.find("file", place)
            place.write_text("4\n")
            self.replays()
            shutil.rmtree(place.parent) if place.parent != self.directory else place.unlink()
            self.replays("--repeat", 3)
            self.replays("--carrier", "kernel", "--no-snapshots")
            self.assertFalse(place.exists(), "a replay does not bring the file back")
        document = json.loads(self.heddle("simplify", "--json").stdout)
        self.assertEqual(document["simplified"]["preemptions"], 1, "what follows works without the file, too")
        self.replays()

    def test_live_input_is_recorded_anew(self):
        place = self.directory / "number"
        place.write_text("3\n")
        self.find("file", place)
        place.write_text("5\n")
        self.assertIn("input 5\n", self.heddle("replay", "--live-input").stdout)
        place.unlink()
        self.assertEqual(self.heddle("replay", "--live-input").returncode, 125, "the program without its file fails in another way")

    def test_kept_contents_that_are_damaged(self):
        place = self.directory / "number"
        place.write_text("3\n")
        self.find("file", place)
        place.unlink()
        (blob,) = (self.directory / ".heddle").glob("bugs/*/inputs/*.zst")
        blob.write_bytes(b"nonsense")
        self.assertIn(blob.name, self.one_sentence(self.heddle("replay"), 125))
        blob.unlink()
        self.one_sentence(self.heddle("replay"), 125)

    def test_another_process(self):
        place = self.directory / "number"
        place.write_text("3\n")
        self.find("command", f"cat {place}")
        place.unlink()
        self.replays("--repeat", 3)
        self.replays("--carrier", "kernel")

    def test_a_peer_that_is_gone(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def serve():
                while True:
                    try:
                        connection = server.accept()[0]
                    except OSError:
                        return
                    with connection:
                        connection.recv(100)
                        connection.sendall(b"3\n")

            threading.Thread(target=serve, daemon=True).start()
            self.find("port", server.getsockname()[1])
            server.shutdown(socket.SHUT_RDWR)
        self.replays("--repeat", 3)
        self.replays("--carrier", "kernel", "--no-snapshots")
        self.assertEqual(self.heddle("replay", "--live-input").returncode, 125, "nobody listens any more")

    def test_a_pipe_at_an_inherited_descriptor(self):
        for seed in range(1, 60):
            reading, writing = os.pipe()
            os.write(writing, b"3\n")
            words = ("record", "--quantum", 3, "--seed", seed, "--", base.program("reads_input"), "descriptor", reading)
            done = subprocess.run(
                [base.HEDDLE, *map(str, words)], cwd=self.directory, pass_fds=(reading,), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=base.TIMEOUT,
            )
            os.close(reading)
            os.close(writing)
            if done.returncode != 0:
                break
        self.assertEqual(done.returncode, 1, done)
        self.assertNotIn("does not replay", done.stderr)
        self.replays("--repeat", 3)


class Refusals(base.InDirectory):
    """A container that allows nothing of what is not needed."""

    def refused(self, *words):
        command = [base.program("refuse"), base.HEDDLE, *map(str, words)]
        done = subprocess.run(command, cwd=self.directory, input="", capture_output=True, text=True, timeout=base.TIMEOUT)
        if done.returncode == 77:
            self.skipTest("no seccomp here to refuse anything with")
        return done

    def test_it_works_all_the_same_and_says_what_is_missing(self):
        done = self.refused("debug", "--json", "--", base.program("lost_update"))
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(json.loads(done.stdout)["simplified"]["preemptions"], 1)
        self.assertIn("heddle: the system refuses to fix addresses", done.stderr)
        self.assertEqual(done.stderr.count("no view of its own could be made"), 1, done.stderr)
        self.assertEqual(self.refused("replay", "--repeat", 3).returncode, 1)
        self.assertEqual(self.refused("run", "--seed", 4, "--", base.program("correct"), 3).returncode, 3)

    def test_reads_inside_of_streams(self):
        (self.directory / "number").write_text("3\n")
        done = self.refused("run", "--statistics", "--", base.program("reads_input"), "command", "cat number")
        self.assertIn(done.returncode, (0, 1), done)
        self.assertIn("refuses a seccomp filter", done.stderr)

    def test_doctor_tells(self):
        document = json.loads(self.refused("doctor", "--json").stdout)
        self.assertTrue(document["usable"])
        present = {a["name"]: a["present"] for a in document["abilities"]}
        for name in ("user and mount namespaces", "seccomp filters", "fixed addresses (personality)"):
            self.assertFalse(present[name], name)


class Show(base.InDirectory):
    def test_where_every_thread_stands_at_an_event(self):
        self.assertEqual(self.heddle("debug", "--", base.program("lost_update")).returncode, 1)
        events = json.loads(self.heddle("replay", "--json").stdout)["events"]
        for at in (1, 6, events):
            document = json.loads(self.heddle("show", "--at", at, "--json").stdout)
            self.assertEqual(document["at"], at)
        document = json.loads(self.heddle("show", "--at", 6, "--json").stdout)
        self.assertIn("main", [t["thread"] for t in document["threads"]])
        for thread in document["threads"]:
            if thread["thread"] != "main" and thread["state"] != "has ended" and "start" not in thread["next"]:
                self.assertIn("add", "".join(thread["stack"]), document)
                self.assertIn("lost_update.c:", "".join(thread["stack"]), document)
        self.assertIn("after event 6: ", self.heddle("show", "--at", 6).stdout)
        for at in (0, events + 1):
            self.assertEqual(self.heddle("show", "--at", at).returncode, 2)


class WithoutLeftovers(base.InDirectory):
    """What a test that was killed has left behind would be taken for a leak."""

    def setUp(self):
        super().setUp()
        for directory in ("/tmp", "/dev/shm"):
            pathlib.Path(directory, "heddle-left-here").unlink(missing_ok=True)


class WithoutRights(WithoutLeftovers):
    """An ordinary user: the view of files needs a user namespace, from which the tool is not seen through /proc."""

    def test_files_are_kept_apart_and_judged(self):
        if os.geteuid() == 0:
            user = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
            self.directory.chmod(0o777)
        else:
            user = ()
        if subprocess.run([*user, "unshare", "-rm", "true"], capture_output=True).returncode != 0:
            self.skipTest("no user namespaces here")
        if subprocess.run([*user, "test", "-x", base.HEDDLE]).returncode != 0:
            self.skipTest("the tool lies where others may not go")

        def find(*words):
            command = [*user, base.HEDDLE, "find", "--json", "--executions", "20", *words, "--", base.program("leaves_files")]
            return subprocess.run(command, cwd=self.directory, input="", capture_output=True, text=True, timeout=base.TIMEOUT)

        done = find()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual(list(self.directory.glob("heddle-left*")), [])
        done = find("--fails-if", 'grep -q left heddle-left-here && test -r "$HEDDLE_STDOUT"')
        self.assertEqual((done.returncode, json.loads(done.stdout)["failure"]["kind"]), (1, "output"), done)


class Files(WithoutLeftovers):
    def test_no_run_sees_what_another_wrote(self):
        changed = self.directory / "changed"
        changed.write_text("before\n")
        for words in ((), ("--no-snapshots",), ("--carrier", "kernel"), ("--jobs", 2)):
            done = self.heddle("find", "--json", "--executions", 30, *words, "--", base.program("leaves_files"), changed)
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(done.stderr, "")
        self.assertEqual(changed.read_text(), "before\n")
        for path in (self.directory / "heddle-left-here", pathlib.Path("/tmp/heddle-left-here"), pathlib.Path("/dev/shm/heddle-left-here")):
            self.assertFalse(path.exists())

    def test_a_command_that_judges_sees_the_files_of_the_run(self):
        words = ("find", "--json", "--executions", 3, "--fails-if", "grep -q left heddle-left-here")
        done = self.heddle(*words, "--", base.program("leaves_files"))
        self.assertEqual((done.returncode, json.loads(done.stdout)["failure"]["kind"]), (1, "output"), done)

    def test_real_files_are_written_on_request(self):
        self.assertEqual(self.heddle("find", "--executions", 1, "--real-files", "--", base.program("leaves_files")).returncode, 0)
        for path in (self.directory / "heddle-left-here", pathlib.Path("/tmp/heddle-left-here"), pathlib.Path("/dev/shm/heddle-left-here")):
            path.unlink()


if __name__ == "__main__":
    base.main()

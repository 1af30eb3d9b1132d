#!/usr/bin/env python3
"""Of a recorded service only the connections and requests are kept that led to the failure: Execution Reduction on threads for connections, on a pool
of threads and on an event loop.

usage: requests_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import time

import cli_test as base

KINDS = ("threads", "pool", "loop")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Client:
    def __init__(self, port):
        for _ in range(400):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 20)
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the service does not answer")

    def ask(self, line):
        try:
            self.socket.sendall(line.encode() + b"\n")
            got = self.socket.recv(256)
        except ConnectionResetError:
            got = b""
        if not got:
            self.close()
        return got

    def close(self):
        self.socket.close()


class Requests(base.InDirectory):
    def record(self, kind, talk, *options):
        """Records the service while `talk(connect, process)` is its only client; the service fails at the end of it."""
        port = self.port = free_port()
        process = subprocess.Popen([base.HEDDLE, "record", "--seed", "1", *options, "--", base.program("line_service"), kind, str(port)],
                                   cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "XDG_CONFIG_HOME": str(self.directory)})
        talk(lambda: Client(port), process)
        _, said = process.communicate(timeout=120)
        self.assertIn("heddle: recorded", said)
        self.assertNotIn("does not replay", said)

    def chatter(self, connect, connections=6, requests=8):
        for c in range(connections):
            client = connect()
            for r in range(requests):
                client.ask(f"set {c + r}" if r % 2 else f"get {r}")
            client.close()

    def reduced(self, *words):
        done = self.heddle("reduce", "--json", *words)
        self.assertEqual(done.returncode, 0, done)
        told = json.loads(done.stdout)["reduction"]
        self.assertTrue(told["same_failure"])
        again = self.heddle("replay", "--reduced", "--json")
        self.assertEqual(json.loads(again.stdout)["verdict"], "failure", again)
        return told

    def leaves(self, expected, kind, talk):
        """Records and reduces. A shorter run that does not replay is not taken: then all is kept, that is said, and another recording is made."""
        for _ in range(5):
            shutil.rmtree(self.directory / ".heddle", ignore_errors=True)
            self.record(kind, talk)
            told = self.reduced()
            if not told.get("no_inputs"):
                self.assertEqual(self.kept(told), expected)
                return told
            self.assertEqual(told["inputs"]["after"], told["inputs"]["before"])
        self.fail(told["no_inputs"])

    def kept(self, told):
        return [request["begins"] for request in told["inputs"]["kept"]]

    def test_one_bad_client(self):
        def talk(connect, _):
            self.chatter(connect)
            client = connect()
            client.ask("get 1")
            client.ask("load")
        for kind in KINDS:
            with self.subTest(kind=kind):
                told = self.leaves(["load"], kind, talk)
                self.assertEqual(told["inputs"]["connections"], {"before": 7, "after": 1})
                self.assertEqual((told["inputs"]["before"], told["inputs"]["after"]), (50, 1))
                self.assertLess(told["log_events"]["after"], told["log_events"]["before"] / 5)
                self.assertLessEqual(told["intervals"]["after"], told["intervals"]["before"])

    def test_memory_smashed_long_before_by_another_connection(self):
        def talk(connect, _):
            early = connect()
            early.ask("get 1")
            early.ask("smash")
            early.close()
            self.chatter(connect)
            connect().ask("touch 1")
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.leaves(["smash", "touch 1"], kind, talk)

    def test_messages_that_nobody_answers(self):
        def talk(connect, process):
            def lines(client, *words):
                client.socket.sendall("".join(f"{word}\n" for word in words).encode())
            lines(connect(), *[f"set {i}" for i in range(300)], "smash", *[f"get {i}" for i in range(300)])
            time.sleep(1)  # nobody says that it was read
            lines(connect(), *[f"set {i}" for i in range(300)], "touch 1", "get 2")
        told = self.leaves(["smash", "touch 1"], "feed", talk)
        self.assertEqual([kept["bytes_left"] for kept in told["inputs"]["kept"]], [6, 8])

    def test_through_streams(self):
        """fprintf, dprintf and getline on a connection; what the shell has open does not matter to a replay."""
        def talk(connect, _):
            def greeted():
                client = connect()
                self.assertEqual(client.socket.recv(256), b"who is there\n")
                return client
            early = greeted()
            early.ask("smash")
            early.close()
            self.chatter(greeted)
            greeted().ask("touch 1")
        self.record("streams", talk)
        told = self.reduced()
        self.assertEqual(self.kept(told), ["smash", "touch 1"])
        self.assertLess(told["log_events"]["after"], 40)
        for words in ([], ["--reduced"]):
            again = subprocess.run(["sh", "-c", 'exec "$@" 5</dev/null 6</dev/null 9</dev/null', "sh", base.HEDDLE, "replay", *words], cwd=self.directory,
                                   capture_output=True, text=True)
            self.assertEqual(again.returncode, 1, again)
        # Streams are taken from the recording under Valgrind, too.
        why = self.heddle("why", "--found", "--json")
        self.assertEqual(why.returncode, 0, why)
        self.assertIn("line_service.c", why.stdout)

    def test_datagrams_that_several_threads_wait_for(self):
        def talk(connect, process):
            peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            peer.settimeout(0.2)
            peer.connect(("127.0.0.1", self.port))

            def ask(line):
                for _ in range(200):
                    peer.send(line.encode())
                    try:
                        return peer.recv(64)
                    except ConnectionRefusedError:  # it does not listen yet, or no longer
                        if process.poll() is not None:
                            return b""
                        time.sleep(0.05)
                    except TimeoutError:
                        if process.poll() is not None:
                            return b""
                raise AssertionError("the service does not answer")
            ask("get 1")
            ask("smash")
            for i in range(100):
                ask(f"set {i}")
            peer.send(b"touch 1")
            peer.close()
        self.record("datagrams", talk)
        told = self.reduced()
        self.assertEqual(self.kept(told), ["smash", "touch 1"])

    def test_a_chain_of_three_connections(self):
        def talk(connect, _):
            clients = [connect() for _ in range(3)]
            self.chatter(connect, 3)
            for client, line in zip(clients, ("one 1", "two", "three")):
                client.ask("set 2")
                client.ask(line)
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.leaves(["one 1", "two", "three"], kind, talk)

    def test_nothing_can_be_left_out(self):
        def talk(connect, _):
            for _ in range(5):
                client = connect()
                client.ask("piece 5")
                client.close()
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.record(kind, talk)
                told = self.reduced()
                self.assertEqual(self.kept(told), ["piece 5"] * 5)
                self.assertEqual(told["inputs"]["connections"], {"before": 5, "after": 5})

    def test_data_through_a_file(self):
        def talk(connect, _):
            self.chatter(connect, 2)
            client = connect()
            client.ask("keep")
            client.close()
            self.chatter(connect, 2)
            connect().ask("look")
        self.record("threads", talk)
        told = self.reduced()
        self.assertIn("/kept, which was written while it ran", told["no_inputs"])
        self.assertEqual((told["inputs"]["before"], told["threads"]["after"]), (told["inputs"]["after"], told["threads"]["before"]))

    def test_a_signal(self):
        def talk(connect, process):
            self.chatter(connect, 2)
            child = subprocess.run(["pgrep", "-P", str(process.pid), "line_service"], capture_output=True, text=True).stdout.split()
            os.kill(int(child[0]), signal.SIGUSR1)
            self.chatter(connect, 2)
            connect().ask("flag")
        self.record("threads", talk)
        told = self.reduced()
        # The shorter run may take the signal elsewhere when it is replayed: then all is kept, and that is said.
        if told.get("no_inputs"):
            self.assertIn("the shorter run does not replay", told["no_inputs"])
            self.assertEqual(told["inputs"]["after"], told["inputs"]["before"])
        else:
            self.assertEqual(self.kept(told), ["flag"])

    def test_reduce_begins_with_the_recording_after_debug(self):
        def talk(connect, _):
            early = connect()
            early.ask("smash")
            early.close()
            self.chatter(connect)
            connect().ask("touch 1")
        self.record("pool", talk)
        told = json.loads(self.heddle("debug", "--json", next((self.directory / ".heddle/bugs").iterdir()).name).stdout)
        # Whoever of the pool is first, it fails: nothing is to be said about an order of threads.
        self.assertEqual(told["simplified"]["preemptions"], 0)
        self.assertNotIn("isolated", told)
        told = self.reduced()
        self.assertEqual(told["inputs"]["before"], 50)
        self.assertEqual(self.kept(told), ["smash", "touch 1"])
        self.assertEqual(told["threads"]["after"], 2)

    def test_debug_begins_with_it(self):
        def talk(connect, _):
            self.chatter(connect)
            connect().ask("load")
        self.record("threads", talk)
        done = self.heddle("debug", "--json", next((self.directory / ".heddle/bugs").iterdir()).name)
        told = json.loads(done.stdout)
        self.assertEqual(self.kept(told["reduction"]), ["load"])
        self.assertLess(told["simplified"]["events"], 60)


if __name__ == "__main__":
    base.main()

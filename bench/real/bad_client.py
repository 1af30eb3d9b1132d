#!/usr/bin/env python3
"""A server that nobody here wrote, crashed by one bad client after thousands of requests: recorded, and reduced to the requests that matter.

usage: bad_client.py [--build DIR] [--where DIR] [--seconds N] [--program PATH]      10 seconds of load by default

memcached of Debian's sources: a listener and four worker threads, each with an event loop for many connections. The bug (patches/memcached-touch-sizes.patch)
counts the items that are touched by their size, and has no counter for large ones: somebody stores a large item, and somebody else touches it much later. The
recording is told of and reduced by `heddle reduce`; what is kept must be these two requests, in two connections.
"""
import argparse
import json
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

import programs

STEPS = ['CC="$CC" CFLAGS="$FLAGS -fcommon" ./configure --disable-docs --disable-coverage --disable-extstore',
         'make -j2 memcached CFLAGS="$FLAGS -pthread -fcommon"']
MEMCACHED = programs.Program("memcached", "memcached", ["libevent-dev"], STEPS, "memcached", [], None)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Client:
    def __init__(self, port):
        for _ in range(400):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 60)
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("the server does not answer")

    def ask(self, words, data=None):
        said = words.encode() + b"\r\n" + (data + b"\r\n" if data is not None else b"")
        try:
            self.socket.sendall(said)
            return self.socket.recv(65536)
        except OSError:
            return b""

    def close(self):
        self.socket.close()


def ordinary(port, seconds, clients=6):
    """Returns how many requests were answered."""
    end, answered = time.monotonic() + seconds, [0] * clients

    def client(k):
        chance = random.Random(k)
        while time.monotonic() < end:
            one = Client(port)
            for _ in range(40):
                key = f"key{k}_{chance.randrange(50)}"
                what = chance.randrange(6)
                if what < 2:
                    one.ask(f"set {key} 0 0 20", b"x" * 20)
                else:
                    one.ask((f"get {key}", f"get {key}", f"touch {key} 100", f"delete {key}")[what - 2])
                answered[k] += 1
                time.sleep(0.002)
            one.close()
    threads = [threading.Thread(target=client, args=(k,)) for k in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(answered)


def record(heddle, program, where, seconds):
    port = free_port()
    process = subprocess.Popen([heddle, "record", "--", program, "-u", "root", "-l", "127.0.0.1", "-p", str(port), "-U", "0"], cwd=where,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        early = Client(port)
        early.ask("version")
        early.ask("set large 0 0 100000", b"y" * 100000)
        early.close()
        requests = ordinary(port, seconds)
        bad = Client(port)
        bad.ask("get key0_1")
        bad.ask("touch large 10")
        _, said = process.communicate(timeout=300)
    finally:
        process.kill()
    return requests, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=programs.HERE.parent.parent / "build")
    parser.add_argument("--where", type=pathlib.Path, help="[BUILD/real]")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--program", type=pathlib.Path, help="one that is built already")
    options = parser.parse_args()
    place = (options.where or options.build / "real").resolve()
    place.mkdir(parents=True, exist_ok=True)
    program = options.program or programs.build(MEMCACHED, place, ("gcc", "g++"), "-touch", "memcached-touch-sizes")
    heddle = options.build.resolve() / "bin" / "heddle"
    with tempfile.TemporaryDirectory() as where:
        requests, said = record(heddle, program, where, options.seconds)
        print(f"{requests} requests answered\n{said.strip()}", flush=True)
        start = time.monotonic()
        done = subprocess.run([heddle, "reduce", "--json", "--time", "600"], cwd=where, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"heddle reduce: {done.returncode}: {done.stdout}{done.stderr}")
        told = json.loads(done.stdout)["reduction"]
    print(f"reduced in {time.monotonic() - start:.1f} s; the same failure: {told['same_failure']}")
    inputs = told["inputs"]
    for name, pair in (("threads", told["threads"]), ("connections", inputs["connections"]), ("requests", inputs), ("events", told["log_events"]),
                       ("replay, s", told["replay_seconds"])):
        print(f"{name}: {pair['before']:.6g} -> {pair['after']:.6g}")
    for request in inputs["kept"]:
        print(f"  {request['connection']}, request {request['number']}: {request['begins']}")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Execution Reduction (Tallam, Tian, Gupta & Zhang, ISSTA 2007) on programs like theirs: Tables 2 to 6 of the paper beside ours.

usage: reduction.py [--build DIR] [--quick | --full] [--instrumented] [ROW...]      rows: proxyc-1 mysqld-1 mysqld-2 mysqld-3 prozilla-1 prozilla-2 axel-1

A row: the program of bench/er, its clients or servers in processes of their own over loopback, the bug triggered at the end. It runs alone, then under
`heddle record`, and `heddle reduce --by both --sizes` works on the recording. "native s" and "record s" are wall-clock times with the same load (Table 5, Orig-1
and Logged); "replay s" of the whole recording and of what is left (Orig-2, R_TEI-2); "traced s" the same under our Valgrind tool (Orig-3, SR_TEI-3). Log: events of
the schedule (Table 6). Blocks: basic blocks of the program and its libraries, counted and not written for the whole run; of the reduced run; and of the
intervals on which the failing one depends by memory (Table 4: Orig, R_TEI, SR_TEI); accesses to memory beside them, where the paper has dependences. "x" is the factor, and the paper's stands beside it.
"""
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

import _bench

HERE = pathlib.Path(__file__).resolve().parent
# Tables 4, 5 and 6: log events before and after, blocks Orig and SR_TEI, dependences Orig and SR_TEI, logged / original, replay before and after.
PAPER = {
    "mysqld-1": (4801, 236, 976e6, 1964, 1.5e9, 3175, 1.1, 16.4, 0.08),
    "mysqld-2": (3749, 365, 733e6, 29809, 1.1e9, 49263, 1.1, 12.6, 0.1),
    "mysqld-3": (5453, 332, 857e6, 9511, 1.3e9, 17929, 1.1, 15.4, 0.09),
    "prozilla-1": (7.2e6, 73, 536e6, 81179, 720e6, 123918, 2.8, 12.4, 0.05),
    "prozilla-2": (10.8e6, 10.8e6, 764e6, 1.6e6, 1e9, 2.6e6, 2.6, 16.5, 16.5),
    "proxyc-1": (32.8e6, 798, 200e6, 23736, 56e6, 6513, 1.8, 16.6, 0.07),
    "axel-1": (1695, 954, 55.4e6, 1622, 53.9e6, 1156, 1.1, 0.14, 0.02),
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Gone(Exception):
    pass


class Client:
    def __init__(self, port, server=None):
        for _ in range(400):
            if server and server.poll() is not None:
                raise Gone
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 60)
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("nobody answers")

    def ask(self, line):
        """False: the server is gone."""
        try:
            self.socket.sendall(line.encode() + b"\n")
            return bool(self.socket.recv(4096))
        except OSError:
            return False

    def close(self):
        self.socket.close()


def in_threads(count, work):
    threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def statements(port, seconds, connections, requests):
    """The ordinary clients of the table server."""
    end = time.monotonic() + seconds

    def client(k):
        while time.monotonic() < end:
            c = Client(port)
            c.ask(f"USE db{k}")
            for r in range(requests):
                c.ask((f"INSERT {k} {r}", f"SELECT {k}", f"SORT {k}", f"DELETE {k}", "STATS")[r % 5])
                time.sleep(0.002)
            c.close()
    in_threads(connections, client)


def at_once(port, lines, check=None):
    """Two connections ask at the same time, until the server is gone."""
    for _ in range(2000):
        clients = [Client(port) for _ in lines]
        alive = []
        in_threads(len(lines), lambda k: alive.append(clients[k].ask(lines[k])))
        if check:
            alive.append(clients[0].ask(check))
        if not all(alive):
            return
        for client in clients:
            client.close()


class Row:
    """`command(program, port, origin)`, and what its clients do."""

    def __init__(self, source, arguments=(), trigger=None, origin=False, talks=True):
        self.source, self.arguments, self.trigger, self.origin, self.talks = source, arguments, trigger, origin, talks


def load_one(port):
    client = Client(port)
    client.ask("SELECT 1")
    client.ask("LOAD")


def hang_up(port):
    client = Client(port)
    client.socket.sendall(b"PAGE 4000000\n")
    client.socket.recv(1000)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()


def rows(options):
    size = _bench.pick(options, 200_000, 20_000_000, 100_000_000)
    return {
        "proxyc-1": Row("proxyc", trigger=hang_up, origin=True),
        "mysqld-1": Row("table_server", trigger=load_one),
        "mysqld-2": Row("table_server", trigger=lambda port: at_once(port, ["DELETE 7", "INSERT 7 1"], "CHECK 7")),
        "mysqld-3": Row("table_server", trigger=lambda port: at_once(port, ["STATS", "CLOSE STATS", "OPEN STATS"])),
        "prozilla-1": Row("prozilla", (size, 1), origin=True, talks=False),
        "prozilla-2": Row("prozilla", (size, 2), origin=True, talks=False),
        "axel-1": Row("axel", (size // 100,), origin=True, talks=False),
    }


def pages(port, seconds, clients):
    end = time.monotonic() + seconds

    def client(k):
        while time.monotonic() < end:
            c = Client(port)
            c.socket.sendall(b"PAGE 20000\n")
            left = 20000
            while left > 0:
                got = c.socket.recv(65536)
                if not got:
                    break
                left -= len(got)
            c.close()
            time.sleep(0.002)
    in_threads(clients, client)


def one_run(options, row, program, where, before):
    """Seconds, and what it said. The program fails at the end."""
    port, origin_port, origin = free_port(), free_port(), None
    seconds = _bench.pick(options, 0.5, 4, 10)
    if row.origin:
        origin = subprocess.Popen([where / "origin", str(origin_port)])
        Client(origin_port).close()
    words = [str(port), str(origin_port)] if row.talks and row.origin else [str(port)] if row.talks else [str(origin_port)]
    start = time.monotonic()
    process = subprocess.Popen([*map(str, before), str(program), *words, *map(str, row.arguments)], cwd=where, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    try:
        if row.talks:
            Client(port, process).close()
            if row.source == "proxyc":
                pages(port, seconds, 8)
            else:
                statements(port, seconds, 8, _bench.pick(options, 10, 50, 50))
            took = time.monotonic() - start
            row.trigger(port)
        else:
            took = None
        _, said = process.communicate(timeout=300)
        return took or time.monotonic() - start, said
    except Gone:
        return 0, process.communicate()[1]
    finally:
        process.kill()
        if origin:
            origin.kill()
            origin.wait()


def measure(options, name, row, where, instrumented):
    program = where / (row.source + (".cc" if instrumented else ""))
    compiler = options.build / "bin" / "heddle-cc" if instrumented else "gcc"
    subprocess.run([compiler, "-O1", "-g", "-pthread", HERE / "er" / f"{row.source}.c", "-o", program], check=True)
    found = None
    for attempt in range(_bench.pick(options, 2, 10, 10)):  # a bug that depends on the schedule may stay away
        native, _ = one_run(options, row, program, where, [])
        recorded, said = one_run(options, row, program, where, [options.heddle, "record", "--seed", attempt + 1, "--"])
        if "heddle: recorded" in said:
            found = said
            break
    if found is None:
        return None, f"no failure was recorded: {said[-300:]}"
    if "does not replay" in found:
        return None, found.strip().splitlines()[-1]
    bug = next(line for line in found.splitlines() if "heddle: recorded" in line).rsplit("/", 1)[-1]
    told = _bench.answer([options.heddle, "reduce", bug, "--by", "both", "--sizes", "--json", "--time", 300], where, timeout=1800)
    if not told or "reduction" not in told:
        return None, "heddle reduce said nothing"
    return {"native": native, "record": recorded, "reduction": told["reduction"]}, ""


def main():
    options = _bench.options(__doc__, lambda parser: parser.add_argument("--instrumented", action="store_true", help="built by heddle-cc, too"))
    table = _bench.Table("reduction", options, [
        ("program", "{}"), ("build", "{}"), ("threads", "{}"), ("connections", "{}"), ("requests", "{}"), ("native", "{:.1f}", "native s"),
        ("record", "{:.1f}", "record s"), ("log", "{}"), ("log_x", "{:.0f}", "x"), ("paper_log_x", "{:.0f}", "paper x"), ("blocks", "{}"),
        ("blocks_x", "{:.0f}", "x"), ("paper_blocks_x", "{:.0f}", "paper x"), ("accesses_x", "{:.0f}", "accesses x"),
        ("paper_dependences_x", "{:.0f}", "paper x"), ("replay", "{}", "replay s"), ("traced", "{}", "traced s"), ("bytes", "{}", "trace bytes")])
    wanted = rows(options)
    with tempfile.TemporaryDirectory() as place:
        where = pathlib.Path(place)
        subprocess.run(["gcc", "-O2", "-pthread", HERE / "er" / "origin.c", "-o", where / "origin"], check=True)
        for name, row in wanted.items():
            if options.names and name not in options.names:
                continue
            for instrumented in (False, True) if options.instrumented else (False,):
                got, why = measure(options, name, row, where, instrumented)
                if got is None:
                    table.lost(f"{name}: {why}")
                    continue
                add_row(table, name, instrumented, got)
    return table.finish()


def add_row(table, name, instrumented, got):
    r = got["reduction"]
    arrow = lambda pair: f"{pair['before']} -> {pair['after']}"  # noqa: E731
    inputs = r.get("inputs", {"before": 0, "after": 0, "connections": {"before": 0, "after": 0}})
    blocks, accesses = (r.get(key, {}) for key in ("blocks", "dependences"))
    times = lambda pair: pair.get("before", 0) / max(1, pair.get("traced", 0) or pair.get("after", 0) or 1)  # noqa: E731
    paper = PAPER[name]
    trace = r.get("trace", {})
    table.row(program=name, build="heddle-cc" if instrumented else "plain", threads=arrow(r["threads"]), connections=arrow(inputs["connections"]),
              requests=arrow(inputs), native=got["native"], record=got["record"], log=arrow(r["log_events"]),
              log_x=r["log_events"]["before"] / max(1, r["log_events"]["after"]), paper_log_x=paper[0] / paper[1],
              blocks=f"{blocks.get('before', 0)} -> {blocks.get('after', 0)} -> {blocks.get('traced', 0)}", blocks_x=times(blocks),
              paper_blocks_x=paper[2] / paper[3], accesses_x=times(accesses), paper_dependences_x=paper[4] / paper[5],
              replay=f"{r['replay_seconds']['before']:.2f} -> {r['replay_seconds']['after']:.2f}",
              traced=f"{trace.get('seconds_before', 0):.1f} -> {trace.get('seconds_after', 0):.1f}", bytes=trace.get("bytes", 0),
              same_failure=r["same_failure"], record_x=got["record"] / got["native"], paper_record_x=paper[6], detail=r)


if __name__ == "__main__":
    sys.exit(main())

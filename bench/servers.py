#!/usr/bin/env python3
"""Servers under load: requests a second under `heddle record` and `heddle run --policy random` beside the server alone.

usage: servers.py [--build DIR] [--quick | --full] [SERVER...]      servers: see bench/servers/table.py; cache is one of our own

Server and Heddle share one core, the load generator has another. The ways take turns: one round of each, then the next. A figure is
the median over the rounds, and a factor the median of the rounds' own factors, so that a busy minute of the machine weighs on all ways alike.
The columns "cpu x" compare processor time for a request, of the server with Heddle around it: what the machine does besides hardly touches them.
Where strace is installed, a round of its own counts system calls for a request, of the server and of Heddle: these do not depend on the machine's load, but for
how many requests a server finds at once.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import _bench

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "servers"))
import table as servers  # noqa: E402

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, LOAD_CORE = CORES[0], CORES[-1]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(port, process, patience=60):
    end = time.monotonic() + patience
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
            return True
        time.sleep(0.05)
    return False


def end(process):
    """The server's own way to stop; what does not stop is killed with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Lab:
    def __init__(self, options, where):
        self.options, self.where = options, pathlib.Path(where)
        for name in ("cache", "kv_load"):
            subprocess.run(["gcc", "-O2", "-pthread", HERE / "servers" / f"{name}.c", "-o", self.where / name], check=True)

    def ways(self):
        heddle = str(self.options.heddle)
        return {"native": [], "record": [heddle, "record", "--"], "run": [heddle, "run", "--policy", "random", "--seed", "1", "--"]}

    @contextlib.contextmanager
    def started(self, server, before):
        """A server that answers, or None: its process, place, port, and why not."""
        with tempfile.TemporaryDirectory(dir=self.where) as place:
            where, port = pathlib.Path(place), free_port()
            where.chmod(0o755)
            command = before + server(where, port)
            with open(where / "server.log", "wb") as log:
                process = subprocess.Popen(command, cwd=where, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                                           preexec_fn=lambda: os.sched_setaffinity(0, {SERVER_CORE}))
                try:
                    lives = answers(port, process)
                    yield (process if lives else None), where, port, "" if lives else "does not answer: " + tail(where / "server.log")
                finally:
                    end(process)

    def rate(self, server, load, before, seconds):
        """Requests a second and processor seconds for one of them; or None, and why not."""
        with self.started(server, before) as (process, where, port, why):
            if process is None:
                return None, why
            spent, start = processor_time(process.pid), time.monotonic()
            rate, why = ask(load, where, port, seconds)
            spent, took = processor_time(process.pid) - spent, time.monotonic() - start
            return rate and (rate, spent / took / rate), why

    def calls(self, server, load, before, seconds):
        """System calls for a request, or None."""
        if not shutil.which("strace"):
            return None
        with self.started(server, before) as (process, where, port, _):
            if process is None:
                return None
            tracers = [subprocess.Popen(["strace", "-c", "-f", "-o", where / f"calls.{pid}", "-p", str(pid)], stderr=subprocess.DEVNULL)
                       for pid, _ in processes(process.pid)]
            time.sleep(0.5)
            start = time.monotonic()
            rate, _ = ask(load, where, port, seconds)
            took = time.monotonic() - start
            for tracer in tracers:
                tracer.send_signal(signal.SIGINT)
                tracer.wait()
            texts = [path.read_text() for path in where.glob("calls.*")]
            return rate and sum(int(n) for text in texts for n in re.findall(r"^100\.00\s+\S+\s+\S+\s+(\d+).* total$", text, re.M)) / (rate * took)


def processes(session):
    """Those of the session, each with the ticks that it has computed."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session:
                yield int(path.parent.name), int(fields[11]) + int(fields[12])


def processor_time(session):
    """Seconds that all processes of the session have computed."""
    return sum(ticks for _, ticks in processes(session)) / os.sysconf("SC_CLK_TCK")


def tail(path):
    return path.read_text(errors="replace").strip().rsplit("\n", 1)[-1][-200:]


def ask(load, where, port, seconds):
    command = load(where, port, seconds)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + 40 * seconds, preexec_fn=lambda: os.sched_setaffinity(0, {LOAD_CORE}))
    except subprocess.TimeoutExpired:
        return None, f"{command[0]} does not end"
    said = done.stdout + done.stderr
    wrong = next((line for line in said.splitlines() if any(re.search(pattern, line) for pattern in servers.FAILED)), None)
    found = re.search(servers.RATES[load], said)
    if done.returncode != 0 or wrong or not found:
        return None, f"{command[0]}: {wrong or said.strip()[-200:]}"
    figure = float(found[1])
    return (command_rate(command, figure), None)


def command_rate(command, figure):
    """mysqlslap tells seconds for all queries, the others a rate."""
    if command[0] != "mysqlslap":
        return figure
    queries = next(int(word.split("=")[1]) for word in command if word.startswith("--number-of-queries"))
    return queries / figure if figure > 0 else float("inf")


def measure(lab, table, name, row, rounds, seconds):
    server, load = row
    rates, costs = ({way: [] for way in lab.ways()} for _ in range(2))
    for _ in range(rounds):
        for way, before in lab.ways().items():
            rate, why = lab.rate(server, load, before, seconds)
            if rate is None:
                table.lost(f"{name} under {way}: {why}")
                return None
            rates[way].append(rate[0])
            costs[way].append(rate[1])
    factor = {way: _bench.median([native / rate for native, rate in zip(rates["native"], rates[way])]) for way in rates}
    dearer = {way: _bench.median([cost / native for native, cost in zip(costs["native"], costs[way]) if native > 0] or [0]) for way in costs}
    table.row(name=name, load=load.__name__, native=_bench.median(rates["native"]), record=_bench.median(rates["record"]),
              **{f"{way}_calls": lab.calls(server, load, before, seconds) for way, before in lab.ways().items()}, run=_bench.median(rates["run"]), record_factor=factor["record"], run_factor=factor["run"], record_cost=dearer["record"], run_cost=dearer["run"], all=rates, costs=costs)
    return factor


def main():
    options = _bench.options(__doc__)
    rounds = options.seeds or _bench.pick(options, 1, 3, 5)
    seconds = _bench.pick(options, 0.5, 2, 5)
    known = {**servers.SERVERS, **servers.OWN}
    chosen = options.names or list(servers.OWN if options.quick else servers.SERVERS)
    table = _bench.Table("servers", options, [("name", "{}"), ("load", "{}"), ("native", "{:.0f}", "native/s"), ("record", "{:.0f}", "record/s"),
                                              ("run", "{:.0f}", "run/s"), ("record_factor", "{:.2f}", "record x"), ("run_factor", "{:.2f}", "run x"),
                                              ("record_cost", "{:.2f}", "record cpu x"), ("run_cost", "{:.2f}", "run cpu x"),
                                              ("native_calls", "{:.1f}", "native calls"), ("record_calls", "{:.1f}", "record calls"),
                                              ("run_calls", "{:.1f}", "run calls")],
                         f"{rounds} rounds of {seconds} s, server and Heddle on one core.")
    factors = []
    with tempfile.TemporaryDirectory() as where:
        pathlib.Path(where).chmod(0o755)
        lab = Lab(options, where)
        for name in chosen:
            if name not in known:
                print(f"no such server: {name} (there are: {' '.join(known)})", file=sys.stderr)
                return 2
            factor = measure(lab, table, name, known[name], rounds, seconds)
            if factor:
                factors.append(factor["record"])
    return table.finish(**({"largest_factor_of_record": max(factors), "median_factor_of_record": _bench.median(factors)} if factors else {}))


if __name__ == "__main__":
    sys.exit(main())

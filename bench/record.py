#!/usr/bin/env python3
"""Recordings of servers under load: what logging costs, how large the log is, how fast it is replayed, and what a checkpoint takes.

usage: record.py [--build DIR] [--quick | --full] [NAME...]      names: servers of bench/servers/table.py, cache, or touched-MB for a program that has touched so much memory

Server and Heddle share one core, the load generator has another. A server is first loaded alone, then under `heddle record --checkpoint 1`, told to end, and its recording is
replayed from the start and from its last checkpoint, with nobody at the other end: both must be identical, event by event.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import _bench
import servers as loads

# Execution Reduction (2007), Table 5: seconds of the original run, of the logged one, and their ratio.
PAPER = {"mysql-1": (14.8, 16.8, 1.1), "mysql-2": (12.3, 14.0, 1.1), "mysql-3": (13.9, 15.8, 1.1), "prozilla-1": (4.8, 13.4, 2.8),
         "prozilla-2": (7.2, 18.7, 2.6), "proxyc-1": (11.0, 19.8, 1.8), "axel-1": (0.15, 0.16, 1.1)}
PRIVATE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* until) {
  do {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    usleep(100);
  } while (time(NULL) < *(time_t*)until);
  return NULL;
}
int main(int argc, char** argv) {
  const size_t size = (size_t)atol(argv[argc - 1]) << 20;
  char* memory = malloc(size + 1);
  for (size_t at = 0; at < size; at += 4096) memcpy(memory + at, &at, sizeof at);
  time_t until = time(NULL) + 4;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &until);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return memory[0];
}
"""


def loaded(server, load, where, before, seconds):
    """Requests a second, or None; what Heddle says; and the longest memory of the tool, in kB."""
    port = loads.free_port()
    process = subprocess.Popen(before + server(where, port), cwd=where, stdout=subprocess.DEVNULL, stderr=open(where / "said", "wb"), stdin=subprocess.DEVNULL,
                               start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, {loads.SERVER_CORE}))
    try:
        if not loads.answers(port, process):
            return None, "does not answer: " + loads.tail(where / "said"), 0
        rate, why = loads.ask(load, where, port, seconds)
        memory = re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
        process.send_signal(signal.SIGTERM)
        process.wait(300)
        return rate, why or (where / "said").read_text(errors="replace"), int(memory[1]) if memory else 0
    finally:
        loads.end(process)


def replayed(heddle, where, *options):
    document = _bench.answer([heddle, "replay", "--json", *options], where, 600)
    return document if document and document.get("identical") else None


def facts(said):
    log = re.search(r"log: (\d+) events, (\d+) inputs, (\d+) bytes", said)
    checkpoints = re.search(r"checkpoints: (\d+), (\d+) bytes; the program was paused for at most ([\d.]+) ms", said)
    return log and [int(x) for x in log.groups()], checkpoints and (int(checkpoints[1]), int(checkpoints[2]), float(checkpoints[3]))


def replays(heddle, where):
    """Seconds from the start, seconds from the last checkpoint and how much of the run that is; None: it is not identical."""
    begun = time.monotonic()
    whole = replayed(heddle, where)
    took = time.monotonic() - begun
    index = next(where.glob(".heddle/bugs/*/checkpoints"), None)
    rows = json.loads(index.read_text()) if index else []
    rows = rows if isinstance(rows, list) else rows.get("value", [])
    rest = replayed(heddle, where, "--from", str(rows[-1]["events"])) if rows else None
    return whole and took, rest and rest["seconds"], rest and rest["events"]


def row_of_server(table, heddle, work, name, seconds):
    server, load = {**loads.servers.SERVERS, **loads.servers.OWN}[name]
    found = {}
    for way, before in (("native", []), ("record", [str(heddle), "record", "--always", "--checkpoint", "1", "--"])):
        with tempfile.TemporaryDirectory(dir=work) as place:
            where = pathlib.Path(place)
            where.chmod(0o755)
            rate, said, memory = loaded(server, load, where, before, seconds)
            log, checkpoints = facts(said)
            if rate is None or (before and log is None):
                return table.lost(f"{name} under {way}: {said[-300:]}")
            found[way] = rate
            if before:
                whole, rest, events = replays(heddle, where)
    requests = found["record"] * max(1, int(seconds))
    table.row(name=name, native=found["native"], record=found["record"], factor=found["native"] / found["record"], events=log[0], event_bytes=log[2] / log[0],
              request_bytes=log[2] / requests, checkpoints=checkpoints and checkpoints[0], pause=checkpoints and checkpoints[2], tool_mb=memory / 1024, whole=whole, rest=rest, rest_events=events)
    if whole is None:
        table.lost(f"{name}: the replay is not identical")


def row_of_memory(table, heddle, work, name):
    megabytes = int(name.removeprefix("touched-"))
    with tempfile.TemporaryDirectory(dir=work) as place:
        where = pathlib.Path(place)
        said = subprocess.run([heddle, "record", "--always", "--checkpoint", "1", "--", work / "touches", str(megabytes)], cwd=where, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=600).stderr
        log, checkpoints = facts(said)
        if log is None or checkpoints is None:
            return table.lost(f"{name}: {said[-300:]}")
        whole, rest, events = replays(heddle, where)
    table.row(name=name, events=log[0], event_bytes=log[2] / log[0], checkpoints=checkpoints[0], pause=checkpoints[2], checkpoint_mb=checkpoints[1] / checkpoints[0] / 2**20, whole=whole,
              rest=rest, rest_events=events)


def main():
    options = _bench.options(__doc__)
    seconds = _bench.pick(options, 1, 3, 10)
    memories = _bench.pick(options, ["touched-16"], ["touched-16", "touched-256"], ["touched-16", "touched-256", "touched-1024"])
    chosen = options.names or (["cache"] if options.quick else list(loads.servers.SERVERS)) + memories
    table = _bench.Table("record", options, [("name", "{}"), ("native", "{:.0f}", "native/s"), ("record", "{:.0f}", "record/s"), ("factor", "{:.2f}", "record x"),
                                             ("events", "{}"), ("event_bytes", "{:.1f}", "B/event"), ("request_bytes", "{:.0f}", "B/request"), ("checkpoints", "{}", "checkp."),
                                             ("pause", "{:.1f}", "pause ms"), ("tool_mb", "{:.0f}", "tool MB"), ("whole", "{:.2f}", "replay s"), ("rest", "{:.2f}", "last s"),
                                             ("rest_events", "{}", "last ev.")],
                         f"Load for {seconds} s. Logging in the paper (Table 5): " + ", ".join(f"{name} {row[2]}x" for name, row in PAPER.items()) + ".")
    with tempfile.TemporaryDirectory() as place:
        work = pathlib.Path(place)
        work.chmod(0o755)
        loads.Lab(options, work)
        (work / "touches.c").write_text(PRIVATE)
        subprocess.run(["gcc", "-O1", "-pthread", work / "touches.c", "-o", work / "touches"], check=True)
        for name in chosen:
            if name.startswith("touched-"):
                row_of_memory(table, options.heddle, work, name)
            else:
                row_of_server(table, options.heddle, work, name, seconds)
    factors = [row["factor"] for row in table.rows if row.get("factor")]
    return table.finish(**({"median_factor": _bench.median(factors)} if factors else {}))


if __name__ == "__main__":
    sys.exit(main())

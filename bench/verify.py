#!/usr/bin/env python3
"""What `heddle verify` says of fixes and wrong fixes (tests/verify): those at hand while it was built, those kept aside, later ones, varied ones, further ones, ones whose mechanism is replaced, mixed ones with edits that keep the bug, and a fix of pbzip2.

A row: the version of the program, the verdict that is right, the verdict given, the anchors found (exact, moved, lost), how it was known, runs and seconds. pbzip2 is fetched as
Debian's source package; its fix of 1.1.6 ("deadlock due to unsynchronized broadcasts") is taken back by a patch of ours, and a wrong fix is tried beside it.
"""
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import _bench

TESTS = _bench.HERE.parent / "tests"
sys.path[:0] = [str(TESTS / "verify"), str(TESTS / "conform")]
import run as cases  # noqa: E402
import sources  # noqa: E402

PBZIP2 = ["pbzip2.cpp", "BZ2StreamScanner.cpp", "ErrorContext.cpp"]
FIXED = """	safe_mutex_lock(fifo->mut);
	safe_cond_broadcast(fifo->notEmpty); // just in case
	safe_mutex_unlock(fifo->mut);
"""
BROKEN = "	safe_cond_broadcast(fifo->notEmpty); // just in case\n"
# The writer wakes whoever still waits when it ends: without its lock, too, in time to be missed.
WRITER_FIXED = """		safe_mutex_lock(FifoQueue->mut);
		safe_cond_broadcast(FifoQueue->notEmpty); // important
		safe_cond_broadcast(FifoQueue->notFull); // not really needed
		safe_mutex_unlock(FifoQueue->mut);
"""
WRITER_BROKEN = """		safe_cond_broadcast(FifoQueue->notEmpty); // important
		safe_cond_broadcast(FifoQueue->notFull); // not really needed
"""
# Another lock than that of the wait.
WRONG = "	safe_mutex_lock(OutMutex);\n" + BROKEN + "	safe_mutex_unlock(OutMutex);\n"


def add(table, name, wanted, document, seconds):
    anchors = document["anchors"]
    runs = sum(entry.get("executions", 0) for entry in document["evidence"])
    table.row(version=name, expected="|".join(wanted), said=document["verdict"], anchors="{exact}/{moved}/{lost}".format(**anchors),
              known=document["confidence"]["kind"], runs=runs, seconds=seconds, sentence=document["confidence"]["sentence"])
    return document["verdict"] in wanted, document["verdict"] == "fixed" and "fixed" not in wanted


def small(table, options, group, names):
    results = []
    for where in sorted(path for path in (TESTS / "verify" / group).iterdir() if path.is_dir() and (not names or path.name in names)):
        case = cases.Case(where, options.heddle)
        with tempfile.TemporaryDirectory() as directory:
            work = pathlib.Path(directory)
            try:
                case.find(work)
                for version in case.versions():
                    start = time.perf_counter()
                    _, document = case.verify(version, work)
                    results.append(add(table, f"{where.name}/{version.stem}", cases.expected(version), document, time.perf_counter() - start))
            except (SystemExit, subprocess.TimeoutExpired) as error:
                table.lost(f"{where.name}: {error}")
    return results


def changed(text, producer):
    """pbzip2 with the writer's broadcasts unsynchronised, as they were, and the producers' as given."""
    return text.replace(FIXED, producer).replace(WRITER_FIXED, WRITER_BROKEN)


def build_pbzip2(tree, work, change):
    for name in tree.iterdir():
        if name.suffix in (".cpp", ".h"):
            (work / name.name).write_text(name.read_text(errors="surrogateescape"), errors="surrogateescape")
    text = (work / "pbzip2.cpp").read_text(errors="surrogateescape")
    assert (text.count(FIXED), text.count(WRITER_FIXED)) == (2, 1), "this is another pbzip2"
    (work / "pbzip2.cpp").write_text(change(text), errors="surrogateescape")
    subprocess.run(["g++", "-g", "-O1", "-w", "-pthread", *PBZIP2, "-lbz2", "-o", "pbzip2"], cwd=work, check=True)


def pbzip2(table, options):
    cache = pathlib.Path(tempfile.gettempdir()) / "heddle-verify-sources"
    cache.mkdir(exist_ok=True)
    sources.PACKAGES.setdefault("pbzip2", ["*"])
    try:
        tree = sources.unpack(cache, "pbzip2")
    except sources.CannotFetch as error:
        table.lost(f"pbzip2: {error}")
        return []
    results = []
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        (work / "in").write_bytes(random.Random(1).randbytes(101_000))  # two blocks
        command = ["./pbzip2", "-k", "-c", "-1", "-b1", "-p2", "in"]
        build_pbzip2(tree, work, lambda text: changed(text, BROKEN))
        found = cases.run(options.heddle, "debug", "--json", "--no-reduce", "--no-isolate", "--", *command, cwd=work)
        if found.returncode != 1:
            table.lost(f"pbzip2: the bug was not found: {found.stderr[-300:]}")
            return []
        for name, wanted, change in (("fix", ["fixed"], lambda text: text), ("wrong", ["still-fails"], lambda text: changed(text, WRONG))):
            build_pbzip2(tree, work, change)
            start = time.perf_counter()
            document = _bench.answer([options.heddle, "verify", "--json", "--", *command], work)
            if document is None:
                table.lost(f"pbzip2/{name}: no answer")
            else:
                results.append(add(table, f"pbzip2/{name}", wanted, document, time.perf_counter() - start))
    return results


def main():
    options = _bench.options(__doc__)
    table = _bench.Table("verify", options, [("version", "{}"), ("expected", "{}"), ("said", "{}"), ("anchors", "{}"), ("known", "{}"),
                                             ("runs", "{}"), ("seconds", "{:.1f}")])
    results = small(table, options, "cases", options.names)
    if not options.quick:
        for group in ("kept_aside", "later", "varied", "further", "replaced", "mixed"):
            results += small(table, options, group, options.names)
        if not options.names or "pbzip2" in options.names:
            results += pbzip2(table, options)
    right = sum(good for good, _ in results)
    falsely = sum(false for _, false in results)
    for row in table.rows:
        if row["said"] not in row["expected"].split("|"):
            table.lost(f"{row['version']}: {row['said']} instead of {row['expected']}")
    return table.finish(versions=len(results), right=right, falsely_fixed=falsely)


if __name__ == "__main__":
    sys.exit(main())

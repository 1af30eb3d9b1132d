#!/usr/bin/env python3
"""Is each bug of bench/programs/kernels called by its right class, and is the broken line named?

A kernel states its class in its header and marks the broken line // BUG. `class`: the report's class is one that the header's stands for.
`line`: a line that the diagnosis names (the sentences, the lines with carets, the waits) is marked, or the marked line lies in the
stretch of source that it shows. `shown`: the marked line is somewhere in the report, the columns included.
`found` is the kind of the failure where it is not the one that the header states.

--work DIR keeps the bugs there; --again only explains what an earlier call left in it.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import _bench

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "programs"))
from classes import CLASSES  # noqa: E402

QUICK = ["account", "lost_wakeup", "deadlock01", "uaf_free", "twostage_2", "lost_update_2", "livelock_trylock", "barrier_missing", "stack"]


def extend(parser):
    parser.add_argument("--work", type=pathlib.Path, help="keep the programs and bugs here")
    parser.add_argument("--again", action="store_true", help="explain what is in --work again")
    parser.add_argument("--jobs", type=int, default=2)


def measure(entry, chosen, work):
    directory = work / entry["name"]
    directory.mkdir(parents=True, exist_ok=True)
    if chosen.again:
        said = _bench.answer([chosen.heddle, "explain", "--json"], directory)
        said = said and {"failure": said.get("failure", {}), "verdict": "failure", "diagnosis": said.get("diagnosis", {})}
    else:
        program = _bench.compile_program(entry, chosen.build, directory)
        said = _bench.answer([chosen.heddle, "debug", "--json", "--jobs", "1", "--seed", "1", "--executions", "10000", "--", program], directory)
    row = {"program": entry["name"], "is": entry["class"], "called": None, "class": 0, "line": 0, "shown": 0, "found": None}
    if not said or said["verdict"] != "failure":
        row["found"] = said["verdict"] if said else "no answer"
        return row
    diagnosis = said["diagnosis"]
    source = pathlib.Path(entry["source"]).name
    named = {line["line"] for line in diagnosis["lines"] if line["file"].endswith("/" + source)}
    stretch = set()
    for line in diagnosis["lines"]:
        if line["file"].endswith("/" + source):
            first, last = line.get("stretch", (line["line"], line["line"]))
            stretch |= set(range(first, last + 1))
    for text in (diagnosis["why"], diagnosis.get("claim", {}).get("sentence", ""), *(w["taken_at"] for w in diagnosis.get("waits", []))):
        named |= {int(n) for n in re.findall(rf"{re.escape(source)}:(\d+)", text)}
    shown = subprocess.run([chosen.heddle, "explain", "--width", "120"], cwd=directory, capture_output=True, text=True).stdout
    row["called"] = diagnosis["class"]
    row["class"] = int(diagnosis["class"] in CLASSES[entry["class"]])
    row["exact"] = int(any(line in named for line in entry["bug_lines"]))
    row["line"] = int(any(line in named | stretch for line in entry["bug_lines"]))
    row["shown"] = int(any(re.search(rf"(?m)({re.escape(source)}:{line}\b|^\s+{line} \|)", shown) for line in entry["bug_lines"]))
    if "kind" in said["failure"] and said["failure"]["kind"] != entry["kind"]:
        row["found"] = said["failure"]["kind"]
    row["named"], row["marked"] = sorted(named), entry["bug_lines"]
    claim = diagnosis.get("claim")
    if claim:
        row["inside"], row["outside"] = claim["inside"], claim["outside"]
    row["orders"] = f"{sum(claim['inside'].values())}/{sum(claim['outside'].values())}" if claim else None
    return row


def main():
    chosen = _bench.options(__doc__, extend)
    listed = _bench.programs("kernels", chosen.names or _bench.pick(chosen, QUICK, (), ()))
    table = _bench.Table("explain", chosen, [("program", "{}"), ("is", "{}"), ("called", "{:>18.18}"), ("class", "{}"), ("line", "{}"),
                                             ("shown", "{}"), ("orders", "{}"), ("found", "{}")])
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        work = (chosen.work or pathlib.Path(scratch)).resolve()
        for row in pool.map(lambda entry: measure(entry, chosen, work), listed):
            table.row(**row)
            if row["found"] in ("no answer", "inconclusive"):
                table.lost(f"{row['program']}: {row['found']}")
    rows = table.rows
    both = sum(row["class"] and row["line"] for row in rows)
    return table.finish(programs=len(rows), found=sum(row["called"] is not None for row in rows), class_right=sum(row["class"] for row in rows),
                 line_named=sum(row["line"] for row in rows), both=both, share=both / max(1, len(rows)),
                 unknown=sum(row["called"] == "unknown" for row in rows))


if __name__ == "__main__":
    sys.exit(main())

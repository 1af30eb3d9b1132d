#!/usr/bin/env python3
"""Is each bug called by its right class, is the broken line named, and does FIX say what to change and where?

The bugs are those of bench/programs/kernels and bench/programs/explained. A source states its class in its header and marks the broken
line // BUG; one of explained/ also has a line `// fix:` with a pattern that the advice must match, and may mark another line at which it can be
mended // FIX. These keys are written before a report is looked at. `set=held` marks a program whose report is not looked at while the reports are mended.

`class`: the report's class is one that the header's stands for. `line`: a line that the diagnosis names (the sentences, the lines with carets, the
waits) is marked, or the marked line lies in the stretch of source that it shows. `fix`: the advice matches the key's pattern (for a kernel that
of its class) and names a place at most three lines from a marked one. `false`: a claim is shown that its own counts refute.
`shown`: the marked line is somewhere in the report, the columns included. `found` is the kind of the failure where it is not the one that the header states.

--work DIR keeps the bugs there; --again only explains what an earlier call left in it; --set tuned|held|kernels: only those.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import _bench

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "programs"))
import manifest  # noqa: E402
from classes import CLASSES, FIXES  # noqa: E402

QUICK = ["account", "lost_wakeup", "deadlock01", "uaf_free", "twostage_2", "lost_update_2", "livelock_trylock", "barrier_missing", "stack"]
NEAR = 3  # lines


def extend(parser):
    parser.add_argument("--work", type=pathlib.Path, help="keep the programs and bugs here")
    parser.add_argument("--again", action="store_true", help="explain what is in --work again")
    parser.add_argument("--set", choices=("tuned", "held", "kernels"), help="only the programs of that set")
    parser.add_argument("--jobs", type=int, default=2)


def listed(chosen):
    bugs = [entry | {"set": "kernels"} for entry in _bench.programs("kernels")] + list(manifest.explained())
    wanted = chosen.names or _bench.pick(chosen, QUICK, (), ())
    return [entry for entry in bugs if (not wanted or entry["name"] in wanted) and chosen.set in (None, entry["set"])]


def places(text, source):
    """The lines of that file that a sentence names: `file.c:12`, or `:12` where one file is concerned."""
    return {int(n) for n in re.findall(rf"(?:{re.escape(source)}|(?<![\w.])):(\d+)\b", text)}


def refuted(claim):
    """Shown as if it held, against its own counts: more than a quarter of the orders of one side behave otherwise."""
    if not claim or not (claim["sentence"] or claim.get("parts")):
        return 0
    together = claim.get("together", {})
    if claim.get("parts") and together.get("failed") != sum(together.values()):
        return 1
    inside, outside = claim["inside"], claim["outside"]
    odd = lambda side, word: sum(side.values()) and side[word] / sum(side.values()) < 0.75  # noqa: E731
    if re.search(r"if and only if", claim["sentence"]):
        return int(inside["failed"] != sum(inside.values()) or outside["passed"] != sum(outside.values()))
    says_enough = re.search(r"Fails (when|if|whenever)", claim["sentence"])
    says_needed = re.search(r"[Oo]nly (when|if)|Passes (when|if|unless)", claim["sentence"])
    return int(bool(says_enough and odd(inside, "failed")) or bool(says_needed and odd(outside, "passed")))


def measure(entry, chosen, work):
    directory = work / entry["name"]
    directory.mkdir(parents=True, exist_ok=True)
    if chosen.again:
        said = _bench.answer([chosen.heddle, "explain", "--json"], directory)
        said = said and {"failure": said.get("failure", {}), "verdict": "failure", "diagnosis": said.get("diagnosis", {})}
    else:
        program = _bench.compile_program(entry, chosen.build, directory)
        said = _bench.answer([chosen.heddle, "debug", "--json", "--jobs", "1", "--seed", "1", "--executions", "10000", "--", program], directory)
    row = {"program": entry["name"], "set": entry["set"], "is": entry["class"], "called": None, "class": 0, "line": 0, "fix": 0, "false": 0, "shown": 0,
           "rows": None, "found": None}
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
    fix = diagnosis.get("fix", "")
    for text in (diagnosis["why"], fix, diagnosis.get("claim", {}).get("sentence", ""), *diagnosis.get("claim", {}).get("parts", []), *(w["taken_at"] for w in diagnosis.get("waits", []))):
        named |= places(text, source)
    shown = subprocess.run([chosen.heddle, "explain", "--width", "120"], cwd=directory, capture_output=True, text=True).stdout
    row["called"] = diagnosis["class"]
    row["class"] = int(any(diagnosis["class"] in CLASSES[name] for name in entry["class"].split(",")))
    row["exact"] = int(any(line in named for line in entry["bug_lines"]))
    row["line"] = int(any(line in named | stretch for line in entry["bug_lines"]))
    where = entry["bug_lines"] + entry.get("fix_lines", [])
    pattern = entry.get("fix") or FIXES[entry["class"].split(",")[0]]
    row["fix"] = int(bool(re.search(pattern, fix, re.I)) and any(abs(a - b) <= NEAR for a in places(fix, source) for b in where))
    row["false"] = refuted(diagnosis.get("claim"))
    row["rows"] = shown.count("\n")
    row["shown"] = int(any(re.search(rf"(?m)((?:{re.escape(source)}|\s):{line}\b|^\s+{line} \|)", shown) for line in entry["bug_lines"]))
    if "kind" in said["failure"] and said["failure"]["kind"] not in entry["kind"].split(","):
        row["found"] = said["failure"]["kind"]
    row["named"], row["marked"], row["advice"] = sorted(named), entry["bug_lines"], fix
    claim = diagnosis.get("claim")
    if claim:
        row["inside"], row["outside"], row["claim"] = claim["inside"], claim["outside"], claim["sentence"]
    row["orders"] = f"{sum(claim['inside'].values())}/{sum(claim['outside'].values())}" if claim else None
    return row


def summary(rows):
    good = lambda name: sum(row[name] for row in rows)  # noqa: E731
    share = lambda name: f"{good(name)} of {len(rows)} ({100 * good(name) / max(1, len(rows)):.0f} %)"  # noqa: E731
    return {"class": share("class"), "line": share("line"), "fix": share("fix"), "false": good("false"),
            "all": sum(row["class"] and row["line"] and row["fix"] and not row["false"] for row in rows)}


def main():
    chosen = _bench.options(__doc__, extend)
    table = _bench.Table("explain", chosen, [("program", "{}"), ("set", "{}"), ("is", "{:>12.12}"), ("called", "{:>18.18}"), ("class", "{}"), ("line", "{}"),
                                             ("fix", "{}"), ("false", "{}"), ("shown", "{}"), ("rows", "{}"), ("orders", "{}"), ("found", "{}")])
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        work = (chosen.work or pathlib.Path(scratch)).resolve()
        for row in pool.map(lambda entry: measure(entry, chosen, work), listed(chosen)):
            table.row(**row)
            if row["found"] in ("no answer", "inconclusive"):
                table.lost(f"{row['program']}: {row['found']}")
    rows = table.rows
    both = sum(row["class"] and row["line"] for row in rows)
    by_set = {name: summary([row for row in rows if row["set"] == name]) for name in ("kernels", "tuned", "held") if any(row["set"] == name for row in rows)}
    return table.finish(programs=len(rows), found=sum(row["called"] is not None for row in rows), class_right=sum(row["class"] for row in rows),
                        line_named=sum(row["line"] for row in rows), fix_right=sum(row["fix"] for row in rows), both=both,
                        share=both / max(1, len(rows)), false_claims=sum(row["false"] for row in rows),
                        unknown=sum(row["called"] == "unknown" for row in rows), longest=max((row["rows"] or 0 for row in rows), default=0), by_set=by_set)


if __name__ == "__main__":
    sys.exit(main())

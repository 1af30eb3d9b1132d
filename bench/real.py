#!/usr/bin/env python3
"""Real programs from Debian's source packages (bench/real), built with heddle-cc: right as they are, their races, and one bug each.

Two tables. The first: how many of the functions that the program executes are instrumented, whether its result is right under random
schedules, and its data races. The second: a bug put in by a patch of ours is found, shrunk, isolated and explained by `heddle debug`.

--quick takes pbzip2 alone, with fewer schedules. Sources are fetched once and kept, as is what was built, under BUILD/real.
"""
import pathlib
import subprocess
import sys
import tempfile

import _bench

sys.path.insert(0, str(_bench.HERE / "real"))
import programs as real  # noqa: E402


def run(command, where, timeout):
    try:
        done = subprocess.run([str(word) for word in command], cwd=where, capture_output=True, timeout=timeout)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return None, b""


def as_it_is(options, program, where, table, schedules, watched):
    """The unchanged program: under random schedules, and watched for races."""
    ours = real.build(program, where, real.wrapped(options.build))
    command = [ours, *real.arguments(program, where)]
    with tempfile.TemporaryDirectory() as here:
        native = run(command, here, 60)
        right = 0
        for seed in range(1, schedules + 1):
            seen = run([options.heddle, "run", "--policy", "random", "--seed", seed, "--", *command], here, 300)
            right += seen[0] == 0 and (not program.compare or seen[1] == native[1])
        races = _bench.answer([options.heddle, "races", "--json", "--executions", watched, "--", *command], here, timeout=900) or {}
    if native[0] != 0 or not races:
        table.lost(f"{program.name}: {'no answer' if native[0] == 0 else 'it does not run'}")
    functions = races.get("functions", {"executed": 0, "not_instrumented": []})
    plain = len(functions["not_instrumented"])
    confirmed = [race for race in races.get("races", []) if race["kind"] == "confirmed"]
    table.row(program=program.name, package=program.package, native=native[0], right=right, schedules=schedules,
              right_of=f"{right}/{schedules}", executed=functions["executed"], instrumented=functions["executed"] - plain,
              share=100 * (1 - plain / functions["executed"]) if functions["executed"] else None, confirmed=len(confirmed),
              possible=races.get("possible"), runs=races.get("executions"), inconclusive=races.get("inconclusive"),
              failing=races.get("failing_runs"), not_instrumented=functions["not_instrumented"],
              races=[{"object": race["object"], "first": race["first"]["place"], "second": race["second"]["place"],
                      "operations": [race["first"]["operation"], race["second"]["operation"]]} for race in confirmed])
    for race in confirmed:
        print(f"    {race['object']}: {race['first']['place']} and {race['second']['place']}", flush=True)


def with_bug(options, program, where, table, seed, seconds):
    broken = real.build(program, where, real.wrapped(options.build), "-bug", program.bug.name)
    command = [broken, *real.arguments(program, where)]
    with tempfile.TemporaryDirectory() as here:
        found = _bench.answer([options.heddle, "debug", "--json", "--seed", seed, "--time", seconds, *program.options, "--", *command], here, timeout=seconds * 10 + 300)
    if not found or found.get("verdict") not in ("failure", "none"):
        table.lost(f"{program.name}, seed {seed}: {(found or {}).get('verdict', 'no answer')}")
    if not found or found.get("verdict") != "failure":
        table.row(program=program.name, bug=program.bug.name, verdict=(found or {}).get("verdict", "none"), seed=seed)
        return
    diagnosis = found.get("diagnosis", {})
    places = [*diagnosis.get("lines", []), *found.get("cause", [])]
    names = [f"{pathlib.Path(place['file']).name}:{place['line']}" for place in places if place.get("file")]
    before, after, paper = found["found"], found["simplified"], program.bug.paper
    total = sum(found.get(part, {}).get("seconds", 0) for part in ("find", "simplify", "reduce", "isolate"))
    table.row(program=program.name, bug=program.bug.name, what=program.bug.what, verdict="failure", seed=seed, options=list(program.options), kind=found["failure"]["kind"],
              message=found["failure"]["message"], executions=found["find"]["executions"], find_s=found["find"]["seconds"], total_s=total,
              simplify_runs=found["simplify"]["executions"], events=before["events"], threads=before["threads"],
              switches=f"{before['switches']}->{after['switches']}", preemptions=f"{before['preemptions']}->{after['preemptions']}",
              minimal=found["simplify"]["minimal"], isolated=found.get("isolate", {}).get("isolated"), klass=diagnosis.get("class"),
              line=names[0] if names else None, named=any(name.startswith(program.bug.line + ":") for name in names), lines=names,
              why=diagnosis.get("why"), paper=f"{paper['switches'][0]:g}->{paper['switches'][1]:g}" if paper else None, paper_row=paper)


def main():
    options = _bench.options(__doc__)
    where = (options.build / "real").resolve()
    where.mkdir(parents=True, exist_ok=True)
    chosen = real.named(options.names or (["pbzip2"] if options.quick else []))
    schedules = options.seeds or _bench.pick(options, 3, 10, 50)
    right = _bench.Table("real_races", options, [
        ("program", "{}"), ("right_of", "{}", "right under random"), ("executed", "{}", "functions"), ("share", "{:.1f} %", "instrumented"),
        ("confirmed", "{}", "races"), ("possible", "{}"), ("runs", "{}")])
    for program in chosen:
        as_it_is(options, program, where, right, schedules, _bench.pick(options, 5, 25, 50))
    failed = right.finish(programs=len(right.rows), least_instrumented=min((row["share"] for row in right.rows if row["share"]), default=float("nan")))
    bugs = _bench.Table("real", options, [
        ("program", "{}"), ("kind", "{}"), ("executions", "{}", "runs to find"), ("find_s", "{:.2f}", "s to find"), ("total_s", "{:.1f}", "s in all"),
        ("switches", "{}"), ("preemptions", "{}"), ("klass", "{}", "class"), ("line", "{}"), ("paper", "{}", "paper's switches")])
    for program in chosen:
        for seed in range(1, _bench.pick(options, 1, 1, 3) + 1):
            with_bug(options, program, where, bugs, seed, _bench.pick(options, 20, 60, 120))
    found = [row for row in bugs.rows if row["verdict"] == "failure"]
    return failed | bugs.finish(found=f"{len(found)} of {len(bugs.rows)}", named=f"{sum(bool(row['named']) for row in found)} of {len(found)}")


if __name__ == "__main__":
    sys.exit(main())

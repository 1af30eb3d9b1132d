#!/usr/bin/env python3
"""Schedules to the first failure on every bug kernel, the default search beside each strategy alone; and the fixed twins, which must not fail.

A row: found k of N seeds; mean and worst number of schedules (every run of the program counts, those that learn its racing accesses too; a
miss counts 10,000); the best single strategy and its mean; the twin: schedules tried without an alarm, their rate on one core, and what
`check --preemptions 2` says of it. The geometric means give one vote to each family.

A strategy whose answer does not depend on the seed is run once; one that misses its first two seeds is counted as missing the rest.
Results are kept in BUILD/bench-find.json as they come; --go-on takes from there what an earlier call has measured.
"""
import concurrent.futures
import json
import pathlib
import sys
import tempfile
import threading

import _bench

MISS = 10_000
SINGLES = ["random", "pct", "pos", "surw", "race", "guided", "rff", "frontier", "bounded", "delay", "period", "gaussian"]
SEEDLESS = {"sequential", "guided", "bounded", "delay", "period"}
QUICK = ["account", "bluetooth", "carter", "deadlock01", "lost_wakeup", "philosophers_3", "twostage_2", "queue", "reorder_3", "wsq_the_bug3"]
LOCK = threading.Lock()


class Kept:
    """What has been measured so far, by program and part."""

    def __init__(self, path, go_on):
        self.path = path
        self.parts = json.loads(path.read_text()) if go_on and path.exists() else {}

    def get(self, name, part, measure):
        with LOCK:
            known = self.parts.get(name, {}).get(part)
        if known is not None:
            return known
        value = measure()
        with LOCK:
            self.parts.setdefault(name, {})[part] = value
            self.path.with_suffix(".tmp").write_text(json.dumps(self.parts))
            self.path.with_suffix(".tmp").replace(self.path)
        return value


def search(chosen, program, strategy, seed, executions, timeout):
    # A directory of its own: a search must not learn from another one's bugs.
    with tempfile.TemporaryDirectory() as where:
        command = [chosen.heddle, "find", "--json", "--jobs", "1", "--seed", seed, "--executions", executions, "--time", timeout]
        command += ["--strategy", strategy] if strategy != "default" else []
        return _bench.answer([*command, "--", program], where, timeout + 60)


def measure_strategy(chosen, program, strategy, seeds):
    runs, found, spent, kinds, unanswered = [], 0, 0.0, [], 0
    for seed in range(1, seeds + 1):
        if strategy in SEEDLESS and runs:
            runs.append(runs[0])
            found += runs[0] < MISS
            continue
        if strategy != "default" and len(runs) >= 2 and found == 0:
            runs.append(MISS)
            continue
        answer = search(chosen, program, strategy, seed, MISS, chosen.limit)
        if answer and answer["verdict"] == "failure":
            found += 1
            runs.append(answer["find"]["executions"])
            spent += answer["find"]["seconds"]
            kinds.append(answer["failure"]["kind"])
        else:
            runs.append(MISS)
            unanswered += not answer
            spent += answer["find"]["seconds"] if answer else chosen.limit
    return {"runs": runs, "found": found, "seconds": round(spent, 3), "kinds": sorted(set(kinds)), "unanswered": unanswered}


def measure_twin(chosen, program, executions):
    answer = search(chosen, program, "default", 1, executions, 120)
    if not answer:
        return {"alarm": "no answer", "executions": 0, "rate": None}
    f = answer["find"]
    alarm = answer.get("failure", {}).get("message") or answer.get("uncontrolled") or ("" if answer["verdict"] == "none" else answer["verdict"])
    return {"alarm": alarm, "executions": f["executions"], "rate": f["executions"] / f["seconds"] if f["seconds"] > 0 else None,
            "exhausted": f["exhausted"]}


def measure_check(chosen, program, executions):
    with tempfile.TemporaryDirectory() as where:
        answer = _bench.answer([chosen.heddle, "check", "--json", "--jobs", "1", "--preemptions", "2", "--executions", executions,
                                "--time", "30", "--", program], where, 120)
    return {"verdict": answer["verdict"] if answer else "no answer", "schedules": answer["certificate"]["schedules"] if answer else 0}


def measure(chosen, kept, entry, where):
    name = entry["name"]
    wrapped = True if chosen.instrumented else None
    program = _bench.compile_program(entry, chosen.build, where, wrapped=wrapped)
    twin = _bench.compile_program(entry, chosen.build, where, fixed=True, wrapped=wrapped)
    seeds = chosen.seeds or _bench.pick(chosen, 1, 3, 20)
    singles = chosen.strategies if chosen.strategies is not None else SINGLES if chosen.full else []
    few = chosen.single_seeds or seeds
    results = {"default": kept.get(name, f"default {seeds}", lambda: measure_strategy(chosen, program, "default", seeds))}
    if _bench.mean(results["default"]["runs"]) <= chosen.singles_above:
        singles = []
    for s in singles:
        results[s] = kept.get(name, f"{s} {few}", lambda s=s: measure_strategy(chosen, program, s, few))
    tried = chosen.twin_runs or _bench.pick(chosen, 200, 2_000, 20_000)
    quiet = kept.get(name, f"twin {tried}", lambda: measure_twin(chosen, twin, tried)) if not chosen.no_twins else {}
    checked = kept.get(name, f"check {tried}", lambda: measure_check(chosen, twin, tried)) if chosen.full and not chosen.no_twins else {}
    mean = {s: _bench.mean(r["runs"]) for s, r in results.items()}
    best = min(singles, key=lambda s: mean[s]) if singles else None
    return {"name": name, "family": entry["family"], "seeds": seeds, "found": results["default"]["found"], "mean": mean["default"],
            "worst": max(results["default"]["runs"]), "seconds": results["default"]["seconds"] / seeds, "best": best,
            "best_mean": mean[best] if best else None, "ratio": mean["default"] / mean[best] if best else None, "twin": quiet.get("executions"),
            "alarm": quiet.get("alarm"), "rate": quiet.get("rate"), "check": checked.get("verdict"), "strategies": results,
            "share": f"{results['default']['found']}/{seeds}"}


def family_mean(rows, strategy):
    families = {}
    for row in rows:
        families.setdefault(row["family"], []).append(_bench.geometric_mean([max(r, 1) for r in row["strategies"][strategy]["runs"]]))
    return _bench.geometric_mean([_bench.geometric_mean(v) for v in families.values()])


def options():
    def extend(parser):
        parser.add_argument("--strategies", nargs="*", help="these beside the default, instead of all (--full) or none")
        parser.add_argument("--go-on", action="store_true", help="keep what an earlier call has measured")
        parser.add_argument("--no-twins", action="store_true")
        parser.add_argument("--held-out", action="store_true", help="the programs of bench/programs/heldout, which no change of a search has looked at; heldout.json")
        parser.add_argument("--instrumented", action="store_true", help="build every kernel by heddle-cc, also those that fail without")
        parser.add_argument("--limit", type=int, default=60, help="seconds for one search")
        parser.add_argument("--parallel", type=int, default=2)
        parser.add_argument("--single-seeds", type=int, default=0, help="fewer seeds for the single strategies")
        parser.add_argument("--singles-above", type=float, default=0, help="single strategies only where the default's mean is above this")
        parser.add_argument("--twin-runs", type=int, default=0, help="schedules for each twin, instead of what --quick or --full imply")

    return _bench.options(__doc__, extend)


def main():
    chosen = options()
    kernels = _bench.programs("heldout" if chosen.held_out else "kernels", chosen.names or (QUICK if chosen.quick and not chosen.held_out else ()))
    columns = [("name", "{}", "program"), ("share", "{}", "found"), ("mean", "{:.1f}"), ("worst", "{}"), ("seconds", "{:.2f}", "s/search"),
               ("best", "{}", "best single"), ("best_mean", "{:.1f}", "its mean"), ("ratio", "{:.2f}"), ("twin", "{}", "twin runs"),
               ("rate", "{:.0f}", "runs/s"), ("check", "{}", "check 2"), ("alarm", "{}", "alarm")]
    name = "heldout" if chosen.held_out else "find"
    table = _bench.Table(name, chosen, columns, f"A miss counts {MISS}.")
    kept = Kept(chosen.build / f"bench-{name}.json", chosen.go_on)
    with tempfile.TemporaryDirectory() as where, concurrent.futures.ThreadPoolExecutor(chosen.parallel) as pool:
        for row in pool.map(lambda entry: measure(chosen, kept, entry, pathlib.Path(where)), kernels):
            table.row(**row)
            if row["alarm"] == "no answer" or any(r.get("unanswered") for r in row["strategies"].values()):
                table.lost(f"{row['name']}: no answer")
    rows = table.rows
    compared = [row for row in rows if len(row["strategies"]) > 1]
    strategies = set.intersection(*(set(row["strategies"]) for row in compared)) - {"default"} if compared else set()
    summary = {"geometric_mean": family_mean(rows, "default"), "families": len({row["family"] for row in rows})}
    if strategies:
        summary["compared_with_single_strategies"] = len(compared)
        summary["geometric_means_there"] = {s: round(family_mean(compared, s), 2) for s in ["default", *sorted(strategies)]}
        summary["above_1.5_times_the_best_single"] = [row["name"] for row in compared if row["ratio"] > 1.5]
        summary["above_twice_the_best_single"] = [row["name"] for row in compared if row["ratio"] > 2]
        summary["geometric_mean_of_ratios"] = _bench.geometric_mean([row["ratio"] for row in compared])
    summary["missed"] = [row["name"] for row in rows if row["found"] < row["seeds"]]
    summary["above_100"] = [row["name"] for row in rows if row["mean"] > 100]
    summary["alarms_on_twins"] = [row["name"] for row in rows if row["alarm"]]
    return table.finish(**summary)


if __name__ == "__main__":
    sys.exit(main())

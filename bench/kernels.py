#!/usr/bin/env python3
"""The whole pipeline on every bug kernel: schedules to the first failure, and the size of what is left after simplification.

usage: kernels.py [--build DIR] [--quick] [--seeds N] [NAME...]

Kernels whose bug needs single accesses are built by heddle-cc, the others as they are. A row: found k of N seeds, mean and worst number
of executions to the failure (every process start or fork counts; a miss counts the budget), preemptions left against the optimum that the
kernel's author stated, switches left, executions of the simplification. The last line is the geometric mean over families, one vote each.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUDGET = 10_000
TIMEOUT = 300


def compile_kernel(kernel, build, where):
    source = HERE / "programs" / kernel["source"]
    cpp = source.suffix == ".cpp"
    wrapped = kernel["granularity"] == "access"
    compiler = str(build / "bin" / ("heddle-c++" if cpp else "heddle-cc")) if wrapped else ("g++" if cpp else "gcc")
    program = where / kernel["name"]
    flags = ["-O1", "-g", "-pthread", *(["-std=c++20"] if cpp else []), *(f"-D{k}={v}" for k, v in kernel["defines"].items())]
    subprocess.run([compiler, *flags, str(source), "-o", str(program)], check=True, capture_output=True)
    return program


def debug(heddle, program, seed, where):
    command = [str(heddle), "debug", "--json", "--seed", str(seed), "--executions", str(BUDGET), "--", str(program)]
    try:
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=TIMEOUT)
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def measure(kernel, heddle, build, where, seeds):
    program = compile_kernel(kernel, build, where)
    runs, left, switches, spent = [], [], [], []
    for seed in range(1, seeds + 1):
        answer = debug(heddle, program, seed, where)
        if not answer or answer["verdict"] != "failure" or answer["failure"]["kind"] != kernel["kind"]:
            runs.append(BUDGET)
            continue
        runs.append(answer["find"]["executions"])
        left.append(answer["simplified"]["preemptions"])
        switches.append(answer["simplified"]["switches"])
        spent.append(answer["simplify"]["executions"])
    return {"name": kernel["name"], "family": kernel["family"], "optimum": kernel.get("optimum"), "seeds": seeds,
            "found": len(left), "runs": runs, "preemptions": left, "switches": switches, "simplify_executions": spent}


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="one seed")
    parser.add_argument("--full", action="store_true", help="twenty seeds")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    seeds = options.seeds or (1 if options.quick else 20 if options.full else 3)
    listed = json.loads(subprocess.check_output([sys.executable, str(HERE / "programs" / "manifest.py")]))
    kernels = [k for k in listed if k["suite"] == "kernels" and (not options.names or k["name"] in options.names)]
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, {seeds} seeds, budget {BUDGET} executions")
    print(f"{'program':24} {'found':>7} {'mean runs':>10} {'worst':>7} {'preemptions':>12} {'optimum':>8} {'switches':>9} {'simplify':>9}")
    rows = []
    with tempfile.TemporaryDirectory() as where:
        for kernel in kernels:
            row = measure(kernel, options.build / "bin" / "heddle", options.build, pathlib.Path(where), seeds)
            rows.append(row)
            print(f"{row['name']:24} {row['found']:3}/{seeds:<3} {mean(row['runs']):10.1f} {max(row['runs']):7} {mean(row['preemptions']):12.1f} "
                  f"{str(row['optimum']):>8} {mean(row['switches']):9.1f} {mean(row['simplify_executions']):9.1f}", flush=True)
    families = {}
    for row in rows:
        families.setdefault(row["family"], []).append(math.exp(mean([math.log(r) for r in row["runs"]])))
    overall = math.exp(mean([math.log(mean(v)) for v in families.values()]))
    optimal = [r for r in rows if r["optimum"] is not None and r["preemptions"]]
    reached = sum(1 for r in optimal if max(r["preemptions"]) <= r["optimum"])
    print(f"geometric mean over {len(families)} families: {overall:.2f} executions to the failure; "
          f"stated optimum reached by {reached} of {len(optimal)}")
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / "kernels.json").write_text(json.dumps({"geometric_mean": overall, "rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

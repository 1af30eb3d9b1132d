#!/usr/bin/env python3
"""How far simplified traces are from the optimum (Jalbert & Sen, FSE 2010, Fig. 6), on the bug kernels.

The optimum of a kernel's bug is what `--algorithm exhaustive` proves within four seconds, going on from the default's result: the fewest
preemptions, and with these the fewest switches, of any schedule of the same bug. Kernels for which it gives up are left out and told (and one whose
optimum is beaten would be a fault: told too). A row: the optimum, how many preemptions
and switches more the default and Tinertia leave, and what they cost. `proved`: the default itself proved its number of preemptions.
"""
import sys
import tempfile

import _bench
from simplify import gather, program_seconds


def main():
    options = _bench.options(__doc__, program_seconds)
    wanted = options.seeds or _bench.pick(options, 1, 1, 3)
    columns = [("program", "{}"), ("traces", "{}"), ("optimal_preemptions", "{}", "optimum"), ("optimal_switches", "{}", "switches"),
               ("more_preemptions", "{}", "default +"), ("more_switches", "{}", "switches +"), ("tinertia_preemptions", "{}", "tinertia +"),
               ("tinertia_switches", "{}", "switches +"), ("executions", "{:.1f}", "execs"), ("certificate", "{:.1f}"),
               ("tinertia_executions", "{:.1f}", "tinertia"), ("proved", "{}")]
    table = _bench.Table("optimality", options, columns, "Distances are the worst over the traces.")
    bins = {"default": {}, "tinertia": {}}
    unknown, missed, unproved = [], [], []
    with tempfile.TemporaryDirectory() as built:
        listed = _bench.programs("kernels", options.names)
        for entry in listed[::12] if options.quick and not options.names else listed:
            program = _bench.compile_program(entry, options.build, built)
            samples = gather(options, program, entry["kind"], wanted, ("tinertia", "default", "exhaustive"))
            if not samples:
                table.lost(f"{entry['name']}: no failing trace")
                continue
            small = [s for s in samples if s["default"]["simplified"]["preemptions"] <= 1 and s["found"]["events"] <= 200]
            if any(s["default"]["simplify"]["minimal"] != "proved" for s in small):
                unproved.append(entry["name"])
            # Of a livelock any part will do: it has no optimum in this sense.
            known = [s for s in samples if s["exhaustive"]["simplify"]["minimal"] == "proved" and entry["kind"] != "livelock"]
            # A proved optimum that is beaten is a fault of the proof: told, and never counted.
            beaten = [s for s in known for name in bins if s[name]["simplified"]["preemptions"] < s["exhaustive"]["simplified"]["preemptions"]]
            if beaten:
                table.lost(f"{entry['name']}: a proved optimum is beaten")
            if beaten or not known:
                unknown.append(entry["name"] + (" (beaten)" if beaten else ""))
                continue
            off = {}
            for name in bins:
                off[name] = [[s[name]["simplified"][m] - s["exhaustive"]["simplified"][m] for s in known] for m in ("preemptions", "switches")]
                for more in off[name][1]:
                    bins[name][more] = bins[name].get(more, 0) + 1
            if max(off["default"][0]) > 0:
                missed.append(entry["name"])
            cost = lambda name, field: _bench.mean([s[name]["simplify"][field] for s in known])
            best = known[0]["exhaustive"]["simplified"]
            table.row(program=entry["name"], traces=len(known), optimal_preemptions=best["preemptions"], optimal_switches=best["switches"],
                      more_preemptions=max(off["default"][0]), more_switches=max(off["default"][1]),
                      tinertia_preemptions=max(off["tinertia"][0]), tinertia_switches=max(off["tinertia"][1]),
                      executions=cost("default", "executions"), certificate=cost("default", "certificate_executions"),
                      tinertia_executions=cost("tinertia", "executions"),
                      proved=sum(s["default"]["simplify"]["minimal"] == "proved" for s in known))
    summary = {"kernels_with_known_optimum": len(table.rows), "optimum_not_known": ", ".join(unknown) or "none",
               "default_has_more_preemptions_on": ", ".join(missed) or "none", "small_but_not_proved": ", ".join(unproved) or "none"}
    for name, histogram in bins.items():
        total = max(1, sum(histogram.values()))
        summary[f"{name}_switches_over_optimum"] = {more: histogram[more] for more in sorted(histogram)}
        summary[f"{name}_at_optimum"] = histogram.get(0, 0) / total
    return table.finish(**summary)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes planted_KERNEL.h: 20 bugs for the places of a kernel, in the manner of RaceBench.

plant.py BUILD KERNEL SEED runs the kernel once under a random schedule and notes the order in which its threads visit its places: an interleaving that the kernel allows. A bug follows that run up to a visit: one to three places on the way update its state, and the state that they lead to opens a window there, in
the thread A that makes the visit and in the thread B that comes next. Depth 1 has one window, depth 2 a first one that must be met before the second counts.
The windows are RaceBench's patterns: a value that changes between write and check (WWA), between read and check (RWA), a value seen half-way between two writes (WAW), a
check between the two writes of a pair (NOWAIT), a flag set before its data (DISORDER), a pair read after a sleep that should have been long enough (SLEEP).
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

BUGS, MASK = 20, 0xFFFFFFFF
GUARDS, FLAG, FREE = (0, 1, 2), 3, 4  # variables: of the state, "the first window was met", those of the patterns


class Code:
    """What each place gets: patterns come before updates, so that a window and its state are seen by all who stand at a place."""

    def __init__(self, places):
        self.patterns = {place: [] for place in places}
        self.updates = {place: [] for place in places}

    def text(self, place):
        return " \\\n  ".join([""] + self.patterns[place] + self.updates[place])


def draw_updates(rng, log, until, places):
    """One to three updates at places that were visited on the way; each is (place, variable, operator, constant or another variable)."""
    near = sorted({place for _, place in log[max(0, until - 200):until]}) or sorted(places)
    updates = []
    for i in range(rng.choice((1, 1, 2, 3))):
        constant = rng.getrandbits(32) | 1
        operand = ("v", GUARDS[i - 1]) if i and rng.random() < 0.5 else ("c", constant)
        updates.append((rng.choice(near), GUARDS[min(i, len(GUARDS) - 1)], rng.choice("+-^+-"), operand))
    return updates


def state_at(log, until, updates):
    value = dict.fromkeys(GUARDS, 0)
    for _, place in log[:until]:
        for where, variable, operator, (kind, operand) in updates:
            if where != place:
                continue
            right = operand if kind == "c" else value[operand]
            left = value[variable]
            value[variable] = (left + right if operator == "+" else left - right if operator == "-" else left ^ right) & MASK
    return value


def several(rng, bug, variable, first):
    """A few assignments that come to `variable`."""
    a, b = first, first + 1
    return (f"V({bug}, {a}) = {rng.getrandbits(32):#x}; V({bug}, {b}) = V({bug}, {b}) - (V({bug}, {a}) ^ {rng.getrandbits(32):#x}); "
            f"V({bug}, {variable}) = V({bug}, {variable}) + ((V({bug}, {b}) | 1) ^ {rng.getrandbits(31) << 1:#x});")


def pattern(rng, bug, met, base):
    """The parts of a window: (A's first, A's second, B's). `met`: what happens when it is met."""
    x, y, z, free = base, base + 1, base + 2, base + 3
    lock = lambda text: f"LOCKED({bug}, {text})"
    maybe = lambda text: lock(text) if rng.random() < 0.2 else text
    both = lambda value, pair: several(rng, bug, pair, free) + f" V({bug}, {value}) = V({bug}, {pair});"
    differ = lambda value, pair: f"if (V({bug}, {value}) != V({bug}, {pair})) {{ {met} }}"
    kind = rng.choice(("WWA", "RWA", "WAW", "NOWAIT", "DISORDER", "SLEEP"))
    if kind == "WWA":
        return kind, lock(both(x, y)), maybe(differ(x, y)), maybe(several(rng, bug, x, free))
    if kind == "RWA":
        return kind, maybe(f"V({bug}, {y}) = V({bug}, {x});"), maybe(differ(x, y)), maybe(several(rng, bug, x, free))
    if kind == "WAW":
        return kind, maybe(both(x, y)), lock(both(x, z)), maybe(f"if (V({bug}, {x}) != 0) {{ {differ(x, z)} }}")
    if kind == "NOWAIT":
        return kind, maybe(differ(x, y)), "", lock(both(x, y))
    if kind == "DISORDER":
        return kind, maybe(f"V({bug}, {z}) = 1;"), lock(both(x, y)), maybe(f"if (V({bug}, {z}) != 0) {{ {differ(x, y)} }}")
    return kind, "usleep(100);", maybe(differ(x, y)), lock(both(x, y))


def window(rng, log, at, updates, bug, code, met, base, also):
    thread, place = log[at]
    other = next(((t, p) for t, p in log[at + 1:] if t != thread), None)
    if other is None:
        return None
    later = place
    for t, p in log[at + 1:at + 50]:
        if t == thread and (p == place or any(p == u[0] for u in updates)):
            break
        if t == thread and rng.random() < 0.5:
            later = p
            break
    if any(place == u[0] for u in updates):
        later = place
    value = state_at(log, at, updates)
    variable = max(u[1] for u in updates)
    guard = f"if (V({bug}, {variable}) == {value[variable]:#x}{also})"
    kind, first, second, between = pattern(rng, bug, met, base)
    for where, text in ((place, first), (later, second), (other[1], between)):
        if text:
            code.patterns[where].append(f"BUG({bug}, {guard} {{ {text} }})")
    return kind


def plant(rng, log, bug, code):
    depth = 1 if bug % 5 < 3 else 2
    places = set(code.patterns)
    last = min(len(log) - 2, 5_000)
    chosen = sorted(int(3 * (last / 3) ** rng.random()) for _ in range(depth))
    updates = draw_updates(rng, log, chosen[-1], places)
    kinds = []
    for i, at in enumerate(chosen):
        final = i == depth - 1
        met = f"MET({bug});" if final else f"V({bug}, {FLAG}) = 1;"
        kinds.append(window(rng, log, at, updates, bug, code, met, FREE + 6 * i, f" && V({bug}, {FLAG})" if i else ""))
    for place, variable, operator, (kind, operand) in updates:
        right = f"{operand:#x}" if kind == "c" else f"V({bug}, {operand})"
        code.updates[place].append(f"BUG({bug}, V({bug}, {variable}) = V({bug}, {variable}) {operator} {right};)")
    return kinds, chosen


def visits(build, kernel, seed):
    """The order of visits of one run, as (thread, place)."""
    source = next(HERE.glob(f"{kernel}.c*"))
    cpp = source.suffix == ".cpp"
    with tempfile.TemporaryDirectory() as where:
        program, log = pathlib.Path(where) / kernel, pathlib.Path(where) / "log"
        subprocess.run(["g++" if cpp else "gcc", "-std=c++20" if cpp else "-std=gnu11", "-D_GNU_SOURCE", "-DPLACES_LOG", "-O1", "-pthread", source, "-o", program, "-lm"], check=True)
        subprocess.run([build / "bin" / "heddle", "run", "--policy", "random", "--seed", str(seed), "--", program], check=True, cwd=where,
                       env={**os.environ, "PLACES_LOG": str(log)}, stdout=subprocess.DEVNULL)
        return [tuple(int(word) for word in line.split()) for line in log.read_text().splitlines()]


def main():
    build, kernel, seed = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3])
    log = visits(build, kernel, seed)
    rng = random.Random(seed)
    code = Code(range(1 + max(place for _, place in log)))
    lines = [f"// Made by plant.py BUILD {kernel} {seed} from a run of {len(log)} visits by {1 + max(t for t, _ in log)} threads. Not for editing.", "// clang-format off"]
    for bug in range(BUGS):
        kinds, at = plant(rng, log, bug, code)
        lines.append(f"// bug {bug}: {', then '.join(f'{kind} at visit {visit}' for kind, visit in zip(kinds, at))}")
    lines += [f"#define PLACE_{place}{code.text(place)}" for place in sorted(code.patterns)]
    (HERE / f"planted_{kernel}.h").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

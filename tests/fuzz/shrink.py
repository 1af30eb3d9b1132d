"""Makes a program smaller that shows a difference: leaves statements out one by one, as long as the same sort of difference is still there."""
import os
import re
import subprocess

MOST_ROUNDS = 40


def blocks(lines):
    """Pairs of if or while and its end, by line."""
    open_, pairs = [], []
    for i, line in enumerate(lines):
        word = line.split()[0]
        if word in ("if", "while"):
            open_.append(i)
        elif word == "end":
            pairs.append((open_.pop(), i))
    return pairs


def without(lines, gone):
    return [line for i, line in enumerate(lines) if i not in gone]


def drop_thread(lines, number):
    """Without thread `number`: those after it move up."""
    kept, inside = [], False
    for line in lines:
        words = line.split()
        if words[0] == "thread":
            inside = int(words[1]) == number
            if int(words[1]) > number:
                line = f"thread {int(words[1]) - 1}"
        elif words[0] in ("create", "join"):
            which = int(words[1][1:])
            if which == number:
                continue
            if which > number:
                line = f"  {words[0]} t{which - 1}"
        if not inside:
            kept.append(line)
    return kept


def candidates(text):
    """Smaller programs, much smaller ones first."""
    lines = text.strip().split("\n")
    threads = [int(line.split()[1]) for line in lines if line.startswith("thread")]
    for t in threads[1:]:
        yield drop_thread(lines, t)
    for begin, end in blocks(lines):
        yield without(lines, set(range(begin, end + 1)))
        yield without(lines, {begin, end})
    for i, line in enumerate(lines):
        word = line.split()[0]
        if word in ("program", "thread", "create", "join", "if", "while", "end"):
            continue
        yield without(lines, {i})
        if word in ("lock", "rdlock", "wrlock"):
            unlock = "unlock" if word == "lock" else "rwunlock"
            for j in range(i + 1, len(lines)):
                if lines[j].split() == [unlock] + line.split()[1:]:
                    yield without(lines, {i, j})
                    break
        if word == "never" and len(line.split()) > 2:
            words = line.split()
            for k in range(1, len(words)):
                yield lines[:i] + ["  " + " ".join(words[:k] + words[k + 1:])] + lines[i + 1:]


def readable(bench, texts):
    """Those that the model takes, as one batch."""
    good = []
    path = os.path.join(bench.options.work, "candidate.txt")
    for number, text in enumerate(texts):
        named = re.sub(r"^program \S+", f"program C{number}", text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(named + "\n")
        os.makedirs(os.path.join(bench.options.work, "one"), exist_ok=True)
        done = subprocess.run([bench.options.model, os.path.join(bench.options.work, "one"), "read", path], capture_output=True, check=False)
        if done.returncode == 0:
            good.append(named)
    return good


def differing(bench, build, index, program, difference):
    """Does this program still show that sort of difference?"""
    if any(f.startswith("misuse") for f in program[build.name]["failures"]):
        return False
    early = "early" in difference.mode
    if "check" in difference.mode:
        found = bench.judge.check(build, index, program, early=1 if early else 0)
    else:
        found = bench.judge.debug(build, index, program)
    return any(d.sort == difference.sort for d in found)


def shrink(bench, difference):
    name = difference.mode.split(",")[0]
    best = difference.program
    counts = dict(bench.counts)
    for round_ in range(MOST_ROUNDS):
        texts = readable(bench, ["\n".join(c) for c in candidates(best["text"])])
        if not texts:
            break
        path = os.path.join(bench.options.work, "candidates.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(texts) + "\n")
        directory, programs = bench.write("shrink", ["read", path])
        build = bench.build(directory, [name])[0]
        timed = "early" in difference.mode
        usable = [(i, p) for i, p in enumerate(programs) if p["timed"] or not timed]
        answers = list(bench.pool.map(lambda pair: differing(bench, build, pair[0], pair[1], difference), usable))
        smaller = next((p for (_, p), still in zip(usable, answers) if still), None)
        if smaller is None:
            break
        best = smaller
    bench.counts.clear()
    bench.counts.update(counts)
    best["text"] = re.sub(r"^program \S+", f"program {difference.program['name']}", best["text"])
    best["name"] = difference.program["name"]
    return best

"""What Heddle says about a program, in the words of the explorer."""
import json
import os
import re
import shutil
import subprocess
import threading

NOTHING, FAILURE = 0, 1
PATIENCE = 120  # seconds for one call
CARRIERS = ("fiber", "kernel")


class Lines:
    """Statements by the places of a binary: asks addr2line, once for each place."""

    def __init__(self, binary):
        self.binary = binary
        self.known = {}
        self.lock = threading.Lock()

    def lines(self, offsets):
        with self.lock:
            new = [offset for offset in offsets if offset not in self.known]
            if new:
                # The address after a call: its line is that of the byte before.
                out = subprocess.run(["addr2line", "-e", self.binary] + [hex(offset - 1) for offset in new], capture_output=True, text=True, check=True)
                for offset, answer in zip(new, out.stdout.splitlines()):
                    found = re.search(r":(\d+)", answer)
                    self.known[offset] = int(found.group(1)) if found else 0
            return [self.known[offset] for offset in offsets]


class Build:
    """One binary that holds many programs."""

    def __init__(self, name, binary, tool, scratch):
        self.name = name
        self.binary = binary
        self.tool = tool
        self.scratch = scratch
        self.lines = Lines(binary)


def failure_class(build, program, failure):
    """The explorer's name of a failure that the tool reports, or the tool's own words in brackets."""
    told = re.search(r':(T\d+\.\d+)\\?"', failure.get("message", ""))
    if failure["kind"] == "assert" and told:
        return "assert " + told.group(1)
    if failure["kind"] == "deadlock":
        of_line = {line: f"T{t}.{i}" for t, lines in enumerate(program["lines"]) for i, line in enumerate(lines)}
        offsets = [int(at, 16) for at in re.findall(r"\+([0-9a-f]+)", failure["signature"])]
        places = [of_line.get(line, "?") for line in build.lines.lines(offsets)]
        return " ".join(["deadlock"] + sorted(set(places)))
    return f"[{failure.get('signature', failure['kind'])}]"


class Call:
    """One call of the tool, with its answer."""

    def __init__(self, build, index, words, program=True, scratch=None):
        self.command = [build.tool] + words + (["--", build.binary, str(index)] if program else [])
        self.scratch = scratch
        try:
            done = subprocess.run(self.command, cwd=scratch, capture_output=True, text=True, timeout=PATIENCE, check=False,
                                  env={**os.environ, "NO_COLOR": "1"})
            self.code, self.error, text = done.returncode, done.stderr, done.stdout
        except subprocess.TimeoutExpired:
            self.code, self.error, text = "timeout", "", ""
        try:
            self.answer = json.loads(text)
        except ValueError:
            self.answer = {"verdict": f"no answer, exit code {self.code}: {self.error.strip()[-200:]}"}

    def shown(self):
        return " ".join(self.command)


class Difference:
    def __init__(self, sort, mode, program, call, expected, got):
        self.sort, self.mode, self.program = sort, mode, program
        self.command = call.shown()
        self.expected, self.got = expected, got

    def __str__(self):
        return f"{self.sort}: {self.program['name']} ({self.mode})\n  expected: {self.expected}\n  got:      {self.got}\n  {self.command}"


def bound_for(truth, most):
    """The largest number of preemptions whose schedules are few enough to execute them all."""
    bound, sum_so_far = 0, 0
    for k, count in enumerate(truth["schedules"]):
        sum_so_far += count
        if k > 0 and sum_so_far > most:
            break
        bound = k
    return min(bound, 3)


class Judge:
    """Asks the tool about a program and compares. `count` is told each answer."""

    def __init__(self, count, options):
        self.count = count
        self.most = options.schedules
        self.check_options = list(options.check_options)
        self.believe_assumed = options.believe_assumed
        self.learn_every = options.learn_every

    def fresh(self, build, index, what):
        scratch = os.path.join(build.scratch, f"{build.name}-{index}-{what}")
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        return scratch

    def check(self, build, index, program, early=0):
        """All schedules up to a bound."""
        truth = program[build.name + (" early" if early else "")]
        if not truth["complete"]:
            return
        bound = bound_for(truth, self.most)
        fewest = min(truth["failures"].values(), default=None)
        expected = fewest is not None and fewest <= bound
        words = ["check", "--json", "--jobs", "1", "--preemptions", str(bound)] + self.check_options
        if early:
            words += ["--early-timeouts", str(early)]
        scratch = self.fresh(build, index, "check")
        call = Call(build, index, words, scratch=scratch)
        verdict = call.answer["verdict"]
        if verdict == "assumed" and self.believe_assumed:
            verdict = "proved"
        mode = f"{build.name}, check" + (", early time-outs" if early else "")
        truth_words = f"fails with {fewest} preemptions, bound {bound}" if expected else f"no failure up to {bound} preemptions"
        self.count(mode, verdict if len(verdict) < 20 else "no answer")
        if verdict == "failure":
            name = failure_class(build, program, call.answer["failure"])
            least = truth["failures"].get(name)
            took = call.answer["found"]["preemptions"]
            if least is None:
                yield Difference("false finding", mode, program, call, sorted(truth["failures"]), name)
            elif took < least:
                yield Difference("counted too few", mode, program, call, f"{name} needs {least}", took)
            elif took > fewest:
                yield Difference("false proof", mode, program, call, truth_words, f"all with fewer than {took} pass ({name})")
        elif verdict == "proved":
            if expected:
                yield Difference("false proof", mode, program, call, f"{truth_words}: {truth['failures']}", "proved")
        elif verdict == "inconclusive":
            if expected:
                yield Difference("missed", mode, program, call, truth_words, call.answer["certificate"])
        else:
            yield Difference("no verdict", mode, program, call, truth_words, verdict)
        shutil.rmtree(scratch, ignore_errors=True)

    def debug(self, build, index, program, carriers=CARRIERS):
        """Find, simplify, and replay what was found."""
        truth = program[build.name]
        if not truth["complete"]:
            return
        scratch = self.fresh(build, index, "debug")
        words = ["debug", "--json", "--jobs", "1", "--executions", "600", "--no-isolate", "--no-reduce", "--no-slice", "--simplify-time", "20"]
        # To learn which accesses race takes runs under Valgrind.
        if build.name == "plain" and index % self.learn_every != 0:
            words += ["--points", "sync"]
        call = Call(build, index, words, scratch=scratch)
        verdict = call.answer["verdict"]
        mode = f"{build.name}, debug"
        fewest = min(truth["failures"].values(), default=None)
        if verdict == "failure":
            # Only the last runs of a search can switch behind an operation that lets others go on, or before accesses that race: those
            # have spaces of their own.
            space = "accesses" if call.answer["find"].get("learnt", {}).get("sites") else "releases" if call.answer["find"].get("after_releases") else ""
            if space:
                mode += " " + space
                truth = program[f"{build.name} {space}"]
                if not truth["complete"]:
                    return
            yield from self.judge_failure(build, program, call, truth, mode)
            yield from self.replay(build, index, program, call, scratch, carriers)
        elif verdict == "none":
            self.count(mode, "nothing" if fewest is None else "not found")
            if fewest is not None and (call.answer["find"].get("exhausted") or fewest == 0):
                yield Difference("missed", mode, program, call, truth["failures"], call.answer["find"])
        else:
            self.count(mode, "no answer")
            yield Difference("no verdict", mode, program, call, truth["failures"], verdict)
        shutil.rmtree(scratch, ignore_errors=True)

    def judge_failure(self, build, program, call, truth, mode):
        name = failure_class(build, program, call.answer["failure"])
        least = truth["failures"].get(name)
        took = call.answer["simplified"]["preemptions"]
        needs = call.answer["needs_timing"]
        if needs:
            # Outside of the space that was explored, and said to be. One time-out that fires early has a space of its own; wake-ups without a
            # signal have none.
            self.count(mode, "failure that needs timing")
            early = program.get(build.name + " early", {"complete": False})
            known = len(needs) == 1 and needs[0]["kind"] != "spurious wake-up" and early["complete"]
            if call.answer["simplify"]["minimal"] == "proved":
                yield Difference("false minimum", mode, program, call, "no proof of a schedule with early ends", call.answer["simplify"])
            elif known and name not in early["failures"] and name not in truth["failures"]:
                yield Difference("false finding", mode, program, call, sorted(early["failures"]), name)
            return
        minimal = call.answer["simplify"]["minimal"]
        self.count(mode, f"failure, {minimal}")
        if least is None:
            yield Difference("false finding", mode, program, call, sorted(truth["failures"]), name)
        elif took < least:
            yield Difference("counted too few", mode, program, call, f"{name} needs {least}", took)
        elif minimal == "proved" and took != least:
            yield Difference("false minimum", mode, program, call, f"{name} needs {least}", f"{took}, {call.answer['simplify']['certificate']}")
        elif minimal != "proved" and took != least:
            self.count(mode, "not minimal, not said to be")

    def replay(self, build, index, program, found, scratch, carriers):
        for carrier in carriers:
            call = Call(build, index, ["replay", "--json", "--carrier", carrier, os.path.basename(found.answer["bug"])], program=False, scratch=scratch)
            same = call.answer.get("failure", {}).get("signature") == found.answer["failure"]["signature"]
            mode = f"{build.name}, replay, {carrier}"
            good = call.code == FAILURE and same and call.answer.get("identical", False)
            self.count(mode, "same" if good else "differs")
            if not good:
                yield Difference("does not replay", mode, program, call, found.answer["failure"], f"{call.code}: {call.answer}")

"""What the suites have in common: a test is built, must pass by itself here, and is then tried under heddle."""
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import tempfile


class LeftOut(Exception):
    """The test does not count, for the reason given: it cannot be built here, or needs what heddle does not claim."""


@dataclasses.dataclass
class Ended:
    code: int  # as a shell says it: 128 + signal
    output: str
    timed_out: bool = False


def run(command, directory, seconds, environment=None):
    """Runs a command in a process group of its own, which is gone when this returns."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(word) for word in command], cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=dict(os.environ, **(environment or {})), start_new_session=True)
        timed_out = False
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            timed_out, code = True, 128 + signal.SIGKILL
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        output.seek(0)
        text = output.read(1 << 20).decode("utf-8", "replace")
    return Ended(code if code >= 0 else 128 - code, text, timed_out)


def compile_or_leave_out(command, directory):
    done = run(command, directory, 120)
    if done.code:
        errors = [line for line in done.output.splitlines() if re.search(r"error|undefined reference|cannot find", line)]
        raise LeftOut("does not compile outside its own build: " + (errors or ["the compiler failed"])[0].strip()[:160])


class Suite:
    """One suite. `find` names its tests, `build` makes one of them ready, `native` and `trial` run it."""

    name = ""
    package = ""  # Debian's source package
    needed = ()  # packages to compile it with
    seconds = 60  # a run that takes longer has hung

    def __init__(self, heddle, place, work):
        self.heddle, self.place, self.work = pathlib.Path(heddle), pathlib.Path(place), pathlib.Path(work)

    def prepare(self):
        """What all tests share is built here, once."""

    def find(self):
        raise NotImplementedError

    def build(self, test, directory):
        """The command that runs the test. Raises LeftOut."""
        raise NotImplementedError

    def environment(self, test, directory):
        return {}

    def native(self, test, command, directory):
        """Runs the test by itself: what it must end with under heddle. Raises LeftOut where it does not pass here."""
        done = run(command, directory, self.seconds, self.environment(test, directory))
        if done.timed_out:
            raise LeftOut("natively: hangs here")
        if done.code == 77:
            raise LeftOut("natively: unsupported here")
        if done.code:
            raise LeftOut(f"natively: fails here (exit {done.code})")
        return 0

    def trial(self, test, command, directory, expected, carrier, policy):
        """None if the test does under heddle what it does by itself, else a complaint of one line."""
        words = [self.heddle, "run", "--carrier", carrier, *policy, "--", *command]
        done = run(words, directory, self.seconds, self.environment(test, directory))
        (directory / f"{carrier}.{'-'.join(policy).strip('-')}.log").write_text(done.output)
        if done.timed_out:
            return f"still runs after {self.seconds} s"
        if done.code == expected:
            return None
        said = [line for line in done.output.splitlines() if line.startswith("heddle: ") and not line.startswith("heddle: note")]
        last = (said or done.output.splitlines() or [""])[-1].strip()
        return f"exit {done.code}: {last[:150]}" if last else f"exit {done.code}"

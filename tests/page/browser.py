"""A headless Chromium, driven through its debugging pipe: nothing but Debian's package and Python's own library is needed.

    with Browser() as browser:
        browser.open(path)
        browser.evaluate("document.title")

What the page asked the network for is in `requests`; uncaught errors and dialogs are in `errors`.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
KEYS = {"Home": 36, "ArrowRight": 39}


def find_browser():
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    def __init__(self, program=None, patience=60):
        self.program, self.patience = program or find_browser(), patience
        if not self.program:
            raise RuntimeError("no Chromium here; Debian has it as chromium-headless-shell and as chromium")
        self.requests, self.errors = [], []
        self.number, self.session, self.loaded, self.pending = 0, None, False, b""

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(prefix="heddle-page-")
        commands, self.to = os.pipe()
        self.answers, answers = os.pipe()

        def descriptors():  # Chromium reads commands from 3 and writes answers to 4
            high = os.dup(answers), os.dup(commands)
            while min(high) < 5:
                high = tuple(os.dup(each) for each in high)
            os.dup2(high[1], 3)
            os.dup2(high[0], 4)

        # No sandbox: CI is root in a container, where Chromium can have none, and the page is our own. No /dev/shm: containers have little.
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions"]
        options += ["--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.home.name}", "about:blank"]
        self.log = open(pathlib.Path(self.home.name) / "stderr", "w+b")
        self.process = subprocess.Popen(
            [self.program, *options],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            close_fds=False,
            preexec_fn=descriptors,
            start_new_session=True,
            env=os.environ | {"HOME": self.home.name},
        )
        os.close(commands)
        os.close(answers)
        try:
            target = self.send("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network"):
                self.send(f"{domain}.enable")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.answers)
        self.log.close()
        shutil.rmtree(self.home.name, ignore_errors=True)
        self.home.cleanup()

    def receive(self, until):
        while b"\0" not in self.pending:
            ready = select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]
            more = os.read(self.answers, 1 << 20) if ready else b""
            if not more:
                self.log.seek(0)
                said = self.log.read().decode(errors="replace")[-2000:]
                raise RuntimeError(f"{self.program} {'ended' if ready else 'does not answer'}: {said}")
            self.pending += more
        message, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(message)
        method, detail = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(detail["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(detail["exceptionDetails"].get("exception", {}).get("description", detail["exceptionDetails"]["text"])))
        elif method == "Page.javascriptDialogOpening":
            self.errors.append("a dialog opened")
            self.write("Page.handleJavaScriptDialog", accept=False)
        elif method == "Page.loadEventFired":
            self.loaded = True
        return message

    def write(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session and not method.startswith("Target."):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        return self.number

    def send(self, method, **parameters):
        number, until = self.write(method, **parameters), time.monotonic() + self.patience
        while True:
            message = self.receive(until)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def open(self, path):
        self.loaded = False
        self.send("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        until = time.monotonic() + self.patience
        while not self.loaded:
            self.receive(until)

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['exception']['description']}")
        return answer["result"].get("value")

    def wait_for(self, expression):
        until = time.monotonic() + self.patience
        while not self.evaluate(expression):
            if time.monotonic() > until:
                raise RuntimeError(f"never true: {expression}")
            time.sleep(0.05)

    def press(self, key):
        code = KEYS.get(key) or ord(key.upper())
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def click(self, node, right=None, down=None):
        """Into the middle of the node that the expression gives, or so far to the right and down from its corner."""
        self.evaluate(f"({node}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = self.evaluate(f"(() => {{ const b = ({node}).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()")
        x = box[0] + (box[2] / 2 if right is None else right)
        y = box[1] + (box[3] / 2 if down is None else down)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path):
        picture = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

"""capturectl on this machine."""

import json
import subprocess
import threading
import time


class Failed(Exception):
    def __init__(self, status, text):
        super().__init__(f"status {status}: {text}")
        self.status = status
        self.text = text


def until(seconds, what, condition):
    """Asks until a condition holds, at most so long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"no {what} within {seconds} s"
        time.sleep(0.05)


class Control:
    def __init__(self, machine):
        self._command = [str(machine.programs / "capturectl"), "--node", machine.address]

    def __call__(self, *arguments, timeout=20):
        """Runs it; what it printed."""
        done = subprocess.run(
            [*self._command, "--timeout", str(timeout), *arguments], capture_output=True, timeout=timeout + 60)
        if done.returncode != 0:
            raise Failed(done.returncode, done.stderr.decode())
        return done.stdout.decode()

    def json(self, *arguments, **options):
        return json.loads(self("--json", *arguments, **options))

    def refused(self, *arguments):
        """The error of a command that has to fail."""
        try:
            printed = self(*arguments)
        except Failed as failure:
            assert failure.status == 1, failure
            return failure.text
        raise AssertionError(f"{arguments} was not refused: {printed}")

    def value(self, camera, name):
        return self.json("get", camera, name)["controls"][0]["value"]

    def device(self, identity):
        return next(device for device in self.json("devices")["devices"] if device["id"] == identity)

    def camera(self, identity):
        """A camera's part of the status."""
        return next(camera for camera in self.json("status")["cameras"] if camera["id"] == identity)

    def descriptors(self):
        """What the node has open beside its clients' connections, one for each, once nothing is being closed: the same in three looks."""
        counts = []
        until(5, "steady count of descriptors", lambda: counts.append(self._open()) or len(counts) > 2 and len(set(counts[-3:])) == 1)
        return counts[-1]

    def _open(self):
        status = self.json("status")
        return status["descriptors"] - status["clients"]

    def settle(self, descriptors):
        """Waits for as many descriptors as before."""
        until(5, f"return to {descriptors} descriptors", lambda: self._open() == descriptors)

    def stream(self, camera, size, *arguments):
        return Stream([*self._command, "--timeout", "20", "stream", camera, *arguments, "-o", "-"], size)

    def watch(self):
        return Watch([*self._command, "--json", "devices", "--watch"])


class Process:
    """A capturectl that goes on while a test does something; ended with its block."""

    def __init__(self, command):
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._changed = threading.Condition()
        self._said = []  # (time, line of standard error)
        for read in self._read_output, self._read_errors:
            threading.Thread(target=read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def _read_errors(self):
        for text in self._process.stderr:
            self._note(lambda: self._said.append((time.monotonic(), text.decode().strip())))

    def _note(self, change):
        with self._changed:
            change()
            self._changed.notify_all()

    def _wait(self, seconds, what, condition):
        """Waits for a condition, at most so long; its result."""
        with self._changed:
            begun = time.monotonic()
            assert self._changed.wait_for(condition, seconds), f"{what} not within {seconds} s; it said {self._said}"
            return time.monotonic() - begun

    def said(self, text, within):
        """Waits until a line of its standard error has `text`; when that was."""
        def moment():
            return next((when for when, line in self._said if text in line), None)
        self._wait(within, f'"{text}"', lambda: moment() is not None)
        return moment()

    @property
    def errors(self):
        return [line for _, line in self._said]


class Stream(Process):
    """Raw frames of `size` bytes as they arrive; with size 1, bytes."""

    def __init__(self, command, size):
        self._size = size
        self._bytes = 0
        self.last = 0.0  # when the last bytes came
        super().__init__(command)

    def _read_output(self):
        while data := self._process.stdout.read1(1 << 20):
            self._note(lambda: self._count(len(data)))

    def _count(self, count):
        self._bytes += count
        self.last = time.monotonic()

    @property
    def frames(self):
        return self._bytes // self._size

    def more(self, count, within=10):
        """Waits for so many more frames; how long that took."""
        goal = self.frames + count
        return self._wait(within, f"{count} frames", lambda: self.frames >= goal)


class Watch(Process):
    """Documents, one a line."""

    def __init__(self, command):
        self._events = []
        super().__init__(command)

    def _read_output(self):
        for text in self._process.stdout:
            self._note(lambda: self._events.append(json.loads(text)))

    def event(self, kind, identity=None, within=5):
        """Waits for an event that was not taken before; the device in it."""
        def index():
            return next((
                place for place, event in enumerate(self._events)
                if event["event"] == kind and (identity is None or event["device"]["id"] == identity)), None)
        self._wait(within, f"event {kind} of {identity}", lambda: index() is not None)
        event = self._events[index()]
        del self._events[:index() + 1]
        return event["device"]

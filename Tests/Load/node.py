"""A node of our own, watched while it is under load."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / place) for place in ("WireSpec", "Support")]
from plaintext import Plaintext  # noqa: E402
from wire import Violation, Wire, pb, require  # noqa: E402

PRODUCTS = Path(os.environ.get("CAPTURE_PRODUCTS", Path(__file__).resolve().parents[2] / ".build/release"))


class TooSlow(Violation):
    """What was done is right, but took too long. Another process, or a machine that stood still, may be the cause."""


class LostFrames(Violation):
    """A reader that keeps up missed so many frames of a camera with that rate. A machine that stood still may be the cause."""

    def __init__(self, count, rate):
        super().__init__(f"the healthy reader lost {count} frames")
        self.count, self.rate = count, rate


class Grown(Violation):
    """Memory grew by so many MiB a minute. A machine that stood still may be the cause: buffers that are needed then stay."""

    def __init__(self, slope):
        super().__init__(f"memory grows by {slope:.2f} MiB a minute")


def require_in_time(condition, text):
    if not condition:
        raise TooSlow(text)


class Node:
    """`with Node("--camera", "synthetic") as node:` — a running node; `node.address` is its first listener."""

    def __init__(self, *options, listen="127.0.0.1:0", descriptors=None, plaintext=False):
        """`plaintext`: other machines come in the clear, with a credential, which programs that get `environment` have. It is not this process's: a
        case may run beside others, whose nodes do not know it."""
        self.ends = contextlib.ExitStack()
        self.environment, self.credential = None, {}
        if plaintext:
            given = Plaintext(self.ends.enter_context(tempfile.TemporaryDirectory()))
            self.environment = {**os.environ, "CAPTURE_CREDENTIAL_FILE": str(given.file)}
            self.credential = {"credential": given.secret}
            options = (*options, *given.options)
        self.command = [PRODUCTS / "capture-node", "--trust-local-users", "--listen", listen, "--state", "none", "--enable-test-service", *options]
        self.descriptors = descriptors
        self.log = tempfile.TemporaryFile("a+")

    def __enter__(self):
        def limit():
            # The hard limit too: the node takes what it may have.
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))

        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=self.log, text=True,
            preexec_fn=limit if self.descriptors else None)
        line = self.process.stdout.readline()
        found = re.match(r"listening on (\S+)", line)
        require(found, f"the node said {line!r} instead of where it listens")
        self.address = found[1]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()
        self.ends.close()

    def said(self):
        """What it has logged so far."""
        self.log.seek(0)
        return self.log.read()

    def unary(self, method, request, answer_type, wire=None):
        with wire or Wire(self.address).greet(**self.credential) as connection:
            ((body, _),) = connection.expect_status(connection.call(method, request), 0)
            return answer_type.FromString(body)

    def status(self):
        return self.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse)

    # Read from outside: a node that is out of descriptors cannot be asked.

    def resident_bytes(self):
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors_in_use(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def bench(self, *words):
        """What capture-bench measured."""
        run = subprocess.run([PRODUCTS / "capture-bench", *map(str, words)], stdout=subprocess.PIPE, check=True)
        return json.loads(run.stdout)

    def capturectl(self, *words, **options):
        return subprocess.Popen([PRODUCTS / "capturectl", "--node", self.address, *words], **options)


class Bystander:
    """A client that was there before and calls on, one unary call after the other; knows how long they took."""

    def __init__(self, node, pause=0.002):
        self.wire = Wire(node.address).greet()
        self.pause, self.times, self.error, self.is_over = pause, [], None, threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def work(self):
        try:
            while not self.is_over.wait(self.pause):
                began = time.monotonic()
                self.wire.expect_status(self.wire.call("Empty"), 0)
                self.times.append(time.monotonic() - began)
        except Exception as error:  # told by p99()
            self.error = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        self.wire.close()

    def p99(self, least=100):
        """Seconds, of the calls since the last time it was asked; waits until there are enough."""
        wait_until(lambda: self.error or len(self.times) >= least, "the bystander's calls")
        if self.error:
            raise self.error
        times, self.times = sorted(self.times), []
        return times[len(times) * 99 // 100]


@contextlib.contextmanager
def killed(process):
    """It does not outlive the block."""
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until(condition, what, most=20):
    """Polls until `condition()` is true; returns the seconds it took, for the caller to judge. What is not there after `most` seconds, more
    than any machine is late, never comes."""
    began = time.monotonic()
    while not condition():
        require(time.monotonic() - began < most, f"{what}: not within {most} s")
        time.sleep(0.01)
    return time.monotonic() - began

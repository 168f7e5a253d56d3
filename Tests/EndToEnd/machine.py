"""The virtual machine with its cameras and a node, and what the tests see of it from the host."""

import contextlib
import json
import os
import shlex
import socket
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
USB_CAMERA = PROJECT / "Tests/Support/usb-camera"
sys.path[:0] = [str(USB_CAMERA), str(PROJECT / "Tests/Support")]

from plaintext import Plaintext  # noqa: E402
from usbcamera.remote import Remote  # noqa: E402

NODE_PORT = 7311


class Disturbed(AssertionError):
    """Something else than the test has done what only the test should do."""


class Emulated:
    """A machine, `_process`, that is as fast as its host lets it be."""

    def waited(self):
        """Seconds that the machine's threads, the unluckiest one, have waited for a processor of the host; and the host itself."""
        delays = [int(path.read_text().split()[1]) for path in self._threads()]
        steal = int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8]) / os.sysconf("SC_CLK_TCK")
        return max(delays) / 1e9 + steal

    def _threads(self):
        process = self._process.pid
        while "qemu" not in Path(f"/proc/{process}/comm").read_text():
            process = int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])
        return Path(f"/proc/{process}/task").glob("*/schedstat")

    def measure(self, what):
        """Does what is sensitive to the host's load; again, and says so, where it failed while the machine waited for the host.

        Vivid skips a frame that it is 33 ms late for, so it takes little waiting to spoil half a minute.
        """
        for _ in range(4):
            waited, begun = self.waited(), time.monotonic()
            try:
                return what()
            except AssertionError as error:
                waited, took = self.waited() - waited, time.monotonic() - begun
                if waited < 0.03 and not isinstance(error, Disturbed):
                    raise
                print(f"# again, for the machine waited {waited:.2f} of {took:.1f} s for a processor: {error}", flush=True)
        return what()


class Machine(Emulated):
    """Boots with both vivid cameras, and a USB camera that is plugged in once the node runs; ends with its block."""

    def __init__(self, programs, seconds=900, vivid=None):
        self.programs = Path(programs).resolve()
        self._vivid = ("--vivid", vivid) if vivid else ()  # parameters of the module, where others than usual
        self._seconds = seconds  # after which it is taken for stuck
        self._late = PROJECT / ".cache/late"
        self._ends = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self._boot(stack)
            self._ends = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._ends.close()

    def _boot(self, stack):
        self._late.parent.mkdir(exist_ok=True)
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", self._late, PROJECT / "Tests/EndToEnd/late.c"], check=True)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        serve = stack.enter_context(running(USB_CAMERA / "serve"))
        usbip, control = line(serve, "usbip ", 10), line(serve, "control ", 10)
        self.usb = Remote(control)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        # The machine sees the host behind its network, and the host comes in the clear.
        self.credential = Plaintext(PROJECT / ".cache/end-to-end")
        stack.enter_context(self.credential.given())
        guest = f"/usr/bin/python3 Tests/EndToEnd/guest.py 10.0.2.2:{listener.getsockname()[1]} & " \
            f"exec {self.programs}/capture-node --listen 0.0.0.0:{NODE_PORT} --state none {shlex.join(self.credential.options)}"
        command = (
            PROJECT / "scripts/vm/run", *self._vivid, "--module", "uvcvideo", "--module", "vhci-hcd", "--visible", self.programs,
            "--timeout", str(self._seconds), "--forward", f"{port}:{NODE_PORT}", "--", "sh", "-c", guest,
        )
        self._process = stack.enter_context(running(*command))
        line(self._process, "listening on ", 120)
        self.log = drained(self._process.stdout)
        listener.settimeout(30)
        connection, _ = listener.accept()
        self._guest = stack.enter_context(connection.makefile("rw"))
        self.guest(f"Tests/Support/usb-camera/attach {usbip.replace('127.0.0.1', '10.0.2.2')} >/tmp/attach 2>&1 &")
        self.usb("wait attached 30")

    def guest(self, command):
        """Runs a shell command in the machine; its output."""
        print(json.dumps(command), file=self._guest, flush=True)
        status, output = json.loads(self._guest.readline())
        assert status == 0, f"{command}: status {status}: {output}"
        return output

    @contextlib.contextmanager
    def lateness(self, seconds, rate):
        """`frames` that a camera in the machine may have had to skip in the block, for want of a processor."""
        late = types.SimpleNamespace(frames=0)
        self.guest(f"{self._late} {seconds} {rate} >/tmp/late 2>&1 &")
        yield late
        self.guest("while pidof late >/dev/null; do sleep 0.1; done")
        late.frames = int(self.guest("cat /tmp/late"))


@contextlib.contextmanager
def running(*command):
    """A program, its output in `stdout`, ended with the block."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def line(process, start, seconds):
    """What follows `start` in the first of its lines that begins so; it is killed if there is none in time."""
    alarm = threading.Timer(seconds, process.kill)
    alarm.start()
    seen = []
    try:
        for text in process.stdout:
            if text.startswith(start):
                return text.removeprefix(start).strip()
            seen.append(text)
    finally:
        alarm.cancel()
    raise AssertionError(f"no {start}: {''.join(seen)}")


def drained(stream):
    """Reads a stream to its end on the side; its lines so far."""
    lines = []

    def read():
        with contextlib.suppress(ValueError):  # closed with the process
            for text in stream:
                lines.append(text)

    threading.Thread(target=read, daemon=True).start()
    return lines

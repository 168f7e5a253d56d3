"""The order in which a node ends: what it keeps is on the disk before anybody is told, and a disk that takes nothing does not keep it from ending.

usage: test_ending.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import passes
from capture_client import PREFIX, Connection, NodeError, pb
from configured_node import running_node
from held_disk import HeldDisk

ENDS = 5.0  # seconds in which a node ends
WATCHED = 2.5  # seconds of those in which it ends though somebody watches: less than its grace period of 3.5
PATIENCE = 1.0  # seconds that it waits for its disk first
QUIET = 0.3  # seconds of those in which nobody may be told anything
TRIES = 4
CAMERA = "synthetic-0"
LIBRARY = """{
  listen: [{address: "127.0.0.1:0", trustLocalUsers: true}], state: "none", cameras: ["synthetic:320x240@30"],
  library: {root: "LIBRARY", freeBytes: 0}, logLevel: "error",
}"""


class Node:
    """A node that ends when a test says so."""

    def __init__(self, programs, folder, manager, disk, environment, output):
        self.disk, self._manager = disk, manager
        self.state, self.socket = folder / "state.json", folder / "socket"
        self.address = f"unix:{self.socket}"
        self.process = subprocess.Popen(
            [f"{programs}/capture-node", "--listen", self.address, "--camera", "synthetic:320x240@30", "--state", self.state],
            stdout=output, text=True, env=environment)
        if output == subprocess.PIPE:
            assert "listening on" in self.process.stdout.readline()
        deadline = time.monotonic() + 20
        while reason := refusal(self.address):
            assert time.monotonic() < deadline, reason
            time.sleep(0.02)

    def set_brightness(self, value):
        request = pb.SetControlsRequest(device=CAMERA)
        request.assignments.add(name="brightness", literal=str(value))
        with Connection(self.address) as client:
            client.unary("capture.v1.Devices/SetControls", request, pb.SetControlsResponse)

    def kept_brightness(self):
        if not self.state.exists():
            return None
        controls = json.loads(self.state.read_text())["cameras"][CAMERA]["controls"]
        return next(control["value"] for control in controls if control["name"] == "brightness")

    def end(self):
        """Returns once it has the signal, with the time before."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        while self._manager.recv(4096) != b"STOPPING=1":
            pass
        return began

    def told_manager(self):
        """What it has told since."""
        self._manager.setblocking(False)
        told = []
        with contextlib.suppress(BlockingIOError):
            while True:
                told.append(self._manager.recv(4096))
        return told

    def expect_end(self, began):
        status = self.process.wait(20)
        took = time.monotonic() - began
        assert status == 0 and took < ENDS, f"status {status} after {took:.1f} s"
        assert not self.socket.exists(), "its socket is still there"


@contextlib.contextmanager
def full_pipe():
    """The two ends of a pipe that takes no more."""
    reader, writer = os.pipe()
    with open(reader, "rb", buffering=0) as reader, open(writer, "wb", buffering=0) as writer:
        os.set_blocking(writer.fileno(), False)
        while writer.write(bytes(4096)):
            pass
        os.set_blocking(writer.fileno(), True)
        yield reader, writer


@contextlib.contextmanager
def node_with_a_change(programs, output=subprocess.PIPE):
    """A node with a change of its state that it is about to write, on a disk that takes nothing. `output`: its standard output."""
    with tempfile.TemporaryDirectory(prefix="capture-ending-") as name, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        folder = Path(name)
        manager.bind(str(folder / "notify"))
        manager.settimeout(20)
        environment = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify")}
        disk = HeldDisk(folder, environment)
        node = Node(programs, folder, manager, disk, environment, output)
        try:
            with disk:
                node.set_brightness(7)
                disk.wait()
                yield node
        finally:
            node.process.kill()
            node.process.wait()
            if node.process.stdout:
                node.process.stdout.close()


def refusal(address):
    """Why a new client is not served; `None`: it is."""
    try:
        with Connection(address) as client:
            return None if client.devices() else "there is no camera"
    except (NodeError, OSError) as error:
        return str(error)


def wait_for_go_away(client):
    kind = None
    while kind != "go_away":
        envelope_length, chunk_length = PREFIX.unpack(client.exactly(PREFIX.size))
        kind = pb.Envelope.FromString(client.exactly(envelope_length)).WhichOneof("kind")
        client.exactly(chunk_length)


def is_written_first(programs):
    """Whether that was seen. A machine on which this takes longer than the node waits for its disk shows nothing."""
    with node_with_a_change(programs) as node, Connection(node.address) as client:
        began = node.end()
        told, _, _ = select.select([client.socket], [], [], QUIET)
        refused, written = refusal(node.address), node.kept_brightness()
        if time.monotonic() - began >= PATIENCE:
            return False
        assert not told, "a client was told of the end, and the state is not written"
        assert refused is None, f"the node does not serve any more, and the state is not written: {refused}"
        assert written is None, "the disk has taken something"
        node.disk.release()
        wait_for_go_away(client)
        # At the moment at which clients know of the end.
        written = node.kept_brightness()
        if time.monotonic() - began >= PATIENCE:
            return False
        assert written == 7, f"clients were told of the end before the state was written: {written}"
        client.close()
        node.expect_end(began)
    return True


def what_is_kept_is_written_before_anybody_is_told(programs):
    for _ in range(TRIES):
        if is_written_first(programs):
            return
        print("# the machine was too slow", flush=True)
    raise AssertionError(f"the machine was too slow {TRIES} times")


def a_disk_that_takes_nothing_keeps_no_node_from_ending(programs):
    with node_with_a_change(programs) as node:
        node.expect_end(node.end())


def a_watch_of_the_library_ends_with_the_node(programs):
    with tempfile.TemporaryDirectory(prefix="capture-ending-") as folder:
        root = Path(folder) / "library"
        subprocess.run([f"{programs}/capture-node", "library", "init", "--mark-only", root], check=True, stdout=subprocess.DEVNULL)
        with running_node(programs, LIBRARY.replace("LIBRARY", str(root))) as node:
            with Connection(node.address) as client:
                events = client.server_stream("capture.v1.Library/Watch", pb.WatchAssetsRequest(), pb.AssetEvent)
                next(events)
                began = time.monotonic()
                node.process.send_signal(signal.SIGTERM)
                try:
                    event = next(events, None)
                except NodeError as error:
                    assert error.code == 14 and error.details.reason == pb.ERROR_REASON_NODE_DRAINING, error
                else:
                    raise AssertionError(f"the watch goes on: {event}")
            status = node.process.wait(20)
            took = time.monotonic() - began
            assert status == 0 and took < WATCHED, f"status {status} after {took:.1f} s"


def a_node_that_starts_ends_well_where_nobody_reads_its_output_any_more(programs):
    # It starts until it has said where it listens. The disk leaves it time to notice that nobody reads that.
    with full_pipe() as (reader, writer), node_with_a_change(programs, writer) as node:
        began = node.end()
        reader.close()
        node.expect_end(began)


def a_node_that_starts_and_ends_is_not_said_to_serve(programs):
    with full_pipe() as (reader, writer), node_with_a_change(programs, writer) as node:
        began = node.end()
        reader.read(1 << 20)
        node.expect_end(began)
        assert not any(b"READY=1" in told for told in node.told_manager()), "systemd was told that it serves"


TESTS = [
    what_is_kept_is_written_before_anybody_is_told, a_disk_that_takes_nothing_keeps_no_node_from_ending,
    a_node_that_starts_ends_well_where_nobody_reads_its_output_any_more, a_node_that_starts_and_ends_is_not_said_to_serve,
    a_watch_of_the_library_ends_with_the_node,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(any([not passes(test, sys.argv[1]) for test in TESTS]))


if __name__ == "__main__":
    main()

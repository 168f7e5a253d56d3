"""A node whose standard error takes nothing, as a terminal that has stopped or a pager that is not scrolled: it serves its clients, and ends in time.

usage: test_stuck_log.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from cases import passes
from capture_client import Connection, pb
from full_pipe import full_pipe

ENDS = 5  # seconds in which a node ends
CONFIGURATION = """{
  listen: [{address: "127.0.0.1:0", trustLocalUsers: true}], state: "none", cameras: ["synthetic:320x240@30"], logLevel: "debug", audit: "all",
}"""
# As many calls as have more lines in the log than a pipe takes and wait for it: each has one of 67 bytes.
CALLS = 7_000


class Node:
    def __init__(self, programs, folder, error, **environment):
        configuration = Path(folder) / "node.json5"
        configuration.write_text(CONFIGURATION)
        self.process = subprocess.Popen(
            [f"{programs}/capture-node", "--config", configuration, "--enable-test-service"], stdout=subprocess.PIPE, stderr=error,
            env=dict(os.environ, **environment), text=True)
        self.address = self.process.stdout.readline().removeprefix("listening on ").strip()

    def ends(self, by=signal.SIGTERM, code=0, within=ENDS):
        began = time.monotonic()
        self.process.send_signal(by)
        assert self.process.wait(20) == code, self.process.returncode
        took = time.monotonic() - began
        assert took < within, f"it took {took:.1f} s to end"

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@contextlib.contextmanager
def running(programs, error, **environment):
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Node(programs, folder, error, **environment)) as node:
        assert node.address, f"it does not listen, and has ended with {node.process.wait(ENDS)}"
        yield node


@contextlib.contextmanager
def stuck_pipe():
    """The end of a pipe that takes nothing more."""
    reader, writer = full_pipe()
    try:
        yield writer
    finally:
        os.close(writer)
        os.close(reader)


def info(client):
    return client.unary("capture.v1.Node/Info", pb.InfoRequest(), pb.InfoResponse)


def are_served(address, calls):
    """Calls of one client, and frames of another beside them."""
    with Connection(address) as client, Connection(address) as viewer:
        frames = viewer.frames("0")
        for number in range(calls):
            info(client)
            if number % (calls // 30) == 0:
                next(frames)
        # None of them was late.
        began = time.monotonic()
        for _ in range(30):
            next(frames)
        assert time.monotonic() - began < 3, f"30 frames took {time.monotonic() - began:.1f} s"
        frames.close()


def clients_are_served_and_the_node_ends(programs):
    with stuck_pipe() as writer, running(programs, writer) as node:
        are_served(node.address, CALLS)
        # A change, too, which the audit notes.
        with Connection(node.address) as client:
            client.unary("capture.v1.Settings/Reset", pb.ResetSettingsRequest(device="0"), pb.SetSettingsResponse)
        node.ends()


def a_second_signal_ends_at_once(programs):
    with stuck_pipe() as writer, running(programs, writer) as node, Connection(node.address) as client:
        are_served(node.address, CALLS)
        # A call that goes on for longer than the grace period.
        call = pb.Request(method="capture.v1.Test/Unary", body=pb.TestRequest(interval_us=20_000_000).SerializeToString(), last=True)
        client.send(pb.Envelope(call_id=next(client.call_ids), request=call))
        info(client)
        node.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        assert node.process.poll() is None, node.process.returncode
        node.ends(by=signal.SIGINT, code=1, within=1)


def what_was_dropped_is_counted_in_its_place(programs):
    """The lines of calls and what the log says is missing are all calls, once somebody reads."""
    reader, writer = os.pipe()
    text = bytearray()
    with open(reader, "rb", buffering=0) as read:
        with open(writer, "wb") as error, running(programs, error) as node:
            error.close()
            are_served(node.address, CALLS)

            def read_all():
                while data := read.read(65_536):
                    text.extend(data)

            reading = threading.Thread(target=read_all)
            reading.start()
            deadline = time.monotonic() + 10
            while b" missing here" not in text and time.monotonic() < deadline:
                time.sleep(0.01)
            # There is room again.
            with Connection(node.address) as client:
                client.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse)
            node.ends()
        reading.join(10)
        assert not reading.is_alive()
    lines = text.decode().splitlines()
    assert all(re.match(r"[0-9-]{10}T[0-9:.+-]{17} (debug|info|warning|audit): ", line) for line in lines), lines[-3:]

    def places(pattern):
        return [(place, found) for place, line in enumerate(lines) if (found := re.search(pattern, line))]

    calls, gaps = places("Node/Info ended: OK"), places(r"warning: (\d+) lines? (?:is|are) missing here")
    (status, _), (end, _) = places("Node/Status ended: OK")[0], places("SIGTERM: ending")[0]
    assert gaps and calls[0][0] < gaps[0][0] < status < end, (calls[:1], gaps, status, end)
    # Beside the calls a subscription has ended, and connections.
    dropped = sum(int(found[1]) for _, found in gaps)
    assert CALLS - 10 <= len(calls) + dropped <= CALLS + 10, (len(calls), dropped)


def why_it_does_not_start_is_told(programs):
    with socket.create_server(("127.0.0.1", 0)) as taken, tempfile.TemporaryDirectory() as folder:
        command = [f"{programs}/capture-node", "--listen", f"127.0.0.1:{taken.getsockname()[1]}", "--state", f"{folder}/state.json", "--camera", "synthetic"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert done.returncode == 1 and "another program listens there already" in done.stderr, done
        with stuck_pipe() as writer:
            began = time.monotonic()
            assert subprocess.run(command, stdout=subprocess.DEVNULL, stderr=writer, timeout=20).returncode == 1
            assert time.monotonic() - began < ENDS


def fill(path, senders):
    """Sends to a datagram socket until it takes nothing more, of anybody."""
    while True:
        sender = senders.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        sender.setblocking(False)
        sent = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                sender.sendto(b"x", path)
                sent += 1
        if sent == 0:
            return


def nothing_waits_for_systemd(programs):
    """Its socket is full, as where systemd hangs."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as deaf, contextlib.ExitStack() as senders:
        deaf.bind(f"{folder}/notify")
        fill(f"{folder}/notify", senders)
        with running(programs, subprocess.DEVNULL, NOTIFY_SOCKET=f"{folder}/notify", WATCHDOG_USEC="300000") as node:
            are_served(node.address, 300)
            # Thirty pings by now.
            time.sleep(3)
            are_served(node.address, 300)
            node.ends()


TESTS = [
    clients_are_served_and_the_node_ends, a_second_signal_ends_at_once, what_was_dropped_is_counted_in_its_place, why_it_does_not_start_is_told,
    nothing_waits_for_systemd,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(any([not passes(test, sys.argv[1]) for test in TESTS]))


if __name__ == "__main__":
    main()

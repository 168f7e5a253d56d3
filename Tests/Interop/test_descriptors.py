"""A node and its limit of descriptors: it takes what it may have, and says where that is too little.

usage: test_descriptors.py DIRECTORY    with the programs

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import json
import resource
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import passes

HARD = 4096


class Node:
    """Serves one camera at a Unix socket."""

    def __init__(self, programs, folder, soft, hard):
        self.programs, self.socket, self.log = programs, folder / "socket", folder / "log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [programs / "capture-node", "--listen", f"unix:{self.socket}", "--camera", "synthetic:160x120@5", "--state", "none"],
                stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
        assert "listening on" in self.process.stdout.readline(), self.log.read_text()

    def status(self):
        command = [self.programs / "capturectl", "--node", f"unix:{self.socket}", "--json", "status"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout)

    def said(self, text):
        return self.log.read_text().count(text)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@contextlib.contextmanager
def running(programs, soft, hard=HARD):
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Node(programs, Path(folder), soft, hard)) as node:
        yield node


@contextlib.contextmanager
def crowd(node, count):
    """So many connections, which say nothing."""
    with contextlib.ExitStack() as ends:
        for _ in range(count):
            ends.enter_context(socket.socket(socket.AF_UNIX)).connect(str(node.socket))
        yield


def eventually(condition, what):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within 20 s"
        time.sleep(0.02)


def the_soft_limit_is_raised_to_the_hard_one(programs):
    with running(programs, soft=64) as node:
        assert node.status()["descriptors_limit"] == HARD
        with crowd(node, 100):
            eventually(lambda: node.status()["descriptors"] > 100, "more clients than the soft limit had room for")


def a_limit_that_suffices_is_not_told(programs):
    with running(programs, soft=64) as node:
        eventually(lambda: node.said(" serves on "), "the node's start in the log")
        assert not node.said("descriptors"), node.log.read_text()


def too_few_descriptors_are_told_at_the_start(programs):
    with running(programs, soft=200, hard=200) as node:
        eventually(lambda: node.said(" serves on "), "the node's start in the log")
        assert node.said("1024 connections (limits.connections) and a streaming camera may take ") == 1, node.log.read_text()
        assert node.said("this process may have 200: ") == 1, node.log.read_text()


def clients_that_wait_for_descriptors_are_told_of(programs):
    with running(programs, soft=200, hard=200) as node:
        paused = f"new clients of unix:{node.socket} wait"
        with crowd(node, 250):
            eventually(lambda: node.said(paused), "the line of the log")
        eventually(lambda: node.status()["clients"] == 1, "clients that come in again")


def main(directory):
    programs = Path(directory).resolve()
    tests = (
        the_soft_limit_is_raised_to_the_hard_one, a_limit_that_suffices_is_not_told, too_few_descriptors_are_told_at_the_start,
        clients_that_wait_for_descriptors_are_told_of)
    sys.exit(0 if all([passes(test, programs) for test in tests]) else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A node and its limit of descriptors: it takes what it may have, and says where that is too little.

usage: test_descriptors.py DIRECTORY    with the programs

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from capture_client import Connection, NodeError, pb
from cases import passes
from configured_node import running_node

HARD = 4096
WITH_LIBRARY = """{
  listen: [{address: "127.0.0.1:0", trustLocalUsers: true}], state: "none", cameras: ["synthetic:160x120@30"], library: {root: "LIBRARY", freeBytes: 0},
  logLevel: "error",
}"""
# What the library's pictures leave free, and how many more descriptors a node gets here than it has.
FILES_LEAVE, MORE = 8, 30


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


@contextlib.contextmanager
def with_few_descriptors_more(programs):
    """A node with a library, of which a client has the two pictures, and that may have a few descriptors more than it has."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        subprocess.run([programs / "capture-node", "library", "init", "--mark-only", library], check=True, stdout=subprocess.DEVNULL)
        with running_node(programs, WITH_LIBRARY.replace("LIBRARY", str(library))) as node, Connection(node.address) as client:
            def in_use():
                return len(os.listdir(f"/proc/{node.process.pid}/fd"))

            def is_quiet():
                library = library_status(client)
                return library.state == pb.LibraryStatus.OPEN and not library.reconciling

            eventually(is_quiet, "a library that has compared its files")
            # Dispatch has some more for a moment.
            before = min(in_use() for _ in range(10))
            pictures = keep(client), keep(client)
            eventually(lambda: in_use() <= before, "the end of the photo's stream")
            resource.prlimit(node.process.pid, resource.RLIMIT_NOFILE, (before + MORE, before + MORE))
            yield client, pictures, in_use, before


def library_status(client):
    return client.unary("capture.v1.Library/Status", pb.LibraryStatusRequest(), pb.LibraryStatus)


def keep(client):
    settings = pb.PhotoSettings(store=pb.STORE_MODE_ONLY, settle=pb.SettlingBound(longest_ms=0))
    *_, photo = client.server_stream("capture.v1.Photos/Capture", pb.CapturePhotoRequest(device="0", settings=settings), pb.PhotoEvent)
    return photo.asset_id


def begin_to_fetch(client, picture, count):
    """So many calls, whose pictures are not read, within a time that they do not need. Returns their numbers."""
    body = pb.FetchResourceRequest(id=picture).SerializeToString()
    request = pb.Request(method="capture.v1.Library/Fetch", body=body, last=True, timeout_ms=20_000)
    calls = [next(client.call_ids) for _ in range(count)]
    for call in calls:
        client.send(pb.Envelope(call_id=call, request=request))
    return calls


def pictures_leave_descriptors_for_streams_and_for_the_node(programs):
    """Whoever fetches one too many is refused. The library stays open, a camera can still start, and no photo is taken that could not be kept. A
    picture can still be deleted.
    """
    with with_few_descriptors_more(programs) as (client, (picture, other), in_use, before):
        calls = begin_to_fetch(client, picture, MORE + 10)
        refused = {}
        # One more may be: a folder on the way needs two for a moment.
        while len(refused) < FILES_LEAVE + 10:
            envelope, _ = client.receive()
            assert envelope.WhichOneof("kind") == "status", envelope
            status = refused[envelope.call_id] = envelope.status
            assert status.code == 8 and "Too many open files; close connections to the node" in status.text, status
        eventually(lambda: before < in_use() <= before + MORE - FILES_LEAVE, "what the pictures leave")
        deleted = client.unary("capture.v1.Library/Delete", pb.AssetIds(ids=[other]), pb.DeletedAssets)
        assert list(deleted.ids) == [other], deleted
        try:
            keep(client)
            raise AssertionError("a photo was taken that could not be kept")
        except NodeError as error:
            assert error.code == 8 and error.details.reason == pb.ERROR_REASON_NO_MEMORY, error
        status = library_status(client)
        assert status.state == pb.LibraryStatus.OPEN and status.assets == 1, status
        frames = client.frames("0")
        assert next(frames).data
        frames.close()
        for call in set(calls) - set(refused):
            client.send(pb.Envelope(call_id=call, cancel=pb.Cancel()))
        eventually(lambda: in_use() <= before, "the descriptors of fetches that were cancelled")
        assert keep(client) != picture


def main(directory):
    programs = Path(directory).resolve()
    tests = (
        the_soft_limit_is_raised_to_the_hard_one, a_limit_that_suffices_is_not_told, too_few_descriptors_are_told_at_the_start,
        clients_that_wait_for_descriptors_are_told_of, pictures_leave_descriptors_for_streams_and_for_the_node)
    sys.exit(0 if all([passes(test, programs) for test in tests]) else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])

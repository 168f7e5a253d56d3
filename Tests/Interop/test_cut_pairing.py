"""Pairing that is cut short: the client, and then the node, is killed at each step at which it writes, one step later each time.

usage: test_cut_pairing.py PROGRAMS

PROGRAMS is the directory where the programs are. Tests/Support/cut.c says what a step is. Prints a line "ok NAME" or "not ok NAME" for each test; the status
is 0 when all are ok.
"""

import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

from cases import passes

SUPPORT = Path(__file__).resolve().parents[1] / "Support"
sys.path.append(str(SUPPORT))
from ports import unused_port  # noqa: E402


class Cut:
    """The number that a process with this environment counts down."""

    def __init__(self, folder):
        library, file = folder / "cut.so", folder / "cut"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, SUPPORT / "cut.c"], check=True)
        file.write_bytes(bytes(4))
        with file.open("r+b") as opened:
            self.memory = mmap.mmap(opened.fileno(), 4)
        self.environment = dict(os.environ, LD_PRELOAD=str(library), CUT=str(file))

    @property
    def left(self):
        return struct.unpack("i", self.memory[:])[0]

    @left.setter
    def left(self, value):
        self.memory[:] = struct.pack("i", value)


class Scene:
    def __init__(self, programs, folder):
        self.programs, self.folder, self.cut = programs, folder, Cut(folder)
        self.socket, self.port = f"unix:{folder}/socket", unused_port()
        self.log = (folder / "node.log").open("w")
        self.environment = dict(os.environ, HOME=str(folder / "home"))
        self.environment.pop("XDG_CONFIG_HOME", None)
        self.state = folder / "state.json"
        self.start()

    def start(self, environment=None):
        self.node = subprocess.Popen(
            [self.programs / "capture-node", "--listen", self.socket, "--camera", "synthetic:160x120@5", "--state", self.state],
            env=environment, stdout=subprocess.PIPE, stderr=self.log, text=True)
        assert "listening on" in self.node.stdout.readline(), "the node does not start"

    def stop(self):
        self.node.terminate()
        assert self.node.wait(10) == 0
        self.node.stdout.close()

    def run(self, program, *words, given=None, cut=False):
        environment = dict(self.environment, **{key: self.cut.environment[key] for key in ("LD_PRELOAD", "CUT")}) if cut else self.environment
        return subprocess.run([self.programs / program, *words], env=environment, input=given, capture_output=True, text=True, timeout=60)

    def good(self, program, *words, **more):
        done = self.run(program, *words, **more)
        assert done.returncode == 0, (words, done.returncode, done.stderr)
        return done.stdout

    def ask_for_line(self):
        return self.run("capture-node", "pair", "--address", "127.0.0.1", "--port", str(self.port), "--socket", self.socket)

    def line(self):
        done = self.ask_for_line()
        assert done.returncode == 0, done.stderr
        return done.stdout

    def pairings(self):
        """How many the node's log tells of."""
        return Path(self.log.name).read_text().count("paired 'studio'")

    def clients(self):
        """As root, by the socket: nobody is locked out of that."""
        return json.loads(self.good("capturectl", "--json", "--node", self.socket, "access", "list"))["clients"]

    def require_paired(self):
        """It is a client, once, and what both have written is whole; then both forget it."""
        assert "synthetic" in self.good("capturectl", "--node", "studio", "devices")
        (client,) = self.clients()
        assert "studio" in self.good("capturectl", "node", "list")
        self.good("capturectl", "--node", self.socket, "access", "revoke", client["name"])
        self.good("capturectl", "node", "remove", "studio")

    def pair(self, line, **more):
        return self.run("capturectl", "pair", "--name", "studio", given=line, **more)


def a_client_that_was_killed_goes_on_with_the_same_line(scene):
    answered_again = 0
    for steps in count(1):
        line = scene.line()
        scene.cut.left = steps
        done = scene.pair(line, cut=True)
        if done.returncode == 0:
            assert scene.cut.left > 0
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        # What is left of it stands in nobody's way.
        scene.good("capturectl", "node", "list")
        answered_again += len(scene.clients())
        done = scene.pair(line)
        assert done.returncode == 0, (steps, done.stderr)
        scene.require_paired()
    scene.cut.left = 0
    scene.require_paired()
    print(f"   killed at each of {steps - 1} steps; {answered_again} times the node had paired it already, and answered again")
    assert steps > 8 and answered_again > 0, steps


def a_node_that_was_killed_pairs_by_that_line_or_another(scene):
    scene.stop()
    kept = lost = 0
    for steps in count(1):
        scene.start(scene.cut.environment)
        line = scene.line()
        scene.cut.left, logged = steps, scene.pairings() + 1
        done = scene.pair(line)
        # Its log may be written after the answer.
        deadline = time.monotonic() + 10
        while done.returncode == 0 and scene.node.poll() is None and scene.pairings() < logged and time.monotonic() < deadline:
            time.sleep(0.01)
        if done.returncode == 0 and scene.cut.left > 0:
            break
        assert scene.node.wait(10) == -signal.SIGKILL
        assert done.returncode == 0 or done.stderr.startswith("capturectl: "), done.stderr
        scene.node.stdout.close()
        scene.start()
        scene.clients()
        again = scene.pair(line)
        if done.returncode == 0 or again.returncode == 0:
            assert again.returncode == 0, (steps, again.stderr)
            kept += 1
        else:
            assert "code is unknown" in again.stderr and scene.clients() == [], (steps, again.stderr)
            done = scene.pair(scene.line())
            assert done.returncode == 0, (steps, done.stderr)
            lost += 1
        scene.require_paired()
        scene.stop()
    scene.cut.left = 0
    scene.require_paired()
    print(f"   killed at each of {steps - 1} steps; then {kept} times the same line paired, {lost} times another one")
    assert steps > 4 and kept > 0 and lost > 0, (steps, kept, lost)


def a_node_that_was_killed_while_it_opened_opens_again(scene):
    """A new node each time, in the first `capture-node pair` of its life: it makes its key, takes the port, and keeps that."""
    scene.stop()
    answered = 0
    for steps in count(1):
        scene.state = scene.folder / f"new{steps}" / "state.json"
        scene.state.parent.mkdir()
        scene.start(scene.cut.environment)
        scene.cut.left = steps
        done = scene.ask_for_line()
        if done.returncode == 0 and scene.cut.left > 0:
            break
        assert scene.node.wait(10) == -signal.SIGKILL
        assert done.returncode == 0 or done.stderr.startswith("capture-node: ") and not done.stdout, done.stderr
        answered += done.returncode == 0
        scene.node.stdout.close()
        # It starts, root comes in, nobody is known, and the next line pairs.
        scene.start()
        assert scene.clients() == []
        done = scene.pair(scene.line())
        assert done.returncode == 0, (steps, done.stderr)
        scene.require_paired()
        scene.stop()
    scene.cut.left = 0
    done = scene.pair(done.stdout)
    assert done.returncode == 0, done.stderr
    scene.require_paired()
    print(f"   killed at each of {steps - 1} steps; {answered} times the line had come already")
    assert steps > 12, steps


TESTS = [a_client_that_was_killed_goes_on_with_the_same_line, a_node_that_was_killed_pairs_by_that_line_or_another,
         a_node_that_was_killed_while_it_opened_opens_again]


def main():
    failures = 0
    with tempfile.TemporaryDirectory(prefix="capture-cut-") as folder:
        scene = Scene(Path(sys.argv[1]).resolve(), Path(folder))
        try:
            for test in TESTS:
                failures += not passes(test, scene, again=False)
        finally:
            scene.node.kill()
            scene.log.close()
            if failures:
                print((Path(folder) / "node.log").read_text()[-4000:])
    sys.exit(1 if failures else 0)


main()

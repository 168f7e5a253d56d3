"""A node whose state file is on a full disk.

usage: test_full_disk.py PROGRAMS

PROGRAMS is the directory where the programs are. Needs root, for a disk of its own. Prints a line "ok NAME" or "not ok NAME"; the status is 0 when
it is ok.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from cases import passes

PAGE = 4096
FULL = "cannot be written: No space left on device"


@contextlib.contextmanager
def small_disk(folder):
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], check=True)
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


class Node:
    def __init__(self, programs, folder, state):
        self.state, self.log, self._address = state, folder / "log", f"unix:{folder}/socket"
        self._capturectl = programs / "capturectl"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [programs / "capture-node", "--listen", self._address, "--camera", "synthetic:320x240@30", "--state", state],
                stdout=subprocess.PIPE, stderr=log, text=True)
        deadline = threading.Timer(20, self._process.kill)
        deadline.start()
        said = self._process.stdout.readline()
        deadline.cancel()
        if "listening on" not in said:
            self._process.kill()
            self._process.communicate()
            raise AssertionError(f"the node did not start: {self.log.read_text()}")

    def close(self):
        self._process.terminate()
        self._process.communicate(timeout=10)

    def __call__(self, *words, fails=False):
        """What capturectl prints; with `fails`, what it says of its failure."""
        done = subprocess.run(
            [self._capturectl, "--node", self._address, *words], env={**os.environ, "COLUMNS": "400"}, capture_output=True, text=True, timeout=60)
        assert (done.returncode != 0) == fails, (words, done)
        return done.stderr if fails else done.stdout

    def kept(self):
        """Returns what the state file has of the camera."""
        return json.loads(self.state.read_text())["cameras"]["synthetic-0"]

    def kept_brightness(self):
        return next(item["value"] for item in self.kept()["controls"] if item["name"] == "brightness")


def fill(disk):
    """To the last page."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(PAGE)):
            pass
    assert filler.stat().st_size > PAGE
    return filler


def a_full_disk_leaves_what_was_kept_and_is_told(programs):
    """Full to the last page, and with room for a part of the file alone."""
    with tempfile.TemporaryDirectory(prefix="capture-full-") as folder, small_disk(Path(folder)) as disk, contextlib.closing(
            Node(programs, Path(folder), disk / "state.json")) as node:
        node("set", "0", "brightness=7")
        # More than a page.
        names = [f"kept-{number}" for number in range(6)]
        for name in names:
            node("profile", "save", "0", name)
        assert node.state.stat().st_size > PAGE, node.state.read_text()
        node("set", "0", "brightness=9")
        deadline = time.monotonic() + 5
        while node.kept_brightness() != 9:
            assert time.monotonic() < deadline, "no 9 in the state file within 5 s"
            time.sleep(0.05)
        kept = node.state.read_text()
        filler = fill(disk)
        for freed in 0, PAGE:
            os.truncate(filler, filler.stat().st_size - freed)
            for words, text in (
                (("save", "0", "new"), "the profile 'new' was not saved"),
                (("save", "0", "kept-0", "--replace"), "the profile 'kept-0' was not saved"),
                (("delete", "0", "kept-0"), "the profile 'kept-0' was not deleted"),
            ):
                said = node("profile", *words, fails=True)
                assert said == f"capturectl: UNAVAILABLE: {text}: the node's state file, {node.state}, {FULL}\n", said
            assert node.state.read_text() == kept
            assert not (disk / "state.json.new").exists()
            listed = [profile["name"] for profile in json.loads(node("--json", "profile", "list", "0"))["profiles"]]
            assert listed == sorted(names), listed
        # Settings are for now, and need no disk.
        node("set", "0", "brightness=11")
        node("profile", "load", "0", "kept-0")
        assert node("get", "0", "brightness") == "brightness 7\n"
        assert node.log.read_text().count(FULL) == 1, node.log.read_text()
        filler.unlink()
        node("profile", "save", "0", "new")
        assert node.kept()["profiles"].keys() == {*names, "new"} and node.kept_brightness() == 7, node.kept()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(0 if passes(a_full_disk_leaves_what_was_kept_and_is_told, Path(sys.argv[1]).resolve()) else 1)

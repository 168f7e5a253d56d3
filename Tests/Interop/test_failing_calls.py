"""What is left of files where a step fails half way, and what is said of it.

usage: test_failing_calls.py PROGRAMS

PROGRAMS is the directory where the programs are. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import errno
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from cases import passes
from failing_calls import FailingCalls


class Scene:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, Path(folder) / "files"
        self.folder.mkdir()
        self.calls = FailingCalls(folder)
        self.environment = {**os.environ, **self.calls.environment, "COLUMNS": "400", "XDG_CONFIG_HOME": str(self.folder)}

    def run(self, program, *words, fails=False):
        """What the program prints; with `fails`, what it says of its failure."""
        done = subprocess.run(
            [self.programs / program, *words], env=self.environment, capture_output=True, text=True, timeout=60)
        assert (done.returncode != 0) == fails, (words, done)
        return done.stderr if fails else done.stdout

    def credential(self):
        """A client's file for the nodes, which is changed by replacing it."""
        self.run("capturectl", "credential", "new", "controller", "--folder", self.folder)
        return self.folder / "controller.json5"

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


def a_file_whose_folder_cannot_be_opened_stays_as_it_is(scene):
    """As for want of a descriptor. The error says that nothing was written."""
    file = scene.credential()
    before = file.read_bytes()
    scene.calls.fail("open", errno.EMFILE, scene.folder)
    said = scene.run("capturectl", "credential", "renew", file, fails=True)
    assert f"{file} cannot be written: Too many open files" in said, said
    assert file.read_bytes() == before, "it was replaced all the same"
    assert "controller.json5.new" not in scene.names(), scene.names()
    scene.calls.heal("open")
    scene.run("capturectl", "credential", "renew", file)
    assert file.read_bytes() != before


def a_file_is_replaced_where_its_folder_cannot_be_synchronized(scene):
    """A folder that may be written to, and not read; and one on a file system that cannot synchronize folders."""
    file = scene.credential()
    for words, call, error in ((), "open", errno.EACCES), (("--finish",), "fsync", errno.EINVAL):
        before = file.read_bytes()
        scene.calls.fail(call, error, scene.folder)
        scene.run("capturectl", "credential", "renew", file, *words)
        assert file.read_bytes() != before
        scene.calls.heal(call)


def a_library_whose_mark_cannot_be_read_keeps_its_identity(scene):
    init = "capture-node", "library", "init", "--mark-only", scene.folder
    scene.run(*init)
    mark = scene.folder / ".capture-library/library"
    before = mark.read_bytes()
    scene.calls.fail("open", errno.EIO, "library")
    said = scene.run(*init, fails=True)
    assert "cannot become a library: Input/output error" in said, said
    assert mark.read_bytes() == before, "it has another identity"
    scene.calls.heal("open")
    assert "already a library" in scene.run(*init)


def wait_for_first_line(node):
    """Of what a node that was started prints. One that prints nothing is ended."""
    deadline = threading.Timer(20, node.kill)
    deadline.start()
    node.stdout.readline()
    deadline.cancel()


def what_a_node_says(scene, state):
    """From its start to its end."""
    command = scene.programs / "capture-node", "--listen", f"unix:{scene.folder}/socket", "--camera", "synthetic", "--state", state
    with subprocess.Popen(command, env=scene.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as node:
        try:
            wait_for_first_line(node)
            node.terminate()
            return node.communicate(timeout=20)[1]
        finally:
            node.kill()


def a_file_system_without_locks_is_told_as_such(scene):
    """Not as another program that has the lock, for which a node would wait."""
    scene.calls.fail("flock", errno.ENOLCK, "*")
    said = scene.run("capturectl", "node", "remove", "studio", fails=True)
    assert "cannot be locked: No locks available" in said, said
    state = scene.folder / "state.json"
    said = what_a_node_says(scene, state)
    assert f"{state}.lock cannot be locked: No locks available; --state FILE names another file; what clients set holds until the node ends" in said, said


def whoever_has_a_lock_on_a_share_is_told_of(scene):
    """SMB says that permission is denied."""
    scene.calls.fail("flock", errno.EACCES, "*")
    said = scene.run("capturectl", "node", "remove", "studio", fails=True)
    assert "another program is changing the files of known nodes" in said, said
    state = scene.folder / "state.json"
    said = what_a_node_says(scene, state)
    assert f"{state}: another node keeps its state there" in said, said


def a_command_of_the_node_whose_output_is_not_taken_has_failed(scene):
    """As on a full disk, where the line that is to be kept would be missing."""
    address = f"unix:{scene.folder}/socket"
    command = scene.programs / "capture-node", "--listen", address, "--camera", "synthetic", "--state", "none"
    node = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        wait_for_first_line(node)
        for words in ("listen", "--socket", address), ("library", "init", "--mark-only", scene.folder), ("--help",):
            with open("/dev/full", "w") as full:
                done = subprocess.run([scene.programs / "capture-node", *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            assert done.returncode == 1, (words, done)
            assert done.stderr == "capture-node: cannot write to standard output: No space left on device\n", (words, done)
    finally:
        node.terminate()
        node.communicate(timeout=20)


def main(directory):
    programs = Path(directory).resolve()
    tests = (
        a_file_whose_folder_cannot_be_opened_stays_as_it_is, a_file_is_replaced_where_its_folder_cannot_be_synchronized,
        a_library_whose_mark_cannot_be_read_keeps_its_identity, a_file_system_without_locks_is_told_as_such,
        whoever_has_a_lock_on_a_share_is_told_of, a_command_of_the_node_whose_output_is_not_taken_has_failed)

    def run(test):
        with tempfile.TemporaryDirectory(prefix="capture-failing-") as folder:
            test(Scene(programs, folder))

    sys.exit(0 if all([passes(run, test, name=test.__name__) for test in tests]) else 1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

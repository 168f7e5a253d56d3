"""Completes lines of capturectl in bash, zsh and fish, with a node, without one, and with one that does not answer.

usage: test_completions.py DIRECTORY

DIRECTORY has the programs. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shells import SHELLS, Shell, is_there
from cases import passes

BOUND = 0.3  # seconds in which a shell has its answer
# That the time is taken: what else the machine does is not in the shortest. So often too a line is completed that stays as it is: without a processor for so
# long the program rightly offers nothing.
TIMES = 5
NOWHERE = "unix:/nonexistent/socket"

# A line, with a tab where it is completed, and the arguments that come of it. NODE is the node's address.
LINES = [
    ("formats synthetic-p\t", ["formats", "synthetic-physics-1"]),
    ("profile load synthetic-0 ni\t", ["profile", "load", "synthetic-0", "night"]),
    ("profile load 1 ni\t", ["profile", "load", "1", "ni"]),
    ("session show do\t", ["session", "show", "door"]),
    ("photo --session door/ph\t", ["photo", "--session", "door/photo"]),
    ("photo --session=do\t", ["photo", "--session=door"]),
    ("session configure door --only vi\t", ["session", "configure", "door", "--only", "video"]),
    ("session configure door --video vi\t", ["session", "configure", "door", "--video", "video"]),
    ("session configure door --video left=synthetic-p\t", ["session", "configure", "door", "--video", "left=synthetic-physics-1"]),
    ("session configure new --photo=left=synthetic-p\t", ["session", "configure", "new", "--photo=left=synthetic-physics-1"]),
    ("get 0 brigh\t", ["get", "0", "brightness"]),
    ("get 1 brigh\t", ["get", "1", "brigh"]),
    ("get 1 gain focus_abs\t", ["get", "1", "gain", "focus_absolute"]),
    ("calibrate 1 focus_abs\t", ["calibrate", "1", "focus_absolute"]),
    ("set 0 brigh\t5", ["set", "0", "brightness=5"]),
    ("set 1 auto_exposure=Man\t", ["set", "1", "auto_exposure=Manual Mode"]),
    ("watch 1 focus.lens\t", ["watch", "1", "focus.lens_position"]),
    ("input 0 'Synthetic 1\t", ["input", "0", "Synthetic 1"]),
    ("stream 0 --format MJ\t", ["stream", "0", "--format", "MJPG"]),
    ("torch 1 of\t", ["torch", "1", "off"]),
]

# Names that a shell could take apart, and how much of each is typed: as it stands, and behind a quote.
NAMES = {
    "Front door": "Fr", "usb-0000:00:14.0-2": "usb-0000:00", "it's": "it", 'a "b"': "a", "c$d": "c", "k;l|m": "k",
    "x*y?[z]": "x", "q(r)&<s>": "q", "ö ä": "ö", "e=f:g": "e", "h\\i": "h", "n`o`": "n", "dogs'": "d", "  two  spaces": None,
}


class Setting:
    """A node and what the tests need besides."""

    def __init__(self, programs, directory):
        self.program, self.directory = programs / "capturectl", directory
        self.node = subprocess.Popen(
            [programs / "capture-node", "--state", directory / "state", "--trust-local-users", "--listen", "127.0.0.1:0", "--camera", "synthetic:160x120@30",
             "--camera", "synthetic:physics:160x120@30"], stdout=subprocess.PIPE, text=True)
        self.address = self.node.stdout.readline().removeprefix("listening on ").strip()
        for line in ["profile save 0 night", "session configure door --input 0 --size 160x120"]:
            subprocess.run([self.program, "--node", self.address, *line.split()], check=True, stdout=subprocess.DEVNULL)

    def offers(self, *words, node=None):
        """The names that a shell gets, and after how long. Nothing else may be printed."""
        began = time.monotonic()
        done = subprocess.run([self.program, "complete", *words], capture_output=True, text=True, timeout=20,
                              env={**os.environ, "CAPTURE_NODE": node or self.address})
        took = time.monotonic() - began
        assert done.returncode == 0 and not done.stderr, done
        return done.stdout.splitlines(), took

    def close(self):
        self.node.terminate()
        self.node.wait(10)


def each_shell(test):
    """The test in every shell that is here; scripts/setup installs them all."""
    def in_shell(name):
        def run(setting):
            with tempfile.TemporaryDirectory() as directory:
                shell = Shell(name, setting.program, Path(directory), NOWHERE)
                try:
                    test(setting, shell)
                finally:
                    shell.close()
        run.__name__ = f"{test.__name__}_in_{name}"
        return run
    for name in SHELLS:
        if not is_there(name):
            print(f"# left out, for want of it: {test.__name__} in {name}", flush=True)
    return [in_shell(name) for name in SHELLS if is_there(name)]


def lines_are_completed_from_the_node_that_is_named(setting, shell):
    wrong = []
    for line, arguments in LINES:
        expected = ["--node", setting.address, *arguments]
        for _ in range(TIMES):
            if (called := shell.called(f"capturectl --node {setting.address} {line}")) == expected:
                break
            print(f"# again, for {line!r} gave {called}", flush=True)
        else:
            wrong.append(f"{line!r}: {called}")
    assert not wrong, "\n".join(wrong)


def without_a_node_the_line_stays_and_nothing_is_said(setting, shell):
    shell.screen = b""
    assert shell.called("capturectl get 0 brigh\t") == ["get", "0", "brigh"]
    assert shell.called("capturectl torch 0 of\t") == ["torch", "0", "off"]
    assert b"apturectl:" not in shell.screen and b"UNAVAILABLE" not in shell.screen, shell.screen


def names_come_through_as_they_are(setting, shell):
    (shell.directory / "names").write_text("".join(f"{name}\n" for name in NAMES))
    wrong = []
    for name, start in NAMES.items():
        for typed in [start, f"'{start}", f'"{start}'] if start else ["'  t", "\\ \\ t"]:
            called = shell.called(f"capturectl formats {typed}\t")
            if called != ["formats", name]:
                wrong.append(f"{typed!r}: {called}")
    assert not wrong, "\n".join(wrong)


def names_are_those_of_the_node_and_the_camera_on_the_line(setting):
    there = ["--node", setting.address]
    for words, node, names, others in [
        (["formats", ""], None, {"synthetic-0", "synthetic-physics-1"}, {"door"}),
        (["profile", "load", "0", ""], None, {"night"}, set()),
        (["session", "show", ""], None, {"door"}, {"synthetic-0"}),
        ([*there, "session", "show", ""], NOWHERE, {"door"}, set()),
        (["get", "0", ""], None, {"brightness"}, {"zoom_absolute"}),
        (["get", "1", ""], None, {"zoom_absolute"}, {"brightness"}),
        (["watch", "1", ""], None, {"focus", "focus.mode", "exposure.duration", "gain"}, {"brightness"}),
        (["watch", "0", ""], None, {"brightness", "zoom.factor"}, {"focus"}),
    ]:
        for _ in range(TIMES):
            if offers := setting.offers(*words, node=node)[0]:
                break
            print(f"# again, for {words} offered nothing", flush=True)
        assert names <= set(offers) and not others & set(offers), (words, offers)
    assert setting.offers("profile", "load", "1", "")[0] == []
    assert setting.offers("formats", "", node=NOWHERE)[0] == []


def without_a_node_there_are_no_names_and_no_words(setting):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        for node in [NOWHERE, "127.0.0.1:%d" % nobody.getsockname()[1], "no address", "no-such-host.invalid:7311"]:
            names, took = min((setting.offers("formats", "", node=node) for _ in range(TIMES)), key=lambda offer: offer[1])
            assert names == [] and took < BOUND, (node, names, took)


def a_node_that_does_not_answer_is_not_waited_for(setting):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = "127.0.0.1:%d" % silent.getsockname()[1]
        names, took = min((setting.offers("get", "0", "", node=address) for _ in range(TIMES)), key=lambda offer: offer[1])
        assert names == [] and took < BOUND, (names, took)
        # What is known without a node is offered all the same.
        assert "jpeg" in setting.offers("stream", "0", "--format", "", node=address)[0]


TESTS = [
    names_are_those_of_the_node_and_the_camera_on_the_line,
    without_a_node_there_are_no_names_and_no_words,
    a_node_that_does_not_answer_is_not_waited_for,
    *each_shell(lines_are_completed_from_the_node_that_is_named),
    *each_shell(without_a_node_the_line_stays_and_nothing_is_said),
    *each_shell(names_come_through_as_they_are),
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as directory:
        setting = Setting(Path(sys.argv[1]).resolve(), Path(directory))
        try:
            failures = [test for test in TESTS if not passes(test, setting)]
        finally:
            setting.close()
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()

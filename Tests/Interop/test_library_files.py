"""The library's files on a client's machine, as a person gets them with capturectl.

usage: test_library_files.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import errno
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from configured_node import all_pass
from failing_calls import FailingCalls

PAGE = Path(__file__).resolve().parents[2] / "docs" / "library.md"
CONFIGURATION = """{
  listen: [{address: "127.0.0.1:0", trustLocalUsers: true}], state: "none", cameras: ["synthetic:320x240@30"],
  library: {root: "LIBRARY", freeBytes: 0}, logLevel: "error",
}"""


class Client:
    def __init__(self, programs, address, folder):
        self.command = [str(Path(programs) / "capturectl"), "--node", address]
        self.folder = Path(folder)

    def start(self, *words, **options):
        return subprocess.Popen([*self.command, *map(str, words)], cwd=self.folder, text=True, stdout=subprocess.PIPE, **options)

    def run(self, *words, **options):
        process = self.start(*words, **options)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0, (words, process.returncode, out)
        return out

    def json(self, *words):
        return json.loads(self.run("--json", *words))

    def store(self):
        return self.json("photo", "0", "--settle", "none", "--store")["asset"]

    def put_large(self, size):
        """Adds a JPEG that comments fill up to about that size. Returns its name and its bytes."""
        self.run("photo", "0", "--settle", "none", "-o", "small.jpg")
        photo = (self.folder / "small.jpg").read_bytes()
        comments = b"".join(b"\xff\xfe" + (60_002).to_bytes(2, "big") + os.urandom(60_000) for _ in range(size // 60_000))
        (self.folder / "large.jpg").write_bytes(photo[:2] + comments + photo[2:])
        name = self.json("library", "put", "large.jpg")["assets"][0]["id"]
        return name, (self.folder / "large.jpg").read_bytes()


def what_is_there_is_not_got_again(client):
    names = {client.store() for _ in range(3)}
    first = client.json("library", "get", "--new", "photos")
    assert {file["asset"] for file in first["files"]} >= names and first["skipped"] == 0, first
    times = {path: path.stat().st_mtime_ns for path in (client.folder / "photos").iterdir()}
    again = client.json("library", "get", "--new", "photos")
    assert again["files"] == [] and again["skipped"] == len(times), again
    assert {path: path.stat().st_mtime_ns for path in (client.folder / "photos").iterdir()} == times
    # Only what is new, and what is not whole.
    cut = min(times)
    cut.write_bytes(cut.read_bytes()[:-1])
    new = client.store()
    third = client.json("library", "get", "--new", "photos")
    assert {file["asset"] for file in third["files"]} == {new, cut.name.split(".")[0].split("+")[0]}, third
    assert third["skipped"] == len(times) - 1, third


def a_download_that_was_cut_goes_on(client):
    name, data = client.put_large(3_000_000)
    part, whole = client.folder / "it.jpg.part", client.folder / "it.jpg"
    part.write_bytes(data[:2_000_000])
    inode = part.stat().st_ino
    client.run("library", "get", name, "-o", "it.jpg")
    # The same file: its beginning was not written again.
    assert whole.read_bytes() == data and whole.stat().st_ino == inode and not part.exists()
    whole.unlink()
    # The beginning of something else is found by the checksum, and all of it is got.
    for wrong in os.urandom(2_000_000), data + b"more":
        part.write_bytes(wrong)
        client.run("library", "get", name, "-o", "it.jpg")
        assert whole.read_bytes() == data and not part.exists()
        whole.unlink()


def a_command_runs_for_each_change(client):
    command = "echo $CAPTURE_EVENT $CAPTURE_ASSET >> events; test $CAPTURE_EVENT = added"
    token = client.json("library", "stats")["token"]
    watch = client.start("library", "watch", "--from", token, "--exec", command, stderr=subprocess.PIPE)
    try:
        name = client.store()
        client.run("library", "label", name, "--add", "door")
        client.run("library", "rm", name)
        expected = [f"{kind} {name}" for kind in ("added", "changed", "deleted")]
        deadline = time.monotonic() + 30
        told = []
        while len(told) < 3:
            assert time.monotonic() < deadline, told
            time.sleep(0.05)
            told = (client.folder / "events").read_text().splitlines() if (client.folder / "events").exists() else []
        assert told == expected, told
    finally:
        watch.send_signal(signal.SIGINT)
        _, error = watch.communicate(timeout=20)
    # That a command failed is said, and ends nothing.
    assert error.count("the command ended with exit status 1") == 2, error


def the_command_of_the_page_talks_to_the_node_that_is_watched(client):
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith("capturectl library watch --exec"))
    environment = {**os.environ, "PATH": f"{Path(sys.argv[1]).resolve()}:{os.environ['PATH']}"}
    environment.pop("CAPTURE_NODE", None)
    token = client.json("library", "stats")["token"]
    watch = client.start(*shlex.split(line)[1:], "--from", token, env=environment, stderr=subprocess.PIPE)
    try:
        name = client.store()
        deadline = time.monotonic() + 30
        while not [path for path in client.folder.glob(f"{name}*") if path.suffix != ".part"]:
            assert time.monotonic() < deadline, "it is not here"
            time.sleep(0.05)
        client.run("library", "label", name, "--add", "door")
        client.run("library", "rm", name)
        # What the label has run has ended when the deletion is printed.
        assert any(line.startswith("deleted ") for line in watch.stdout)
    finally:
        watch.send_signal(signal.SIGINT)
        _, error = watch.communicate(timeout=20)
    # The command of the deletion may have ended with the signal.
    assert "ended with exit status" not in error, error


def a_command_begins_with_the_signals_of_a_shell(client):
    """None is blocked, and SIGPIPE ends a writer that nobody reads. What nohup ignores stays ignored."""
    command = "grep -E '^Sig(Blk|Ign)' /proc/self/status > signals.part; mv signals.part signals"
    token = client.json("library", "stats")["token"]
    ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)  # noqa: E731
    watch = client.start("library", "watch", "--from", token, "--exec", command, preexec_fn=ignore)
    signals = client.folder / "signals"
    try:
        client.store()
        deadline = time.monotonic() + 30
        while not signals.exists():
            assert time.monotonic() < deadline, "the command does not run"
            time.sleep(0.05)
    finally:
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=20)
    lines = signals.read_text().splitlines()
    blocked, ignored = (int(line.split()[1], 16) for line in lines)
    assert blocked == 0 and not ignored & 1 << signal.SIGPIPE - 1 and ignored & 1 << signal.SIGHUP - 1, lines


def a_download_shows_how_far_it_is(client):
    name, data = client.put_large(6_000_000)

    def shown(*words):
        """What a terminal shows on standard error."""
        master, terminal = pty.openpty()
        process = client.start(*words, stderr=terminal)
        os.close(terminal)
        text = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # nobody has the terminal any more
                break
            if not piece:
                break
            text += piece
        process.communicate(timeout=60)
        os.close(master)
        assert process.returncode == 0
        return text.decode()

    text = shown("library", "get", name, "-o", "shown.jpg")
    assert (client.folder / "shown.jpg").read_bytes() == data
    assert "[" in text and "MB of 6." in text and "/s" in text, text
    # In a file there is no bar.
    with open(client.folder / "errors", "w") as errors:
        client.run("library", "get", name, "-o", "again.jpg", stderr=errors)
    assert (client.folder / "errors").read_text() == ""


def a_name_that_promises_another_type_is_refused(client):
    name = client.store()

    def refused(*words):
        process = client.start("library", "get", name, *words, stderr=subprocess.PIPE)
        out, error = process.communicate(timeout=60)
        assert process.returncode == 1 and out == "", (words, process.returncode, out, error)
        return error

    error = refused("-o", "it.png")
    assert error == f"capturectl: 'it.png' would not be a PNG; file 0 of {name} is a JPEG: name the file .jpg\n", error
    error = refused("-o", "it.jpg", "--resource", "7")
    assert "has 1 files, numbered from 0" in error, error
    assert not list(client.folder.iterdir()), list(client.folder.iterdir())
    client.run("library", "get", name, "-o", "it.JPEG")
    client.run("library", "get", name, "-o", "it")
    assert (client.folder / "it").read_bytes() == (client.folder / "it.JPEG").read_bytes()


def a_disk_that_refuses_at_last_is_told(client):
    """As NFS says only when a file is closed that the user's quota is reached; here of standard output."""
    name = client.store()
    calls = FailingCalls(client.folder)
    calls.fail("close", errno.EDQUOT, f"{client.folder}/*.jpg")
    for code in 1, 0:
        with (client.folder / "out.jpg").open("wb") as out:
            command = [*client.command, "library", "get", name, "-o", "-"]
            done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, timeout=60, env={**os.environ, **calls.environment})
        assert done.returncode == code and ("cannot write standard output: Disk quota exceeded" in done.stderr) == bool(code), done
        if code:
            calls.heal("close")


TESTS = [
    what_is_there_is_not_got_again, a_download_that_was_cut_goes_on, a_command_runs_for_each_change,
    the_command_of_the_page_talks_to_the_node_that_is_watched, a_command_begins_with_the_signals_of_a_shell,
    a_download_shows_how_far_it_is, a_name_that_promises_another_type_is_refused,
    a_disk_that_refuses_at_last_is_told,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)

    def run(test, address, folder):
        test(Client(sys.argv[1], address, str(folder)))

    sys.exit(not all_pass(TESTS, sys.argv[1], CONFIGURATION, run))


if __name__ == "__main__":
    main()

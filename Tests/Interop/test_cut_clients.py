"""What a person's capturectl leaves when a signal, the node, the connection, the disk or another program cuts it: all that came, and a word of where it is.

usage: test_cut_clients.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import contextlib
import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

from configured_node import all_pass
from failing_calls import FailingCalls
from full_pipe import full_pipe
from held_disk import HeldDisk

CONFIGURATION = """{
  listen: [{address: "127.0.0.1:0", trustLocalUsers: true}], state: "none", cameras: ["synthetic:physics:640x480@30,light=-1", "synthetic:1280x720@30"],
  library: {root: "LIBRARY", freeBytes: 0},
}"""
PHYSICS, RAW = "synthetic-physics-0", "synthetic-1"
PATIENCE = 3  # seconds after a signal, beyond which only a disk is waited for


def until(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def watches(process, number):
    """Whether the program takes this signal itself, and is not ended by it."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (number - 1) & 1)


def signal_when_watched(process, number):
    until(lambda: process.poll() is not None or watches(process, number), f"signal {number} is not watched")
    assert process.poll() is None, process.communicate()
    process.send_signal(number)


class Program:
    def __init__(self, programs, address, folder):
        self.programs, self.address, self.folder = Path(programs), address, Path(folder)
        self.environment = dict(os.environ)

    def start(self, *words, out=subprocess.PIPE, error=subprocess.PIPE):
        command = [self.programs / "capturectl", "--node", self.address, *words]
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, text=True, stdout=out, stderr=error)

    def run(self, *words, code=0):
        process = self.start(*words)
        out, error = process.communicate(timeout=120)
        assert process.returncode == code, (words, process.returncode, out, error)
        return out, error

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def size(self, name):
        return (self.folder / name).stat().st_size


def are_jpegs(data):
    return data[:2] == b"\xff\xd8" and data[-2:] == b"\xff\xd9"


def begun(program, *words, **ends):
    stream = program.start("stream", RAW, "--format", "jpeg", *words, "-o", "clip", **ends)
    part = program.folder / "clip.part"
    until(lambda: part.exists() and part.stat().st_size > 0, "no frame")
    return stream


def a_signal_waits_for_the_disk(program):
    """As at Ctrl-C, or when systemd stops a unit."""
    with HeldDisk(program.folder.parent, program.environment) as disk:
        stream = begun(program)
        signal_when_watched(stream, signal.SIGTERM)
        disk.wait()
        time.sleep(PATIENCE + 1)
        assert stream.poll() is None and program.names() == ["clip.part"], (stream.poll(), program.names())
        disk.release()
        out, error = stream.communicate(timeout=20)
    assert stream.returncode == 0 and "'clip'" in out, (stream.returncode, out, error)
    assert "the disk has not taken everything yet; a second signal (Ctrl-C) ends at once" in error, error
    assert program.names() == ["clip"] and are_jpegs((program.folder / "clip").read_bytes())


def a_second_signal_ends_at_once(program):
    for words in (), ("--count", "3"):
        with HeldDisk(program.folder.parent, program.environment) as disk:
            stream = begun(program, *words)
            if not words:
                signal_when_watched(stream, signal.SIGINT)
            disk.wait()
            if words:
                # It has ended by itself; one signal changes nothing of that.
                signal_when_watched(stream, signal.SIGINT)
            until(lambda: not watches(stream, signal.SIGINT), "the first signal did not come")
            time.sleep(0.5)
            assert stream.poll() is None, stream.communicate()
            began = time.monotonic()
            stream.send_signal(signal.SIGINT)
            stream.communicate(timeout=20)
            took = time.monotonic() - began
            assert stream.returncode in (-signal.SIGINT, 128 + signal.SIGINT) and took < 2, (words, stream.returncode, took)
            assert program.names() == ["clip.part"] and are_jpegs((program.folder / "clip.part").read_bytes()), program.names()
            (program.folder / "clip.part").unlink()


def a_pipe_that_nobody_reads_is_not_waited_for(program):
    os.mkfifo(program.folder / "pipe")
    reader = os.open(program.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        stream = program.start("stream", RAW, "--format", "YUYV", "-o", "pipe")
        until(lambda: any(fcntl.ioctl(reader, termios.FIONREAD, bytes(4))), "no bytes in the pipe")
        signal_when_watched(stream, signal.SIGTERM)
        stream.communicate(timeout=PATIENCE + 5)
        assert stream.returncode == 128 + signal.SIGTERM, stream.returncode
    finally:
        os.close(reader)


def a_terminal_that_has_stopped_delays_no_end(program):
    """Standard output and standard error take nothing, as `2>&1 | less` that is not scrolled: the disk is waited for, and they are not."""
    for has_second in False, True:
        with HeldDisk(program.folder.parent, program.environment) as disk:
            reader, writer = full_pipe()
            stream = begun(program, out=writer, error=writer)
            try:
                signal_when_watched(stream, signal.SIGTERM)
                disk.wait()
                time.sleep(PATIENCE + 1)
                assert stream.poll() is None, stream.returncode
                if has_second:
                    stream.send_signal(signal.SIGINT)
                    ends, left = (-signal.SIGINT, 128 + signal.SIGINT), "clip.part"
                else:
                    disk.release()
                    ends, left = (128 + signal.SIGTERM,), "clip"
                assert stream.wait(PATIENCE + 5) in ends and program.names() == [left], (stream.returncode, program.names())
            finally:
                stream.kill()
                stream.wait()
                os.close(reader)
                os.close(writer)
            (program.folder / left).unlink()


def a_photo_that_came_is_not_lost_to_a_signal(program):
    with HeldDisk(program.folder.parent, program.environment) as disk:
        photo = program.start("photo", RAW, "--settle", "none", "-o", "one.jpg")
        disk.wait()
        signal_when_watched(photo, signal.SIGTERM)
        time.sleep(PATIENCE + 1)
        assert photo.poll() is None, photo.communicate()
        disk.release()
        out, error = photo.communicate(timeout=20)
    assert photo.returncode == 0 and program.names() == ["one.jpg"], (photo.returncode, out, error)


def a_disk_that_refuses_at_last_is_told(program):
    """As NFS says only when a file is closed that the user's quota is reached: there is no file then that looks like a photo."""
    calls = FailingCalls(program.folder.parent)
    program.environment |= calls.environment
    calls.fail("close", errno.EDQUOT, f"{program.folder}/*")
    photos = "photo", RAW, "--settle", "none", "--count", "2", "-o"
    _, error = program.run(*photos, "shot-%d.jpg", code=1)
    assert "cannot write 'shot-1.jpg': Disk quota exceeded" in error and program.names() == [], (error, program.names())
    with (program.folder / "all.jpg").open("wb") as out:
        process = program.start(*photos, "-", out=out)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 1 and "cannot write standard output: Disk quota exceeded" in error, (process.returncode, error)
    calls.heal("close")
    program.run(*photos, "shot-%d.jpg")
    assert program.names() == ["all.jpg", "shot-1.jpg", "shot-2.jpg"], program.names()


def what_another_program_has_put_there_stays(program):
    """With frames, and without one: another file has the name of the part by now."""
    stream = begun(program)
    (program.folder / "clip.part").rename(program.folder / "mine")
    (program.folder / "clip.part").write_text("another's")
    signal_when_watched(stream, signal.SIGINT)
    _, error = stream.communicate(timeout=20)
    assert stream.returncode == 1 and "'clip.part' is another file by now, which stays; the recording is '" in error and "/mine' now" in error, error
    assert program.names() == ["clip.part", "mine"] and (program.folder / "clip.part").read_text() == "another's"
    (program.folder / "mine").unlink()
    (program.folder / "clip.part").unlink()
    stream = begun(program)
    (program.folder / "clip.part").unlink()
    signal_when_watched(stream, signal.SIGINT)
    _, error = stream.communicate(timeout=20)
    assert stream.returncode == 1 and "the recording was removed meanwhile" in error and program.names() == [], (error, program.names())
    program.run("set", RAW, "fault_stall_ms=60000")
    try:
        stream = program.start("stream", RAW, "-o", "clip")
        until(lambda: program.names() == ["clip.part"], "no part")
        (program.folder / "clip.part").unlink()
        (program.folder / "clip.part").write_text("another's")
        signal_when_watched(stream, signal.SIGTERM)
        stream.communicate(timeout=20)
        assert stream.returncode == 1 and program.names() == ["clip.part"], (stream.returncode, program.names())
    finally:
        program.run("set", RAW, "fault_stall_ms=0")


@contextlib.contextmanager
def cut_after(address, most):
    """The address of a way to the node that ends when so many bytes came from it."""
    host, port = address.rsplit(":", 1)

    def carry(source, target, left):
        with contextlib.suppress(OSError):
            while left > 0 and (data := source.recv(min(left, 65_536))):
                target.sendall(data)
                left -= len(data)
        for end in source, target:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection((host, int(port)))
                for ends in (near, far, 1 << 60), (far, near, most):
                    threading.Thread(target=carry, args=ends, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def through(program, most):
    way = cut_after(program.address, most)
    cut = Program(program.programs, None, program.folder)
    cut.environment = program.environment

    @contextlib.contextmanager
    def block():
        with way as address:
            cut.address = address
            yield cut
    return block()


def a_cut_burst_lists_what_was_written(program):
    words = "--json", "photo", RAW, "--settle", "none", "--format", "raw", "--burst", "20"
    with through(program, 8_000_000) as cut:
        out, error = cut.run(*words, "-o", "b-%d.raw", code=1)
    document = json.loads(out)
    paths = [photo["path"] for photo in document["photos"]]
    assert 2 <= len(paths) < 20 and sorted(paths) == program.names(), (paths, program.names())
    assert document["fused"] is None and document["error"] and "error" in json.loads(error.splitlines()[-1]), (document, error)
    assert all(program.size(photo["path"]) == photo["bytes"] == 1280 * 720 * 2 for photo in document["photos"])
    # Of photos that the node keeps, those are listed of which it told.
    with through(program, 20_000) as cut:
        out, _ = cut.run("--json", "photo", RAW, "--settle", "none", "--burst", "300", "--store", code=1)
    document = json.loads(out)
    assert 1 <= len(document["photos"]) < 300 and all(photo["asset"] for photo in document["photos"]) and document["error"], document


def a_file_that_came_whole_stays_written(program):
    """A photo has two formats, and the connection ends before the second, or the disk is full."""
    with through(program, 1_000_000) as cut:
        out, error = cut.run("--json", "photo", RAW, "--settle", "none", "--format", "jpeg,raw", "-o", "rose", code=1)
    document = json.loads(out)
    assert program.names() == ["rose.jpg"] and are_jpegs((program.folder / "rose.jpg").read_bytes()), program.names()
    assert [file["path"] for file in document["files"]] == ["rose.jpg"] and document["error"], document
    assert "'rose.jpg' is complete." in json.loads(error.splitlines()[-1])["error"]["message"], error
    with through(program, 1_000_000) as cut:
        _, error = cut.run("photo", RAW, "--settle", "none", "--format", "jpeg,raw", "--burst", "2", "-o", "two-%d", code=1)
    assert program.names() == ["rose.jpg", "two-1.jpg"], program.names()
    # The next photo's files pair, although the last one has left a number without its second file.
    program.run("photo", RAW, "--settle", "none", "--format", "jpeg,raw", "-o", "two-%d")
    pairs = ["two-1.jpg", "two-2.jpg", "two-2.raw"]
    assert program.names() == ["rose.jpg", *pairs], program.names()
    # A file that cannot grow to the size of the raw frame.
    command = ["bash", "-c", 'trap "" XFSZ; ulimit -f 1000; exec "$@"', "-", program.programs / "capturectl", "--node", program.address]
    done = subprocess.run([*command, "photo", RAW, "--settle", "none", "--format", "jpeg,raw", "-o", "full"], cwd=program.folder, text=True, capture_output=True)
    assert done.returncode == 1 and "cannot write 'full.raw': File too large\n'full.jpg' is complete." in done.stderr, done
    assert program.names() == ["full.jpg", "rose.jpg", *pairs], program.names()


def an_error_is_told_where_nobody_reads_the_list(program):
    """The reader of standard output has gone: the status is that of what failed, and standard error says it."""
    photo = "--json", "photo", RAW, "--settle", "none"
    for most, words in (
        (8_000_000, (*photo, "--format", "raw", "--burst", "20", "-o", "b-%d.raw")),
        (20_000, (*photo, "--burst", "300", "--store")),
        (1_000_000, (*photo, "--format", "jpeg,raw", "-o", "rose")),
        (1_000_000, ("--json", "stream", RAW, "--format", "jpeg", "-o", "clip")),
    ):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            with through(program, most) as cut:
                process = cut.start(*words, out=writer)
                _, error = process.communicate(timeout=120)
        finally:
            os.close(writer)
        assert process.returncode == 1 and json.loads(error.splitlines()[-1])["error"]["code"] == "UNAVAILABLE", (words, process.returncode, error)


def with_enfuse(program, script, shell="/bin/sh"):
    folder = Path(tempfile.mkdtemp(dir=program.folder.parent))
    (folder / "enfuse").write_text(f"#!{shell}\n{script}\n")
    (folder / "enfuse").chmod(0o755)
    program.environment["PATH"] = f"{folder}:{os.environ['PATH']}"
    scratch = Path(tempfile.mkdtemp(dir=program.folder.parent))
    program.environment["TMPDIR"] = str(scratch)
    return scratch


def photos_of_a_bracket_stay_where_they_cannot_be_fused(program):
    scratch = with_enfuse(program, "echo no memory >&2; exit 1")
    words = "--json", "photo", PHYSICS, "--settle", "none", "--bracket-exposure", "1/500,1/250,1/100", "--fuse"
    out, error = program.run(*words, "-o", "w.jpg", code=1)
    document, told = json.loads(out), json.loads(error.splitlines()[-1])["error"]["message"]
    assert program.names() == ["w-1.jpg", "w-2.jpg", "w-3.jpg"], program.names()
    assert [photo["path"] for photo in document["photos"]] == program.names() and document["fused"] is None, document
    assert "no memory" in told and "The photos that came are 'w-1.jpg' to 'w-3.jpg'." in told, told
    # None is written over.
    program.run(*words, "-o", "w.jpg", code=1)
    assert len(program.names()) == 6 and not list(scratch.iterdir()), (program.names(), list(scratch.iterdir()))
    # With standard output they have no place of their own.
    _, error = program.run(*words[1:], "-o", "-", code=1)
    (folder,) = scratch.iterdir()
    assert f"'{folder}/1.jpg' to '{folder}/3.jpg'" in error and are_jpegs((folder / "2.jpg").read_bytes()), error


def a_signal_lets_enfuse_end_by_itself(program):
    """It gets SIGTERM, which is not blocked, and what it does then is waited for. Debian's sh would unblock all signals by itself."""
    folder = Path(tempfile.mkdtemp(dir=program.folder.parent))
    script = f"trap 'touch {folder}/ended; exit 1' TERM; grep -E '^Sig(Blk|Ign)' /proc/self/status > {folder}/signals; touch {folder}/begun"
    with_enfuse(program, f"{script}; while :; do sleep 0.05; done", shell="/bin/bash")
    process = program.start("photo", PHYSICS, "--settle", "none", "--bracket-exposure", "1/500,1/250", "--fuse", "-o", "w.jpg")
    until(lambda: (folder / "begun").exists() or process.poll() is not None, "enfuse does not run")
    signal_when_watched(process, signal.SIGINT)
    out, error = process.communicate(timeout=20)
    assert (folder / "ended").exists() and process.returncode == 1, (process.returncode, out, error)
    assert program.names() == ["w-1.jpg", "w-2.jpg"], (program.names(), error)
    blocked, ignored = (int(line.split()[1], 16) for line in (folder / "signals").read_text().splitlines())
    assert blocked == 0 and not ignored & 1 << signal.SIGPIPE - 1, (hex(blocked), hex(ignored))


def photos_of_a_bracket_stay_where_enfuse_does_not_end(program):
    """It ignores SIGTERM. The end of capturectl itself, three seconds after the signal, would leave them in the scratch folder."""
    folder = Path(tempfile.mkdtemp(dir=program.folder.parent))
    scratch = with_enfuse(program, f"trap '' TERM; touch {folder}/begun; while :; do sleep 0.05; done")
    process = program.start("photo", PHYSICS, "--settle", "none", "--bracket-exposure", "1/500,1/250", "--fuse", "-o", "w.jpg")
    until(lambda: (folder / "begun").exists() or process.poll() is not None, "enfuse does not run")
    signal_when_watched(process, signal.SIGINT)
    out, error = process.communicate(timeout=20)
    assert process.returncode == 1, (process.returncode, out, error)
    assert program.names() == ["w-1.jpg", "w-2.jpg"] and "'w-1.jpg' to 'w-2.jpg'" in error, (program.names(), error)
    assert not list(scratch.iterdir()), list(scratch.iterdir())


def photos_of_a_bracket_stay_where_it_is_cut(program):
    with_enfuse(program, "exit 1")
    program.run("photo", PHYSICS, "--settle", "none", "--bracket-exposure", "1/500", "-o", "one-%d.jpg")
    size = program.size("one-1.jpg")
    with through(program, size * 5 // 2) as cut:
        _, error = cut.run("photo", PHYSICS, "--settle", "none", "--bracket-exposure", ",".join(["1/500"] * 9), "--fuse", "-o", "w.jpg", code=1)
    names = [name for name in program.names() if name.startswith("w")]
    assert names and names == [f"w-{number + 1}.jpg" for number in range(len(names))] and len(names) < 9, names
    assert all(are_jpegs((program.folder / name).read_bytes()) for name in names) and f"'{names[-1]}'" in error, (names, error)


TESTS = [
    a_signal_waits_for_the_disk, a_second_signal_ends_at_once, a_pipe_that_nobody_reads_is_not_waited_for, a_terminal_that_has_stopped_delays_no_end,
    a_photo_that_came_is_not_lost_to_a_signal,
    a_cut_burst_lists_what_was_written, a_file_that_came_whole_stays_written, an_error_is_told_where_nobody_reads_the_list,
    photos_of_a_bracket_stay_where_they_cannot_be_fused, a_signal_lets_enfuse_end_by_itself,
    photos_of_a_bracket_stay_where_enfuse_does_not_end, photos_of_a_bracket_stay_where_it_is_cut,
    what_another_program_has_put_there_stays, a_disk_that_refuses_at_last_is_told,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)

    def run(test, address, folder):
        test(Program(Path(sys.argv[1]).resolve(), address, folder))

    sys.exit(not all_pass(TESTS, sys.argv[1], CONFIGURATION, run))


if __name__ == "__main__":
    main()

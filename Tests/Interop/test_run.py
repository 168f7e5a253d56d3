"""Runs scripts/run --once, as a newcomer would, and checks what it says.

usage: test_run.py PROGRAMS

PROGRAMS is the directory where the release programs are, built: they have to be as they are afterwards, for nothing is to be built again.
Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import re
import socket
import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "Tests/Load"))

from test_interop import failed  # noqa: E402
from witness import Witness  # noqa: E402

TIMES = 4  # that it is run where the rate is off and the machine stood still meanwhile
RATE = 30  # of the camera that a node without any has
SIZE = (3840, 2160)  # its largest: so a photo is, without a stream


class Run:
    """A run to its end."""

    def __init__(self, programs):
        self.files = [programs / name for name in ("capture-node", "capturectl")]
        self.stamps_before, self.began = self.stamps(), time.time()
        done = subprocess.run(
            [PROJECT / "scripts/run", "--once"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=180)
        self.took, self.stamps_after = time.time() - self.began, self.stamps()
        self.status, self.said = done.returncode, done.stdout

    def stamps(self):
        return [(file.stat().st_ino, file.stat().st_mtime_ns) for file in self.files]

    def found(self, pattern):
        """What the pattern's groups match in the one line that it matches."""
        found = re.findall(pattern, self.said, re.MULTILINE)
        assert len(found) == 1, f"{pattern!r} matches {found} in:\n{self.said}"
        return found[0]

    @property
    def rate(self):
        rate, frames, discarded = self.found(r"^rate +([\d.]+) frames a second, (\d+) frames, (\d+) discarded$")
        return float(rate), int(frames), int(discarded)


def it_ends_well(run):
    assert run.status == 0, f"status {run.status}:\n{run.said}"


def nothing_is_built_again(run):
    assert run.stamps_before == run.stamps_after, f"{run.files} are not as they were"


def the_picture_is_where_it_says_and_djpeg_decodes_it(run):
    picture = Path(run.found(r"^picture +(/.*\.jpg)$"))
    assert picture.stat().st_mtime >= run.began, f"{picture} is an old one"
    done = subprocess.run(["djpeg", "-pnm", picture], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0 and not done.stderr, done.stderr
    magic, width, height, most, pixels = done.stdout.split(maxsplit=4)
    assert magic == b"P6" and len(pixels) == int(width) * int(height) * 3, (magic, width, height, len(pixels))
    assert len(set(pixels[::997])) > 8, "it is of one colour"
    if not cameras():
        assert (int(width), int(height)) == SIZE, (width, height)


def frames_come_at_about_the_rate_of_the_camera(run):
    rate, frames, _ = run.rate
    assert 0.75 * 3 * rate <= frames <= 1.05 * 3 * rate, f"{frames} frames in 3 s at {rate} a second"
    if not cameras():
        assert RATE * 0.9 <= rate <= RATE * 1.05, f"{rate} a second, of a camera that gives {RATE}"


def it_tells_the_latency(run):
    latency = run.found(r"^latency +(.*)$")
    p50, p99 = re.fullmatch(r"([\d.]+) ms from capture to client at the median, ([\d.]+) ms at p99", latency).groups()
    assert 0 < float(p50) <= float(p99) < 3_000, latency


def what_to_try_next_names_the_node_and_the_programs(run):
    path, node = run.found(r"^  export PATH=(\S+):\$PATH CAPTURE_NODE=(\S+)$")
    assert node == run.found(r"^capture-node serves on (\S+)$"), node
    assert [Path(path) / file.name for file in run.files] == run.files, path
    assert re.search(r"^  capturectl controls \d+$", run.said, re.MULTILINE), run.said


def the_node_ends_with_it(run):
    host, port = run.found(r"^capture-node serves on (\S+):(\d+)$")
    try:
        socket.create_connection((host, int(port)), 2).close()
    except ConnectionRefusedError:
        return
    raise AssertionError("the node still listens")


def a_wrong_option_is_refused(run):
    done = subprocess.run([PROJECT / "scripts/run", "--twice"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and "usage: scripts/run [--once]" in done.stderr, done


TESTS = [
    it_ends_well,
    nothing_is_built_again,
    the_picture_is_where_it_says_and_djpeg_decodes_it,
    frames_come_at_about_the_rate_of_the_camera,
    it_tells_the_latency,
    what_to_try_next_names_the_node_and_the_programs,
    the_node_ends_with_it,
    a_wrong_option_is_refused,
]


def cameras():
    """Whether this machine has its own: then the node serves them, and who knows their sizes and rates."""
    return list(Path("/dev").glob("video*"))


def undisturbed(programs):
    """A run; again, and says so, where frames are missing and the machine stood still."""
    for _ in range(TIMES - 1):
        with Witness() as witness:
            run = Run(programs)
        try:
            frames_come_at_about_the_rate_of_the_camera(run)
        except AssertionError as error:
            if run.status != 0 or not witness.excuse:
                return run
            print(f"# again, for {witness.excuse}: {error}", flush=True)
        else:
            return run
    return Run(programs)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run = undisturbed(Path(sys.argv[1]))
    failures = [test for test in TESTS if failed(test, run)]
    print(f"# it took {run.took:.1f} s", flush=True)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()

"""Runs scripts/run --once, as a newcomer would, and checks what it says.

usage: test_run.py PROGRAMS

PROGRAMS is the directory where the release programs are, built: they have to be as they are afterwards, for nothing is to be built again.
Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "Tests/Load"))

from cases import passes  # noqa: E402
from witness import Witness  # noqa: E402

TIMES = 4  # that it is run where the rate is off and the machine stood still meanwhile
RATE = 30  # of the camera that a node without any has
SIZE = (3840, 2160)  # its largest: so a photo is, without a stream


class Run:
    """A run to its end."""

    def __init__(self, programs):
        self.files = [programs / name for name in ("capture-node", "capturectl")]
        self.stamps_before, self.began = self.stamps(), time.time()
        # A newcomer has no build of the same test run: scripts/run builds.
        done = subprocess.run(
            [PROJECT / "scripts/run", "--once"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=180, env={name: value for name, value in os.environ.items() if name != "CAPTURE_BUILT"})
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


# In a namespace of its own: /dev has what it had, and a camera that nobody may open, or none. Root may, but for the rights that are taken from it.
WITH_A_CAMERA = """
set -e
mount -t tmpfs tmpfs /sys/class
mkdir -p /sys/class/video4linux/video0
mount -t tmpfs tmpfs /mnt
mkdir /mnt/dev
mount --rbind /dev /mnt/dev
mount -t tmpfs -o mode=755 tmpfs /dev
for entry in /mnt/dev/*; do
  name=/dev/${entry##*/}
  case $name in /dev/video*) continue ;; esac
  if [ -L "$entry" ]; then cp -P "$entry" "$name"; continue; fi
  if [ -d "$entry" ]; then mkdir "$name"; else touch "$name"; fi
  mount --rbind "$entry" "$name"
done
if [ "$HAS_NODE" = yes ]; then
  touch /dev/video0
  chmod 000 /dev/video0
fi
exec setpriv --inh-caps=-dac_override,-dac_read_search --bounding-set=-dac_override,-dac_read_search "$@"
"""


def with_a_camera(*command, node=True):
    """The end of a command on a machine whose one camera may not be opened, or, as in a container, has no node in /dev."""
    namespace = ["--mount"] if os.geteuid() == 0 else ["--mount", "--user", "--map-root-user"]
    return subprocess.run(
        ["unshare", *namespace, "sh", "-c", WITH_A_CAMERA, "sh", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=180, env=dict(os.environ, HAS_NODE="yes" if node else "no"))


def needs_namespace(test):
    """Marks a test that is left out where this user can make no namespace."""
    test.needs_namespace = True
    return test


@needs_namespace
def a_camera_that_may_not_be_opened_is_told_and_none_is_used_in_its_place(_):
    done = with_a_camera(PROJECT / "scripts/run", "--once")
    text = '/dev/video0: no permission for opening it; members of its group ("video") have it\n'
    assert done.returncode == 1, done.stdout
    for told in (
        f"\ncapture-node: {text}", f"\nThe node has no cameras.\n\nNot served: {text}",
        "\nrun: none of the cameras can be used, for the reasons above; capture-node --camera synthetic serves one made of arithmetic\n",
    ):
        assert told in done.stdout, done.stdout
    assert "Taking a first photo" not in done.stdout, done.stdout


@needs_namespace
def a_camera_that_a_container_was_not_given_is_told_so(_):
    done = with_a_camera(PROJECT / "scripts/run", "--once", node=False)
    text = "/dev/video0 does not exist, though the kernel has the camera: a container has to be given the device, as by 'docker run --device /dev/video0'\n"
    assert done.returncode == 1 and f"\ncapture-node: {text}" in done.stdout and "unplugged" not in done.stdout, done.stdout


TESTS = [
    it_ends_well,
    nothing_is_built_again,
    the_picture_is_where_it_says_and_djpeg_decodes_it,
    frames_come_at_about_the_rate_of_the_camera,
    it_tells_the_latency,
    what_to_try_next_names_the_node_and_the_programs,
    the_node_ends_with_it,
    a_wrong_option_is_refused,
    a_camera_that_may_not_be_opened_is_told_and_none_is_used_in_its_place,
    a_camera_that_a_container_was_not_given_is_told_so,
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
    tests = TESTS
    if (without := with_a_camera("true")).returncode != 0:
        tests = [test for test in TESTS if not hasattr(test, "needs_namespace")]
        for test in TESTS:
            if test not in tests:
                print(f"# left out, for want of a namespace: {test.__name__}: {without.stdout.strip()}", flush=True)
    failures = [test for test in tests if not passes(test, run)]
    print(f"# it took {run.took:.1f} s", flush=True)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()

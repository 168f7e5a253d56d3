"""The library of a node in the virtual machine, whose power is cut while it stores: the machine is killed, and its disk loses what was not flushed.

usage: test_power_cut.py DIRECTORY-OF-PROGRAMS [--cuts N]

Photos are asked for from here. After each cut, journal and library are recovered on a copy of the disk, and judged as those of a killed node are
(test_library.py); then the machine boots again with the disk as it is. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import argparse
import contextlib
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from cases import passes
from capture_client import Connection, NodeError, pb
from test_library import Node, check, store

PROJECT = Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "Tests/Support"))

from plaintext import Plaintext  # noqa: E402
from ports import unused_port  # noqa: E402
from volatile_disk import SECTOR, VolatileDisk  # noqa: E402

os.environ["PATH"] += ":/usr/sbin:/sbin"
DISK = "/mnt/disk"
CONTROL = b"a control\n"
CLIENTS = 3


class Machine:
    """A node with a library on the disk. It comes after two files: `synced`, and `unsynced`, of which the disk was told nothing."""

    def __init__(self, programs, disk, credential, number):
        self.synced, self.unsynced = f"synced-{number}", f"unsynced-{number}"
        self._secret = credential.secret
        port = unused_port()
        self._address = f"127.0.0.1:{port}"
        control = shlex.quote(CONTROL.decode().strip())
        # The kernel writes nothing by itself: not what is old, and not for the small share of memory that a new disk has.
        guest = f"echo 60000 >/proc/sys/vm/dirty_expire_centisecs; echo 90 >/sys/block/vda/bdi/min_ratio; cd {DISK}; echo {control} >{self.synced}; sync {self.synced}; echo {control} >{self.unsynced}; cat {self.unsynced}; " \
            f"exec {programs}/capture-node --listen 0.0.0.0:7311 --state none --camera synthetic:320x240@30 --log-level error {shlex.join(credential.options)}"
        command = (
            PROJECT / "scripts/vm/run", "--vivid", "none", "--disk", disk.url, "--visible", programs, "--visible", credential.configuration,
            "--forward", f"{port}:7311", "--", "sh", "-c", guest)
        self._disk = disk
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def connect(self):
        return Connection(self._address, timeout=30, credential=self._secret)

    def await_node(self):
        """Until it listens."""
        alarm = threading.Timer(120, self._process.kill)
        alarm.start()
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if line.startswith("listening on"):
                break
        alarm.cancel()
        assert lines and lines[0].encode() == CONTROL and lines[-1].startswith("listening on"), lines

    def cut_power(self, writes):
        """Once the disk was given so many more."""
        machine = self._process.pid
        while "qemu" not in Path(f"/proc/{machine}/comm").read_text():
            machine = int(Path(f"/proc/{machine}/task/{machine}/children").read_text().split()[0])
        self._disk.cut_power(writes)
        os.kill(machine, signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()


def take(machine, promised):
    """Photos, until the power is cut."""
    with contextlib.suppress(NodeError, OSError), machine.connect() as connection:
        while True:
            promised.add(store(connection).asset_id)


def listed(machine):
    """The names of all assets, once the library is compared."""
    with machine.connect() as node:
        while True:
            status = node.unary("capture.v1.Library/Status", pb.LibraryStatusRequest(), pb.LibraryStatus)
            if status.state == pb.LibraryStatus.OPEN and not status.reconciling:
                break
            time.sleep(0.05)
        names, token = set(), None
        while token != "":
            page = node.unary("capture.v1.Library/List", pb.ListAssetsRequest(page_size=500, page_token=token or ""), pb.AssetPage)
            names |= {asset.id for asset in page.assets}
            token = page.next_page_token
        return names


def judge(programs, image, folder, machine, promised, seen):
    """What is on the disk, once its journal is replayed, and then its library."""
    copy, files = folder / "copy", folder / "files"
    subprocess.run(["cp", "--sparse=always", image, copy], check=True)
    checked = subprocess.run(["e2fsck", "-f", "-y", copy], capture_output=True, text=True)
    assert checked.returncode in (0, 1), checked.stdout  # 1: it was mounted, and is right again
    files.mkdir()
    subprocess.run(["debugfs", "-R", f"rdump / {files}", copy], check=True, stderr=subprocess.DEVNULL)
    assert (files / machine.synced).read_bytes() == CONTROL, "the disk has lost what was flushed"
    unsynced = files / machine.unsynced
    assert not unsynced.exists() or unsynced.read_bytes() != CONTROL, "what was written without fsync has outlived the cut: it is none"
    with Node(programs, files / "library", initialise=False) as node:
        node.reconciled()
        check(node, promised, seen)
    shutil.rmtree(files)


def cuts(programs, folder, count):
    """A machine whose power fails while it stores loses no photo that it promised, and lists none that is not whole."""
    folder = Path(folder)
    library, image = folder / "disk/library", folder / "image"
    library.mkdir(parents=True)
    subprocess.run([programs / "capture-node", "library", "init", "--mark-only", library], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["mkfs.ext4", "-q", "-b", "4096", "-d", folder / "disk", image, "128M"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    credential = Plaintext(folder / "credential")
    (credential.configuration / "node.json5").write_text(f'{{ library: {{ root: "{DISK}/library", freeBytes: 0 }} }}')
    promised, seen, lost = set(), set(), []
    for number in range(count):
        with VolatileDisk(image) as disk, Machine(programs, disk, credential, number) as machine:
            machine.await_node()
            assert not promised - listed(machine), f"promised and lost: {sorted(promised - listed(machine))}"
            before = set(promised)
            clients = [threading.Thread(target=take, args=(machine, promised)) for _ in range(CLIENTS)]
            for client in clients:
                client.start()
            goal, deadline = len(before) + random.randint(1, 20), time.monotonic() + 60
            while len(promised) < goal:
                assert time.monotonic() < deadline, f"{len(promised)} photos were promised, and not {goal}"
                time.sleep(0.01)
            machine.cut_power(writes=random.randint(1, 40))
            for client in clients:
                client.join()
        lost.append(disk.lost)
        judge(programs, image, folder, machine, set(promised), seen)
    print(f"# {count} cuts; {len(promised)} photos promised, {len(seen)} listed; {sum(lost)} sectors lost that the disk had not written, "
          f"at {sum(map(bool, lost))} cuts", flush=True)


def a_disk_loses_what_was_not_flushed(folder):
    image = Path(folder) / "image"
    image.write_bytes(bytes(100 * SECTOR))
    with VolatileDisk(image, random.Random(1)) as disk:
        disk.write(0, b"a" * SECTOR)
        disk.flush()
        disk.write(0, b"b" * 100 * SECTOR)
        assert disk.read(0, 100 * SECTOR) == b"b" * 100 * SECTOR and image.read_bytes() == b"a" * SECTOR + bytes(99 * SECTOR)
        disk.cut_power()
        assert 20 < disk.lost < 80, disk.lost
    left = image.read_bytes()
    sectors = [left[place:place + SECTOR] for place in range(0, len(left), SECTOR)]
    assert sum(sector != b"b" * SECTOR for sector in sectors) == disk.lost
    assert sectors[0] in (b"a" * SECTOR, b"b" * SECTOR)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--cuts", type=int, default=3)
    options = parser.parse_args()
    programs = options.programs.resolve()
    tests = {
        "a disk loses what was not flushed": a_disk_loses_what_was_not_flushed,
        "a cut of the power loses nothing that was promised": lambda folder: cuts(programs, folder, options.cuts),
    }
    failed = 0
    for name, test in tests.items():
        def in_a_folder(test=test):
            with tempfile.TemporaryDirectory(prefix="capture-power-") as folder:
                test(folder)

        failed += not passes(in_a_folder, name=name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

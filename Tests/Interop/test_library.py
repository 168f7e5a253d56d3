"""The library of a node from outside: what it promises when it is killed, when its disk is full, and when its disk is away.

usage: test_library.py DIRECTORY-OF-PROGRAMS [--kills N] [--assets N] [--only timed | --only others]

--only timed: what has to be done in a time that people feel, which takes the processors.

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok. Tests that mount something need root, and are left out without it.
Figures are printed, and bounded where docs/library.md bounds them.
"""

import argparse
import contextlib
import errno
import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cases import passes
from capture_client import Connection, NodeError, pb
from failing_calls import FailingCalls

MARK = ".capture-library"
TIMED = {"many pictures are listed in time"}
SUPPORT = Path(__file__).resolve().parents[1] / "Support"
# The row "jobs" of docs/limits.md.
JOBS = 64


class Node:
    """A node with a synthetic camera and a library."""

    def __init__(self, programs, root, initialise=True, state="none", environment=None, **library):
        self.programs, self.root, self.environment = programs, Path(root), {**os.environ, **(environment or {})}
        if initialise:
            subprocess.run([programs / "capture-node", "library", "init", "--mark-only", root], check=True, stdout=subprocess.DEVNULL)
        library = {"root": str(root), "freeBytes": 0, **library}
        self.configuration = tempfile.NamedTemporaryFile("w", suffix=".json5")
        json.dump({"listen": [{"address": "127.0.0.1:0", "trustLocalUsers": True}], "state": state, "cameras": ["synthetic:320x240@60"], "library": library, "logLevel": "error"}, self.configuration)
        self.configuration.flush()
        self.start()

    def start(self):
        command = [self.programs / "capture-node", "--config", self.configuration.name]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self.environment)
        self.address = self.process.stdout.readline().removeprefix("listening on ").strip()

    def connect(self):
        return Connection(self.address, timeout=60)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def reconciled(self, within=120):
        """Waits until files and index were compared; returns the library's state and the seconds since the node listens."""
        began = time.monotonic()
        with self.connect() as node:
            while True:
                status = node.unary("capture.v1.Library/Status", pb.LibraryStatusRequest(), pb.LibraryStatus)
                if status.state == pb.LibraryStatus.OPEN and not status.reconciling:
                    return status, time.monotonic() - began
                assert time.monotonic() - began < within, f"still not reconciled: {status}"
                time.sleep(0.01)

    def assets(self):
        with self.connect() as node:
            assets, token = [], ""
            while True:
                request = pb.ListAssetsRequest(page_size=500, page_token=token)
                page = node.unary("capture.v1.Library/List", request, pb.AssetPage)
                assets += page.assets
                token = page.next_page_token
                if not token:
                    return assets

    def files(self):
        """The files that a person sees."""
        return sorted(path for path in self.root.rglob("*") if path.is_file() and MARK not in path.parts)


def store(connection, mode=pb.STORE_MODE_ONLY):
    settings = pb.PhotoSettings(store=mode, settle=pb.SettlingBound(longest_ms=0), rendition=pb.Rendition(quality=60))
    request = pb.CapturePhotoRequest(device="0", settings=settings)
    *_, photo = connection.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent, timeout=30)
    return photo


def is_whole(data):
    return subprocess.run(["djpeg", "-scale", "1/8"], input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def check(node, promised, seen):
    """Whatever was promised is there, and whatever is listed is whole. `seen`: names that were looked at before."""
    listed = {asset.id: asset for asset in node.assets()}
    lost = promised - listed.keys()
    assert not lost, f"promised and lost: {sorted(lost)}"
    for name in listed.keys() - seen:
        for resource in listed[name].resources:
            data = (node.root / resource.file).read_bytes()
            assert len(data) == resource.bytes, f"{resource.file} has {len(data)} bytes, its entry says {resource.bytes}"
            assert not resource.sha256 or hashlib.sha256(data).digest() == resource.sha256, f"{resource.file} has another checksum"
            assert is_whole(data), f"{resource.file} is not whole"
        seen.add(name)
    assert len(node.files()) == len(listed), "a file without an entry"
    assert not list((node.root / MARK / "incoming").iterdir()), "something is left of what was being written"


def kills(programs, root, count):
    """A node that is killed while it stores loses nothing that it promised, and lists nothing that is not whole."""
    promised, seen = set(), set()

    def take(address):
        try:
            with Connection(address, timeout=20) as connection:
                while True:
                    promised.add(store(connection).asset_id)
        except (NodeError, OSError):
            pass  # the node was killed

    with Node(programs, root) as node:
        for _ in range(count):
            node.reconciled()
            clients = [threading.Thread(target=take, args=[node.address]) for _ in range(3)]
            for client in clients:
                client.start()
            time.sleep(random.uniform(0.05, 0.5))
            node.kill()
            for client in clients:
                client.join()
            node.start()
            node.reconciled()
            check(node, set(promised), seen)
        assert len(promised) >= count, "hardly a photo was stored"
    print(f"# {count} kills, {len(promised)} photos promised, {len(seen)} listed", flush=True)


def full(programs, root):
    """A full disk refuses photos, leaves nothing behind, and hurts no stream."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "none", root], check=True)
    try:
        with Node(programs, root) as node:
            stream = subprocess.Popen(
                [programs / "capturectl", "--node", node.address, "--json", "stream", "0", "--duration", "6"], stdout=subprocess.PIPE, text=True)
            promised = set()
            with node.connect() as connection:
                deadline = time.monotonic() + 20
                while not connection.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse).cameras[0].streaming:
                    assert stream.poll() is None and time.monotonic() < deadline, "no stream began"
                    time.sleep(0.01)
                try:
                    while True:
                        promised.add(store(connection).asset_id)
                except NodeError as error:
                    assert error.code == 8 and error.details.reason == pb.ERROR_REASON_DISK_FULL, error
                assert promised
                # It is not by luck that it fails.
                for _ in range(3):
                    try:
                        store(connection)
                        raise AssertionError("a photo was stored on a full disk")
                    except NodeError as error:
                        assert error.code == 8, error
                check(node, promised, set())
                first = node.assets()[-1].id
                deleted = connection.unary("capture.v1.Library/Delete", pb.AssetIds(ids=[first]), pb.DeletedAssets)
                assert list(deleted.ids) == [first]
                again = store(connection).asset_id
                check(node, promised - {first} | {again}, set())
            document = json.loads(stream.communicate(timeout=60)[0])
            assert stream.returncode == 0 and document["frames"] > 100, document
            opens_when_full(node)
    finally:
        subprocess.run(["umount", "-l", root], check=True)


def opens_when_full(node):
    """A library on a disk of which nothing is left is opened, so that something can be deleted. Its index has no log any more that could be used again."""
    def delete(ids):
        with node.connect() as connection:
            deleted = connection.unary("capture.v1.Library/Delete", pb.AssetIds(ids=ids), pb.DeletedAssets)
        assert set(deleted.ids) == set(ids), deleted

    names = [asset.id for asset in node.assets()]
    delete(names[:min(len(names) // 2, 250)])
    node.stop()
    with contextlib.closing(sqlite3.connect(node.root / MARK / "index.sqlite")) as index:
        index.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with (node.root / MARK / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while filler.write(bytes(4096)):
            pass
    node.start()
    node.reconciled()
    delete([asset.id for asset in node.assets()[:8]])
    with node.connect() as connection:
        store(connection)


def deletion(programs, root):
    """The index forgets the file of a deleted picture once its removal is on the disk: it would come back after a cut of the power, as a picture without an entry."""
    library, order = Path(root).parent / "file_order.so", Path(root).parent / "order"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, SUPPORT / "file_order.c"], check=True)
    root = Path(root).resolve()
    with Node(programs, root, environment={"LD_PRELOAD": str(library), "FILE_ORDER": str(order)}) as node, node.connect() as connection:
        node.reconciled()
        name = store(connection).asset_id
        (file,) = node.files()
        deleted = connection.unary("capture.v1.Library/Delete", pb.AssetIds(ids=[name]), pb.DeletedAssets)
        assert list(deleted.ids) == [name] and not node.files(), deleted
        steps = order.read_text().splitlines()
        after = steps[steps.index(f"unlink {file}"):]
        forgotten = after.index(f"sync {root / MARK / 'index.sqlite-wal'}")
        assert f"sync {file.parent}" in after[:forgotten], after


def untold(programs, root):
    """An entry stays, with its labels, where the disk does not tell whether its file is there. What is gone is told as before."""
    calls = FailingCalls(Path(root).parent)
    with Node(programs, root, environment=calls.environment) as node:
        with node.connect() as connection:
            kept, gone = store(connection).asset_id, store(connection).asset_id
            request = pb.LabelAssetsRequest(ids=[kept], add=["door"])
            connection.unary("capture.v1.Library/Label", request, pb.AssetPage)
        node.stop()
        calls.fail("stat", errno.EIO, f"{kept}.jpg")
        next(file for file in node.files() if file.name == f"{gone}.jpg").unlink()
        for lost in 1, 0:
            node.start()
            status, _ = node.reconciled()
            assert status.lost == lost and not status.set_aside, status
            assert {asset.id: list(asset.labels) for asset in node.assets()} == {kept: ["door"]}, node.assets()
            node.stop()
            if lost:
                calls.heal("stat")
        node.start()


def refusal(call):
    """The error's code and its reason."""
    try:
        call()
    except NodeError as error:
        return error.code, error.details and error.details.reason
    raise AssertionError("not refused")


def fetched(connection, name):
    chunks = connection.server_stream("capture.v1.Library/Fetch", pb.FetchResourceRequest(id=name), pb.ResourceChunk)
    return b"".join(chunk.data for chunk in chunks)


def unreadable(programs, root):
    """A picture that the disk cannot read is lost alone: others of the library, which stays open, are fetched and kept meanwhile."""
    calls = FailingCalls(Path(root).parent)
    lost = 15, pb.ERROR_REASON_DAMAGED_PICTURE
    with Node(programs, root, environment=calls.environment) as node:
        with node.connect() as connection:
            name = store(connection).asset_id
            whole = fetched(connection, name)
        node.stop()
        # Its checksum is not known, so it is read as a whole before it is fetched.
        found = "19700101-000000-000-00000001"
        file = Path(root) / f"1970/01/01/{found}.jpg"
        file.parent.mkdir(parents=True)
        file.write_bytes(whole)
        calls.fail("mmap", errno.EIO, f"*/{found}.jpg")
        node.start()
        status, _ = node.reconciled()
        assert status.recovered == 1, status
        with node.connect() as connection:
            assert refusal(lambda: fetched(connection, found)) == lost
            assert fetched(connection, name) == whole
            calls.heal("mmap")
            assert fetched(connection, found) == whole
            calls.fail("open", errno.EIO, f"{found}.jpg")
            assert refusal(lambda: fetched(connection, found)) == lost
            assert fetched(connection, name) == whole and store(connection).asset_id


def unmarked(programs, root):
    """A library that the node makes itself, and whose mark cannot be read now, is unavailable as any other, and is opened once the mark can be read."""
    calls = FailingCalls(Path(root).parent)
    calls.fail("open", errno.EIO, "library")
    with Node(programs, root, environment={**calls.environment, "STATE_DIRECTORY": str(Path(root).parent)}) as node, node.connect() as connection:
        listing = lambda: connection.unary("capture.v1.Library/List", pb.ListAssetsRequest(), pb.AssetPage)  # noqa: E731
        assert refusal(listing) == (14, pb.ERROR_REASON_LIBRARY_UNAVAILABLE)
        calls.heal("open")
        node.reconciled()
        assert not listing().assets


def away(programs, root):
    """A disk that goes is unavailable, not empty, and nothing is written below its mount point."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=30m", "none", root], check=True)
    mounted = True
    try:
        with Node(programs, root) as node:
            with node.connect() as connection:
                kept = store(connection).asset_id
                subprocess.run(["umount", "-l", root], check=True)
                mounted = False
                for call in [lambda: store(connection), lambda: connection.unary("capture.v1.Library/List", pb.ListAssetsRequest(), pb.AssetPage)]:
                    try:
                        call()
                        raise AssertionError("a library whose disk is away was used")
                    except NodeError as error:
                        assert error.code == 14 and error.details.reason == pb.ERROR_REASON_LIBRARY_UNAVAILABLE, error
                assert kept and not list(Path(root).iterdir()), "something was written below the mount point"
    finally:
        if mounted:
            subprocess.run(["umount", "-l", root], check=True)


def bad(programs, root):
    """What leaves the library, is not there, or is not what it says, is refused with its reason, and nothing is lost."""
    def refused(call, code, reason):
        try:
            call()
            raise AssertionError("not refused")
        except NodeError as error:
            assert (error.code, error.details and error.details.reason) == (code, reason), (error, error.details)

    with Node(programs, root) as node, node.connect() as connection:
        name = store(connection).asset_id
        size = node.assets()[0].resources[0].bytes

        def fetch(**request):
            return list(connection.server_stream("capture.v1.Library/Fetch", pb.FetchResourceRequest(**request), pb.ResourceChunk))

        for path in ["../../etc/passwd", "/etc/passwd", f"../{name}", f"{name}/..", "", "20261125-081502-123-9f86d081"]:
            refused(lambda: fetch(id=path), 5, pb.ERROR_REASON_UNKNOWN_NAME)
        refused(lambda: fetch(id=name, offset=size + 1), 11, pb.ERROR_REASON_VALUE_OUT_OF_RANGE)
        refused(lambda: fetch(id=name, resource=1), 3, pb.ERROR_REASON_VALUE_OUT_OF_RANGE)
        refused(lambda: fetch(id=name, sha256=bytes(32)), 10, pb.ERROR_REASON_CHECKSUM_MISMATCH)
        assert fetch(id=name, offset=size)[0].data == b""
        # The pieces make the whole.
        whole = b"".join(chunk.data for chunk in fetch(id=name))
        begin, rest = fetch(id=name, length=100), fetch(id=name, offset=100)
        assert begin[0].data + b"".join(chunk.data for chunk in rest) == whole
        assert hashlib.sha256(whole).digest() == begin[0].resource.sha256
        for token in ["x", "../..", "1.2"]:
            refused(lambda: connection.unary("capture.v1.Library/List", pb.ListAssetsRequest(page_token=token), pb.AssetPage), 3, pb.ERROR_REASON_VALUE_NOT_POSSIBLE)

        liar = Path(root).parent / "liar.jpg"
        command = [programs / "capturectl", "--node", node.address, "library", "put", liar]
        for text, words in [(b"text", "no JPEG"), (whole[: len(whole) // 2], "truncated"), (whole[:1000] + bytes(2000) + whole[3000:], "INVALID_ARGUMENT"),
                            (b"\x89PNG\r\n\x1a\n" + bytes(40), "PNG"), (b"II*\0" + bytes(40), "DNG")]:
            liar.write_bytes(text)
            run = subprocess.run(command, capture_output=True, text=True)
            assert run.returncode == 1 and words in run.stderr, (words, run.stderr)
        liar.write_bytes(whole)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        assert len(node.assets()) == 2
        check(node, {name}, set())
        assert not list((Path(root) / MARK / "set-aside").iterdir())


def timelapse(programs, root):
    """A timelapse keeps its grid, also over a node that was killed, and says what it missed."""
    state = Path(root).parent / "state.json"
    with Node(programs, root, state=str(state)) as node:
        def until_done(job, count):
            with node.connect() as connection:
                for event in connection.server_stream("capture.v1.Jobs/Watch", pb.WatchJobsRequest(id=job.id), pb.JobEvent):
                    assert event.job.done < count + 60, event
                    if event.job.done >= count:
                        return event.job

        with node.connect() as connection:
            photo = pb.PhotoSettings(settle=pb.SettlingBound(longest_ms=0))
            settings = pb.TimelapseSettings(device="0", interval_ms=1000, photo=photo, labels=["lapse"])
            job = connection.unary("capture.v1.Jobs/Start", pb.StartJobRequest(timelapse=settings), pb.Job)
        before = until_done(job, 3)
        # What it did is written a moment later.
        deadline = time.monotonic() + 20
        while json.loads(state.read_text())["jobs"][job.id]["done"] < before.done:
            assert time.monotonic() < deadline, state.read_text()
            time.sleep(0.02)
        node.kill()
        time.sleep(3)
        node.start()
        after = until_done(job, before.done + 3)
        assert after.missed - before.missed >= 2 and after.missed_last >= 2, (before, after)
        assert after.done + after.missed + after.failed == after.tick + 1, after
        with node.connect() as connection:
            request = pb.ControlJobRequest(id=job.id, action=pb.ControlJobRequest.STOP)
            stopped = connection.unary("capture.v1.Jobs/Control", request, pb.Job)
        assert stopped.state == pb.JOB_STATE_STOPPED, stopped
        photos = [asset for asset in node.assets() if asset.sequence == job.id]
        assert len(photos) >= after.done and all(list(asset.labels) == ["lapse"] for asset in photos), photos
        # None is before its tick, and each is in its own interval, also behind the restart.
        offsets = [(asset.created_utc_ns - job.started_utc_ns) / 1e9 - int(asset.shot) for asset in photos]
        assert all(-0.02 < offset < 1 for offset in offsets), f"photos off their grid: {offsets}"
        print(f"# {after.done} photos, {after.missed} missed; behind their ticks by {min(offsets) * 1000:.0f} to {max(offsets) * 1000:.0f} ms", flush=True)


def kept_jobs(programs, root):
    """A timelapse is started and stopped durably, or is as it was: the state file cannot be written while a folder has the place of its next version."""
    state = Path(root).parent / "jobs.json"
    in_the_way = state.with_name(state.name + ".new")
    settings = pb.TimelapseSettings(device="0", interval_ms=60000, photo=pb.PhotoSettings(settle=pb.SettlingBound(longest_ms=0)))

    def start(node):
        with node.connect() as connection:
            return connection.unary("capture.v1.Jobs/Start", pb.StartJobRequest(timelapse=settings), pb.Job)

    def stop(node, job):
        with node.connect() as connection:
            return connection.unary("capture.v1.Jobs/Control", pb.ControlJobRequest(id=job.id, action=pb.ControlJobRequest.STOP), pb.Job)

    def refused(call, text):
        try:
            call()
        except NodeError as error:
            assert text in str(error), error
            return
        raise AssertionError(f"not refused: {text}")

    with Node(programs, root, state=str(state)) as node:
        in_the_way.mkdir()
        refused(lambda: start(node), "the timelapse was not started")
        assert not node_jobs(node), node_jobs(node)
        in_the_way.rmdir()
        job = start(node)
        node.kill()
        node.start()
        assert [(kept.id, kept.state) for kept in node_jobs(node)] == [(job.id, pb.JOB_STATE_RUNNING)], node_jobs(node)
        in_the_way.mkdir()
        refused(lambda: stop(node, job), "was not stopped")
        assert node_jobs(node)[0].state == pb.JOB_STATE_RUNNING, node_jobs(node)
        in_the_way.rmdir()
        assert stop(node, job).state == pb.JOB_STATE_STOPPED
        node.kill()
        node.start()
        assert node_jobs(node)[0].state == pb.JOB_STATE_STOPPED, node_jobs(node)


def jobs_have_a_bound(programs, root):
    """However many are started at one moment; those that have ended make room."""
    settings = pb.TimelapseSettings(device="0", interval_ms=60000, photo=pb.PhotoSettings(settle=pb.SettlingBound(longest_ms=0)))

    def start(_):
        with node.connect() as connection:
            try:
                return connection.unary("capture.v1.Jobs/Start", pb.StartJobRequest(timelapse=settings), pb.Job)
            except NodeError as error:
                assert error.code == 8 and "jobs" in str(error), error
                return None

    with Node(programs, root, state=str(Path(root).parent / "many.json")) as node, ThreadPoolExecutor(8) as pool:
        started = [job for job in pool.map(start, range(JOBS + 8)) if job]
        assert len(started) == JOBS, len(started)
        with node.connect() as connection:
            connection.unary("capture.v1.Jobs/Control", pb.ControlJobRequest(id=started[0].id, action=pb.ControlJobRequest.STOP), pb.Job)
        again = [job for job in pool.map(start, range(8)) if job]
        assert len(again) == 1, again
        assert {job.id for job in node_jobs(node)} == {job.id for job in started[1:] + again}, node_jobs(node)


def node_jobs(node):
    with node.connect() as connection:
        return connection.unary("capture.v1.Jobs/List", pb.ListJobsRequest(), pb.JobList).jobs


def many(programs, root, count):
    """Many pictures are compared with the index, listed and looked at in time, while a stream runs."""
    with Node(programs, root) as node, node.connect() as connection:
        jpeg = store(connection, pb.STORE_MODE_ALSO).data
        small = subprocess.run(["djpeg", "-scale", "1/8"], input=jpeg, stdout=subprocess.PIPE, check=True).stdout
        small = subprocess.run(["cjpeg", "-quality", "50"], input=small, stdout=subprocess.PIPE, check=True).stdout
    for number in range(count):
        day = 1 + number % 28
        folder = Path(root) / "2025" / f"{1 + number // 28 % 12:02}" / f"{day:02}"
        if number < 28 * 12:
            folder.mkdir(parents=True, exist_ok=True)
        name = f"2025{1 + number // 28 % 12:02}{day:02}-{number // 3600 % 24:02}{number // 60 % 60:02}{number % 60:02}-000-{number:08x}.jpg"
        (folder / name).write_bytes(small)
    node = Node(programs, root)
    stream = subprocess.Popen(
        [programs / "capturectl", "--node", node.address, "--json", "stream", "0", "--duration", "3"], stdout=subprocess.PIPE, text=True)
    status, anew = node.reconciled()
    assert status.recovered == count and status.assets == count + 1, status
    frames = json.loads(stream.communicate(timeout=60)[0])
    # What is not known yet of the pictures is read behind that.
    began = time.monotonic()
    while any(asset.size.width == 0 for asset in node.assets()):
        assert time.monotonic() - began < count / 100 + 60
        time.sleep(0.5)
    node.kill()
    node.start()
    stream = subprocess.Popen(
        [programs / "capturectl", "--node", node.address, "--json", "stream", "0", "--duration", "3"], stdout=subprocess.PIPE, text=True)
    status, again = node.reconciled()
    assert status.recovered == status.lost == status.set_aside == 0, status
    lost = json.loads(stream.communicate(timeout=60)[0])
    with node.connect() as connection:
        times = []
        for _ in range(20):
            began = time.monotonic()
            page = connection.unary("capture.v1.Library/List", pb.ListAssetsRequest(page_size=100), pb.AssetPage)
            ids = [asset.id for asset in page.assets]
            thumbnails = list(connection.server_stream("capture.v1.Library/Thumbnails", pb.AssetIds(ids=ids), pb.Thumbnail, window=64))
            times.append(time.monotonic() - began)
            assert len(thumbnails) == 100 and all(thumbnail.data for thumbnail in thumbnails)
    node.kill()
    page = sorted(times)[len(times) // 2]
    print(f"# {count} files: index made anew {anew:.2f} s, compared {again:.2f} s (streams: {frames['frames']} and {lost['frames']} frames in 3 s); "
          f"100 entries with thumbnails {page * 1000:.1f} ms (worst of 20: {max(times) * 1000:.1f})", flush=True)
    assert again <= 10, "files and index are compared too slowly"
    assert page <= 0.1, "a page with thumbnails is too slow"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--assets", type=int, default=2000)
    parser.add_argument("--only", choices=["timed", "others"])
    options = parser.parse_args()
    tests = {
        "a killed node loses nothing that it promised": lambda root: kills(options.programs, root, options.kills),
        "what is wrong is refused, and nothing is lost": lambda root: bad(options.programs, root),
        "a deleted picture stays deleted": lambda root: deletion(options.programs, root),
        "a picture that the disk does not tell of keeps its entry": lambda root: untold(options.programs, root),
        "a picture that the disk cannot read is lost alone": lambda root: unreadable(options.programs, root),
        "a library whose mark cannot be read is unavailable": lambda root: unmarked(options.programs, root),
        "a timelapse keeps its grid over a restart": lambda root: timelapse(options.programs, root),
        "a timelapse is kept, or is as it was": lambda root: kept_jobs(options.programs, root),
        "jobs have a bound": lambda root: jobs_have_a_bound(options.programs, root),
        "many pictures are listed in time": lambda root: many(options.programs, root, options.assets),
    }
    if os.geteuid() == 0:
        tests["a full disk refuses, and leaves nothing behind"] = lambda root: full(options.programs, root)
        tests["a disk that is away is unavailable"] = lambda root: away(options.programs, root)
    if options.only:
        tests = {name: test for name, test in tests.items() if (name in TIMED) == (options.only == "timed")}
    failed = 0
    for name, test in tests.items():
        def in_a_folder(test=test):
            with tempfile.TemporaryDirectory(prefix="capture-library-") as folder:
                root = Path(folder) / "library"
                root.mkdir()
                test(root)

        failed += not passes(in_a_folder, name=name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

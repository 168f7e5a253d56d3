"""The library and the timelapses of a node through the Python client, as it is installed. Runs in the Python that it is to be tried with.

usage: test_library.py PROGRAMS

PROGRAMS is the directory of capture-node and capturectl. Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import asyncio
import contextlib
import datetime
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import remote_capture
from remote_capture import NodeError, aio, messages

PROGRAMS = Path(sys.argv[1])
sys.path.append(str(Path(__file__).resolve().parents[1] / "Interop"))

from cases import passes  # noqa: E402

LIMIT_S = 30
MB = 1 << 20


class Program:
    """A node with a library, which can be killed and come back with it."""

    def __init__(self, has_library=True):
        self.directory = tempfile.TemporaryDirectory(prefix="remote-capture-")
        self.folder = Path(self.directory.name)
        self.address = f"unix:{self.folder}/socket"
        configuration = {"listen": [self.address], "state": str(self.folder / "state.json"), "cameras": ["synthetic:320x240@30"], "logLevel": "error"}
        if has_library:
            subprocess.run([PROGRAMS / "capture-node", "library", "init", "--mark-only", self.folder / "library"], check=True, stdout=subprocess.DEVNULL)
            configuration["library"] = {"root": str(self.folder / "library"), "freeBytes": 0}
        (self.folder / "node.json5").write_text(json.dumps(configuration))
        self.process = None

    def start(self):
        self.process = subprocess.Popen([PROGRAMS / "capture-node", "--config", self.folder / "node.json5"], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(LIMIT_S)
        self.process.stdout.close()

    def restart(self):
        self.stop(signal.SIGKILL)
        self.start()

    def put(self, size):
        """Adds a photo, with comments in it until it has that size. Returns its name there and its bytes."""
        with remote_capture.connect(self.address) as node:
            photo = bytes(node.camera().photo(settle=0).data)
        missing = size - len(photo)
        count = missing // 60_000 + 1
        lengths = [missing // count + (number < missing % count) for number in range(count)]
        comments = b"".join(b"\xff\xfe" + (length - 2).to_bytes(2, "big") + os.urandom(length - 4) for length in lengths)
        path = self.folder / "large.jpg"
        path.write_bytes(photo[:2] + comments + photo[2:])
        put = [PROGRAMS / "capturectl", "--node", self.address, "--json", "library", "put", path]
        answer = json.loads(subprocess.run(put, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        return answer["assets"][0]["id"], path.read_bytes()


NODE = Program()


def raises(kind, act):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"nothing was refused; {kind.__name__} was expected")


# The blocking client


def test_photos_are_kept_found_labelled_and_deleted():
    with remote_capture.connect(NODE.address) as node:
        assert node.library.status().state == messages.LibraryStatus.OPEN
        assert node.library.authorization().read == messages.LIBRARY_PERMISSION_AUTHORIZED
        camera = node.camera()
        photos = [camera.photo(store="only", settle=0, tags={"Artist": "Ada"}) for _ in range(3)]
        names = [photo.asset for photo in reversed(photos)]
        assert not photos[0].data and "library.fetch" in str(raises(ValueError, lambda: photos[0].save("photo.jpg")))
        both = camera.photo(store="also", settle=0)
        assert both.data[:2] == b"\xff\xd8" and both.asset and not camera.photo(settle=0).asset
        assert [asset.id for asset in node.library.assets()] == [both.asset, *names]
        assert [asset.id for asset in node.library.get(*names)] == names
        assert [(name, jpeg[:2]) for name, jpeg in node.library.thumbnails(*names)] == [(name, b"\xff\xd8") for name in names]

        first, second = node.library.label(*names[:2], add=["door", "keep"])
        assert list(first.labels) == list(second.labels) == ["door", "keep"]
        assert list(node.library.label(names[0], remove=["door"])[0].labels) == ["keep"]
        assert [asset.id for asset in node.library.assets(labels=["door", "keep"])] == [names[1]]
        assert [asset.id for asset in node.library.assets(device=camera.name, media="image")] == [both.asset, *names]
        assert not list(node.library.assets(media="video")) and not list(node.library.assets(sequence="none"))
        now = datetime.datetime.now()
        hour = datetime.timedelta(hours=1)
        assert len(list(node.library.assets(since=now - hour, until=now + hour))) == 4
        assert not list(node.library.assets(since=now + hour)) and not list(node.library.assets(until=(now - hour).astimezone()))

        assert node.library.delete(*names, "20260101-000000-000-00000000") == names
        error = raises(NodeError, lambda: node.library.get(names[0]))
        assert error.code_name == "NOT_FOUND" and error.details.reason == messages.ERROR_REASON_UNKNOWN_NAME, error
        node.library.delete(both.asset)
        assert "there are image, video, audio" in str(raises(ValueError, lambda: next(node.library.assets(media="film"))))
        assert "there are also, only" in str(raises(ValueError, lambda: camera.photo(store="always")))


def test_more_than_a_page_and_more_than_a_call_takes():
    with remote_capture.connect(NODE.address) as node:
        before = {asset.id for asset in node.library.assets()}
        camera = node.camera()
        names = [camera.photo(store="only", settle=0, size=(32, 24), gravity="fill").asset for _ in range(130)]
        assert [asset.id for asset in node.library.assets() if asset.id not in before] == names[::-1]
        asked = names * 2 + names[:10]
        assert [asset.id for asset in node.library.get(*asked)] == asked
        assert len(list(node.library.thumbnails(*asked))) == 270
        assert sorted(node.library.delete(*names)) == sorted(names)


def test_a_download_goes_on_where_it_was_cut():
    name, expected = NODE.put(6 * MB)
    path = NODE.folder / "got.jpg"
    part = Path(f"{path}.part")

    def fetched(node, asset=name, **more):
        """The bytes, and how many there were after each piece."""
        counts = []
        resource = node.library.fetch(asset, path, progress=lambda count, total: counts.append(count) or total == len(expected) or 1 / 0, **more)
        assert resource.sha256 == hashlib.sha256(expected).digest() and not part.exists()
        assert counts == sorted(counts) and counts[-1] == len(expected)
        return path.read_bytes(), counts

    with remote_capture.connect(NODE.address) as node:
        assert fetched(node) == (expected, [count * MB for count in range(1, 7)])
        assert fetched(node, node.library.get(name)[0])[0] == expected
        part.write_bytes(expected[: 2 * MB + 7])
        assert fetched(node) == (expected, [min(2 * MB + 7 + count * MB, 6 * MB) for count in range(1, 5)])
        part.write_bytes(expected)
        assert node.library.fetch(name, path).bytes == len(expected) and path.read_bytes() == expected
        for other in (bytes(3 * MB), expected + b"more"):
            part.write_bytes(other)
            node.library.fetch(name, path)
            assert path.read_bytes() == expected, "what is of another file was kept"

        def give_up(count, total):
            if count >= 2 * MB:
                raise KeyboardInterrupt

        path.unlink()
        raises(KeyboardInterrupt, lambda: node.library.fetch(name, path, progress=give_up))
        assert part.read_bytes() == expected[: 2 * MB] and not path.exists()
        assert fetched(node)[1][0] == 3 * MB

        assert "has 1 resources" in str(raises(ValueError, lambda: node.library.fetch(name, path, resource=1)))
        assert raises(NodeError, lambda: node.library.fetch("20260101-000000-000-00000000", path)).code_name == "NOT_FOUND"
        assert raises(OSError, lambda: node.library.fetch(name, "/nowhere/photo.jpg")).errno == 2
        part.symlink_to(NODE.folder / "elsewhere")
        raises(OSError, lambda: node.library.fetch(name, path))
        part.unlink()
        node.library.delete(name)


def test_a_download_goes_on_with_a_node_that_was_killed():
    name, expected = NODE.put(12 * MB)
    path = NODE.folder / "got.jpg"
    for reconnect in (True, False):
        killed = []

        def kill(count, total):
            if count >= 5 * MB and not killed:
                killed.append(count)
                NODE.restart()

        with remote_capture.connect(NODE.address) as node:
            if reconnect:
                node.library.fetch(name, path, reconnect=True, progress=kill)
            else:
                error = raises(NodeError, lambda: node.library.fetch(name, path, progress=kill))
                assert error.code_name == "UNAVAILABLE", error
                assert Path(f"{path}.part").stat().st_size >= 5 * MB
                node.library.fetch(name, path)
            assert killed and path.read_bytes() == expected
        path.unlink()
    with remote_capture.connect(NODE.address) as node:
        node.library.delete(name)


def test_a_watch_misses_nothing_over_a_restart():
    with remote_capture.connect(NODE.address) as node, remote_capture.connect(NODE.address) as other:
        events = node.library.watch(reconnect=True)
        kinds = messages.AssetEvent
        assert next(events).kind == kinds.CURRENT
        first = other.camera().photo(store="only", settle=0).asset
        event = next(events)
        assert (event.kind, event.asset.id) == (kinds.ADDED, first)
        NODE.restart()
        with remote_capture.connect(NODE.address) as third:
            second = third.camera().photo(store="only", settle=0).asset
            third.library.delete(first)
            seen = {}
            for event in events:
                seen[event.asset.id] = event.kind
                if len(seen) == 2 and {first, second} == seen.keys():
                    break
            assert seen == {first: kinds.DELETED, second: kinds.ADDED}, seen
            from_before = third.library.watch(event.token)
            assert next(from_before).kind == kinds.CURRENT
            third.library.delete(second)


def test_a_timelapse_begins_and_ends():
    with remote_capture.connect(NODE.address) as node:
        camera = node.camera()
        job = camera.timelapse(1, count=2, labels=["roof"], settle=0, size=(160, 120))
        assert job.state().state == messages.JOB_STATE_RUNNING and job.state().timelapse.interval_ms == 1000
        assert [other.id for other in node.jobs()] == [job.id]
        for event in job.watch():
            if event.job.state == messages.JOB_STATE_DONE:
                break
        assert event.job.done == 2, event
        photos = list(node.library.assets(sequence=job.id))
        assert len(photos) == 2 and all(list(photo.labels) == ["roof"] and photo.size.width == 160 for photo in photos)
        long = camera.timelapse(3600, lock_exposure=True)
        present = node.watch_jobs()
        assert {next(present).job.id, next(present).job.id} == {job.id, long.id}
        assert node.job(long.id).stop().state == messages.JOB_STATE_STOPPED
        for one in (job, long):
            one.remove()
        error = raises(NodeError, job.state)
        assert error.code_name == raises(NodeError, job.stop).code_name == "NOT_FOUND" and "there are: none" in error.text, error
        error = raises(NodeError, lambda: camera.timelapse(0.5))
        assert error.code_name == "INVALID_ARGUMENT" and error.details.field == "timelapse.interval_ms", error
        node.library.delete(*(photo.id for photo in photos))


def test_a_node_without_a_library_says_so():
    bare = Program(has_library=False)
    bare.start()
    try:
        with remote_capture.connect(bare.address) as node:
            assert node.library.status().state == messages.LibraryStatus.NOT_CONFIGURED
            for act in (lambda: next(node.library.assets()), lambda: node.library.get("a"), lambda: node.camera().timelapse(1)):
                assert raises(NodeError, act).code_name == "FAILED_PRECONDITION"
    finally:
        bare.stop()


# asyncio


def test_asyncio_does_the_same():
    async def everything():
        async with await aio.connect(NODE.address) as node:
            camera = await node.camera()
            names = [(await camera.photo(store="only", settle=0)).asset for _ in range(3)]
            assert (await node.library.status()).assets == 3 and (await node.library.authorization()).add == messages.LIBRARY_PERMISSION_AUTHORIZED
            assert [asset.id async for asset in node.library.assets(device=camera.name)] == names[::-1]
            assert [asset.id for asset in await node.library.get(*names)] == names
            assert [name async for name, jpeg in node.library.thumbnails(*names) if jpeg[:2] == b"\xff\xd8"] == names
            assert [list(asset.labels) for asset in await node.library.label(names[0], add=["door"])] == [["door"]]
            paths = [NODE.folder / f"{name}.jpg" for name in names]
            resources = await asyncio.gather(*(node.library.fetch(*pair) for pair in zip(names, paths)))
            assert [hashlib.sha256(path.read_bytes()).digest() for path in paths] == [resource.sha256 for resource in resources]

            async with contextlib.aclosing(node.library.watch()) as events:
                assert (await anext(events)).kind == messages.AssetEvent.CURRENT
                assert await node.library.delete(*names) == names
                assert {(await anext(events)).asset.id for _ in names} == set(names)

            job = await camera.timelapse(1, count=1, settle=0)
            async with contextlib.aclosing(job.watch()) as events:
                async for event in events:
                    if event.job.state == messages.JOB_STATE_DONE:
                        break
            photos = [asset.id async for asset in node.library.assets(sequence=job.id)]
            assert len(photos) == 1 and [one.id for one in await node.jobs()] == [job.id] and (await job.state()).done == 1
            long = await camera.timelapse(3600)
            async with contextlib.aclosing(node.watch_jobs()) as events:
                assert {(await anext(events)).job.id for _ in range(2)} == {job.id, long.id}
            assert (await long.stop()).state == messages.JOB_STATE_STOPPED
            for one in (job, node.job(long.id)):
                await one.remove()
            try:
                await job.state()
                raise AssertionError("a removed job has a state")
            except NodeError as error:
                assert error.code_name == "NOT_FOUND"
            await node.library.delete(*photos)

    asyncio.run(asyncio.wait_for(everything(), LIMIT_S))


def test_an_asyncio_download_goes_on_after_a_cancellation_and_a_kill():
    name, expected = NODE.put(12 * MB)
    path = NODE.folder / "got.jpg"

    async def download():
        async with await aio.connect(NODE.address) as node:
            reached = asyncio.Event()
            fetching = asyncio.create_task(node.library.fetch(name, path, progress=lambda count, _: count >= 3 * MB and reached.set()))
            await reached.wait()
            fetching.cancel()
            assert isinstance((await asyncio.gather(fetching, return_exceptions=True))[0], asyncio.CancelledError)
            assert not path.exists()
            counts = []

            def kill(count, total):
                if count >= 8 * MB and not any(before >= 8 * MB for before in counts):
                    NODE.restart()
                counts.append(count)

            await node.library.fetch(name, path, reconnect=True, progress=kill)
            assert path.read_bytes() == expected and counts[0] >= 4 * MB
            await node.library.delete(name)

    asyncio.run(asyncio.wait_for(download(), LIMIT_S))


def main():
    failed = 0
    NODE.start()
    try:
        for name, test in [(name, test) for name, test in globals().items() if name.startswith("test_")]:
            failed += not passes(test)
    finally:
        NODE.stop()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

"""The Python client, as it is installed, against a node. Runs in the Python that it is to be tried with.

usage: test_client.py PROGRAMS [--figures]

PROGRAMS is the directory of capture-node and capturectl; `--figures` also measures, for programs that were built for release. Prints a line "ok NAME" or
"not ok NAME" for each test; the status is 0 when all are ok.
"""

import asyncio
import contextlib
import errno
import grp
import math
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from unittest.mock import patch

import google.protobuf
import remote_capture
from remote_capture import KnownNode, KnownNodeError, NodeError, aio, messages, pairing, requests, retry
from remote_capture.frames import Frame, PixelLayoutError, fourcc
from remote_capture.identity import FollowedCamera
from remote_capture.requests import Request
from remote_capture.wire.address import Address
from remote_capture.wire.connection import no_connection
from remote_capture.wire.packets import PREFIX, PacketReader, packet

PROGRAMS = Path(sys.argv[1])
PROJECT = Path(__file__).resolve().parents[2]
sys.path += [str(PROJECT / "Tests/Support"), str(PROJECT / "Tests/Interop")]

from cases import passes  # noqa: E402
from far_node import FarNode  # noqa: E402

LIMIT_S = 30


class Program:
    """A node, which can be killed and come back at the same socket."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="remote-capture-")
        self.address = f"unix:{self.directory.name}/socket"
        self.process = None

    def start(self, *cameras):
        self.process = subprocess.Popen(
            [PROGRAMS / "capture-node", "--listen", self.address, "--trust-local-users", "--listen", "127.0.0.1:0", "--state", "none", "--enable-test-service",
             "--log-level", "warning", *(word for camera in cameras or ("synthetic:640x480@30", "synthetic:physics") for word in ("--camera", camera))],
            stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.tcp = self.process.stdout.readline().split()[-1]

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(LIMIT_S)
        self.process.stdout.close()


NODE = Program()


def raises(kind, act):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"nothing was refused; {kind.__name__} was expected")


# The blocking client


def test_lists_describes_sets_and_takes_a_photo():
    with remote_capture.connect(NODE.address) as node:
        assert [camera.name for camera in node.cameras()] == ["synthetic-0", "synthetic-physics-1"]
        camera = node.camera()
        assert camera.name == node.devices().default_device
        physics = node.camera("1")
        ranges = physics.describe().exposure.duration
        assert 0 < ranges.minimum < ranges.maximum
        photo = physics.photo(size=(320, 240), gravity="fill", settle=0, tags={"Artist": "Ada"})
        assert photo.data[:2] == b"\xff\xd8" and photo.metadata.tags[0].value == "Ada"
        assert (photo.info.size.width, photo.info.size.height) == (320, 240)
        path = Path(NODE.directory.name) / "photo.jpg"
        photo.save(path)
        assert path.read_bytes() == photo.data
        assert raises(OSError, lambda: photo.save("/nowhere/photo.jpg")).errno == 2


def test_a_change_is_awaited_to_its_first_frame():
    with remote_capture.connect(NODE.address) as node:
        camera = node.camera("1")
        frames = camera.frames(format="grey", size=(160, 120), gravity="resize")
        next(frames)
        change = camera.set(exposure={"duration": 1 / 200}, wait=True)
        assert change.applied.change == change.number and change.applied.frame.sequence > 0
        assert abs(change.settings.exposure.duration.value - 1 / 200) < 1e-4
        first = next(frame for frame in frames if frame.info.settings.change >= change.number)
        assert first.info.sequence <= change.applied.frame.sequence + 30
        camera.set(focus={"mode": "auto"}, wait=True, timeout=25)
        assert camera.settings().focus.mode == messages.FOCUS_MODE_LOCKED
        frames.close()
        assert node.camera("0").set(controls={"brightness": 60}, wait=True).applied.next_stream


def test_frames_are_arrays_in_each_format():
    import numpy

    shapes = {"bgr24": (480, 640, 3), "rgb24": (480, 640, 3), "bgra": (480, 640, 4), "nv12": (720, 640), "i420": (720, 640), "grey": (480, 640)}
    pictures = {}
    with remote_capture.connect(NODE.address) as node:
        for name, shape in shapes.items():
            frame = next(node.camera("0").frames(format=name))
            picture = frame.array
            assert picture.shape == shape and picture.dtype == numpy.uint8 and picture.flags.writeable and picture.flags.c_contiguous, name
            pictures[name] = picture
        jpeg = next(node.camera("0").frames())
        assert bytes(jpeg.array[:2]) == b"\xff\xd8"
        # The scene moves a little from picture to picture. Its colours tell the order of the channels all the same.
        row = {name: pictures[name][100].astype(int) for name in ("bgr24", "rgb24", "bgra")}
        assert numpy.ptp(row["rgb24"], axis=1).max() > 60, "no colour in the scene"
        for name in ("bgr24", "bgra"):
            as_named = numpy.abs(row[name][:, :3] - row["rgb24"][:, ::-1]).mean()
            swapped = numpy.abs(row[name][:, :3] - row["rgb24"]).mean()
            assert 2 * as_named < swapped, (name, as_named, swapped)
        assert (pictures["bgra"][:, :, 3] == 255).all()


def test_a_slow_reader_gets_the_newest_frame():
    with remote_capture.connect(NODE.address) as node:
        frames = node.camera("0").frames(format="jpeg", window=1)
        first = next(frames)
        time.sleep(0.7)
        late = max((next(frames) for _ in range(2)), key=lambda frame: frame.discarded)
        assert late.discarded > 5 and late.info.sequence - first.info.sequence > late.discarded
        frames.close()


def test_refusals_have_details():
    with remote_capture.connect(NODE.address) as node:
        camera = node.camera("0")
        error = raises(NodeError, lambda: camera.set(exposure={"duration": 1e9}))
        assert error.code_name == "INVALID_ARGUMENT" and error.details.reason == messages.ERROR_REASON_VALUE_OUT_OF_RANGE
        assert camera.set(exposure={"duration": 1e9}, clamp=True).clamped
        assert raises(NodeError, lambda: node.camera("nothing").settings()).code_name == "NOT_FOUND"
        assert "there are focus, exposure" in str(raises(ValueError, lambda: camera.set(exposition={})))
        assert "exposure.mode is one of locked, auto" in str(raises(ValueError, lambda: camera.set(exposure={"mode": "slow"})))
        assert "exposure.duration does not take" in str(raises(ValueError, lambda: camera.set(exposure={"duration": "long"})))
        assert "nothing to set" in str(raises(ValueError, lambda: camera.set()))
        assert "bgr24" in str(raises(ValueError, lambda: next(camera.frames(format="png"))))


def test_watches_see_what_others_set():
    with remote_capture.connect(NODE.address) as node, remote_capture.connect(NODE.tcp) as other:
        events = node.camera("1").watch("zoom")
        assert not next(events).changed
        other.camera("1").set(zoom={"factor": 2.0})
        assert "zoom.factor" in next(events).changed
        devices = node.watch()
        assert next(devices).kind == messages.DeviceEvent.PRESENT
        other.camera("1").set(zoom={"factor": 1.0})


def test_a_lease_keeps_others_out():
    with remote_capture.connect(NODE.address) as node, remote_capture.connect(NODE.address) as other:
        with node.camera("1").lock(holder="ada") as lease:
            refused = raises(NodeError, lambda: other.camera("1").set(zoom={"factor": 2.0}))
            assert refused.details.holder == "ada"
            node.camera("1").set(zoom={"factor": 1.5}, lease=lease)
        other.camera("1").set(zoom={"factor": 1.0})


def await_renewal(node):
    """Waits until the one lease that is held has more time left than a moment ago."""
    left = math.inf
    while True:
        (lease,) = node.call(Request("capture.v1.Leases/List", messages.ListLeasesRequest(), messages.ListLeasesResponse)).leases
        if lease.remaining_ms > left:
            return
        left = lease.remaining_ms
        time.sleep(0.02)


def test_a_lock_lasts_as_long_as_its_block():
    async def use(other):
        async with await aio.connect(NODE.address) as node, (await node.camera("1")).lock(seconds=6):
            await asyncio.to_thread(await_renewal, other)

    with remote_capture.connect(NODE.address) as node, remote_capture.connect(NODE.address) as other:
        with node.camera("1").lock(seconds=6):
            await_renewal(other)
        asyncio.run(use(other))
        other.camera("1").set(zoom={"factor": 1.0})


def test_a_lock_that_is_lost_does_not_hide_what_its_block_raised():
    end = Request("capture.v1.Leases/Release", messages.ReleaseLeaseRequest(device="1", force=True, holder="bob"), messages.ReleaseLeaseResponse)

    def blocking(error=None):
        with remote_capture.connect(NODE.address) as node, node.camera("1").lock():
            node.call(end)
            if error:
                raise error

    async def waiting(error=None):
        async with await aio.connect(NODE.address) as node, (await node.camera("1")).lock():
            await node.call(end)
            if error:
                raise error

    for block in blocking, lambda *given: asyncio.run(waiting(*given)):
        raises(ZeroDivisionError, lambda: block(ZeroDivisionError()))
        lost = raises(NodeError, block)
        assert lost.details.reason == messages.ERROR_REASON_LEASE_LOST and lost.details.holder == "bob", lost


def test_a_session_runs_and_gives_frames_and_photos():
    with remote_capture.connect(NODE.address) as node:
        session = node.session("door")
        state = session.configure("0", preset="640x480", connections=[{"output": "video", "orientation": 90}], start=True)
        assert state.running and [other.session for other in node.sessions()] == ["door"]
        events = session.events()
        assert next(events).kind == messages.SessionEvent.STATE
        frame = next(session.frames(format="grey"))
        assert frame.array.shape == (640, 480)
        assert session.photo(settle=0).data[:2] == b"\xff\xd8"
        assert not session.stop().running
        session.close()
        assert raises(NodeError, session.state).code_name == "NOT_FOUND"
        assert "there are photo, high" in str(raises(ValueError, lambda: session.configure("0", preset="best")))


def test_a_session_is_changed_under_the_locks_of_its_cameras():
    outputs, connections = {"left": "video", "right": "video"}, [{"device": "0", "output": "left"}, {"device": "1", "output": "right"}]
    with remote_capture.connect(NODE.address) as node:
        session = node.session("pair")

        def configure(lease=None):
            return session.configure("0", "1", outputs=outputs, connections=connections, start=True, lease=lease)

        with node.camera("0").lock() as left, node.camera("1").lock() as right:
            both = [left, right]
            for refused in configure, lambda: configure(left):
                assert raises(NodeError, refused).details.reason == messages.ERROR_REASON_LEASE_HELD
            assert configure(both).running
            assert raises(NodeError, session.stop).details.reason == messages.ERROR_REASON_LEASE_HELD
            assert not session.stop(lease=both).running
            assert session.start(lease=both).running
            session.close(lease=both)
            assert raises(NodeError, session.state).code_name == "NOT_FOUND"


def test_a_photo_is_larger_than_the_stream_that_runs():
    with remote_capture.connect(NODE.address) as node:
        camera = node.camera("0")
        frames = camera.frames(format="grey", size=(160, 120), window=1)
        assert next(frames).array.shape[:2] == (120, 160)
        assert camera.photo(settle=0).info.size.width == 160
        assert camera.photo(settle=0, full_size="switch").info.size.width > 160
        frame = next(frame for frame in frames if frame.info.sequence == 0 or frame.discontinuity)
        assert frame.array.shape[:2] == (120, 160)
        with camera.lock(10) as token:
            assert raises(NodeError, lambda: camera.photo(settle=0, full_size="switch")).details.reason == messages.ERROR_REASON_LEASE_HELD
            assert camera.photo(settle=0, full_size="switch", lease=token).info.size.width > 160
        assert camera.photo(settle=0, full_size="big").info.size.width > 160
        # The camera stays in that size for a while, and the frames do not.
        assert camera.photo(settle=0).info.size.width > 160
        assert next(frames).array.shape[:2] == (120, 160)
        frames.close()
        assert "there are stream, switch, big" in str(raises(ValueError, lambda: camera.photo(full_size="large")))


def test_many_threads_share_a_connection():
    with remote_capture.connect(NODE.address) as node:
        answers = []

        def work():
            for _ in range(50):
                answers.append(node.camera("0").settings().device)
            answers.append(sum(1 for _, frame in zip(range(5), node.camera("0").frames())))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT_S)
        assert answers.count("synthetic-0") == 400 and answers.count(5) == 8


def test_a_connection_at_rest_answers_pings_and_costs_nothing():
    with remote_capture.connect(NODE.address) as node:
        assert node.ping() < 1
        before = time.process_time()
        time.sleep(1.5)
        assert time.process_time() - before < 0.1
        assert node.ping() < 1


def test_streams_go_on_with_the_next_node():
    with remote_capture.connect(NODE.address) as node:
        frames = node.camera("0").frames(reconnect=True)
        watch = node.camera("0").watch(reconnect=True)
        next(frames), next(watch)
        NODE.stop(signal.SIGKILL)
        lost = raises(NodeError, node.info)
        assert lost.code_name == "UNAVAILABLE" and lost.details.reason == messages.ERROR_REASON_NODE_UNREACHABLE
        NODE.start()
        received = [next(frames) for _ in range(3)]
        while not received[-1].reconnected and len(received) < 10:
            received.append(next(frames))
        assert [frame.reconnected for frame in received].count(True) == 1
        assert any(not event.changed for _, event in zip(range(20), watch))  # the first of the new node
        assert node.info().version  # a new connection
    stream = remote_capture.connect(NODE.address).camera("0").frames()
    next(stream)
    NODE.stop(signal.SIGKILL)
    try:
        assert raises(NodeError, lambda: [None for _ in stream]).code_name == "UNAVAILABLE"
    finally:
        NODE.start()


def test_no_node_is_said_clearly():
    assert "Is capture-node running there?" in str(raises(NodeError, lambda: remote_capture.connect("unix:/tmp/no-such-node")))
    assert "put an IPv6 address into [ ]" in str(raises(ValueError, lambda: remote_capture.connect("::1:7311")))
    assert "has no URL" in str(raises(ValueError, lambda: remote_capture.connect("http://host:7311")))
    assert Address.parse("[::1]") == Address(host="::1") and str(Address.parse("host")) == "host:7311"


def test_who_may_not_open_the_socket_is_told_which_group_may():
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = f"{folder}/socket"
        listener.bind(path)
        if os.geteuid() == 0:  # nobody is advised to join root's group
            os.chown(path, -1, grp.getgrnam("daemon").gr_gid)
        group = grp.getgrgid(os.stat(path).st_gid).gr_name
        error = PermissionError(errno.EACCES, "Permission denied")
        os.chmod(path, 0o660)
        assert f"members of the group '{group}' may: sudo usermod -aG {group} $USER" in no_connection(Address(path=path), error)
        os.chmod(path, 0o600)
        assert no_connection(Address(path=path), error) == f"unix:{path}: Permission denied; root and the node's own user may: use sudo"


@contextlib.contextmanager
def silent_port():
    """A port of this machine that answers nobody: its backlog is full, so the kernel drops every further SYN."""
    with contextlib.ExitStack() as sockets:
        listener = sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        for _ in range(100):
            caller = sockets.enter_context(socket.socket())
            caller.settimeout(0.2)  # within a machine an answer takes no time
            try:
                caller.connect(listener.getsockname())
            except TimeoutError:
                break
        else:
            raise AssertionError("the backlog does not fill")
        yield listener.getsockname()


@contextlib.contextmanager
def every_name_leads_to(*places):
    resolver = socket.getaddrinfo
    socket.getaddrinfo = lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place) for place in places]
    try:
        yield
    finally:
        socket.getaddrinfo = resolver


def cameras_of_a_name(timeout):
    """Two ways to count the cameras of the node that a host's name leads to: in blocking code, and with asyncio."""
    def blocking():
        with remote_capture.connect("studio.example", timeout) as node:
            return len(node.cameras())

    async def waiting():
        async with await aio.connect("studio.example", timeout) as node:
            return len(await node.cameras())

    return blocking, lambda: asyncio.run(waiting())


def test_an_address_that_does_not_answer_delays_the_next_by_a_moment():
    host, port = NODE.tcp.rsplit(":", 1)
    with silent_port() as silent, every_name_leads_to(silent, (host, int(port))):
        for cameras in cameras_of_a_name(timeout=20):
            start = time.monotonic()
            assert cameras() == 2
            assert time.monotonic() - start < 10, f"after {time.monotonic() - start:.1f} s"


def test_all_addresses_together_have_the_time_of_one():
    with silent_port() as silent, every_name_leads_to(silent, silent, silent):
        for cameras in cameras_of_a_name(timeout=2):
            start = time.monotonic()
            assert raises(NodeError, cameras).code_name == "UNAVAILABLE"
            assert time.monotonic() - start < 5, f"after {time.monotonic() - start:.1f} s"


def test_an_address_that_refuses_makes_way_at_once():
    host, port = NODE.tcp.rsplit(":", 1)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and it does not listen
        with every_name_leads_to(closed.getsockname(), (host, int(port))):
            for cameras in cameras_of_a_name(timeout=20):
                assert cameras() == 2
        with every_name_leads_to(closed.getsockname()):
            for cameras in cameras_of_a_name(timeout=20):
                assert "Is capture-node running there?" in str(raises(NodeError, cameras))


def test_a_closed_node_takes_no_calls():
    node = remote_capture.connect(NODE.address)
    frames = node.camera("0").frames(reconnect=True)
    next(frames)
    node.close()
    assert raises(NodeError, node.info).code_name == "UNAVAILABLE"
    assert raises(NodeError, lambda: [None for _ in frames]).code_name == "UNAVAILABLE"


def test_a_stream_keeps_its_node_connected():
    answers = remote_capture.connect(NODE.address).stream(requests.watch_devices())
    assert next(answers)[0].device.id == "synthetic-0"
    answers.close()


# asyncio


def test_fifty_cameras_share_one_thread():
    async def stream(number, counts):
        async with await aio.connect(NODE.address) as node:
            camera = await node.camera("0")
            await camera.settings()
            async with contextlib.aclosing(camera.frames(format="grey", size=(160, 120))) as frames:
                async for frame in frames:
                    counts[number] += len(frame.data) == 160 * 120
                    if counts[number] == 5:
                        return

    async def everybody():
        counts = [0] * 50
        tasks = [asyncio.ensure_future(stream(number, counts)) for number in range(50)]
        while not all(task.done() for task in tasks):
            assert not set(threading.enumerate()) - threads
            await asyncio.sleep(0.01)
        await asyncio.gather(*tasks)
        assert counts == [5] * 50

    # Some of them are of closed connections of other tests, and end meanwhile.
    threads = set(threading.enumerate())
    asyncio.run(everybody())


def test_asyncio_does_what_blocking_code_does():
    async def use():
        async with await aio.connect(NODE.tcp) as node:
            assert len(await node.cameras()) == 2
            camera = await node.camera("1")
            assert (await camera.photo(settle=0)).data[:2] == b"\xff\xd8"
            change = await camera.set(zoom={"factor": 1.5}, wait=True)
            assert change.applied.change == change.number
            async with camera.lock(holder="ada") as lease:
                await camera.set(zoom={"factor": 1.0}, lease=lease)
            session = node.session("")
            async with (await node.camera("0")).lock() as lease:
                assert not (await session.configure("0", start=True, lease=lease)).named
                assert (await session.photo(settle=0)).data
                assert not (await session.stop(lease)).running
                assert (await session.start(lease)).running
                await session.close(lease)
            assert await node.ping() < 1
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(_all(camera.watch("zoom")), 0.2)
            try:
                await (await node.camera("7")).settings()
                raise AssertionError("there is no camera 7")
            except NodeError as error:
                assert error.code_name == "NOT_FOUND"

    asyncio.run(use())


async def _all(events):
    return [event async for event in events]


def test_asyncio_goes_on_with_the_next_node():
    async def use():
        async with await aio.connect(NODE.address) as node:
            camera = await node.camera("0")
            frames = camera.frames(reconnect=True)
            await frames.__anext__()
            NODE.stop(signal.SIGKILL)
            NODE.start()
            assert any([(await frames.__anext__()).reconnected for _ in range(6)])
            await frames.aclose()

    asyncio.run(use())


def test_asyncio_says_that_there_is_no_node():
    async def use():
        try:
            await aio.connect("unix:/tmp/no-such-node")
            raise AssertionError("there is no such node")
        except NodeError as error:
            assert "Is capture-node running there?" in str(error)

    asyncio.run(use())


# Both


class Followers:
    """Three that follow a camera over restarts of its node, until it is back: its frames, in blocking code and with asyncio, and its settings.

    `seen`: of each, the sizes of the frames, or the devices of the settings. `ends`: of each that has ended, its error or None.
    """

    def __init__(self, address, name):
        self.address, self.name = address, name
        self.seen, self.ends = {"frames": [], "asyncio": [], "settings": []}, {}
        for follow in self.frames, self.asyncio, self.settings:
            threading.Thread(target=self.run, args=(follow,), daemon=True).start()

    def run(self, follow):
        try:
            self.ends[follow.__name__] = follow(self.seen[follow.__name__])
        except Exception as error:
            self.ends[follow.__name__] = error

    def frames(self, seen):
        with remote_capture.connect(self.address) as node:
            for frame in node.camera(self.name).frames(reconnect=True):
                seen.append(frame.size)
                if frame.reconnected:
                    return

    def asyncio(self, seen):
        async def follow():
            async with await aio.connect(self.address) as node, contextlib.aclosing((await node.camera(self.name)).frames(reconnect=True)) as frames:
                async for frame in frames:
                    seen.append(frame.size)
                    if frame.reconnected:
                        return

        asyncio.run(follow())

    def settings(self, seen):
        with remote_capture.connect(self.address) as node:
            for event in node.camera(self.name).watch(reconnect=True):
                seen.append(event.settings.device)
                if not event.changed and len(seen) > 1:  # the first event of another call
                    return

    def wait(self, is_so):
        deadline = time.monotonic() + LIMIT_S
        while not is_so():
            assert time.monotonic() < deadline and not any(self.ends.values()), (self.seen, self.ends)
            time.sleep(0.02)

    def have_asked_in_vain(self):
        """Waits until each of them has come to a node without the camera, and has asked that again and again."""
        own = 0
        with remote_capture.connect(self.address) as node:

            def is_so():
                nonlocal own
                own += 1
                assert not self.ends, (self.seen, self.ends)
                status = node.status()
                return status.clients > len(self.seen) and status.calls_total - own >= 2 * len(self.seen)

            self.wait(is_so)


def what_followers_see(name):
    """Of the camera synthetic-0, in the second of three runs of a node that has no such camera in it, and another one at its index."""
    program = Program()
    program.start("synthetic:640x480@30", "synthetic:physics:320x240@30")
    retry.LONGEST_PAUSE_S, pause = 0.2, retry.LONGEST_PAUSE_S
    try:
        followers = Followers(program.address, name)
        followers.wait(lambda: all(followers.seen.values()))
        program.stop()
        program.start("synthetic:physics:320x240@30")
        followers.have_asked_in_vain()
        program.stop()
        program.start("synthetic:640x480@30", "synthetic:physics:320x240@30")
        followers.wait(lambda: len(followers.ends) == len(followers.seen))
        return followers.seen
    finally:
        retry.LONGEST_PAUSE_S = pause
        program.stop()


def test_no_other_camera_takes_the_place_of_one_that_is_followed():
    for name in "0", "Synthetic Camera":
        seen = what_followers_see(name)
        assert {*seen["frames"], *seen["asyncio"]} == {(640, 480)} and {*seen["settings"]} == {"synthetic-0"}, seen


def test_a_name_is_taken_for_the_camera_that_the_node_takes_it_for():
    with remote_capture.connect(NODE.address) as node:
        for name in "0", "1", "2", "00", "synthetic-0", "SYNTHETIC-P", "synthetic", "physics", "camera 0", "Synthetic Camera", "nothing", "":
            try:
                found = node.camera(name).settings().device
            except NodeError:
                found = None
            followed = FollowedCamera(name, None)
            assert (followed.name_among(node.devices().devices), followed.identity) == (found or name, found), name


def test_an_identity_is_no_part_of_another_one():
    """As of a camera with two interfaces, of which the node has found one."""
    whole, part = messages.Device(id="usb-1-046d_0825-if2"), messages.Device(id="usb-1-046d_0825")
    for followed in FollowedCamera("usb-1-046d_0825", None), FollowedCamera("0", part):
        assert followed.name_among([whole, part]) == part.id
        assert raises(NodeError, lambda: followed.name_among([whole])).code_name == "NOT_FOUND"


def test_a_camera_that_a_client_waited_to_see_is_followed_from_its_first_frame():
    followed = []

    def made(*given):
        followed.append(FollowedCamera(*given))
        return followed[-1]

    subscribe = Request("capture.v1.Video/Subscribe", messages.SubscribeRequest(device="0"), messages.VideoFrame)
    with FarNode(PROGRAMS / "capture-node") as far, remote_capture.connect(viewer_of_nothing(far)) as node, patch("remote_capture.node.FollowedCamera", made):
        node.request_access(["*"])
        frames = node.resumed(lambda: subscribe, 2, True, node.camera("0"))
        assert next(frames)[0].awaits_access and followed[0].identity is None
        decide(far, "approve", node.authorization().client)
        assert next(frames)[1] and followed[0].identity == "synthetic-0"


def test_a_camera_that_the_next_node_has_not_found_yet_is_waited_for():
    what_followers_see("synthetic-0")
    with remote_capture.connect(NODE.address) as node:
        for ask in node.camera("nothing").frames, node.camera("nothing").watch, node.session("nothing").events, node.session("nothing").frames:
            assert raises(NodeError, lambda: next(ask(reconnect=True))).code_name == "NOT_FOUND"


# Across the network


def test_a_line_pairs_and_the_name_is_enough_from_then_on():
    with FarNode(PROGRAMS / "capture-node") as far:
        line = far.line()
        paired = remote_capture.pair(line, "studio", folder=far.known)
        file = far.known / "studio.json"
        assert file.stat().st_mode & 0o777 == 0o600 and sorted(os.listdir(far.known)) == ["lock", "studio.json"]
        assert remote_capture.known_names(far.known) == ["studio"] and KnownNode.load("studio", far.known) == paired
        assert paired.client and paired.secret not in repr(paired) + repr(paired.endpoint)
        with remote_capture.connect(paired) as node:
            assert [camera.name for camera in node.cameras()] == ["synthetic-0"]
            camera = node.camera()
            photo = camera.photo()
            assert photo.data[:2] == b"\xff\xd8"
            for frame, _ in zip(camera.frames(format="bgra"), range(5)):
                assert frame.array.shape == (480, 640, 4)
        # capturectl knows what Python has written, and Python what capturectl has.
        told = subprocess.run([PROGRAMS / "capturectl", "--node", "studio", "devices"], env=far.environment, capture_output=True, text=True, timeout=LIMIT_S)
        assert "synthetic-0" in told.stdout, told.stderr
        done = subprocess.run(
            [PROGRAMS / "capturectl", "pair", "--name", "other"], input=far.line(), env=far.environment, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 0, done.stderr
        remote_capture.connect(KnownNode.load("other", far.known)).close()
        # $CAPTURE_NODE takes the name, as for capturectl; what no node is known by is an address.
        with patch.dict(os.environ, CAPTURE_NODE="studio", XDG_CONFIG_HOME=str(far.known.parents[1])):
            remote_capture.connect().close()
            asyncio.run(connected_and_closed())
            assert "is known already" in str(raises(ValueError, lambda: remote_capture.connect(key=far.key)))
            os.environ["CAPTURE_NODE"] = NODE.address
            remote_capture.connect().close()
        # The code was used, with another secret than this one's.
        error = raises(NodeError, lambda: remote_capture.pair(line, "again", folder=far.known))
        assert error.code_name == "UNAUTHENTICATED" and error.details.reason == messages.ERROR_REASON_CODE_REFUSED, error


async def connected_and_closed():
    await (await aio.connect()).close()


def viewer_of_nothing(far):
    """A client that may see no camera of the node, and ask for some."""
    return remote_capture.pair(far.told("pair", "--address", "127.0.0.1", "--port", str(far.port), "--role", "view", "--cameras", "nothing-*"), "asker", folder=far.known)


def decide(far, *words):
    subprocess.run([PROGRAMS / "capturectl", "access", *words, "--node", far.socket], check=True, capture_output=True, timeout=LIMIT_S)


def test_a_client_asks_for_a_camera_and_gets_it():
    with FarNode(PROGRAMS / "capture-node") as far, remote_capture.connect(viewer_of_nothing(far)) as node:
        assert node.cameras() == []
        assert node.authorization("synthetic-0").authorization == messages.AUTHORIZATION_STATUS_NOT_DETERMINED
        changes = node.watch_authorization("synthetic-0")
        assert next(changes).authorization == messages.AUTHORIZATION_STATUS_NOT_DETERMINED
        assert list(node.request_access(["synthetic-*"], "control").wanted.cameras) == ["synthetic-*"]
        assert next(changes).wanted.role == messages.ROLE_CONTROL
        assert not node.withdraw_access_request().HasField("wanted")
        assert not next(changes).HasField("wanted")
        node.request_access(["synthetic-*"])
        next(changes)
        decide(far, "approve", node.authorization().client)
        assert next(changes).authorization == messages.AUTHORIZATION_STATUS_AUTHORIZED
        assert [camera.name for camera in node.cameras()] == ["synthetic-0"]
        assert "view, control or admin" in str(raises(ValueError, lambda: node.request_access(role="owner")))
        assert "video or library" in str(raises(ValueError, lambda: node.request_access(media=["audio"])))
        assert list(node.request_access(["synthetic-*"], "control", media=["library"]).wanted.media) == [messages.MEDIUM_LIBRARY]
        decide(far, "approve", node.authorization().client)
        assert node.authorization("synthetic-0", "control", "library").authorization == messages.AUTHORIZATION_STATUS_AUTHORIZED
        assert node.authorization("synthetic-0", "control").authorization == messages.AUTHORIZATION_STATUS_NOT_DETERMINED
        assert [(grant.role, list(grant.media)) for grant in node.authorization().grants][1:] == [
            (messages.ROLE_CONTROL, [messages.MEDIUM_LIBRARY])]


def test_asyncio_asks_for_a_camera_and_is_denied():
    async def use(far, known):
        async with await aio.connect(known) as node:
            changes = node.watch_authorization("synthetic-0")
            await anext(changes)
            client = (await node.request_access(["synthetic-*"])).client
            assert list((await anext(changes)).wanted.cameras) == ["synthetic-*"]
            await asyncio.to_thread(decide, far, "deny", client)
            denied = await anext(changes)
            assert denied.authorization == messages.AUTHORIZATION_STATUS_DENIED and denied.ask_again_seconds > 3500, denied
            await changes.aclose()
            error = None
            try:
                await node.request_access(["synthetic-*"])
            except NodeError as found:
                error = found
            assert error and error.code_name == "PERMISSION_DENIED", error

    with FarNode(PROGRAMS / "capture-node") as far:
        asyncio.run(use(far, viewer_of_nothing(far)))


def test_a_pairing_that_was_cut_goes_on_with_the_same_secret():
    with FarNode(PROGRAMS / "capture-node") as far:
        line = far.line()
        written, pairing.write = pairing.write, lambda folder, node, code=None: code and written(folder, node, code)
        try:
            secret = remote_capture.pair(line, folder=far.known).secret  # the node has it, and this machine has not written that down
        finally:
            pairing.write = written
        (pending,) = far.known.glob("*.json")
        assert pending.name.endswith(".pending.json") and pending.stat().st_mode & 0o777 == 0o600 and remote_capture.known_names(far.known) == []
        node = remote_capture.pair(line, folder=far.known)
        assert node.secret == secret and not pending.exists()
        remote_capture.connect(node).close()
        far.stop()
        assert raises(NodeError, lambda: remote_capture.pair(line, "other", folder=far.known, timeout=2)).code_name == "UNAVAILABLE"


def test_a_pairing_line_is_taken_whole():
    good = "capture-pair/studio/10.0.0.1,fe80::1/7311/" + "0f" * 32 + "/" + "a1" * 16
    from remote_capture.pairing import PairingLine
    assert PairingLine.parse(f"  {good}\n").addresses == ("10.0.0.1", "fe80::1")
    for bad in [good[:count] for count in range(len(good))] + [good + "0", good + good, good.replace("7311", "0"), good.replace("7311", "70000"), good.replace("studio", "a b")]:
        assert "a1a1" not in str(raises(ValueError, lambda: PairingLine.parse(bad))), "an error repeats the code"
    for name in "", "../x", ".x", "a/b", "x" * 64, "x.pending":
        raises(ValueError, lambda: remote_capture.pair(good, name, folder="/nonexistent"))


def test_a_node_with_another_key_is_sent_nothing():
    with FarNode(PROGRAMS / "capture-node") as far:
        wrong = "0" * 64
        for connect in remote_capture.connect, lambda *given, **more: asyncio.run(aio.connect(*given, **more)):
            error = raises(NodeError, lambda: connect(far.address, key=wrong, credential=far.credential))
            assert error.code_name == "UNAUTHENTICATED" and error.details.reason == messages.ERROR_REASON_NODE_CHANGED, error
            error = raises(NodeError, lambda: connect(far.address, key=far.key, credential="1" * 64))
            assert error.code_name == "UNAUTHENTICATED" and error.details.reason == messages.ERROR_REASON_CREDENTIAL_REFUSED, error
            # What listens there is no TLS.
            error = raises(NodeError, lambda: connect_to_nonsense(connect, wrong))
            assert error.code_name == "UNAVAILABLE", error
        with remote_capture.connect(far.address, key=far.key, credential=far.credential) as node:
            assert node.cameras()
            error = raises(NodeError, lambda: node.camera().set(zoom={"factor": 1}))
            assert error.code_name == "PERMISSION_DENIED", error


def element(tag, contents):
    size = len(contents)
    return bytes([tag]) + (bytes([size]) if size < 0x80 else b"\x82" + size.to_bytes(2, "big")) + contents


def test_a_certificate_that_can_be_read_in_two_ways_is_refused():
    """OpenSSL takes lengths that DER has not. In such a certificate the node's key can stand where a careless reader finds it, beside the key that signs."""
    from remote_capture.wire import tls
    with FarNode(PROGRAMS / "capture-node") as far:
        host, port = far.address.rsplit(":", 1)
        certificate, key = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((host, int(port)))), bytes.fromhex(far.key)
    tls.require_key(certificate, key, "here")
    inner, _ = tls._element(certificate, 0, len(certificate), 0x30)
    at, end = tls._element(certificate, inner, len(certificate), 0x30)
    parts = []
    for tag in (0xA0, 0x02, 0x30, 0x30, 0x30, 0x30, 0x30):
        after = tls._element(certificate, at, end, tag)[1]
        parts.append(certificate[at:after])
        at = after
    parts[2] = b"\x30\x80" + parts[2][2:] + b"\x30\x80\x05\x00" + parts[6] + bytes(4)
    other = parts[6][:-1] + bytes([parts[6][-1] ^ 1])
    forged = element(0x30, element(0x30, b"".join(parts[:6]) + other + certificate[at:end]) + certificate[end:])
    long = b"\x30\x83\x00" + certificate[2:4] + certificate[4:] if certificate[1] == 0x82 else b""
    for wrong in [forged, long, certificate + b"\x00", None] + [certificate[:count] for count in range(len(certificate))]:
        error = raises(NodeError, lambda: tls.require_key(wrong, key, "here"))
        assert error.details.reason == messages.ERROR_REASON_NODE_CHANGED, error


def connect_to_nonsense(connect, key):
    """A peer that says something else, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def answer():
            peer, _ = listener.accept()
            with peer:
                peer.recv(100)
                peer.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")
        threading.Thread(target=answer, daemon=True).start()
        return connect(f"127.0.0.1:{listener.getsockname()[1]}", key=key, timeout=5)


def test_a_peer_that_says_a_little_now_and_then_does_not_hold_a_connect():
    for connect in remote_capture.connect, lambda *given, **more: asyncio.run(aio.connect(*given, **more)):
        start = time.monotonic()
        error = raises(NodeError, lambda: connect_to_drips(connect))
        assert error.code_name == "UNAVAILABLE", error
        assert time.monotonic() - start < 10, f"after {time.monotonic() - start:.1f} s"


def connect_to_drips(connect):
    """A peer that begins a long TLS record, of which a byte comes every fifth of a second for twenty seconds."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def drip():
            peer, _ = listener.accept()
            with peer, contextlib.suppress(OSError):
                peer.sendall(b"\x16\x03\x03\x3f\xff")
                for _ in range(100):
                    time.sleep(0.2)
                    peer.sendall(b"\x00")
        threading.Thread(target=drip, daemon=True).start()
        return connect(f"127.0.0.1:{listener.getsockname()[1]}", key="0" * 64, timeout=1)


def test_a_credential_goes_nowhere_unasked():
    secret = "ab" * 32
    for refused in (
        dict(address="10.0.0.1", credential=secret), dict(address="10.0.0.1", key="12", credential=secret),
        dict(address="10.0.0.1", key="cd" * 32, credential="plaintext " + secret), dict(address="unix:/x", key="cd" * 32),
        dict(address="127.0.0.1", credential="abc"),
    ):
        assert secret not in str(raises(ValueError, lambda: remote_capture.connect(**refused))), refused
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x.json").write_text("{}")
        assert "others can read it" in str(raises(KnownNodeError, lambda: KnownNode.load("x", folder)))
        Path(folder, "x.json").chmod(0o600)
        assert "damaged" in str(raises(KnownNodeError, lambda: KnownNode.load("x", folder)))
        assert "there are: x" in str(raises(KnownNodeError, lambda: KnownNode.load("y", folder)))


def test_threads_and_loops_share_an_encrypted_connection():
    async def count(far):
        async with await aio.connect(far.address, key=far.key, credential=far.credential) as node:
            camera = await node.camera()
            async with contextlib.aclosing(camera.frames(format="bgra")) as frames:
                return [(await anext(frames)).array.shape for _ in range(10)]

    with FarNode(PROGRAMS / "capture-node") as far:
        assert asyncio.run(count(far)) == [(480, 640, 4)] * 10
        with remote_capture.connect(far.address, key=far.key, credential=far.credential) as node:
            seen = []

            def look():
                for frame, _ in zip(node.camera("0").frames(format="bgra"), range(20)):
                    seen.append(frame.info.sequence)

            threads = [threading.Thread(target=look) for _ in range(4)]
            for thread in threads:
                thread.start()
            for _ in range(50):
                node.ping()
            for thread in threads:
                thread.join(LIMIT_S)
            assert len(seen) == 80, len(seen)
            far.stop()
            far.start()
            deadline = time.monotonic() + LIMIT_S
            while True:
                try:
                    assert node.cameras(), "the next call makes the connection anew"
                    break
                except NodeError as error:
                    assert error.code_name == "UNAVAILABLE" and time.monotonic() < deadline, error
                    time.sleep(0.1)


# Packets and pixels, without a node


def test_packets_are_found_however_bytes_are_cut():
    sent, payload = [], os.urandom(9000)
    for length in (0, 1, 4096, 9000):
        message = messages.Envelope(call_id=1, message=messages.Message(body=bytes(length), payload_length=length)).SerializeToString()
        sent.append(PREFIX.pack(len(message), length) + message + payload[:length])
    stream = b"".join(sent) + packet(messages.Envelope(call_id=3, status=messages.Status()))
    for step in (1, 7, 4096, len(stream)):
        got, memory = [], {}

        def begin(envelope, length):
            memory["chunk"] = bytearray(length)
            return memoryview(memory["chunk"]) if length else None

        reader = PacketReader(begin, lambda envelope: got.append((envelope.WhichOneof("kind"), bytes(memory["chunk"]))))
        position = 0
        while position < len(stream):
            space = reader.buffer()
            count = min(step, len(space), len(stream) - position)
            space[:count] = stream[position:position + count]
            reader.received(count)
            position += count
        assert got == [("message", payload[:length]) for length in (0, 1, 4096, 9000)] + [("status", b"")], step
    reader = PacketReader(lambda *_: None, lambda _: None)
    data = PREFIX.pack(1 << 30, 0)
    reader.buffer()[:8] = data
    assert raises(NodeError, lambda: reader.received(8)).code_name == "DATA_LOSS"


def test_rows_with_padding_are_joined():
    def frame(code, width, height, planes, data, format=""):
        info = messages.FrameInfo(encoding=messages.ENCODING_RAW, pixel_format=fourcc(code), size=messages.Size(width=width, height=height),
                                  planes=[messages.Plane(stride=stride, bytes=count) for stride, count in planes])
        return Frame(messages.VideoFrame(info=info), bytearray(data), format)

    assert frame("GREY", 2, 2, [(4, 8)], [1, 2, 0, 0, 3, 4, 0, 0]).array.tolist() == [[1, 2], [3, 4]]
    assert frame("RGB3", 1, 2, [(4, 8)], [1, 2, 3, 0, 4, 5, 6, 0], "bgr24").array.tolist() == [[[3, 2, 1]], [[6, 5, 4]]]
    assert frame("NV12", 2, 2, [(4, 8), (4, 4)], [1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0]).array.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert frame("YU12", 4, 2, [(8, 16), (4, 4), (4, 4)], [*b"abcd....efgh....ij..kl.."]).array.tobytes() == b"abcdefghijkl"
    assert frame("Y16 ", 1, 1, [(2, 2)], [1, 2]).array.tolist() == [[0x201]]
    raises(PixelLayoutError, lambda: frame("GREY", 2, 2, [(2, 4)], [1, 2, 3]).array)
    raises(PixelLayoutError, lambda: frame("GREY", 9, 9, [(2, 4)], [1, 2, 3, 4]).array)


def test_an_old_runtime_is_refused():
    assert "pip install --upgrade protobuf" in str(raises(ImportError, lambda: messages._require_runtime("3.12.4")))


def test_an_application_keeps_its_own_modules():
    """Modules that protoc made of the same proto/ are loaded beside the package, before and behind it."""
    with tempfile.TemporaryDirectory() as directory:
        files = sorted(str(path.relative_to(PROJECT / "proto")) for path in (PROJECT / "proto").glob("capture/v1/*.proto"))
        subprocess.run(["protoc", f"-I{PROJECT / 'proto'}", f"--python_out={directory}", *files], check=True)
        for order in ("capture.v1.media_pb2 as m; import remote_capture", "remote_capture; import capture.v1.media_pb2 as m"):
            code = f"import {order}; s = remote_capture.messages.Size(width=3); assert m.Size.FromString(s.SerializeToString()).width == 3"
            environment = {**os.environ, "PYTHONPATH": directory}
            # Debian's protoc 3.21 wrote them; newer runtimes read that in Python alone or not at all, which is the application's matter.
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    installed = Path(remote_capture.__file__).parent.parent
    assert not (installed / "capture").exists()


# Figures


def test_figures():
    """On one core: frames of 300 KB, copied once from the kernel; and a round trip."""
    download = messages.TestRequest(response_payload_bytes=300_000, response_count=1500)
    request = Request("capture.v1.Test/Download", download, messages.TestResponse)
    with remote_capture.connect(NODE.tcp) as node:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        best = 0
        for _ in range(3):
            start, used, count = time.perf_counter(), time.process_time(), 0
            for _, payload in node.stream(request, window=8):
                count += len(payload) == 300_000
            elapsed, used = time.perf_counter() - start, time.process_time() - used
            best = max(best, count / used)
            print(f"# {count} frames of 300 KB: {count / elapsed:.0f}/s, of its processor {count / used:.0f}/s")
            assert count == 1500
        assert best >= 500, f"{best:.0f} frames a second of processor time"
        # The node's threads too: from one processor to the other a call takes as long as the kernel wakes that, and only capturectl polls.
        for thread in Path(f"/proc/{NODE.process.pid}/task").iterdir():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread.name), os.sched_getaffinity(0))
        ratios = []
        # In turn, since others may have the processors meanwhile.
        while len(ratios) < 20 and min(ratios, default=math.inf) > 2:
            own = sorted(node.ping() for _ in range(2000))[1000] * 1000
            told = subprocess.run([PROGRAMS / "capturectl", "--node", NODE.tcp, "ping", "--count", "2000"], capture_output=True, text=True, check=True).stdout
            ctl = float(re.search(r"median ([0-9.]+)", told)[1])
            print(f"# round trip: {own:.3f} ms, capturectl {ctl:.3f} ms")
            ratios.append(own / ctl)
        assert min(ratios) <= 2, ratios
    print(f"# {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss} KB at most")


def main():
    print(f"# Python {sys.version.split()[0]}, protobuf {google.protobuf.__version__}, remote-capture {remote_capture.__version__}", flush=True)
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_") and (name != "test_figures" or "--figures" in sys.argv)]
    failed = 0
    NODE.start()
    try:
        for name, test in tests:
            failed += not passes(test)
    finally:
        NODE.stop()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

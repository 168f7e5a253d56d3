"""The client for asyncio: what `remote_capture` has, to be awaited. One loop's thread serves any number of nodes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from typing import Any, AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping

from .. import messages, pairing, requests
from ..errors import NOT_FOUND, NodeError, unreachable
from ..frames import Frame, FrameJoiner
from ..identity import FollowedCamera
from ..known import KnownNode, endpoint_of
from ..photos import Photo
from ..requests import Request
from ..retry import Retry
from ..settings import PATIENCE_S, Change, change_of, is_at_work
from ..wire.aio import Connection
from ..wire.calls import Tokens
from ..wire.endpoint import Endpoint
from .jobs import Job, watch as watch_jobs
from .library import Library

EVENT_WINDOW = 16


async def connect(
    address: str | KnownNode | None = None, timeout: float = 10.0, *, key: str | bytes | None = None, credential: str | bytes | None = None,
    ca: str | os.PathLike[str] | None = None
) -> Node:
    """Connects to a node. `address` is HOST:PORT or unix:/PATH, or a `KnownNode`. None: that of $CAPTURE_NODE, which may also be the name of a known node; else
    this machine's node.

    `timeout`, in seconds, is for connecting, and for each call that has no time of its own. With the node's `key`, the SHA-256 of its public key, the connection
    is encrypted, and nothing is sent to a node with another one; `credential` is what this client proves itself with, as its file has it. Both are 32 bytes, or
    64 hexadecimal digits. A `KnownNode` has them. In place of the key, `ca` is a file in PEM with a CA's certificates: the node's own has to be of one of them, valid now, and
    for the host in `address`. Raises NodeError where no node answers, ValueError for what is no address, key or credential, OSError for a file that cannot be read,
    and KnownNodeError where the file of a known node cannot be used.
    """
    where = endpoint_of(address, key, credential, ca)
    return Node(where, timeout, await Connection.open(where, timeout))


async def pair(line: str, name: str | None = None, *, timeout: float = 10.0, folder: str | os.PathLike[str] | None = None) -> KnownNode:
    """`remote_capture.pair`, in a thread: it waits for files too."""
    return await asyncio.to_thread(pairing.pair, line, name, timeout=timeout, folder=folder)


class Node:
    """A node, on the loop that connected to it. A connection that was lost is made anew by the next call; what ran on it ends with NodeError (UNAVAILABLE)."""

    def __init__(self, endpoint: Endpoint, timeout: float, connection: Connection) -> None:
        self.endpoint, self.timeout = endpoint, timeout
        self._connections = [connection]
        self._connecting = asyncio.Lock()
        self._is_closed = False

    async def __aenter__(self) -> Node:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection, and what runs on it."""
        self._is_closed = True
        for connection in self._connections:
            connection.close()
        await asyncio.sleep(0)  # the loop closes the sockets

    async def cameras(self) -> list[Camera]:
        """The cameras, unplugged ones too."""
        return [Camera(self, device.id, device) for device in (await self.devices()).devices]

    async def devices(self) -> messages.ListDevicesResponse:
        """The cameras as messages, those that are not served, and the default one."""
        return await self.call(requests.devices())  # type: ignore[no-any-return]

    async def camera(self, name: str | None = None) -> Camera:
        """A camera by its identity, a unique part of that, or its index; None: the node's default one, NodeError (NOT_FOUND) where there is none.

        A name is not looked up here: the camera's calls say whether it is there.
        """
        if name is None:
            answer = await self.devices()
            name = answer.default_device
            if not name:
                raise NodeError(NOT_FOUND, "the node has no usable camera" + "".join(f"; {reason}" for reason in answer.not_served))
        return Camera(self, str(name))

    async def info(self) -> messages.InfoResponse:
        return await self.call(requests.info())  # type: ignore[no-any-return]

    async def ping(self) -> float:
        """A round trip to the node and back, in seconds."""
        return await (await self._connection()).ping(self.timeout)

    async def status(self) -> messages.StatusResponse:
        return await self.call(requests.status())  # type: ignore[no-any-return]

    async def watch(self, reconnect: bool = False) -> AsyncGenerator[messages.DeviceEvent, None]:
        """The cameras that are there, then their coming and going. With `reconnect` it goes on with the node's next connection, from the beginning."""
        async for event, _, _ in self.resumed(requests.watch_devices, EVENT_WINDOW, reconnect):
            yield event

    async def sessions(self) -> list[messages.SessionState]:
        return list((await self.call(requests.sessions())).sessions)

    def session(self, name: str) -> Session:
        return Session(self, name)

    @property
    def library(self) -> Library:
        """The pictures that the node keeps. Nobody is asked yet."""
        return Library(self)

    async def jobs(self) -> list[messages.Job]:
        """What the node does by itself, such as timelapses, the latest first."""
        return list((await self.call(requests.jobs())).jobs)

    def job(self, id: str) -> Job:
        return Job(self, id)

    def watch_jobs(self, reconnect: bool = False) -> AsyncGenerator[messages.JobEvent, None]:
        """The jobs that there are, then each change of one. Of a slow reader's only the latest of each job is kept."""
        return watch_jobs(self, "", reconnect)

    # What this client may do

    async def authorization(self, camera: str = "", role: str = "view", medium: str = "") -> messages.AccessStatusResponse:
        """Whether this client may `role` (view, control or admin) a camera: `authorization` in the answer, with its `reason`, as AVFoundation's
        `authorizationStatus(for:)`. `camera`: an identity, or a pattern of identities; empty: whatever it may see.
        `medium`: "video", the cameras themselves, or "library", pictures that the node keeps; empty: video for a camera, else any. `grants` in the answer are
        all that this client may."""
        return await self.call(requests.authorization(camera, role, medium))  # type: ignore[no-any-return]

    async def watch_authorization(
        self, camera: str = "", role: str = "view", reconnect: bool = False, medium: str = "",
    ) -> AsyncGenerator[messages.AccessStatusResponse, None]:
        """The same as it is, then each change."""
        async for status, _, _ in self.resumed(lambda: requests.watch_authorization(camera, role, medium), EVENT_WINDOW, reconnect):
            yield status

    async def request_access(self, cameras: Iterable[str] = (), role: str = "", media: Iterable[str] = ()) -> messages.AccessStatusResponse:
        """Asks the node's operator for cameras besides those that this client sees (patterns of identities), for the role control, or for media. What is not
        named is as in each grant that it has. It returns at once; `watch_authorization` has the decision. Raises NodeError (PERMISSION_DENIED) where it cannot ask."""
        return await self.call(requests.request_access(cameras, role, media, False))  # type: ignore[no-any-return]

    async def withdraw_access_request(self) -> messages.AccessStatusResponse:
        """Takes its request back."""
        return await self.call(requests.request_access((), "", (), True))  # type: ignore[no-any-return]

    # Calls of the contract that nothing here has a method for

    async def call(self, request: Request, timeout: float | None = None, lease: Tokens = None) -> Any:
        """One request, one answer. `timeout` in seconds; None: the node's. Raises NodeError."""
        connection = await self._connection()
        return await connection.unary(*request, timeout=self.timeout if timeout is None else timeout, lease=lease)

    async def stream(
        self, request: Request, window: int = EVENT_WINDOW, timeout: float | None = None, lease: Tokens = None
    ) -> AsyncGenerator[tuple[Any, bytearray], None]:
        """The answers of a streaming call, each with its payload. The node sends at most `window` of them ahead."""
        connection = await self._connection()
        async with contextlib.aclosing(connection.stream(*request, window=window, timeout=timeout, lease=lease)) as answers:
            async for answer in answers:
                yield answer

    async def resumed(
        self, request: Callable[[], Request], window: int, reconnect: bool, camera: Camera | None = None
    ) -> AsyncGenerator[tuple[Any, bytearray, bool], None]:
        """The same; with `reconnect` again and again while the node or the camera is away. The third value: whether it was away before this answer.

        `camera`: the one that the answers are of; after a pause they are of no other one.
        """
        followed = FollowedCamera(camera.name, camera.device) if camera is not None and reconnect else None
        retry = Retry(reconnect, followed)
        while True:
            try:
                asked = request()
                if followed is not None:
                    asked.message.device = followed.name_among(await self._listed())
                async with contextlib.aclosing(self.stream(asked, window)) as answers:
                    async for message, payload in answers:
                        if followed is not None and followed.identity is None and payload:  # this client was not to see the camera before
                            followed.name_among(await self._listed())
                        yield message, payload, retry.succeeded()
                return
            except NodeError as error:
                pause = retry.after(error)
            if self._is_closed:
                raise unreachable("the node was closed")
            await asyncio.sleep(pause)

    async def _listed(self) -> list[messages.Device]:
        """The cameras. As with a stream, the wait for them ends with the connection alone."""
        return list((await (await self._connection()).unary(*requests.devices())).devices)

    async def _connection(self) -> Connection:
        async with self._connecting:
            if self._is_closed:
                raise unreachable("the node was closed")
            if not self._connections[-1].is_usable:
                fresh = await Connection.open(self.endpoint, self.timeout)
                # Calls that run on one which the node drains may go on to their end.
                self._connections = [old for old in self._connections if not old.is_over] + [fresh]
            return self._connections[-1]


class Camera:
    """A camera of a node. `device` is its `messages.Device` where it was listed."""

    def __init__(self, node: Node, name: str, device: Any = None) -> None:
        self.node, self.name = node, name
        self.device: messages.Device | None = device

    def __repr__(self) -> str:
        return f"Camera({self.name!r})"

    async def describe(self) -> messages.SettingsDescription:
        """What can be set, with modes and ranges."""
        return await self.node.call(requests.describe(self.name))  # type: ignore[no-any-return]

    async def formats(self) -> list[messages.FormatDescription]:
        return list((await self.node.call(requests.formats(self.name))).formats)

    async def controls(self) -> list[messages.ControlDescription]:
        """The controls of the driver, with ranges and present values."""
        return list((await self.node.call(requests.controls(self.name))).controls)

    async def settings(self) -> messages.CameraSettings:
        return await self.node.call(requests.get(self.name))  # type: ignore[no-any-return]

    async def set(self, *, wait: bool = False, clamp: bool = False, lease: Tokens = None, timeout: float = PATIENCE_S, **parts: Any) -> Change:
        """Changes settings, all or none: `camera.set(exposure={"duration": 1 / 100}, zoom={"factor": 2}, controls={"brightness": 40})`.

        The parts are those of `messages.SettingsChange`; a mode may be a word, `focus={"mode": "auto"}`. `clamp`: a value out of range becomes the nearest
        possible one. `wait`: until modes have done their work and it is known which frame is the first that has the change, `timeout` seconds at most; then
        NodeError (DEADLINE_EXCEEDED), and the settings stay as they are.
        """
        change = Change(await self.node.call(requests.set(self.name, change_of(parts), clamp), lease=lease))
        if wait:
            end = time.monotonic() + timeout
            if is_at_work(change.settings, parts):
                names = [part for part in parts if part != "controls"]
                async with contextlib.aclosing(self.node.stream(requests.watch(self.name, names), timeout=timeout)) as events:
                    async for event, _ in events:
                        change.settings = event.settings
                        if not is_at_work(event.settings, parts):
                            break
            change.applied = await self.node.call(requests.await_change(self.name, change.number), timeout=max(0.1, end - time.monotonic()))
        return change

    @contextlib.asynccontextmanager
    async def lock(self, seconds: float = 30.0, holder: str = "", wait: float = 0.0) -> AsyncIterator[str]:
        """No other client's change while the block runs. Gives the lease's token, for `set(lease=…)`.

        The lease is renewed until the block ends. `seconds`, from 0.1 to a day: how long others wait at most where this program stops without ending it.
        `wait`: how many seconds to wait for another client's lease. Where the lease is lost meanwhile, with its connection or because somebody ended it, calls
        that send its token raise NodeError, and so does the block's end, unless the block raised something itself.
        """
        lease = await self.node.call(requests.acquire(self.name, seconds, holder, wait), timeout=self.node.timeout + wait)
        keeping = asyncio.ensure_future(_keep(self.node, lease))
        try:
            yield lease.token
        except BaseException:
            with contextlib.suppress(NodeError):  # the block's own error is the one to tell
                await self.node.call(requests.release(lease.token))
            raise
        else:
            await self.node.call(requests.release(lease.token))
        finally:
            keeping.cancel()

    async def watch(self, *names: str, reconnect: bool = False) -> AsyncGenerator[messages.SettingsEvent, None]:
        """The settings as they are, then what changes, by whomever. `names`: groups, settings or controls; none: all."""
        async for event, _, _ in self.node.resumed(lambda: requests.watch(self.name, names), EVENT_WINDOW, reconnect, self):
            yield event

    async def photo(
        self, *, size: tuple[int, int] | None = None, gravity: str | None = None, crop: tuple[float, float, float, float] | None = None,
        orientation: int = 0, mirrored: bool = False, quality: int = 0, settle: float | None = None, tags: Mapping[str, str] = {},
        store: str = "", full_size: str = "", lease: Tokens = None, timeout: float = 60.0,
    ) -> Photo:
        """Takes a photo once the camera has settled: `settle` seconds at most, None: as long as the node finds right.

        `gravity` says how a size of another shape is filled: "aspect", "fill" or "resize". `crop` is x, y, width, height in 0…1. `orientation` in degrees
        clockwise. `tags` are texts for the EXIF, such as `{"Artist": "Ada"}`. `store`: "also" keeps the photo in the node's library too, "only" sends no data;
        `Photo.asset` is its name there. `full_size`: "switch" takes a photo that is larger than the stream that runs; those who watch miss some frames.
        "big" has the camera stay in that size until ten seconds after the last such photo, which is of use for several.
        `lease`: the token of a lock, or several, for what a lock would refuse.
        """
        settings = requests.photo_settings(size, gravity, crop, orientation, mirrored, quality, settle, tags, store, full_size)
        return await _photo(self.node, requests.photo(self.name, "", "", settings), timeout, lease)

    async def timelapse(
        self, interval: float, *, count: int = 0, lock_exposure: bool = False, labels: Iterable[str] = (), size: tuple[int, int] | None = None,
        gravity: str | None = None, crop: tuple[float, float, float, float] | None = None, orientation: int = 0, mirrored: bool = False,
        quality: int = 0, settle: float | None = None, tags: Mapping[str, str] = {},
    ) -> Job:
        """Begins a timelapse on the node, which goes on without this client and over restarts of the node. Its photos go into the node's library.

        A photo every `interval` seconds, a second to a week; `count` of them, 0: until it is stopped. `lock_exposure`: exposure and white balance stay as they
        are for the first photo. `labels` are for each photo, and the rest is as for `photo`.
        """
        settings = requests.photo_settings(size, gravity, crop, orientation, mirrored, quality, settle, tags)
        job = await self.node.call(requests.timelapse(self.name, interval, count, lock_exposure, labels, settings))
        return Job(self.node, job.id)

    def frames(
        self, *, format: str = "jpeg", size: tuple[int, int] | None = None, rate: float = 0.0, gravity: str | None = None,
        crop: tuple[float, float, float, float] | None = None, orientation: int = 0, mirrored: bool = False, quality: int = 0, window: int = 2,
        reconnect: bool = False,
    ) -> AsyncGenerator[Frame, None]:
        """Live frames. A reader that is slow gets the newest; `Frame.discarded` says how many that left out. Leaving the loop ends the stream.

        `format`: jpeg, bgr24, rgb24, bgra, nv12, i420, grey, raw (the camera's own), or V4L2's code of four characters. `rate`: frames a second at most, 0:
        all. `window`: how many frames the node may send ahead. `reconnect`: go on after a lost connection, a restarted node, an unplugged camera, with the
        same camera, whatever its index is then.
        """
        request = requests.frames(self.name, "", "", format, size, rate, gravity, crop, orientation, mirrored, quality)
        return _frames(self.node, request, format, window, reconnect, self)


async def _keep(node: Node, lease: messages.LeaseInfo) -> None:
    """Renews a lease. That one is lost, the calls tell that send its token."""
    while True:
        await asyncio.sleep(requests.renewal_pause(lease))
        with contextlib.suppress(NodeError):
            await node.call(requests.renew(lease.token))


class Session:
    """Cameras that run together. With a name it lives until `close`, also over a restart of the node."""

    def __init__(self, node: Node, name: str) -> None:
        self.node, self.name = node, name

    async def configure(
        self, *cameras: str, preset: str = "", outputs: Mapping[str, str] = {"video": "video", "photo": "photo"},
        connections: Any = (), start: bool = False, revision: int = 0, dry_run: bool = False, create: bool = False, lease: Tokens = None,
    ) -> messages.SessionState:
        """Makes or changes the session. `outputs` maps names to "video" or "photo"; `connections` are dictionaries of `messages.SessionConnection`.

        `lease`: the tokens of the locks that its cameras have, one or several; what changes or ends the session takes them too.
        """
        configuration = requests.session_configuration(cameras, preset, outputs, connections)
        state = await self.node.call(requests.configure(self.name, configuration, start, revision, dry_run, create), lease=lease)
        if not dry_run:
            self.name = state.session
        return state  # type: ignore[no-any-return]

    async def state(self) -> messages.SessionState:
        return await self._call("Get")  # type: ignore[no-any-return]

    async def start(self, lease: Tokens = None) -> messages.SessionState:
        return await self._call("Start", lease)  # type: ignore[no-any-return]

    async def stop(self, lease: Tokens = None) -> messages.SessionState:
        return await self._call("Stop", lease)  # type: ignore[no-any-return]

    async def close(self, lease: Tokens = None) -> None:
        """Stops the session and removes it."""
        await self._call("Close", lease)

    async def events(self, reconnect: bool = False) -> AsyncGenerator[messages.SessionEvent, None]:
        """The state, then what happens to the session, until it is closed."""
        async for event, _, _ in self.node.resumed(lambda: requests.of_session("Events", self.name), EVENT_WINDOW, reconnect):
            yield event

    async def photo(
        self, output: str = "", *, quality: int = 0, settle: float | None = None, tags: Mapping[str, str] = {}, store: str = "", full_size: str = "",
        lease: Tokens = None, timeout: float = 60.0,
    ) -> Photo:
        settings = requests.photo_settings(None, None, None, 0, False, quality, settle, tags, store, full_size)
        return await _photo(self.node, requests.photo("", self.name, output, settings), timeout, lease)

    def frames(
        self, output: str = "", *, format: str = "jpeg", size: tuple[int, int] | None = None, rate: float = 0.0, gravity: str | None = None,
        quality: int = 0, window: int = 2, reconnect: bool = False,
    ) -> AsyncGenerator[Frame, None]:
        """As `Camera.frames`, of a video output; empty: its only one."""
        request = requests.frames("", self.name, output, format, size, rate, gravity, None, 0, False, quality)
        return _frames(self.node, request, format, window, reconnect)

    async def _call(self, verb: str, lease: Tokens = None) -> Any:
        return await self.node.call(requests.of_session(verb, self.name), lease=lease)


async def _photo(node: Node, request: Request, timeout: float, lease: Tokens) -> Photo:
    photo = None
    async for event, payload in node.stream(request, timeout=timeout, lease=lease):
        if event.stage == messages.PhotoEvent.PHOTO:
            photo = Photo(event, payload)
    if photo is None:
        raise unreachable("the node ended the call without a photo")
    return photo


async def _frames(node: Node, request: Request, format: str, window: int, reconnect: bool, camera: Camera | None = None) -> AsyncGenerator[Frame, None]:
    joiner = FrameJoiner(format)
    async for message, payload, away in node.resumed(lambda: request, window, reconnect, camera):
        frame = joiner.frame(message, payload, away)
        if frame is not None:
            yield frame

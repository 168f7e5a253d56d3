"""The pictures that a node keeps, for the blocking client."""

from __future__ import annotations

import datetime
import os
from typing import TYPE_CHECKING, Any, Callable, Generator, Iterable

from . import messages, requests
from .assets import CHUNK_WINDOW, PAGE, Download, filter_of, parts

if TYPE_CHECKING:
    from .node import Node

EVENT_WINDOW = 64


class Library:
    """A node's library. Its calls end with NodeError: FAILED_PRECONDITION where the node keeps no pictures, UNAVAILABLE while its folder is not there."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def status(self) -> messages.LibraryStatus:
        """What it has and may have, and whether it can be used. This answers also where there is none."""
        return self.node.call(requests.library_status())  # type: ignore[no-any-return]

    def authorization(self) -> messages.LibraryAuthorization:
        """What this client may do."""
        return self.node.call(requests.library_authorization())  # type: ignore[no-any-return]

    def assets(
        self, *, device: str = "", since: datetime.datetime | None = None, until: datetime.datetime | None = None, labels: Iterable[str] = (),
        media: str = "", sequence: str = "",
    ) -> Generator[messages.Asset, None, None]:
        """The assets, the latest first; the node is asked for a page at a time, as the loop goes on.

        `device`: an identity. `since`, `until`: when they were taken, the latter without the moment itself; a time without a zone is this machine's. `labels`:
        all of them. `media`: "image", "video" or "audio". `sequence`: such as a timelapse's name.
        """
        wanted, token = filter_of(device, since, until, labels, media, sequence), ""
        while True:
            page = self.node.call(requests.list_assets(wanted, PAGE, token))
            yield from page.assets
            token = page.next_page_token
            if not token:
                return

    def get(self, *ids: str) -> list[messages.Asset]:
        """The assets of these names, in their order. One that is not there is NodeError (NOT_FOUND)."""
        return [asset for part in parts(ids) for asset in self.node.call(requests.get_assets(part)).assets]

    def thumbnails(self, *ids: str) -> Generator[tuple[str, bytes], None, None]:
        """For each name, in their order, a JPEG of at most 160x160; empty where there is none."""
        for part in parts(ids):
            for message, data in self.node.stream(requests.thumbnails(part), timeout=self.node.timeout):
                yield message.id, bytes(data)

    def fetch(
        self, asset: str | messages.Asset, path: str | os.PathLike[str], *, resource: int = 0, reconnect: bool = False,
        progress: Callable[[int, int], Any] | None = None,
    ) -> messages.AssetResource:
        """Downloads a resource of an asset into a file: `library.fetch(asset, "photo.jpg")`.

        What has come is in `path` with ".part" behind it, and a download that was cut goes on there. The file is there once all of it is on the disk, and has
        the node's checksum; else it ends with NodeError (DATA_LOSS). `reconnect`: go on after a lost connection or a restarted node. `progress` is called
        with how many bytes there are, and of how many.
        """
        download = Download(self.get(asset)[0] if isinstance(asset, str) else asset, resource, path)
        try:
            while True:
                for chunk, data, _ in self.node.resumed(download.request, CHUNK_WINDOW, reconnect):
                    download.received(chunk, data)
                    if progress:
                        progress(download.count, download.resource.bytes)
                if download.is_whole():
                    return download.finish()
        finally:
            download.close()

    def label(self, *ids: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> list[messages.Asset]:
        """Adds and removes labels, and returns the assets as they are then. One with the label "keep" is removed by nobody but clients."""
        added, removed = [*add], [*remove]
        return [asset for part in parts(ids) for asset in self.node.call(requests.label_assets(part, added, removed)).assets]

    def delete(self, *ids: str) -> list[str]:
        """Deletes assets, and returns the names of those that were there."""
        return [name for part in parts(ids) for name in self.node.call(requests.delete_assets(part)).ids]

    def watch(
        self, token: str = "", *, reconnect: bool = False, device: str = "", since: datetime.datetime | None = None,
        until: datetime.datetime | None = None, labels: Iterable[str] = (), media: str = "", sequence: str = "",
    ) -> Generator[messages.AssetEvent, None, None]:
        """What is added, changed and deleted, from `token` on: an event's, or a status's; empty: from now on. The rest is as for `assets`.

        With `reconnect` it goes on after a lost connection or a restarted node, behind the last event, and misses nothing.
        """
        wanted = filter_of(device, since, until, labels, media, sequence)
        token = token or self.status().token
        for event, _, _ in self.node.resumed(lambda: requests.watch_assets(token, wanted), EVENT_WINDOW, reconnect):
            token = event.token or token
            yield event

"""What the library's clients share, blocking or not: which assets are wanted, and a download's file."""

from __future__ import annotations

import datetime
import hashlib
import os
from typing import Any, Iterable

from . import messages, requests
from .errors import DATA_LOSS, NodeError
from .requests import Request

PAGE = 100
CHUNK_WINDOW = 4  # of 1 MiB each
_AT_ONCE = 256  # names that a request takes


def filter_of(
    device: str, since: datetime.datetime | None, until: datetime.datetime | None, labels: Iterable[str], media: str, sequence: str
) -> messages.AssetFilter:
    """Raises ValueError for a kind of media that there is not."""
    kinds: dict[str, Any] = {name[len("ASSET_MEDIA_TYPE_"):].lower(): number for name, number in messages.AssetMediaType.items()}
    if (media or "unspecified") not in kinds:
        raise ValueError(f"media {media!r}: there are {', '.join(name for name in kinds if name != 'unspecified')}")
    return messages.AssetFilter(
        device=device, from_utc_ns=_nanoseconds(since), until_utc_ns=_nanoseconds(until), labels=list(labels), media=kinds[media or "unspecified"],
        sequence=sequence)


def _nanoseconds(time: datetime.datetime | None) -> int:
    """A time without a zone is this machine's, as Python has it."""
    if time is None:
        return 0
    since_1970 = time.astimezone(datetime.timezone.utc) - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return since_1970 // datetime.timedelta(microseconds=1) * 1000


def parts(ids: Iterable[str]) -> list[list[str]]:
    """In lists that a request takes."""
    names = list(ids)
    return [names[first:first + _AT_ONCE] for first in range(0, len(names), _AT_ONCE)]


class Download:
    """A resource on its way into a file. What has come is in `path` with ".part" behind it, where the next download of it goes on.

    The file gets its name when all of it is on the disk, with the node's checksum. Raises OSError as files do.
    """

    def __init__(self, asset: messages.Asset, place: int, path: str | os.PathLike[str]) -> None:
        if not 0 <= place < len(asset.resources):
            raise ValueError(f"{asset.id} has {len(asset.resources)} resources, from 0 on; there is no number {place}")
        self._id, self._place, self._path = asset.id, place, os.fspath(path)
        self.resource: messages.AssetResource = asset.resources[place]
        self._sum = b""
        descriptor = os.open(f"{self._path}.part", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        self._file = os.fdopen(descriptor, "r+b")
        self._hash = hashlib.sha256()
        while piece := self._file.read(1 << 20):
            self._hash.update(piece)
        self.count = self._file.tell()
        # What is longer than the resource is of another one.
        if self.count > self.resource.bytes:
            self._clear()
        self._has_old_bytes = self.count > 0

    def close(self) -> None:
        self._file.close()

    def request(self) -> Request:
        """For what has not come yet."""
        return requests.fetch(self._id, self._place, self.count, self._sum)

    def received(self, chunk: Any, data: bytearray) -> None:
        """Raises NodeError (DATA_LOSS) for bytes of another place."""
        if chunk.HasField("resource"):
            self.resource, self._sum = chunk.resource, chunk.resource.sha256
        if chunk.offset != self.count:
            raise NodeError(DATA_LOSS, f"the node sent bytes at {chunk.offset} in place of {self.count}")
        self._file.write(data)
        self._hash.update(data)
        self.count += len(data)

    def is_whole(self) -> bool:
        """Whether all came, and as the node has it. If what was there before is of something else, it is thrown away: ask again.

        Raises NodeError (DATA_LOSS) where what came is damaged.
        """
        if self.count == self.resource.bytes and self._hash.digest() == self._sum:
            return True
        if not self._has_old_bytes:
            text = f"what came of {self._id} does not have the node's checksum; {self._path}.part has it"
            raise NodeError(DATA_LOSS, text, messages.ErrorDetails(reason=messages.ERROR_REASON_CHECKSUM_MISMATCH, field="resource.sha256"))
        self._clear()
        return False

    def finish(self) -> messages.AssetResource:
        self._file.flush()
        os.fsync(self._file.fileno())
        os.replace(f"{self._path}.part", self._path)
        return self.resource

    def _clear(self) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._hash, self.count, self._sum, self._has_old_bytes = hashlib.sha256(), 0, b"", False

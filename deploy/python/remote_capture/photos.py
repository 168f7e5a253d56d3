"""Photos."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import messages
from .frames import _numpy

if TYPE_CHECKING:
    import numpy


class Photo:
    """A photo: `data` are the bytes of a JPEG, with EXIF and XMP; none, if it was stored on the node only. `info` is its `messages.FrameInfo`, `event` the
    whole `messages.PhotoEvent`, of which `metadata` tells what was written into it."""

    __slots__ = ("data", "event")

    def __init__(self, event: Any, data: bytearray) -> None:
        self.event, self.data = event, data

    @property
    def info(self) -> messages.FrameInfo:
        return self.event.info  # type: ignore[no-any-return]

    @property
    def asset(self) -> str:
        """What the node's library calls it; empty: it is not kept there."""
        return self.event.asset_id  # type: ignore[no-any-return]

    @property
    def metadata(self) -> messages.PhotoMetadata:
        return self.event.metadata  # type: ignore[no-any-return]

    @property
    def array(self) -> numpy.ndarray[Any, Any]:
        """The JPEG's bytes as one row, as `cv2.imdecode` takes them."""
        module = _numpy()
        row: numpy.ndarray[Any, Any] = module.frombuffer(self.data, module.uint8)
        return row

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the JPEG. A file that is there is replaced once the new one is whole. Raises ValueError for a photo that only the node has."""
        if not self.data:
            raise ValueError(f"the photo was stored on the node only: node.library.fetch({self.asset!r}, {os.fspath(path)!r}) writes it")
        part = f"{os.fspath(path)}.{os.getpid()}.part"
        try:
            with open(part, "wb") as file:
                file.write(self.data)
            os.replace(part, path)
        except BaseException:
            if os.path.exists(part):
                os.remove(part)
            raise

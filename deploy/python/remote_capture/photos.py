"""Photos."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import messages
from .frames import _numpy

if TYPE_CHECKING:
    import numpy


class Photo:
    """A photo: `data` are the bytes of a JPEG, with EXIF and XMP. `info` is its `messages.FrameInfo`, `event` the whole `messages.PhotoEvent`, of which
    `metadata` tells what was written into it."""

    __slots__ = ("data", "event")

    def __init__(self, event: Any, data: bytearray) -> None:
        self.event, self.data = event, data

    @property
    def info(self) -> messages.FrameInfo:
        return self.event.info  # type: ignore[no-any-return]

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
        """Writes the JPEG. A file that is there is replaced once the new one is whole."""
        part = f"{os.fspath(path)}.{os.getpid()}.part"
        try:
            with open(part, "wb") as file:
                file.write(self.data)
            os.replace(part, path)
        except BaseException:
            if os.path.exists(part):
                os.remove(part)
            raise

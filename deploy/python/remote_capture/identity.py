"""Which camera a stream is of, so that it goes on with that one alone."""

from __future__ import annotations

from typing import Iterable

from . import messages
from .errors import unknown_camera


class FollowedCamera:
    """A camera of which a stream goes on after a pause. In the node's next run its index, or a part of its name, may be another one's; its identity is not."""

    def __init__(self, name: str, device: messages.Device | None) -> None:
        self._name = name
        self.identity: str | None = None if device is None else device.id

    def name_among(self, devices: Iterable[messages.Device]) -> str:
        """The name by which to ask a node that has these cameras for this one.

        Raises NodeError (NOT_FOUND) where its identity is known and is none of theirs, since the node would take it for a part of another one.
        """
        there = list(devices)
        if self.identity is None:
            self.identity = _identity(self._name, there)
        elif all(device.id != self.identity for device in there):
            raise unknown_camera(self.identity, there)
        return self.identity or self._name


def _identity(name: str, devices: list[messages.Device]) -> str | None:
    """The identity of the camera that a node takes a name for (proto/capture/v1/devices.proto). None: it is that of no camera, or of several."""
    word = name.lower()
    ways = (
        [device.id for device in devices if device.id == name],
        [device.id for device in devices if str(device.index) == name],
        [device.id for device in devices if word in device.id.lower()],
        [device.id for device in devices if device.path == name or word in device.name.lower()],
    )
    found = next(filter(None, ways), []) if name else []
    return found[0] if len(found) == 1 else None

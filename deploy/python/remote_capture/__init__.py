"""Use the cameras of another Linux machine: photos, live frames and settings, through its capture-node.

`connect` is blocking; `pair` makes this machine a client of a node across the network; `remote_capture.aio.connect` is for asyncio. `remote_capture.messages` has the contract's messages.
"""

import sys

if sys.version_info < (3, 10):
    raise ImportError("remote_capture needs Python 3.10 or newer; this is %d.%d" % sys.version_info[:2])

from .errors import NodeError
from .frames import Frame, PixelLayoutError
from .jobs import Job
from .known import KnownNode, KnownNodeError, known_names
from .library import Library
from .node import Camera, Node, Session, connect
from .pairing import pair
from .photos import Photo
from .settings import Change
from .version import __version__

__all__ = [
    "Camera", "Change", "Frame", "Job", "KnownNode", "KnownNodeError", "Library", "Node", "NodeError", "Photo", "PixelLayoutError", "Session", "__version__",
    "connect", "known_names", "pair",
]

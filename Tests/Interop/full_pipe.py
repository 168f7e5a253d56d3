"""A pipe whose reader reads nothing."""

import contextlib
import os


def full_pipe():
    """The ends of a pipe that takes nothing more."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for size in 65_536, 1:
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(size))
    os.set_blocking(writer, True)
    return reader, writer

"""The package's version, which is that of the programs that it was built beside."""

from importlib import metadata

try:
    __version__ = metadata.version("remote-capture")
except metadata.PackageNotFoundError:  # a source tree that nobody installed
    __version__ = "0"

"""The messages and enums of `capture.v1`, in a descriptor pool of their own.

An application that has generated modules of its own from the same `proto/` keeps them: theirs are in protobuf's default pool, and messages of one pool
are not those of the other. Message classes and enum values have the contract's names: `SettingsChange`, `FOCUS_MODE_AUTO`, `DeviceEvent.APPEARED`.
"""

from pathlib import Path
from typing import Any

try:
    import google.protobuf
except ImportError:
    raise ImportError("remote_capture needs the package protobuf: pip install 'protobuf>=3.20', or apt install python3-protobuf") from None

OLDEST_RUNTIME = (3, 20)


def _require_runtime(version: str) -> None:
    """Raises ImportError for a protobuf runtime that is older than these messages."""
    numbers = tuple(int(part) for part in version.split(".")[:2])
    if numbers < OLDEST_RUNTIME:
        raise ImportError(
            f"remote_capture needs protobuf 3.20 or newer; {version} is installed: pip install --upgrade protobuf")


_require_runtime(google.protobuf.__version__)

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # noqa: E402
from google.protobuf.internal import enum_type_wrapper  # noqa: E402

_pool = descriptor_pool.DescriptorPool()


def _load() -> "dict[str, Any]":
    """Every message class, enum and enum value of the contract, by its name."""
    contract = descriptor_pb2.FileDescriptorSet.FromString(Path(__file__).with_name("contract.bin").read_bytes())
    for file in contract.file:
        _pool.AddSerializedFile(file.SerializeToString())
    if hasattr(message_factory, "GetMessageClass"):
        class_of = message_factory.GetMessageClass
    else:  # protobuf before 4.22
        class_of = message_factory.MessageFactory(_pool).GetPrototype
    names: "dict[str, Any]" = {}
    for file in contract.file:
        description = _pool.FindFileByName(file.name)
        for name, enum in description.enum_types_by_name.items():
            names[name] = enum_type_wrapper.EnumTypeWrapper(enum)
            names.update({value.name: value.number for value in enum.values})
        for name, message in description.message_types_by_name.items():
            names[name] = class_of(message)
    return names


_names = _load()
globals().update(_names)
__all__ = sorted(_names)

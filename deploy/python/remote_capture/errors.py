"""What a call can end with."""

from __future__ import annotations

from typing import Any, Iterable

from . import messages

CANCELLED, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = 1, 3, 4, 5, 14, 15, 16
NAMES = (
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED "
    "FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED").split()


class NodeError(Exception):
    """A call that did not end in OK, a node that cannot be reached, or a connection that was lost.

    `code` is gRPC's number and `code_name` its name; `text` is for people. `details` is a `messages.ErrorDetails` with the reason, what was asked and
    what is possible; None where nothing is known beyond the code.
    """

    def __init__(self, code: int, text: str, details: messages.ErrorDetails | None = None) -> None:
        super().__init__(code, text)
        self.code, self.text, self.details = code, text, details

    @property
    def code_name(self) -> str:
        return NAMES[self.code] if self.code < len(NAMES) else str(self.code)

    def __str__(self) -> str:
        return f"{self.text} ({self.code_name})"

    @classmethod
    def of_status(cls, status: Any) -> NodeError:
        """The error of a Status or a GoAway. Details that do not parse count as absent."""
        return cls(status.code, status.text, _details(status.metadata))


def unreachable(text: str) -> NodeError:
    """UNAVAILABLE, with the reason that client libraries give where there is no node."""
    return NodeError(UNAVAILABLE, text, messages.ErrorDetails(reason=messages.ERROR_REASON_NODE_UNREACHABLE))


def unknown_job(id: str, jobs: Iterable[Any]) -> NodeError:
    """What the node itself says where a job is not in its list."""
    possible = [job.id for job in jobs]
    text = f"there is no job {id!r}; there are: {', '.join(possible) or 'none'}"
    return NodeError(NOT_FOUND, text, messages.ErrorDetails(reason=messages.ERROR_REASON_UNKNOWN_NAME, asked_text=id, possible=possible))


def unknown_camera(identity: str, devices: Iterable[Any]) -> NodeError:
    """What the node itself says where a camera is none of its own."""
    possible = [device.id for device in devices]
    text = f"no camera '{identity}'; there are: {', '.join(possible) or 'none'}"
    details = messages.ErrorDetails(reason=messages.ERROR_REASON_UNKNOWN_NAME, field="device", asked_text=identity, possible=possible)
    return NodeError(NOT_FOUND, text, details)


def is_node_lost(error: NodeError) -> bool:
    """Whether another attempt may help: the node or the camera is away for the moment."""
    return error.code == UNAVAILABLE


def _details(metadata: Iterable[Any]) -> messages.ErrorDetails | None:
    for item in metadata:
        if item.key == "capture-error-bin":
            try:
                return messages.ErrorDetails.FromString(item.value)
            except Exception:  # protobuf's DecodeError, of whichever runtime
                return None
    return None

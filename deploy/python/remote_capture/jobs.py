"""Work of a node that goes on without the client that began it, for the blocking client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generator

from . import messages, requests
from .errors import unknown_job

if TYPE_CHECKING:
    from .node import Node

EVENT_WINDOW = 64


class Job:
    """A timelapse of a node. `id` is also the `sequence` of its photos in the library."""

    def __init__(self, node: Node, id: str) -> None:
        self.node, self.id = node, id

    def __repr__(self) -> str:
        return f"Job({self.id!r})"

    def state(self) -> messages.Job:
        """How far it is. NodeError (NOT_FOUND) where there is no such job."""
        jobs = self.node.jobs()
        for job in jobs:
            if job.id == self.id:
                return job
        raise unknown_job(self.id, jobs)

    def stop(self) -> messages.Job:
        """It takes no more photos, and stays in the list."""
        return self.node.call(requests.control_job(self.id, messages.ControlJobRequest.STOP))  # type: ignore[no-any-return]

    def remove(self) -> messages.Job:
        """It is forgotten; one that runs is stopped first. Its photos stay."""
        return self.node.call(requests.control_job(self.id, messages.ControlJobRequest.REMOVE))  # type: ignore[no-any-return]

    def watch(self, reconnect: bool = False) -> Generator[messages.JobEvent, None, None]:
        """The job as it is, then each change."""
        return watch(self.node, self.id, reconnect)


def watch(node: Node, id: str, reconnect: bool) -> Generator[messages.JobEvent, None, None]:
    for event, _, _ in node.resumed(lambda: requests.watch_jobs(id), EVENT_WINDOW, reconnect):
        yield event

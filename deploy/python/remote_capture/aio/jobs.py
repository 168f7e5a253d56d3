"""Work of a node that goes on without the client that began it, for asyncio."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, AsyncGenerator

from .. import messages, requests
from ..errors import unknown_job
from ..jobs import EVENT_WINDOW

if TYPE_CHECKING:
    from . import Node


class Job:
    """A timelapse of a node. `id` is also the `sequence` of its photos in the library."""

    def __init__(self, node: Node, id: str) -> None:
        self.node, self.id = node, id

    def __repr__(self) -> str:
        return f"Job({self.id!r})"

    async def state(self) -> messages.Job:
        """How far it is. NodeError (NOT_FOUND) where there is no such job."""
        jobs = await self.node.jobs()
        for job in jobs:
            if job.id == self.id:
                return job
        raise unknown_job(self.id, jobs)

    async def stop(self) -> messages.Job:
        """It takes no more photos, and stays in the list."""
        return await self.node.call(requests.control_job(self.id, messages.ControlJobRequest.STOP))  # type: ignore[no-any-return]

    async def remove(self) -> messages.Job:
        """It is forgotten; one that runs is stopped first. Its photos stay."""
        return await self.node.call(requests.control_job(self.id, messages.ControlJobRequest.REMOVE))  # type: ignore[no-any-return]

    def watch(self, reconnect: bool = False) -> AsyncGenerator[messages.JobEvent, None]:
        """The job as it is, then each change."""
        return watch(self.node, self.id, reconnect)


async def watch(node: Node, id: str, reconnect: bool) -> AsyncGenerator[messages.JobEvent, None]:
    async with contextlib.aclosing(node.resumed(lambda: requests.watch_jobs(id), EVENT_WINDOW, reconnect)) as events:
        async for event, _, _ in events:
            yield event

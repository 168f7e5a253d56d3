"""When to try again what a lost node, or an unplugged camera, ended."""

from __future__ import annotations

from .errors import NOT_FOUND, NodeError, is_node_lost
from .identity import FollowedCamera

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0


class Retry:
    """The pauses between attempts. `after` raises what no attempt can mend.

    A node that has started anew may not have found a camera yet that was there before. Sessions and jobs that it does not have are gone.
    """

    def __init__(self, wanted: bool, camera: FollowedCamera | None = None) -> None:
        self._wanted, self._camera, self._pause = wanted, camera, FIRST_PAUSE_S
        self.happened = False

    def after(self, error: NodeError) -> float:
        """The pause before the next attempt, in seconds."""
        was_there = self._camera is not None and self._camera.identity is not None
        may_appear = was_there and self.happened and error.code == NOT_FOUND
        if not self._wanted or not (is_node_lost(error) or may_appear):
            raise error
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE_S)
        self.happened = True
        return pause

    def succeeded(self) -> bool:
        """Something came. Whether that is the first after a failure."""
        happened, self.happened, self._pause = self.happened, False, FIRST_PAUSE_S
        return happened

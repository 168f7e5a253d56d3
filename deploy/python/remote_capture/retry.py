"""When to try again what a lost node, or an unplugged camera, ended."""

from __future__ import annotations

from .errors import NOT_FOUND, NodeError, is_node_lost

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0


class Retry:
    """The pauses between attempts. `after` raises what no attempt can mend.

    A node that has started anew may not have found a camera yet that was there before. Sessions and jobs that it does not have are gone.
    """

    def __init__(self, wanted: bool, is_of_camera: bool = False) -> None:
        self._wanted, self._is_of_camera, self._pause = wanted, is_of_camera, FIRST_PAUSE_S
        self.happened = self._has_come = False

    def after(self, error: NodeError) -> float:
        """The pause before the next attempt, in seconds."""
        may_appear = self._is_of_camera and self._has_come and self.happened and error.code == NOT_FOUND
        if not self._wanted or not (is_node_lost(error) or may_appear):
            raise error
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE_S)
        self.happened = True
        return pause

    def succeeded(self) -> bool:
        """Something came. Whether that is the first after a failure."""
        happened, self.happened, self._has_come, self._pause = self.happened, False, True, FIRST_PAUSE_S
        return happened

"""When to try again what a lost node, or an unplugged camera, ended."""

from __future__ import annotations

from .errors import NodeError, is_node_lost

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0


class Retry:
    """The pauses between attempts. `after` raises what no attempt can mend."""

    def __init__(self, wanted: bool) -> None:
        self._wanted, self._pause = wanted, FIRST_PAUSE_S
        self.happened = False

    def after(self, error: NodeError) -> float:
        """The pause before the next attempt, in seconds."""
        if not self._wanted or not is_node_lost(error):
            raise error
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE_S)
        self.happened = True
        return pause

    def succeeded(self) -> bool:
        """Something came. Whether that is the first after a failure."""
        happened, self.happened, self._pause = self.happened, False, FIRST_PAUSE_S
        return happened

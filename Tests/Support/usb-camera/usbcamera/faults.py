"""What the camera does wrong, as its control socket asked for."""

import asyncio
import collections


class Faults:
    """Faults of frames are counted down frame by frame; the others last until they are lifted."""

    FRAMES = {
        "truncate": "the second half of the frame never comes",
        "corrupt": "zeros in the middle",
        "headless": "the first payload is lost",
        "error": "sent with the error bit, which the driver drops",
        "skip": "not sent at all",
    }

    def __init__(self):
        self._flowing = asyncio.Event()
        self.reset()

    def reset(self):
        self._flowing.set()
        self._frames = collections.deque()
        self.halted = False
        self._refusals = {}
        self.delays = {}

    def spoil(self, kind, count):
        """Makes the next frames bad: a kind of FRAMES, how many."""
        self._frames.append([kind, count])

    def refuse(self, control, code, count=None):
        """Setting a control is stalled with a UVC error code; the next `count` times, or until it is lifted by code 0."""
        self._refusals[control] = [code, count]

    def next_refusal(self, control):
        """The error code that setting a control is stalled with now; 0: none."""
        refusal = self._refusals.get(control, [0, None])
        code, left = refusal
        if left is not None:
            refusal[1] = left - 1
            if left <= 1:
                del self._refusals[control]
        return code

    def next_frame(self):
        """What is to be wrong with the next frame, if anything."""
        if not self._frames:
            return None
        kind, left = self._frames[0]
        self._frames[0][1] = left - 1
        if left <= 1:
            self._frames.popleft()
        return kind

    def stall(self):
        """The stream goes silent."""
        self._flowing.clear()

    def resume(self):
        self._flowing.set()

    async def flowing(self):
        await self._flowing.wait()

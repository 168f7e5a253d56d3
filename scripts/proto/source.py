"""Indented text, line by line."""

import contextlib


class Source:
    def __init__(self):
        self._lines = []
        self._depth = 0

    def line(self, text=""):
        self._lines.append("  " * self._depth + text if text else "")

    @contextlib.contextmanager
    def block(self, opening, closing="}"):
        self.line(opening)
        self._depth += 1
        yield
        self._depth -= 1
        self.line(closing)

    def doc(self, location):
        """The comments of the .proto at `location`, as a documentation comment."""
        if location is None:
            return
        for text in (location.leading_comments, location.trailing_comments):
            for line in text.rstrip().splitlines():
                self.line("///" + line.rstrip())

    def text(self):
        return "\n".join(self._lines) + "\n"

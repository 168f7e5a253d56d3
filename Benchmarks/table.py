"""The table: one row a figure, with what it is held against."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Target:
    """What a row has to reach."""

    text: str
    is_met: Callable[["Row"], bool] = field(repr=False)


def ratio_at_least(bound):
    """Bounds the ratio of our figure to the floor's, or to the peer's where there is no floor."""
    return Target(f"≥ {bound} ×", lambda row: row.ratio >= bound)


def ratio_at_most(bound):
    return Target(f"≤ {bound} ×", lambda row: row.ratio <= bound)


def ratio_at_most_in_rounds(bound, worst, times):
    """The median ratio is `bound` at most, and those of all rounds but `times` are `worst` at most."""
    return Target(f"≤ {bound} ×, {times} > {worst}", lambda row: row.ratio <= bound and sum(ratio > worst for ratio in row.ratios) <= times)


def at_most(bound):
    """Bounds our figure itself, in the row's unit."""
    return Target(f"≤ {bound:g}", lambda row: row.ours <= bound)


def at_most_floor_and(factor, more):
    return Target(f"≤ {factor:g} × + {more:g}", lambda row: row.ours <= factor * row.floor + more)


@dataclass
class Row:
    name: str
    unit: str
    ours: float
    floor: float | None = None
    # The median of the rounds' ratios: ours to the floor's, or to the peer's where there is no floor.
    ratio: float | None = None
    # The ratio of each round, where there were rounds.
    ratios: list[float] = field(default_factory=list)
    # The rounds with a ratio above this are counted.
    above: float | None = None
    target: Target | None = None
    # What others take for the same, by their names.
    peers: dict[str, float] = field(default_factory=dict)

    @property
    def rounds_above(self):
        return None if self.above is None else sum(ratio > self.above for ratio in self.ratios)

    @property
    def met(self):
        return self.target.is_met(self) if self.target else None

    def document(self):
        return {"name": self.name, "unit": self.unit, "ours": self.ours, "floor": self.floor, "ratio": self.ratio, "ratios": self.ratios,
                "above": self.above, "rounds_above": self.rounds_above, "peers": self.peers, "target": self.target.text if self.target else None, "met": self.met}


def heading():
    return line("", "ours", "floor", "", "ratio", "target", "", "others")


def text(row):
    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    others = [f"{name} {figure(value)}" for name, value in row.peers.items()]
    if len(row.ratios) > 1:
        counted = "" if row.above is None else f", {row.rounds_above} of {len(row.ratios)} above {row.above}"
        others.insert(0, f"rounds {min(row.ratios):.2f} to {max(row.ratios):.2f}{counted}")
    others = ", ".join(others)
    return line(row.name, figure(row.ours), figure(row.floor), row.unit, figure(row.ratio),
                row.target.text if row.target else "", verdict, others)


def line(name, ours, floor, unit, ratio, target, verdict, others):
    return f"{name:<58} {ours:>9} {floor:>9} {unit:<5} {ratio:>6} {target:>16} {verdict:<6} {others}".rstrip()


def figure(value):
    return "" if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"

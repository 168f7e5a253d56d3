"""Holds this build against another one: both in turn, each with its own floor, and the median over the rounds of what the new one takes of the old one's figures."""

import statistics


def measure(part, new, old, rounds):
    """Lines of a table for one part. `new` and `old` make a bench of one round each, which prints nothing."""
    ratios = {}
    for number in range(rounds):
        # Whoever comes first meets what the round before left behind.
        first, second = (new, old) if number % 2 == 0 else (old, new)
        rows = {}
        for make in (first, second):
            bench = make()
            part(bench)
            rows[make] = {row.name: row for row in bench.rows}
        for name in rows[new].keys() & rows[old].keys():
            ours, theirs = figure(rows[new][name]), figure(rows[old][name])
            if ours is not None and theirs:
                ratios.setdefault(name, []).append(ours / theirs)
    return [f"{name:<72} {statistics.median(of):5.2f}  ({min(of):.2f} to {max(of):.2f})" for name, of in ratios.items()]


def figure(row):
    """What it has in ratio to its floor, or as it is where it has none."""
    return row.ratio if row.ratio is not None else row.ours

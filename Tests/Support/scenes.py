"""Makes the table of docs/controls.md of what the tests of cameras that were never calibrated print.

usage: … | scenes.py

Lines that begin with "delay N, KIND: " become the table's rows, which is printed at the end. What failed is printed as it comes: a search that says so, and
each expectation that was not met, with the lines that belong to it.
"""

import re
import sys

LINE = re.compile(
    r"delay (?P<delay>\d+), (?P<kind>[a-z ]+): (?P<right>\d+) right, off by (?P<off>[\d.]+) at most, (?P<failed>\d+) failed, "
    r"(?P<wrong>\d+) wrong; (?P<middle>\d+) frames in the middle, (?P<most>\d+) of 95 %, (?P<longest>\d+) at most")
# With how an error is told.
KINDS = {
    "exposure": "{:.2f} EV", "grey": "{:.1%}", "grey by temperature": "{:.1%}", "focus": "{:.1%}", "focus first": "{:.1%}",
    "grey first": "{:.1%}",
}


def cells(found):
    return f"{KINDS[found['kind']].format(float(found['off']))}; {found['middle']}, {found['most']}".replace("%", " %")


def summary(kind, lines):
    def total(name):
        return sum(int(found[name]) for found in lines)
    count = total("right") + total("failed") + total("wrong")
    longest = max(int(found["longest"]) for found in lines)
    return f"{kind}: {count}, {total('failed')} failed, {total('wrong')} wrong, {longest} frames at most"


def main():
    found, is_issue = {}, False
    for line in sys.stdin:
        # What is marked with an arrow belongs to the line before it.
        is_issue = "recorded an issue" in line or is_issue and line.lstrip().startswith("↳")
        if match := LINE.match(line):
            found[int(match["delay"]), match["kind"]] = match
        elif "failed after" in line or is_issue:
            print(line, end="", flush=True)
    delays = sorted({delay for delay, _ in found})
    print(f"\n| delay | {' | '.join(KINDS)} |\n|{' --- |' * (1 + len(KINDS))}")
    for delay in delays:
        print(f"| {delay} | {' | '.join(cells(found[delay, kind]) if (delay, kind) in found else '-' for kind in KINDS)} |")
    print()
    for kind in KINDS:
        if lines := [found[delay, kind] for delay in delays if (delay, kind) in found]:
            print(summary(kind, lines))


if __name__ == "__main__":
    main()

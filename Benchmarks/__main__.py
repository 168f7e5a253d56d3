"""Measures the release build against its floors. Run by scripts/bench, which builds what this needs.

Every figure is the median of some rounds. A round measures the floor, then ours, then the peers, one right after the other, and a
ratio is the median of the rounds' ratios: a noisy machine slows all of them. The status is 1 where a target is missed, but with --quick.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
import traceback
from pathlib import Path

import against
import table
from parts import encoding, fanout, growth, instructions, life, link, tls, ustreamer, wire
from programs import Node, measured
from table import Row

# In this order: first what needs a quiet machine most, and last what is counted.
PARTS = {"wire": wire.measure, "fanout": fanout.measure, "tls": tls.measure, "encoding": encoding.measure, "life": life.measure, "link": link.measure,
         "growth": growth.measure, "ustreamer": ustreamer.measure, "instructions": instructions.measure}
# What takes a virtual machine or valgrind, or draws a picture, is measured with the peers, or when it is asked for.
USUAL = [name for name in PARTS if name not in ("growth", "ustreamer", "instructions")]
# What is held against, not a peer. "together": a floor with both of its ends on one processor; "spinning": one that takes as long for a frame as the node.
FLOORS = ("floor", "together", "spinning")
# What is ours and measured without peers too. Another build's programs (--against) know these.
OURS = ("ours", fanout.LIBRARY)


class Bench:
    def __init__(self, directory, floors, quick, peers, rounds, prints=True):
        self.directory, self.floors, self.quick, self.peers = Path(directory), Path(floors), quick, peers
        self.rounds, self.prints = rounds, prints
        self.seconds = 0.3 if quick else 2
        self.rows, self.notes = [], []
        # What the candidates of the round under way have said, by their names: a later one may go by it.
        self.round = {}

    def program(self, name, *words):
        return measured(self.directory / name, *words)

    def floor(self, name, *words):
        return measured(self.floors / name, *words)

    def node(self, *words, **options):
        return Node(self.directory / "capture-node", *words, **options)

    def interleaved(self, **candidates):
        """Rounds of all of them, one right after the other; what each said, by name. Only with --peers those that are no floor."""
        rounds = {name: [] for name in candidates if self.peers or name in (*FLOORS, *OURS)}
        for _ in range(self.rounds):
            self.round = {}
            for name, results in rounds.items():
                self.round[name] = candidates[name]()
                results.append(self.round[name])
        return rounds

    def compare(self, rounds, name, unit, key, target=None, against="floor", of="ours", above=None):
        """A row of what `rounds` says of `of` under `key`; its ratio is that to `against`, and the rounds with one above `above` are counted. No row
        where `of` was not measured, or where a target is held against a peer that was not."""
        def median(name):
            return statistics.median(result[key] for result in rounds[name])

        base = rounds.get(against)
        if of not in rounds or (against and base is None and target):
            return
        ratios = [ours[key] / other[key] for other, ours in zip(base or [], rounds[of])]
        self.add(Row(
            name, unit, median(of), floor=median(against) if base and against in FLOORS else None, ratio=statistics.median(ratios) if ratios else None,
            ratios=ratios, above=above, target=target,
            peers={peer.replace("_", " "): median(peer) for peer in rounds if peer not in (*FLOORS, of) and key in rounds[peer][0]}))

    def report(self, name, unit, value, target=None, **more):
        self.add(Row(name, unit, value, target=target, **more))

    def add(self, row):
        self.rows.append(row)
        if self.prints:
            print(table.text(row), flush=True)

    def note(self, text):
        """A line above a part's rows: of what was measured."""
        self.notes.append(text)
        if self.prints:
            print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the table there too")
    parser.add_argument("--quick", action="store_true", help="one short round: does it run? Its figures mean little")
    parser.add_argument("--only", choices=PARTS, action="append", help="a part, which may be repeated")
    parser.add_argument("--peers", action="store_true",
                        help="gRPC C++, GStreamer and ustreamer too, and all parts: the whole table of docs/performance.md, in three quarters of an hour. "
                             f"Without it: {', '.join(USUAL)}")
    parser.add_argument("--against", metavar="DIRECTORY", help="hold this build against the programs there, both in turn")
    parser.add_argument("--rounds", type=int, metavar="N", help="how many rounds (default: 7, or 1 with --quick)")
    parser.add_argument("directory", help=argparse.SUPPRESS)
    parser.add_argument("floors", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rounds is None:
        options.rounds = 1 if options.quick and not options.against else 7
    if options.rounds < 1:
        parser.error(f"there is at least one round, not {options.rounds}")
    if options.against and (options.json or options.peers):
        parser.error("--against takes --only, --quick and --rounds; not --json or --peers")
    if options.against:
        return hold_against(options)
    bench = Bench(options.directory, options.floors, options.quick, options.peers, options.rounds)
    print(table.heading(), flush=True)
    failed = []
    for part in options.only or (PARTS if options.peers else USUAL):
        # A part that fails does not take the others' figures along.
        try:
            PARTS[part](bench)
        except (Exception, SystemExit) as error:
            traceback.print_exception(error)
            failed.append(part)
        if options.json:
            write(options.json, bench, failed)
    checked = [row for row in bench.rows if row.met is not None]
    if checked:
        print(f"{sum(row.met for row in checked)} of {len(checked)} targets met")
    if end(failed):
        return 1
    # The figures of one short round say nothing.
    return 0 if options.quick or all(row.met for row in checked) else 1


def write(path, bench, failed):
    document = {
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs, Linux {platform.release()}",
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "rounds": bench.rounds, "quick": bench.quick, "failed": failed,
        "notes": bench.notes, "rows": [row.document() for row in bench.rows],
    }
    Path(path).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def hold_against(options):
    def make(directory):
        return Bench(directory, options.floors, options.quick, False, 1, prints=False)

    print(f"this build's figure over that of {options.against}, median of {options.rounds} rounds (least to most); throughput: more is better")
    failed = []
    for part in options.only or USUAL:
        # An older build may lack what a part measures, as TLS.
        try:
            lines = against.measure(
                PARTS[part], lambda: make(options.directory), lambda: make(options.against), options.rounds)
            print("\n".join(lines), flush=True)
        except (Exception, SystemExit) as error:
            traceback.print_exception(error)
            failed.append(part)
    return end(failed)


def end(failed):
    """The status, where these parts failed."""
    if failed:
        print(f"failed, and not measured to the end: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

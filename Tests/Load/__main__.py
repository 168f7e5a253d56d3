"""usage: load [--long] [NAME…]

Puts a node of its own under load and faults, and says what it measured. All traffic stays on this machine; every loop is
bounded. --long takes the times of a soak instead of a CI run's share of them. Needs root for the bad links.

A case that misses a bound in time, or loses frames, is measured again, at most four times, where a witness saw that the machine stood still
or that others had the processors; with --long also one whose node's memory grows. From the third time on lost frames pass where no more are lost
than came while it stood still. Every figure is printed. Whatever else is wrong fails at once.
"""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import crowds
import hostile
import limits
import strangers
import streams
import vanishing
from node import Grown, LostFrames, TooSlow
from wire import Violation
from witness import Witness

CASES = [
    crowds.caps, crowds.ten_thousand_silent, crowds.descriptors_used_up, crowds.hundred_thousand_cancels,
    crowds.cancels_of_one_address, limits.every_limit, *hostile.ALL, strangers.fifty_addresses, streams.black_hole, streams.stalled_readers, vanishing.killed_client, vanishing.reset_connections,
    streams.killed_node, streams.terminated_under_load, streams.terminated_at_rest, streams.lossy_link, streams.fresh_on_a_slow_link,
]
# The first waits for most of a minute and does next to nothing. It runs beside the cases that follow, up to those that need the bad link too.
IDLE, LINKED = streams.black_hole, {streams.lossy_link, streams.fresh_on_a_slow_link}

# With --long, seconds.
LONG = {streams.stalled_readers: 120} | dict.fromkeys([*hostile.ALL, strangers.fifty_addresses], 30)

ATTEMPTS = 5
# From this attempt on, the machine is taken for the cause where no more frames are lost than came while it stood still.
BELIEVED = 3


def measured(case, options):
    """Whether it went as it should."""
    for attempt in range(1, ATTEMPTS + 1):
        found, began, error = [], time.monotonic(), None
        with Witness() as witness:
            try:
                case(found.append, **options)
            except (Violation, OSError, ValueError, subprocess.SubprocessError, LookupError) as one:
                error = one
        if attempt >= BELIEVED and isinstance(error, LostFrames) and error.count <= witness.frames_missed(error.rate):
            found.append(f"{error.count} lost while the machine stood still, longest {witness.longest:.3f} s")
            error = None
        goes_on = isinstance(error, (TooSlow, LostFrames, Grown)) and witness.excuse is not None and attempt < ATTEMPTS
        verdict = "again:" if goes_on else "not ok" if error else "ok"
        why = f"\n    {type(error).__name__}: {error} ({witness.excuse or 'the machine was ours'})" if error else ""
        print(f"{verdict} {case.__name__} ({time.monotonic() - began:.1f} s): {'; '.join(found)}{why}", flush=True)
        if not goes_on:
            return error is None
    return False


def main(words):
    if "--help" in words:
        print(__doc__)
        return 0
    is_long = "--long" in words
    names = [word for word in words if not word.startswith("--")]
    verdicts, idle = [], None
    with ThreadPoolExecutor() as beside:
        for case in CASES:
            if names and case.__name__ not in names:
                continue
            options = {"seconds": LONG[case]} if is_long and case in LONG else {}
            if case is IDLE:
                idle = beside.submit(measured, case, options)
                continue
            if case in LINKED and idle:
                idle.exception()  # waits
            verdicts.append(measured(case, options))
    if idle:
        verdicts.append(idle.result())
    passed = sum(verdicts)
    failed = len(verdicts) - passed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main(sys.argv[1:]))

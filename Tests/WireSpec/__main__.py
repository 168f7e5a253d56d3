"""usage: wirespec ADDRESS [--filter WORD] [--without WORD] [--list]

Speaks to a running node, right and wrong, and checks that each packet ends as docs/protocol.md says, within 2 s, and leaves the
node as it was; in the end, that all of them together have. Cases of calls need a node that runs with --enable-test-service; elsewhere
they are left out, and said so. Cases that wait for a specified timer come last, all at the same time.

Others may use the node meanwhile. A case behind which it is worse off is then run again, at most four times: it may have been theirs.
"""

import concurrent.futures
import sys
import time

from wire import LIMIT_S, Violation, Wire, greeted_once_there_is_room, pb, require
from registry import CASES
import cases_connection, cases_packets, cases_calls, cases_after, cases_streams  # noqa: E401,F401
import cases_ends, cases_semantics, cases_keepalive  # noqa: E401,F401

RSS_ALLOWANCE = 16 << 20  # caches may stay behind, of a case and of all of them, never more
DESCRIPTOR_ALLOWANCE = 4  # timers and events that a runtime opens once, when it first needs them
SETTLING_S = 0.1
ATTEMPTS = 5  # of a case, where others use the node


class WorseOff(Violation):
    """The node has more of something than before."""

    def __init__(self, text, is_shared):
        super().__init__(f"the node is worse off: {text}")
        self.is_shared = is_shared


class Monitor:
    """Asks the node how it is, over connections of its own."""

    def __init__(self, address):
        self.address = address
        self.clients = 1  # when last something began: its own connection is one

    def limits(self):
        with self.connection() as wire:
            return wire.node.limits

    def connection(self):
        return greeted_once_there_is_room(self.address)

    def unary(self, method, request, answer_type):
        with self.connection() as wire:
            call = wire.call(method, request)
            ((body, _),) = wire.expect_status(call, 0)
            return answer_type.FromString(body)

    def status(self):
        """How the node is, and how many connections the suite has opened by then."""
        return self.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse), Wire.opened

    def start(self):
        """The status before something begins. A connection that was just closed may still be counted: if there are more than the
        last time the node is asked again, for a moment."""
        deadline = time.monotonic() + SETTLING_S
        while True:
            status, opened = self.status()
            if status.clients <= self.clients or time.monotonic() > deadline:
                self.clients = status.clients
                return status, opened
            time.sleep(0.01)

    def has_test_service(self):
        info = self.unary("capture.v1.Node/Info", pb.InfoRequest(), pb.InfoResponse)
        return "capture.v1.Test/Empty" in info.methods

    def require_unharmed(self, start):
        """Calls, connections, descriptors and memory are back where they were at the start, within LIMIT_S."""
        before, opened_before = start
        deadline = time.monotonic() + LIMIT_S
        while True:
            now, opened = self.status()
            worse = [
                f"{name} {had} -> {has}"
                for name, had, has, allowance in (
                    ("calls", before.calls, now.calls, 0),
                    ("clients", before.clients, now.clients, 0),
                    ("descriptors", before.descriptors, now.descriptors, DESCRIPTOR_ALLOWANCE),
                    ("resident bytes", before.resident_bytes, now.resident_bytes, RSS_ALLOWANCE),
                )
                if has > had + allowance
            ]
            if not worse:
                return
            if time.monotonic() > deadline:
                # The one client that there is when the suite is alone is the connection that asks.
                others_came = now.clients_total - before.clients_total > opened - opened_before
                raise WorseOff(", ".join(worse), is_shared=others_came or before.clients > 1)
            time.sleep(0.02)


def main(arguments):
    if "--help" in arguments or not arguments:
        print(__doc__)
        return 0 if arguments else 2
    chosen = CASES
    if "--filter" in arguments:
        chosen = named(arguments[arguments.index("--filter") + 1])
    if "--without" in arguments:
        left_out = named(arguments[arguments.index("--without") + 1])
        chosen = [case for case in chosen if case not in left_out]
    if "--list" in arguments:
        for case in chosen:
            print(f"{case.section:14} {case.name}")
        return 0
    monitor = Monitor(arguments[0])
    Wire.limits = monitor.limits()
    test_service = monitor.has_test_service()
    served = [case for case in chosen if test_service or not case.test_service]
    warm_up(monitor, test_service)
    start = monitor.start()
    results = [outcome(case, arguments[0], monitor) for case in served if not case.slow]
    results += outcomes_of_timers([case for case in served if case.slow], arguments[0])
    results += outcome_of_all(monitor, start)
    if len(served) < len(chosen):
        print(f"{len(chosen) - len(served)} cases left out: this node does not run with --enable-test-service")
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


def named(word):
    return [case for case in CASES if word in case.name or word in case.section]


def warm_up(monitor, test_service):
    """What a node allocates once, when it first needs it, belongs to no case."""
    for _ in range(20):
        with monitor.connection() as wire:
            calls = [wire.call("capture.v1.Node/Status") for _ in range(min(10, wire.node.limits.max_calls))]
            if test_service:
                calls.append(wire.call("Unary", pb.TestRequest(response_payload_bytes=1_000_000)))
            wire.answers(calls)


def outcome(case, address, monitor):
    Wire.patience_s = LIMIT_S
    return tell(f"{case.section}: {case.name}", lambda: unharmed(case, address, monitor))


def unharmed(case, address, monitor):
    """The case goes as it should, and leaves the node as it was just before."""
    for attempt in range(1, ATTEMPTS + 1):
        start = monitor.start()
        run(case, address)
        try:
            return monitor.require_unharmed(start)
        except WorseOff as error:
            if not error.is_shared or attempt == ATTEMPTS:
                raise


def outcomes_of_timers(cases, address):
    """What they leave behind is seen in the end."""
    if not cases:
        return []
    Wire.patience_s = LIMIT_S + max(case.slow for case in cases)
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as threads:
        runs = [threads.submit(run, case, address) for case in cases]
    Wire.patience_s = LIMIT_S
    return [tell(f"{case.section}: {case.name}", ended.result) for case, ended in zip(cases, runs)]


def outcome_of_all(monitor, start):
    name = "the node: after all cases it is as it was before them"
    try:
        monitor.require_unharmed(start)
    except WorseOff as error:
        if error.is_shared:
            print(f"left out, for others use this node: {name}\n    {error}")
            return []
    return [tell(name, lambda: monitor.require_unharmed(start))]


def run(case, address):
    began = time.monotonic()
    case.function(address)
    took = time.monotonic() - began - case.slow
    require(took < 10 * LIMIT_S, f"took {took:.1f} s")


def tell(name, work):
    try:
        work()
    except Exception as error:  # whatever a node sends, the other cases are still to be run
        print(f"not ok {name}\n    {type(error).__name__}: {error}", flush=True)
        return False
    print(f"ok {name}", flush=True)
    return True


sys.exit(main(sys.argv[1:]))

"""usage: wirespec ADDRESS [--filter WORD] [--without WORD] [--list]

Speaks to a running node, right and wrong, and checks that each packet ends as docs/protocol.md says, within 2 s, and leaves the
node as it was. Cases of calls need a node that runs with --enable-test-service; elsewhere they are left out, and said so.
Cases that wait for a specified timer come last, all at the same time.
"""

import concurrent.futures
import sys
import time

from wire import LIMIT_S, Wire, pb, require
from registry import CASES
import cases_connection, cases_packets, cases_calls, cases_after, cases_streams  # noqa: E401,F401
import cases_ends, cases_semantics, cases_keepalive  # noqa: E401,F401

RSS_ALLOWANCE = 16 << 20  # a case may leave caches behind, never more
DESCRIPTOR_ALLOWANCE = 4  # timers and events that a runtime opens once, when it first needs them


class Monitor:
    """Asks the node how it is, over connections of its own."""

    def __init__(self, address):
        self.address = address

    def limits(self):
        with Wire(self.address).greet() as wire:
            return wire.node.limits

    def unary(self, method, request, answer_type):
        with Wire(self.address).greet() as wire:
            call = wire.call(method, request)
            ((body, _),) = wire.expect_status(call, 0)
            return answer_type.FromString(body)

    def status(self):
        return self.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse)

    def has_test_service(self):
        info = self.unary("capture.v1.Node/Info", pb.InfoRequest(), pb.InfoResponse)
        return "capture.v1.Test/Empty" in info.methods

    def require_unharmed(self, before):
        """Calls, connections, descriptors and memory are back where they were, within LIMIT_S."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            now = self.status()
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
            require(time.monotonic() < deadline, "the node is worse off: " + ", ".join(worse))
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
    results = [outcome(case, arguments[0], monitor) for case in served if not case.slow]
    results += outcomes_of_timers([case for case in served if case.slow], arguments[0], monitor)
    if len(served) < len(chosen):
        print(f"{len(chosen) - len(served)} cases left out: this node does not run with --enable-test-service")
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


def named(word):
    return [case for case in CASES if word in case.name or word in case.section]


def outcome(case, address, monitor):
    """Whether the case went as it should, and left the node as it was just before: others may come and stay meanwhile."""
    Wire.patience_s = LIMIT_S
    before = monitor.status()
    return tell(case, lambda: (run(case, address), monitor.require_unharmed(before)))


def outcomes_of_timers(cases, address, monitor):
    if not cases:
        return []
    before = monitor.status()
    Wire.patience_s = LIMIT_S + max(case.slow for case in cases)
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as threads:
        runs = [threads.submit(run, case, address) for case in cases]
    Wire.patience_s = LIMIT_S
    return [tell(case, lambda: (ended.result(), monitor.require_unharmed(before))) for case, ended in zip(cases, runs)]


def run(case, address):
    began = time.monotonic()
    case.function(address)
    took = time.monotonic() - began - case.slow
    require(took < 10 * LIMIT_S, f"took {took:.1f} s")


def tell(case, work):
    try:
        work()
    except Exception as error:  # whatever a node sends, the other cases are still to be run
        print(f"not ok {case.section}: {case.name}\n    {type(error).__name__}: {error}", flush=True)
        return False
    print(f"ok {case.section}: {case.name}", flush=True)
    return True


sys.exit(main(sys.argv[1:]))
